module github.com/boughdev/bough/benchmarks/limits

go 1.24
