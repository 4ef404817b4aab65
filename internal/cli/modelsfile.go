package cli

import (
	"context"
	"fmt"
	"os"

	"github.com/boughdev/bough/internal/pifile"
	"github.com/boughdev/bough/provider/catalog"
)

// modelsCommand is bough models: the list of models that comes with the program,
// and a newer one of a file.
func modelsCommand() command {
	return command{"models", "[list [WORD] | update FILE | reset | export FILE]", "list models, or use a newer list of known models",
		"list is --list-models. update FILE takes a newer list, packed with gzip or not; it\ncounts until the program has a newer one itself. reset goes back to the program's own,\nand export FILE writes the one that counts. Alone it says which that is.\n" +
			"The file is {\"date\":\"2026-12-01\",\"source\":\"…\",\"providers\":[{\"id\",\"name\",\"first\",\n\"models\":[…]}]}, with models as pi describes them.\n",
		nil, runModels}
}

func runModels(_ context.Context, env Env, _ map[string]string, words []string) error {
	r, err := newRunner(env, &args{maxTurns: -1})
	if err != nil {
		return err
	}
	verb := ""
	if len(words) > 0 {
		verb = words[0]
	}
	switch {
	case verb == "list" && len(words) <= 2:
		if len(words) == 2 {
			r.args.listQuery = words[1]
		}
		return r.listModels()
	case verb == "update" && len(words) == 2:
		return r.updateModels(env.abs(words[1]))
	case verb == "reset" && len(words) == 1:
		had, err := catalog.Reset(r.modelsDir())
		if err != nil {
			return err
		}
		if !had {
			fmt.Fprintln(env.Stderr, "bough: the program's own list is in use; there is no other")
		} else {
			fmt.Fprintf(env.Stderr, "bough: back to the program's own list, of %s\n", catalog.Date)
		}
		return nil
	case verb == "export" && len(words) == 2:
		d, err := catalog.OpenData(r.modelsDir())
		if err != nil {
			return err
		}
		packed, err := d.Bundle()
		if err != nil {
			return err
		}
		path := env.abs(words[1])
		if err := pifile.Write(path, packed, 0o644); err != nil {
			return err
		}
		fmt.Fprintf(env.Stderr, "bough: %d models of %s are in %s\n", d.Count(), d.Date, path)
		return nil
	case verb == "":
		d, err := catalog.OpenData(r.modelsDir())
		if err != nil {
			r.tell(fmt.Sprintf("the newer list of models is not used: %v. bough models reset takes it away", err))
		}
		where := "part of the program"
		if d.Dir != "" {
			where = d.Dir
		}
		fmt.Fprintf(env.Stdout, "date       %s\nsource     %s\nfrom       %s\nproviders  %d\nmodels     %d\n", d.Date, d.Source, where, len(d.Providers()), d.Count())
		return nil
	}
	return commandUsage("models", "say list [WORD], update FILE, reset, export FILE, or nothing")
}

func (r *runner) updateModels(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return fmt.Errorf("read the list of models: %w", err)
	}
	if !info.Mode().IsRegular() || info.Size() > 64<<20 {
		return fmt.Errorf("%s is no list of models: it is no file, or larger than 64 MB", path)
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("read the list of models: %w", err)
	}
	d, err := catalog.Install(r.modelsDir(), raw)
	if err != nil {
		return fmt.Errorf("%s is not used: %w", path, err)
	}
	fmt.Fprintf(r.env.Stderr, "bough: %d models of %d providers, as of %s. bough models reset goes back\n", d.Count(), len(d.Providers()), d.Date)
	return nil
}
