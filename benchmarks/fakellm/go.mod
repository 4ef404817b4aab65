module github.com/boughdev/bough/benchmarks/fakellm

go 1.24
