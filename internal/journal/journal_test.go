package journal

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/session"
)

func names(t *testing.T, d Dir) []string {
	t.Helper()
	list, err := os.ReadDir(string(d))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	var out []string
	for _, e := range list {
		out = append(out, e.Name())
	}
	return out
}

var base = message.Message{Role: message.Assistant, Provider: "p", Model: "m", Timestamp: 7, StopReason: message.Pending}

// What is read back is what a builder makes of the same steps, wherever the file
// was flushed.
func TestAnswerComesBack(t *testing.T) {
	signed := message.Thinking("hm", "sig")
	steps := []message.Delta{
		{Kind: message.ThinkingStart}, {Kind: message.ThinkingDelta, Text: "h"}, {Kind: message.ThinkingDelta, Text: "m"},
		{Kind: message.ThinkingEnd, Block: &signed},
		{Kind: message.TextStart, Index: 1}, {Kind: message.TextDelta, Index: 1, Text: "好 \u2028 \"q\" \n"}, {Kind: message.TextDelta, Index: 1, Text: "half \xed\xa0\xbd"},
		{Kind: message.ToolCallStart, Index: 2, ID: "c|1", Name: "bash", Namespace: "n"}, {Kind: message.ToolCallDelta, Index: 2, Text: `{"command":`},
		{Kind: message.TextDelta, Index: 1, Text: "more"}, {Kind: message.ToolCallDelta, Index: 2, Text: `"ls"}`},
	}
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 0))
		d := Dir(t.TempDir())
		a := d.Begin("/s.jsonl", "1a2b", base)
		b := message.NewBuilder(base)
		n := 1 + r.IntN(len(steps))
		for i, step := range steps[:n] {
			a.Add(step, &message.Usage{Output: int64(i)})
			b.Add(step)
			if r.IntN(3) == 0 {
				if err := a.Flush(); err != nil {
					t.Fatal(err)
				}
			}
		}
		if got := d.Answers("/s.jsonl"); len(got) != 0 {
			t.Fatalf("seed %d: an answer that is held by a process that lives was taken over", seed)
		}
		if err := a.Flush(); err != nil {
			t.Fatal(err)
		}
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
		if got := d.Answers("/other.jsonl"); len(got) != 0 {
			t.Fatalf("seed %d: another session has it", seed)
		}
		got := d.Answers("/s.jsonl")
		if len(got) != 1 || got[0].Parent != "1a2b" {
			t.Fatalf("seed %d: %d answers", seed, len(got))
		}
		if again := d.Answers("/s.jsonl"); len(again) != 0 {
			t.Fatalf("seed %d: two have it", seed)
		}
		want := b.Message()
		if !reflect.DeepEqual(message.EncodeContent(got[0].Message.Content), message.EncodeContent(want.Content)) || got[0].Message.Usage.Output != int64(n-1) {
			t.Fatalf("seed %d: %s, want %s", seed, got[0].Message.JSON(), want.JSON())
		}
		if err := got[0].Remove(); err != nil || len(names(t, d)) != 0 {
			t.Fatalf("seed %d: %v, %v", seed, err, names(t, d))
		}
	}
}

// An answer that is there before it was flushed leaves no file, and neither does
// one that is kept nowhere.
func TestQuickAnswersCostNothing(t *testing.T) {
	d := Dir(filepath.Join(t.TempDir(), "j"))
	a := d.Begin("/s.jsonl", "", base)
	a.Add(message.Delta{Kind: message.TextStart}, nil)
	if err := a.Remove(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(string(d)); !os.IsNotExist(err) {
		t.Errorf("the folder was made: %v", err)
	}
	for _, a := range []*Answer{Dir("").Begin("/s.jsonl", "", base), d.Begin("", "", base)} {
		if a.Add(message.Delta{Kind: message.TextStart}, nil) || a.Flush() != nil || a.Remove() != nil || a.Close() != nil {
			t.Error("it is kept all the same")
		}
	}
}

// A folder that cannot be written to ends the keeping of the answer, once.
func TestNoPlaceForAnAnswer(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	d := Dir(filepath.Join(file, "below"))
	a := d.Begin("/s.jsonl", "", base)
	a.Add(message.Delta{Kind: message.TextStart}, nil)
	if err := a.Flush(); err == nil {
		t.Error("it was written below a file")
	}
	if a.Add(message.Delta{Kind: message.TextDelta, Text: "x"}, nil) || a.Flush() != nil || a.Remove() != nil {
		t.Error("it is tried again")
	}
	q, items := d.Queue("/s.jsonl", true)
	if err := q.Save([]Item{{ID: "1"}}); err == nil || items != nil {
		t.Errorf("a queue below a file: %v, %v", items, err)
	}
}

func TestQueueIsWhatWasSaved(t *testing.T) {
	item := func(id string, text string, followUp bool) Item {
		return Item{session.ID(id), followUp, []message.Block{message.Text(text)}}
	}
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 1))
		d := Dir(t.TempDir())
		var want []Item
		next := 0
		for range 5 { // processes
			q, had := d.Queue("/s.jsonl", true)
			if fmt.Sprint(texts(had)) != fmt.Sprint(texts(want)) {
				t.Fatalf("seed %d: %v, want %v", seed, texts(had), texts(want))
			}
			if other, got := d.Queue("/s.jsonl", true); len(got) != 0 {
				t.Fatalf("seed %d: two have it: %v", seed, got)
			} else if err := other.Close(); err != nil {
				t.Fatal(err)
			}
			for range r.IntN(6) {
				switch k := r.IntN(4); {
				case k < 2:
					next++
					want = append(want, item(fmt.Sprint("id", next), "\u2028 好 "+fmt.Sprint(next), k == 0))
				case k == 2 && len(want) > 0:
					want = slices.Delete(slices.Clone(want), 0, 1)
				case len(want) > 0:
					want = slices.Clone(want)
					i := r.IntN(len(want))
					want[i] = item(string(want[i].ID), "edited "+fmt.Sprint(seed), want[i].FollowUp)
				}
				if err := q.Save(want); err != nil {
					t.Fatal(err)
				}
			}
			if err := q.Close(); err != nil {
				t.Fatal(err)
			}
			if len(want) == 0 && len(names(t, d)) > 1 || len(names(t, d)) > 1 {
				t.Fatalf("seed %d: files are left: %v", seed, names(t, d))
			}
		}
	}
}

func texts(items []Item) (out []string) {
	for _, it := range items {
		out = append(out, fmt.Sprint(it.ID, it.FollowUp, (message.Message{Content: it.Content}).Text("")))
	}
	return out
}

// Files that broke off, or that somebody else has written, do no harm: what can be
// understood is taken, and what nothing can be made of goes.
func TestOddFiles(t *testing.T) {
	head := `{"v":1,"session":"/s.jsonl","parent":"p","message":{"role":"assistant","timestamp":1}}` + "\n"
	for _, tt := range []struct {
		name, kind, content string
		want                string // of the answer's text, or the queue's texts
		stays               bool
	}{
		{"empty", answers, "", "", false},
		{"no line end", answers, strings.TrimSpace(head), "", false},
		{"a first line only", answers, head, "", false},
		{"of a later version", answers, strings.Replace(head, `"v":1`, `"v":2`, 1) + `{"d":[{"k":"text_start","i":0}]}` + "\n", "", true},
		{"of no version", answers, strings.Replace(head, `"v":1`, `"v":"1"`, 1) + `{"d":[{"k":"text_start","i":0}]}` + "\n", "", false},
		{"the last line broke off", answers, head + `{"d":[{"k":"text_start","i":0},{"k":"text_delta","i":0,"t":"yes"}]}` + "\n" + `{"d":[{"k":"text_del`, "yes", true},
		{"wrong types", answers, head + `{"d":[{"k":"text_start","i":0},7,null,{"k":5},{"k":"text_delta","i":1e99,"t":"no"},{"k":"text_delta","i":-3,"t":"no"},{"k":"info","t":"no"},{"k":"text_delta","i":0,"t":"yes"}],"usage":[]}` + "\n", "yes", true},
		{"d is no list", answers, head + `{"d":{"k":"text_start"}}` + "\n", "", false},
		{"not of a model", answers, strings.Replace(head, "assistant", "user", 1) + `{"d":[{"k":"text_start","i":0}]}` + "\n", "", false},
		{"binary", answers, "\x00\x01\n\xff\xfe\n", "", false},
		{"lines of rubbish between", answers, head + "rubbish\n[1]\n" + `{"d":[{"k":"text_start","i":0},{"k":"text_delta","i":0,"t":"yes"}]}` + "\n", "yes", true},
		{"a queue that broke off", queues, `{"v":1}` + "\n" + `{"add":"a","content":[{"type":"text","text":"one"}]}` + "\n" + `{"add":"b","con`, "afalseone", true},
		{"odd operations", queues, `{"v":1}` + "\n" + `{"add":7}` + "\n" + `{"add":""}` + "\n" + `{"drop":"x"}` + "\n" + `{"edit":"x"}` + "\n" + `{}` + "\n" + `{"add":"a","followUp":1,"content":"one"}` + "\n" + `{"add":"a","content":"two"}` + "\n", "afalseone", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := Dir(t.TempDir())
			path := filepath.Join(string(d), key("/s.jsonl")+"-999999999-ab"+tt.kind)
			if err := os.WriteFile(path, []byte(tt.content), 0o600); err != nil {
				t.Fatal(err)
			}
			got := ""
			if tt.kind == answers {
				for _, l := range d.Answers("/s.jsonl") {
					got += l.Message.Text("")
					l.Close()
				}
				if stays := len(names(t, d)) == 1; stays != tt.stays {
					t.Errorf("it stays: %v", stays)
				}
			} else {
				q, items := d.Queue("/s.jsonl", true)
				got = strings.Join(texts(items), "")
				if err := q.Clear(); err != nil || len(names(t, d)) != 0 {
					t.Errorf("it stays: %v", err)
				}
			}
			if got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

// What a later version of bough has left is for that one, whatever waits here.
func TestAQueueOfALaterVersion(t *testing.T) {
	d := Dir(t.TempDir())
	path := filepath.Join(string(d), key("/s.jsonl")+"-999999999-ab"+queues)
	if err := os.WriteFile(path, []byte(`{"v":2}`+"\n"+`{"add":"a","content":"one"}`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	q, items := d.Queue("/s.jsonl", true)
	if len(items) != 0 {
		t.Errorf("%v was taken over", texts(items))
	}
	if err := q.Save([]Item{{ID: "b", Content: []message.Block{message.Text("two")}}}); err != nil {
		t.Fatal(err)
	}
	if err := q.Clear(); err != nil {
		t.Fatal(err)
	}
	if got := names(t, d); len(got) != 1 || got[0] != filepath.Base(path) {
		t.Errorf("there is %v", got)
	}
}

// A folder of the name, and a link to nowhere, are passed over.
func TestOddNames(t *testing.T) {
	d := Dir(t.TempDir())
	if err := os.Mkdir(filepath.Join(string(d), key("/s.jsonl")+"-1-a"+answers), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/nowhere", filepath.Join(string(d), key("/s.jsonl")+"-1-b"+answers)); err != nil {
		t.Skip("no links here")
	}
	if got := d.Answers("/s.jsonl"); len(got) != 0 {
		t.Errorf("%v", got)
	}
}

func FuzzSteps(f *testing.F) {
	f.Add([]byte(`{"k":"text_delta","i":0,"t":"x","block":{"type":"text"}}`))
	f.Add([]byte(`{"k":"toolcall_start","i":0,"id":"a","name":"b","redacted":true}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		if !rawjson.Valid(b) || rawjson.Kind(b) != '{' {
			return
		}
		one := decode(b)
		two := decode(encode(one))
		if one.Block != nil { // it keeps the JSON that it was read from
			if two.Block == nil {
				t.Fatal("the block is lost")
			}
			one.Block, two.Block = nil, nil
		}
		if one.Index < 1<<53 && one.Index > -1<<53 && !reflect.DeepEqual(one, two) {
			t.Fatalf("%+v, then %+v", one, two)
		}
	})
}

// BenchmarkAnswer is one step of an answer, flushed as often as a fast one is.
func BenchmarkAnswer(b *testing.B) {
	a := Dir(b.TempDir()).Begin("/s.jsonl", "", base)
	a.Add(message.Delta{Kind: message.TextStart}, nil)
	u := &message.Usage{Output: 1}
	for i := range b.N {
		a.Add(message.Delta{Kind: message.TextDelta, Text: "word "}, u)
		if i%2000 == 0 {
			if err := a.Flush(); err != nil {
				b.Fatal(err)
			}
		}
	}
	if err := a.Remove(); err != nil {
		b.Fatal(err)
	}
}
