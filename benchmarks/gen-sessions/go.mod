module github.com/boughdev/bough/benchmarks/gen-sessions

go 1.24
