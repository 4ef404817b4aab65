package control_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/boughdev/bough/internal/control"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/provider"
	"github.com/boughdev/bough/session"
	"github.com/boughdev/bough/session/filestore"
)

// Whatever is done to a conversation, its entries stay as they were, what a model
// sees hangs on the path alone, and at each leaf every provider would take the
// request (docs/spec/session.md 13, ★13 to ★15).
func TestConversationsOfAllShapes(t *testing.T) {
	seeds := uint64(12)
	if testing.Short() {
		seeds = 3
	}
	for seed := range seeds {
		r := rand.New(rand.NewPCG(seed, 1))
		m := newMeter(6000)
		m.summary = func(ctx context.Context, n int, _ provider.Request) (string, message.StopReason, error) {
			switch n % 5 {
			case 3:
				return "cut", message.Length, nil
			case 4:
				return "", "", &provider.Error{Kind: provider.Rejected, Message: "no"}
			}
			return fmt.Sprintf("summary %d", n), message.Stop, nil
		}
		words := 10
		k := talkerAt(t, metered(t, m, func() int { return words }, control.Options{Compaction: limits(1500, 600)}), control.Start{})
		k.keep = false
		lines := map[session.ID]string{}
		var all []session.ID
		for step := range 40 {
			words, m.calls, m.words = []int{10, 200, 1500, 9000}[r.IntN(4)], r.IntN(3), []int{5, 100, 600}[r.IntN(3)]
			pick := func() session.ID { return all[r.IntN(len(all))] }
			switch what := r.IntN(10); {
			case len(all) == 0 || what < 5:
				k.say(strings.Repeat("please ", 1+r.IntN([]int{5, 500, 8000}[r.IntN(3)])))
			case what < 6:
				// It may fail, and there may be nothing to do.
				_, _ = protocol.Call(t.Context(), k, protocol.Compact{})
			case what < 8:
				_, _ = protocol.Call(t.Context(), k, protocol.Navigate{Target: pick(), At: r.IntN(2) == 0, Exact: r.IntN(2) == 0})
			case what < 9:
				_, _ = protocol.Call(t.Context(), k, protocol.Hide{Entry: pick()})
			default:
				if _, err := protocol.Call(t.Context(), k, protocol.Prompt{Text: "stop me"}); err != nil {
					t.Fatal(err)
				}
				if _, err := protocol.Call(t.Context(), k, protocol.Abort{}); err != nil {
					t.Fatal(err)
				}
				k.until(func(ev protocol.Event) bool { _, ok := ev.(protocol.RunEnded); return ok })
			}
			tree, _ := k.tree()
			all = all[:0]
			for e := range tree.All() {
				raw, err := e.Raw()
				if err != nil {
					t.Fatal(err)
				}
				if was, ok := lines[e.ID]; ok && was != string(raw) {
					t.Fatalf("seed %d, step %d: entry %s has changed:\n%s\n%s", seed, step, e.ID, was, raw)
				}
				lines[e.ID] = string(raw)
				all = append(all, e.ID)
			}
			if len(all) != len(lines) {
				t.Fatalf("seed %d, step %d: %d entries are left of %d", seed, step, len(all), len(lines))
			}
		}
		tree, _ := k.tree()
		for _, leaf := range all {
			if len(tree.Children(leaf)) > 0 && r.IntN(4) > 0 {
				continue
			}
			path := tree.Path(leaf)
			p, err := session.Project(path)
			if err != nil {
				t.Fatal(err)
			}
			q, err := new(session.Projector).Context(tree, leaf)
			if err != nil || !slices.EqualFunc(p.Items, q.Items, func(a, b session.Item) bool {
				return a.Entry.ID == b.Entry.ID && string(a.Message.JSON()) == string(b.Message.JSON())
			}) {
				t.Fatalf("seed %d: at %s the tree and its path come to different contexts (%v)", seed, leaf, err)
			}
			checkLegal(t, fmt.Sprintf("seed %d, leaf %s", seed, leaf), p)
		}
	}
}

// checkLegal holds the request for a context against what every family of APIs
// demands.
func checkLegal(t *testing.T, where string, p session.Projection) {
	t.Helper()
	var msgs []message.Message
	for _, it := range session.InCallOrder(p.Items) {
		if m, ok := message.ForModel(it.Message); ok {
			msgs = append(msgs, m)
		}
	}
	spoken := slices.ContainsFunc(msgs, func(m message.Message) bool { return m.Role == message.User })
	if !spoken {
		return // nobody would ask
	}
	if n := len(msgs); msgs[n-1].Role == message.Assistant {
		msgs = append(msgs, message.Message{Role: message.User, Content: []message.Block{message.Text("and now?")}})
	}
	for name, f := range families {
		var b body
		m := f.make(provider.Endpoint{Info: provider.Info{ID: f.id, API: f.api, Provider: f.by, BaseURL: "http://model.example", Reasoning: true, Input: []string{"text", "image"}, MaxTokens: 8000}, Key: func(context.Context) (string, error) { return "key", nil }, Client: &http.Client{Transport: &b}})
		for range m.Stream(t.Context(), provider.Request{Messages: msgs}) {
		}
		if bad := f.check(b.sent); len(bad) > 0 {
			t.Fatalf("%s: %s would refuse this: %s\n%s", where, name, strings.Join(bad, "\n"), b.sent)
		}
	}
}

// Two processes may compact one session: each has its own branch then.
func TestTwoProcessesCompactOneSession(t *testing.T) {
	store := filestore.Store{Root: t.TempDir()}
	open := func(id string) *talker {
		m := newMeter(100000)
		k := talkerAt(t, metered(t, m, func() int { return 40 }, control.Options{Compaction: limits(1000, 60)}), control.Start{Store: store, Open: id,
			File: store.FilePath(session.Header{CWD: "/srv", ID: "both", Timestamp: session.FormatTime(time.Unix(0, 0))})})
		return k
	}
	one := open("")
	for i := range 3 {
		one.say(fmt.Sprint("prompt ", i))
	}
	file := ""
	for ev, err := range one.Watch(t.Context(), 0) {
		if o, ok := ev.(protocol.Opened); ok && err == nil {
			file = o.File
		}
		break
	}
	two := open(file)
	for i, k := range []*talker{one, two} {
		if _, err := protocol.Call(t.Context(), k, protocol.Compact{}); err != nil {
			t.Fatalf("process %d: %v", i, err)
		}
		if end := k.say(fmt.Sprint("go on ", i)); end.Failure != "" {
			t.Fatalf("process %d: %s", i, end.Failure)
		}
	}
	three := open(file)
	tree, _ := three.tree()
	n := 0
	for e := range tree.All() {
		if e.Type != session.TypeCompaction {
			continue
		}
		n++
		if p, err := session.Project(tree.Path(e.ID)); err != nil || len(p.Items) < 2 {
			t.Errorf("at %s there are %d messages, %v", e.ID, len(p.Items), err)
		}
	}
	if n != 2 || tree.BadLines() > 0 {
		t.Errorf("%d compactions, %d bad lines", n, tree.BadLines())
	}
}
