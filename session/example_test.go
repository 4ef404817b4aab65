package session_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/session"
	"github.com/boughdev/bough/session/filestore"
)

// A session is loaded by its id, forked from a message, and grown on both
// branches. Both are alive in one file, and what they share stands there once.
func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "sessions")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	store := filestore.Store{Flat: dir}

	// Somebody had a conversation.
	old, err := session.New(store, session.Header{ID: "chairs", CWD: "/srv/shop"})
	if err != nil {
		log.Fatal(err)
	}
	text := func(b *session.Branch, role message.Role, s string) *session.Entry {
		e, err := b.Append(ctx, session.Message{Message: message.Message{Role: role, Content: []message.Block{message.Text(s)}}})
		if err != nil {
			log.Fatal(err)
		}
		return e
	}
	b := old.Main()
	question := text(b, message.User, "Which terms do we offer?")
	text(b, message.Assistant, "Prepayment.")
	old.Close()

	// Load it by its id, and fork from the question.
	s, err := session.Open(ctx, store, "chairs")
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	first := s.Main()
	second, err := first.Fork(question.ID)
	if err != nil {
		log.Fatal(err)
	}
	text(second, message.Assistant, "A letter of credit.")
	text(first, message.User, "Make it 30 percent.")

	for _, b := range []*session.Branch{first, second} {
		p, err := b.Project()
		if err != nil {
			log.Fatal(err)
		}
		for _, m := range p.Messages() {
			fmt.Printf("%s: %s\n", m.Role, m.Text(""))
		}
		fmt.Println()
	}
	fmt.Println(s.Tree().Len(), "entries in the file")
	// Output:
	// user: Which terms do we offer?
	// assistant: Prepayment.
	// user: Make it 30 percent.
	//
	// user: Which terms do we offer?
	// assistant: A letter of credit.
	//
	// 4 entries in the file
}
