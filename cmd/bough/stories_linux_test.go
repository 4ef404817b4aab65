package main

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Stories of people who live in a terminal.

// The first day: ask, go back, ask again, come back tomorrow.
func TestFirstDayInATerminal(t *testing.T) {
	ts := newTerminals(t, answers)
	hello := filepath.Join(ts.dir, "hello.txt")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(hello, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("first draft\n")
	w := ts.open("one", 80, 30)
	w.runs("--model offline/demo", "(offline) demo")
	w.line("What does hello.txt say?")
	w.shows("hello.txt says: first draft", "real.)")

	w.line("/branch 1")
	w.shows("goes back")
	write("second draft\n")
	w.line("What does hello.txt say?")
	w.shows("hello.txt says: second draft") // it was read again
	w.until("the first answer is not on this branch", func(screen string) bool { return !strings.Contains(screen, "first draft") })

	w.line("/tree")
	w.shows("2 branches", "first draft", "second draft", "you are here")
	w.text("first draft") // a word of the lost answer
	w.shows("search: first draft", "says: first draft")
	w.key("Enter")
	w.shows("Leave this branch?", "no summary")
	w.key("Enter")
	w.shows("hello.txt says: first draft", "(offline) demo")
	w.line("/quit")
	w.ended(0)

	w.line("clear")
	w.runs("-c --model offline/demo", "(offline) demo")
	w.shows("says: first draft") // where one stood
	w.line("/back")
	w.shows("says: second draft")
	w.line("/quit")
	w.ended(0)
}

// The first day of somebody who listens: ask, branch, find the lost answer.
func TestFirstDayWithAScreenReader(t *testing.T) {
	ts := newTerminals(t, answers)
	hello := filepath.Join(ts.dir, "hello.txt")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(hello, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("first draft\n")
	w := ts.open("one", 100, 60)
	w.runs("--screen-reader --model offline/demo", "screen reader mode, by --screen-reader.")
	w.line("What does hello.txt say?")
	w.shows("tool read: hello.txt, ok, 1 line", "first draft", "\ndone: ")
	w.line("/branch 0")
	w.shows("at entry 0: system")
	write("second draft\n")
	w.line("What does hello.txt say?")
	w.shows("second draft")
	w.until("the second answer has ended", func(screen string) bool { return strings.Count(screen, "\ndone: ") == 2 })

	w.line("/tree first draft") // a word of the lost answer
	w.shows("\n3: tool: first draft; level", "a branch begins", "Type the number of the entry to go to")
	w.line("4")
	w.shows("at entry 4: assistant")
	w.line("/trust")
	w.shows("It brings nothing along that needs trust.", "choice: ")
	w.line("")
	w.shows("nothing chosen")
	w.line("/quit")
	w.ended(0)
}

// The tour (docs/tour.md): a negotiation of eighteen turns, the terminal closes, another
// way is taken with a summary of the first, both are compared, an answer is brought over.
func TestTourInATerminal(t *testing.T) {
	script, err := os.ReadFile(filepath.Join("..", "..", "examples", "tour", "talk.json"))
	if err != nil {
		t.Fatal(err)
	}
	ts := newTerminals(t, string(script))
	if err := os.CopyFS(ts.dir, os.DirFS(filepath.Join("..", "..", "examples", "tour"))); err != nil {
		t.Fatal(err)
	}
	const named = "--model scripted/negotiator"
	w := ts.open("one", 120, 40)
	w.line("bough --repl -q " + named + " < talk.txt > answers.txt; echo said")
	w.shows("\nsaid")
	w.runs("-c "+named, "(scripted) negotiator")
	w.line("Nothing is missing, is it?")
	w.shows("No. We stand at their answer")

	// Back to the question how to pay, by searching for what was said there.
	w.line("/tree how do we pay")
	w.shows("search: how do we pay", "> • user: They answered")
	w.key("Escape") // the whole tree, at the same place
	w.shows("Now the last point is open")
	w.key("Down")
	w.shows("> • assistant: Now the last point is open")
	w.key("Enter")
	w.shows("Leave this branch?")
	w.key("2") // with a summary
	w.shows("[branch]")
	w.line("Take a letter of credit at sight instead.")
	w.shows("A confirmed letter of credit at sight")
	w.line("Compare it with prepayment.")
	w.shows("I would take the letter of credit.")

	w.line("/compare")
	w.shows("Take prepayment: 30 %", "Take a letter of credit")
	w.key("Escape")
	w.shows("I would take the letter of credit.", "negotiator - medium")
	w.line("/take #36 answer")
	w.shows("Good day, with 30 % with the order")
	w.line("/quit")
	w.ended(0)
}

// A session of 100,000 entries, with an answer that got lost on a branch.
func TestLongSessionInATerminal(t *testing.T) {
	ts := newTerminals(t, answers)
	f, err := os.Create(filepath.Join(ts.dir, "long.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	out := bufio.NewWriter(f)
	fmt.Fprintf(out, `{"type":"session","version":3,"id":"a-long-session","timestamp":"2026-03-01T09:00:00.000Z","cwd":%q}`+"\n", ts.dir)
	entry := func(id, parent, role, text string) {
		fmt.Fprintf(out, `{"type":"message","id":"%s","parentId":%s,"timestamp":"2026-03-01T09:00:00.000Z","message":{"role":"%s","content":[{"type":"text","text":"%s"}]`, id, parent, role, text)
		if role == "assistant" {
			fmt.Fprint(out, `,"api":"scripted","provider":"scripted","model":"one","stopReason":"stop","usage":{"input":1,"output":1,"cacheRead":0,"cacheWrite":0,"totalTokens":2}`)
		}
		fmt.Fprint(out, "}}\n")
	}
	parent := "null"
	for i := range 50_000 {
		q, a := fmt.Sprintf("q%07d", i), fmt.Sprintf("a%07d", i)
		entry(q, parent, "user", fmt.Sprintf("question %d", i))
		entry(a, `"`+q+`"`, "assistant", fmt.Sprintf("answer %d", i))
		parent = `"` + a + `"`
		if i == 30_000 {
			entry("lost0001", parent, "user", "another idea")
			entry("lost0002", `"lost0001"`, "assistant", "the marmalade is in the cupboard")
		}
	}
	if err := out.Flush(); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	w := ts.open("one", 100, 30)
	w.line(`mkdir -p ~/.pi/agent && echo '{"compaction":{"enabled":false}}' > ~/.pi/agent/settings.json; clear`)
	w.runs("--session long.jsonl --model scripted/one", "(scripted) one")
	w.shows("answer 49999")
	w.line("first words")
	w.shows("The first answer.")
	w.line("/tree")
	w.shows("2 branches", "you are here")
	w.text("marmalade")
	w.shows("marmalade is in the cupboard")
	w.key("Enter")
	w.shows("Leave this branch?")
	w.key("Enter")
	w.shows("another idea", "the marmalade is in the cupboard", "(scripted) one")
	w.line("second words")
	w.shows("The second answer.")
	w.line("/quit")
	w.ended(0)
}
