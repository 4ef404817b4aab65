package tui

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/boughdev/bough/internal/frontend/slash"
	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/internal/styled"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

// touchedFiles lists the files that were read and changed on this branch. Chosen, a
// file comes into the editor.
func (a *app) touchedFiles(slash.Command) error {
	a.read(func(t *session.Tree, leaf session.ID) func() {
		facts := render.FactsOf(func(yield func(*session.Entry) bool) {
			for _, e := range t.Path(leaf) {
				if a.ctx.Err() != nil || !yield(e) {
					return
				}
			}
		})
		return func() {
			var paths []string
			var list texts
			add := func(words string, files []string) {
				for _, f := range files {
					paths = append(paths, f)
					list = append(list, struct{ name, beside string }{words, a.home(f)})
				}
			}
			add(a.t("changed"), facts.Changed)
			add(a.t("read"), facts.Read)
			p := &picker{title: "Files of this branch", list: table{list, a, 9}, verb: "name it in the message",
				empty: "no file was read or changed with the tools on this branch; what commands of the shell did is not listed"}
			p.choose = func(a *app, i int) {
				a.close(p)
				word := "@" + paths[i]
				if strings.ContainsAny(paths[i], " \t") {
					word = `@"` + paths[i] + `"`
				}
				a.editor.insert(word + " ")
			}
			a.push(p)
		}
	})
	return nil
}

// importSession takes a file of elsewhere into the store and goes over to it.
func (a *app) importSession(c slash.Command) error {
	args, err := c.Args()
	switch {
	case err != nil:
		return err
	case args.Text() == "":
		return errors.New("say which file: /import with the path of a session file or of a headerless tree")
	case a.o.Around.Import == nil:
		return errors.New("nothing can be imported here; bough import in a shell does it")
	}
	take := func(over bool) func() {
		return func() {
			a.beside(func() func() {
				id, told, err := a.o.Around.Import(a.ctx, args.Text())
				if err == nil && over {
					_, err = protocol.Call(a.ctx, a.c, protocol.SwitchSession{Session: id})
				}
				return func() {
					for _, line := range told {
						a.tell(a.theme.dim, "%s", line)
					}
					a.problem(err)
				}
			})
		}
	}
	a.push(&question{text: a.t("Take up %s as a session? The file itself stays as it is.", render.Quote(args.Text(), 60)), choices: []choice{
		{"Take it up and go over to it", take(true)},
		{"Take it up and stay here", take(false)},
		{"Leave it", nil},
	}})
	return nil
}

// bug says where faults are reported, and how a conversation goes along.
func (a *app) bug(slash.Command) error {
	for _, line := range slash.Bug() {
		a.tell(a.theme.dim, "%s", a.t(line))
	}
	return nil
}

// mostDumped is how many entries of the path a report of the screen has.
const mostDumped = 200

// debug writes down what the screen shows, row by row, and the newest entries.
func (a *app) debug(slash.Command) error {
	if a.o.Around.Debug == nil {
		return errors.New("there is no folder to write to")
	}
	w, h := a.term.Size()
	frame := a.paint()
	path := a.look.path[max(len(a.look.path)-mostDumped, 0):]
	var b strings.Builder
	fmt.Fprintf(&b, "bough %s, %d x %d, theme %s, session %s at %s\n\n", a.o.Version, w, h, a.theme.name, a.view.Header.ID, cmp.Or(string(a.view.Leaf), "the start"))
	for i, l := range frame.Rows {
		fmt.Fprintf(&b, "%3d %3d %s\n", i, l.Width(), styled.Safe(l.Text()))
	}
	a.beside(func() func() {
		b.WriteString("\n")
		for _, e := range path {
			raw, err := e.Raw()
			if err != nil {
				raw = []byte(fmt.Sprintf("%s: %v", e.ID, err))
			}
			b.Write(raw)
			b.WriteString("\n")
		}
		file, err := a.o.Around.Debug(b.String())
		return func() {
			if err != nil {
				a.problem(err)
				return
			}
			a.tell(a.theme.dim, "written for you alone: %s. It holds what was said; look through it before you send it to anybody.", a.home(file))
		}
	})
	return nil
}
