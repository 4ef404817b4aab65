module github.com/boughdev/bough/benchmarks/agentbench

go 1.24
