package cli

import (
	"bufio"
	"context"
	"io"
	"os"

	"github.com/boughdev/bough/internal/conformance"
)

// conformanceCommand prints readings for the conformance cases.
func conformanceCommand(ctx context.Context, env Env, opts map[string]string, words []string) error {
	read := func(path string, then func(io.Writer, []byte) error) error {
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		out := bufio.NewWriterSize(env.Stdout, 1<<16)
		if err := then(out, data); err != nil {
			return err
		}
		return out.Flush()
	}
	switch {
	case len(words) == 2 && words[0] == "dump":
		return read(env.abs(words[1]), conformance.Dump)
	case len(words) == 2 && words[0] == "list":
		return conformance.List(env.Stdout, env.abs(words[1]))
	case len(words) == 3 && words[0] == "apply":
		return read(env.abs(words[2]), func(out io.Writer, ops []byte) error {
			return conformance.Apply(out, env.abs(words[1]), ops)
		})
	}
	return commandUsage("conformance", "use dump FILE, list DIR, or apply FILE OPS.json")
}
