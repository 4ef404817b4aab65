package session_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const outsideProgram = `package main

import (
	"context"
	"fmt"
	"os"

	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/session"
	"github.com/boughdev/bough/session/filestore"
)

func main() {
	ctx := context.Background()
	store := filestore.Store{Flat: os.Args[1]}
	s, err := session.New(store, session.Header{CWD: "/srv"})
	check(err)
	b := s.Main()
	_, err = b.Append(ctx, session.Message{Message: message.Message{Role: message.User, Content: []message.Block{message.Text("hello")}}})
	check(err)
	check(s.Close())
	again, err := session.Open(ctx, store, s.Header().ID)
	check(err)
	p, err := again.Main().Project()
	check(err)
	fmt.Println(p.Messages()[0].Text(""))
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
`

// A program outside this module can use the public packages.
func TestAProgramOutside(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program")
	}
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"main.go": outsideProgram,
		"go.mod":  "module example.com/outside\n\ngo 1.26.0\n\nrequire (\n\tgithub.com/boughdev/bough v0.0.0\n\tgithub.com/google/uuid v1.6.0\n)\n\nreplace github.com/boughdev/bough => " + root + "\n",
		"go.sum":  string(sums),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), "go", "run", "-mod=mod", ".", t.TempDir())
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil || strings.TrimSpace(string(out)) != "hello" {
		t.Errorf("%v\n%s", err, out)
	}
}
