// Command branches is the smallest demo of a session tree: one question, two
// answers (or n), all in one file and nothing copied.
//
//	go run ./examples/branches [-n 3]
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/session"
	"github.com/boughdev/bough/session/filestore"
)

func main() {
	n := flag.Int("n", 2, "how many branches to grow from the question")
	flag.Parse()
	dir, err := os.MkdirTemp("", "branches")
	if err == nil {
		defer os.RemoveAll(dir)
		err = run(context.Background(), os.Stdout, dir, *n)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "branches:", err)
		os.Exit(1)
	}
}

// run grows a session with n branches in dir and shows it.
func run(ctx context.Context, w io.Writer, dir string, n int) error {
	s, err := session.New(filestore.Store{Flat: dir}, session.Header{CWD: "/srv/shop"})
	if err != nil {
		return err
	}
	defer s.Close()

	// A conversation begins at the root and grows at its leaf.
	main := s.Main()
	if err := say(ctx, main, message.User, "Which chairs should we order?"); err != nil {
		return err
	}
	if err := say(ctx, main, message.Assistant, "Oak or beech: both fit."); err != nil {
		return err
	}
	if err := say(ctx, main, message.User, "Write the order."); err != nil {
		return err
	}
	question := main.Leaf()

	// A branch is another handle at the same entry. Nothing is copied.
	woods := []string{"oak", "beech", "ash", "larch", "pine"}
	for i := range n {
		b, err := main.Fork(question)
		if err != nil {
			return err
		}
		wood := woods[i%len(woods)]
		if err := say(ctx, b, message.Assistant, "Order: 40 chairs, "+wood+"."); err != nil {
			return err
		}
		if err := say(ctx, b, message.User, "Good, send the "+wood+" order."); err != nil {
			return err
		}
	}

	name := names(s.Tree())
	fmt.Fprintf(w, "the tree (%d entries in one file):\n", s.Tree().Len())
	for _, root := range s.Tree().Roots() {
		show(w, s.Tree(), name, root, "  ", "  ")
	}
	for _, leaf := range leaves(s.Tree()) {
		p, err := s.Branch(leaf).Project()
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "\nat %s the model sees:\n", name[leaf])
		for _, it := range p.Items {
			fmt.Fprintf(w, "  %s %-10s %s\n", name[it.Entry.ID], it.Message.Role, it.Message.Text(""))
		}
	}
	return nil
}

func say(ctx context.Context, b *session.Branch, role message.Role, text string) error {
	m := message.Message{Role: role, Content: []message.Block{message.Text(text)}}
	if role == message.Assistant {
		m.API, m.Provider, m.Model, m.StopReason = "demo", "demo", "demo", message.Stop
	}
	_, err := b.Append(ctx, session.Message{Message: m})
	return err
}

// names gives the entries short names, e1, e2, … in the order of the file: their
// ids are random.
func names(t *session.Tree) map[session.ID]string {
	name := map[session.ID]string{}
	for e := range t.All() {
		name[e.ID] = fmt.Sprintf("e%d", len(name)+1)
	}
	return name
}

// show draws an entry and what is below it: first is what stands before the entry
// itself, rest what stands before all that follows.
func show(w io.Writer, t *session.Tree, name map[session.ID]string, e *session.Entry, first, rest string) {
	body, err := e.Body()
	if err != nil {
		fmt.Fprintln(w, err)
		return
	}
	m := body.(session.Message).Message
	fmt.Fprintf(w, "%s%s %s: %s\n", first, name[e.ID], m.Role, m.Text(""))
	children := t.Children(e.ID)
	for i, c := range children {
		switch {
		case len(children) == 1: // the same branch goes on
			show(w, t, name, c, rest, rest)
		case i < len(children)-1:
			show(w, t, name, c, rest+"├─ ", rest+"│  ")
		default:
			show(w, t, name, c, rest+"└─ ", rest+"   ")
		}
	}
}

// leaves returns the entries without children in the order of the file.
func leaves(t *session.Tree) []session.ID {
	var out []session.ID
	for e := range t.All() {
		if len(t.Children(e.ID)) == 0 {
			out = append(out, e.ID)
		}
	}
	return out
}
