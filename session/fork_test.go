package session

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/boughdev/bough/internal/rawjson"
)

func copied(t testing.TB, tr *Tree, leaf ID) (BranchCopy, []string) {
	t.Helper()
	c, err := tr.CopyBranch(leaf)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := c.Lines()
	if err != nil {
		t.Fatal(err)
	}
	lines := make([]string, len(raw))
	for i, l := range raw {
		lines[i] = string(l)
	}
	return c, lines
}

// The example of docs/spec/session.md 9.2.
func TestCopyBranch(t *testing.T) {
	label := func(id, parent, target, text string) string {
		return line(id, parent, `"type":"label","targetId":"`+target+`","label":"`+text+`"`)
	}
	tr := tree(t,
		userLine("u1", "", "1"), answerLine("a1", "u1", "1"),
		label("L1", "a1", "u1", "first"), label("L2", "L1", "a1", "second"),
		userLine("u2", "L2", "2"), line("info", "u2", `"type":"session_info","name":"n"`),
		line("L3", "info", `"type":"label","targetId":"a1"`), answerLine("a2", "L3", "2"),
		line("K", "a2", `"type":"compaction","summary":"s","firstKeptEntryId":"L1","tokensBefore":1`),
		userLine("u3", "K", "3"), line("x", "u3", `"type":"custom","customType":"y"`), answerLine("a3", "x", "3"),
		label("M", "a1", "u3", "elsewhere"))
	c, lines := copied(t, tr, "a3")
	fork := tree(t, lines...)
	if got, want := ids(fork.Path(fork.Last().ID)[:9]), "u1 a1 u2 info a2 K u3 x a3"; got != want {
		t.Errorf("entries %s, want %s", got, want)
	}
	if first, _ := rawjson.GetString([]byte(lines[5]), "firstKeptEntryId"); first != "u2" {
		t.Errorf("keeps from %s, want u2, which follows the label", first)
	}
	var labels []string
	for _, l := range fork.Labels() {
		labels = append(labels, string(l.Target)+"="+l.Text)
	}
	if got, want := strings.Join(labels, " "), "u1=first u3=elsewhere"; got != want {
		t.Errorf("labels %s, want %s", got, want)
	}
	if len(lines) != 11 || fork.Last().Type != TypeLabel || fork.Last().Time.IsZero() {
		t.Errorf("%d lines, the last %s; want two labels, with their times, behind nine entries", len(lines), lines[len(lines)-1])
	}
	if !c.Spoken() {
		t.Error("nobody has spoken, want a conversation")
	}
}

func TestCopyOfALabelIsThePathWithoutIt(t *testing.T) {
	tr := tree(t, line("m", "", `"type":"model_change","provider":"p","modelId":"m"`),
		line("L", "m", `"type":"label","targetId":"m","label":"x"`))
	c, lines := copied(t, tr, "L")
	if len(lines) != 2 || c.Spoken() {
		t.Errorf("lines %q, spoken %t; want the entry and its label anew, nobody speaking", lines, c.Spoken())
	}
	if _, err := tr.CopyBranch("lost"); err == nil {
		t.Error("no error for an entry that does not exist")
	}
}

// A copy has the bytes of the original but for the ids that had to change, and
// its leaf the same context.
func TestCopiesKeepBytesAndContext(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 0))
		entries := decode(t, grow(r, 40, seed%2 == 0)...)
		tr := NewTree()
		for _, e := range entries {
			tr.Add(e)
		}
		leaf := entries[r.IntN(len(entries))].ID
		c, lines := copied(t, tr, leaf)
		var parent ID
		for _, e := range c.Entries {
			got, err := e.Line()
			if err != nil {
				t.Fatal(err)
			}
			if p, _ := rawjson.GetString(got, "parentId"); ID(p) != parent {
				t.Fatalf("seed %d: parent of %s is %q, want %q", seed, e.ID, p, parent)
			}
			parent = e.ID
			want, err := e.Raw()
			if err != nil {
				t.Fatal(err)
			}
			for _, key := range []string{"parentId", "firstKeptEntryId"} {
				if v := rawjson.Get(want, key); v != nil {
					got = rawjson.Set(got, key, v)
				}
			}
			if !bytes.Equal(got, want) {
				t.Fatalf("seed %d: copy\n%s\nof\n%s", seed, got, want)
			}
		}
		fork := tree(t, lines...)
		if len(c.Entries) == 0 {
			continue // a path of labels
		}
		if got, want := seen(t, fork.Path(fork.Last().ID)), seen(t, tr.Path(leaf)); got != want {
			t.Fatalf("seed %d: leaf %s: context of the copy\n%s\nwant\n%s", seed, leaf, got, want)
		}
	}
}
