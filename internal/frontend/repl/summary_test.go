package repl_test

import (
	"strings"
	"testing"

	"github.com/boughdev/bough/internal/control"
	"github.com/boughdev/bough/internal/frontend/repl"
	"github.com/boughdev/bough/internal/golden"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/protocol"
)

const summing = `{"defaults":{"usage":{"input":100,"output":10}},"rules":[
	{"when":{"user":"above all: long"},"reply":{"text":"This summary takes long, and is called off.","at":[{"chunk":1,"do":"hold","name":"h"}]}},
	{"when":{"user":"above all: broken"},"reply":{"error":"bad-request"}},
	{"when":{"user":"<conversation>"},"reply":{"text":"## Goal\nTo know the price: 40.","usage":{"input":300,"output":20}}},
	{"when":{"toolResult":"."},"reply":{"text":"It says hello."}},
	{"when":{"user":"read it"},"reply":{"text":"Reading.","toolCalls":[{"name":"read","args":{"path":"hello.txt"}}]}},
	{"when":{"user":"price"},"reply":{"text":"It is 40."}},
	{"when":{"user":"freight"},"reply":{"text":"It is 7."}},
	{"reply":{"text":"Good."}}]}`

func TestSummariesOfBranches(t *testing.T) {
	w := newWorld(t, summing)
	got := w.say(strings.Join([]string{
		"hello", "what is the price?",
		"/branch --summary", "/branch 99 --summary", "/branch 4 --summary",
		"/branch 2 --summary the price", "/history", "and the freight?",
		"/back", "/forward", "/back", "/summarize", "/goto 1 --summary", "say it anew",
		"/summarize broken", "/branch #2", "/branch #2", "/branch #2",
		"/summarize the price", "hi", "/branch #2",
		"/tree --ascii --all", "/cost",
	}, "\n"))
	golden.Equal(t, "summary.txt", stable(got.out)+"--\n"+got.err)
	if got.code != 0 {
		t.Errorf("code %d", got.code)
	}
}

func TestTakeFromAnotherBranch(t *testing.T) {
	w := newWorld(t, summing)
	got := w.say(strings.Join([]string{
		"hello", "read it", "/branch 2", "what is the price?",
		"/take", "/take 99", "/take #6", "/take #6 answer please", "/back", "/take #3", "/history", "/back",
		"/take #4-#6", "/history", "well?", "/back",
		"/take #3 #5 entries", "/take 4-3", "/take #5 #6 answer", "/back", "/take #6 summary the greeting", "/history", "/tree --ascii",
	}, "\n"), quiet)
	golden.Equal(t, "take.txt", got.out+"--\n"+got.err)
}

func TestASummaryIsCalledOff(t *testing.T) {
	w := newWorld(t, summing)
	c := w.connect("")
	term := w.terminal(c)
	term.shows("> ")
	term.types("hello")
	term.shows("Good.\n> ")
	term.types("what is the price?")
	term.shows("It is 40.\n> ")
	term.types("/branch 2 --summary long")
	if err := w.script.AwaitHold(t.Context(), "h"); err != nil {
		t.Fatal(err)
	}
	term.interrupt()
	term.shows("^C\n(stopped; nothing has moved)\n> ")
	term.types("/branch 2 --summary")
	term.shows("at [3] summary \"Goal To know the...\" (#5); next prompt goes on from here\n> ")
	term.types("/quit")
	if code := <-term.done; code != 0 {
		t.Errorf("code %d", code)
	}
}

// A pipe that is interrupted while a branch is summed up says no more.
func TestASummaryInAPipeIsCalledOff(t *testing.T) {
	w := newWorld(t, summing)
	interrupts := make(chan struct{})
	go func() {
		if w.script.AwaitHold(t.Context(), "h") == nil {
			interrupts <- struct{}{}
		}
	}()
	got := w.run(w.connect(""), strings.NewReader("hello\n/branch 1 --summary long\nnot said\n"), quiet, func(o *repl.Options) { o.Interrupts = interrupts })
	if got.code != 130 || got.out != "Good.\n(stopped; nothing has moved)\n" {
		t.Errorf("code %d: %q, %q", got.code, got.out, got.err)
	}
}

// The images of a message come back with it, on a terminal and in a pipe.
func TestImagesComeBack(t *testing.T) {
	image := message.Block{Type: message.ImageBlock, Data: "iVBORw0KGgo=", MimeType: "image/png"}
	for _, again := range []string{"/edit", "/goto 1", "/goto 1 --summary"} {
		t.Run(again, func(t *testing.T) {
			w, m := watched(t, summing)
			prompts := func(o *repl.Options) {
				o.Prompts = []protocol.Prompt{{Text: "see", Images: []message.Block{image, image}}}
			}
			got := w.say(again+"\nsay it anew\n", quiet, prompts)
			if !strings.Contains(got.out, "see\n(2 images will go with it)\n") {
				t.Errorf("got %s", got.out)
			}
			var images int
			for _, msg := range m.last() {
				if msg.Role != message.User || !strings.Contains(msg.Text(""), "anew") {
					continue
				}
				for _, b := range msg.Content {
					if b.Type == message.ImageBlock && b.Data == image.Data {
						images++
					}
				}
			}
			if images != 2 {
				t.Errorf("%d images went with it: %v", images, m.last())
			}
			tree := w.load(w.sessions()[0])
			n := 0
			for e := range tree.All() {
				if raw, _ := e.Raw(); e.Role == message.User && strings.Count(string(raw), image.Data) == 2 {
					n++
				}
			}
			if n != 2 {
				t.Errorf("%d messages of the session have the images, want both", n)
			}
		})
	}
}

// A budget that a summary would pass is asked about, and the line that answers goes
// to the question.
func TestASummaryIsAskedAbout(t *testing.T) {
	for _, tt := range []struct{ answer, shows string }{
		{"yes", "\n(the summary took 300 in, 20 out, $0.001)\n> "},
		{"no", "> "},
		{"/quit", ""},
	} {
		t.Run(tt.answer, func(t *testing.T) {
			most := 0.02
			w := newWorld(t, summing, func(o *control.Options) { o.Asks, o.Budget.PerRun = true, &most })
			term := w.terminal(w.connect(""), func(o *repl.Options) { o.Quiet = false; o.NoHeader = true })
			term.shows("> ")
			term.types("hello")
			term.shows("\n> ")
			most = 0.000001
			term.types("/branch 1 --summary")
			term.shows("yes/no> ")
			term.types(tt.answer)
			if tt.shows != "" {
				term.shows(tt.shows)
				if moved := strings.Contains(term.String(), `summary "Goal`); moved != (tt.answer == "yes") {
					t.Errorf("moved: %v\n%s", moved, term.String())
				}
				term.types("/quit")
			}
			<-term.done
		})
	}
}
