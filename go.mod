module github.com/boughdev/bough

go 1.26.0
