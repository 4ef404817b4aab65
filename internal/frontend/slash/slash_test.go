package slash

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/session"
)

func TestParse(t *testing.T) {
	for _, tt := range []struct {
		line    string
		command string // "" for words to the model
		rest    string
		err     string
	}{
		{"hello", "", "", ""},
		{" /history", "", "", ""},
		{"/history", "history", "", ""},
		{"/history  5 ", "history", "5", ""},
		{"/branch\t5 --strict", "branch", "5 --strict", ""},
		{"/exit", "quit", "", ""},
		{"/name a \"b\" c", "name", "a \"b\" c", ""},
		{"/etc/hosts has what?", "", "", ""},
		{"/usr", "", "", ""},
		{"/deploy now", "", "", ""},
		{"/你好", "", "", ""},
		{"/", "", "", "/help"},
		{"/ x", "", "", "/help"},
		{"/hstory", "", "", "mean /history?"},
		{"/hisotry 3", "", "", "mean /history?"},
		{"/History", "", "", "mean /history?"},
		{"/his", "", "", "mean /history?"},
		{"/brnach 5", "", "", "mean /branch?"},
		{"/quti", "", "", "mean /quit?"},
	} {
		t.Run(tt.line, func(t *testing.T) {
			c, ok, err := Parse(tt.line)
			if ok != (tt.command != "") || c.Name != tt.command || c.Rest != tt.rest {
				t.Errorf("command %q, rest %q, %v", c.Name, c.Rest, ok)
			}
			if (err != nil) != (tt.err != "") || err != nil && !strings.Contains(err.Error(), tt.err) {
				t.Errorf("error %v, want one with %q", err, tt.err)
			}
		})
	}
}

func TestArgs(t *testing.T) {
	for _, tt := range []struct {
		rest  string
		words []string
		is    []string
		err   string
	}{
		{"", nil, nil, ""},
		{"5 --strict", []string{"5"}, []string{"--strict"}, ""},
		{"--exact  5", []string{"5"}, []string{"--exact"}, ""},
		{`"my notes.md" x`, []string{"my notes.md", "x"}, nil, ""},
		{`'a "b"' "c \" \\ \d"`, []string{`a "b"`, `c " \ \d`}, nil, ""},
		{`C:\dir\a don't`, []string{`C:\dir\a`, "don't"}, nil, ""},
		{`"" x`, []string{"", "x"}, nil, ""},
		{`"--strict" -- --exact`, []string{"--strict", "--exact"}, nil, ""},
		{"5 --nope", nil, nil, "--strict, --exact"},
		{`"open`, nil, nil, "not closed"},
	} {
		t.Run(tt.rest, func(t *testing.T) {
			a, err := Command{Spec: Spec{Name: "x"}, Rest: tt.rest}.Args("--strict", "--exact")
			if (err != nil) != (tt.err != "") || err != nil && !strings.Contains(err.Error(), tt.err) {
				t.Fatalf("error %v, want one with %q", err, tt.err)
			}
			if err != nil {
				return
			}
			var is []string
			for k := range a.Is {
				is = append(is, k)
			}
			if !reflect.DeepEqual(a.Words, tt.words) || !slices.Equal(is, tt.is) {
				t.Errorf("words %q, switches %q", a.Words, is)
			}
		})
	}
}

func TestTableIsSound(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range All() {
		for _, n := range []string{s.Name, s.Alias} {
			if n != "" && seen[n] {
				t.Errorf("/%s is there twice", n)
			}
			seen[n] = true
		}
		if s.Help == "" || s.Where == 0 || !isName(s.Name) {
			t.Errorf("/%s: %+v", s.Name, s)
		}
	}
}

func TestTarget(t *testing.T) {
	tree := session.NewTree()
	say := func(id, parent string, r message.Role) {
		m := message.Message{Role: r, Content: []message.Block{message.Text(id)}}
		tree.Add(session.NewEntry(session.ID(id), session.ID(parent), time.Unix(0, 0), session.Message{Message: m}))
	}
	say("aaaa0001", "", message.User)
	say("aaaa0002", "aaaa0001", message.Assistant)
	tree.Add(session.NewEntry("cccc0003", "aaaa0002", time.Unix(0, 0), session.Label{Target: "aaaa0001", Text: "the start"}))
	for _, tt := range []struct {
		word string
		want session.ID
		err  string
	}{
		{"#0", "aaaa0001", ""},
		{"#1", "aaaa0002", ""},
		{"#2", "", "from #0 to #1"},
		{"#-1", "", "from #0"},
		{"aaaa0002", "aaaa0002", ""},
		{"the start", "aaaa0001", ""},
		{"ccc", "cccc0003", ""},
		{"aaaa", "", "several"},
		{"cc", "", "nothing has"},
		{"nope", "", "nothing has"},
	} {
		got, err := Target(tree, tt.word)
		if got != tt.want || (err != nil) != (tt.err != "") || err != nil && !strings.Contains(err.Error(), tt.err) {
			t.Errorf("Target(%q) = %q, %v; want %q, %q", tt.word, got, err, tt.want, tt.err)
		}
	}
	if _, err := Target(session.NewTree(), "#0"); err == nil || !strings.Contains(err.Error(), "nothing has been said") {
		t.Errorf("in an empty tree: %v", err)
	}
}

func TestMeant(t *testing.T) {
	for words, want := range map[string]string{
		"branch 1": "/branch 1", "Branch #4": "/branch #4", "edit [2]": "/edit [2]", "branch [#2]": "/branch [#2]", "tree --all": "/tree --all",
		"history": "/history", "exit": "/quit", "quit": "/quit",
		"branch out": "", "edit the file": "", "help me": "", "back 2": "", "compact": "/compact", "hotkeys": "", "files": "", "compare": "", "tree house": "", "hello": "", "": "", "history\n1": "", "branch [1": "", "branch -1": "",
	} {
		if got := Meant(words); got != want {
			t.Errorf("Meant(%q) = %q, want %q", words, got, want)
		}
	}
}
