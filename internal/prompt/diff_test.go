package prompt

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/boughdev/bough/message"
)

func fold(t *testing.T, msgs ...message.Message) message.Message {
	t.Helper()
	m, ok := message.FoldSystem(msgs)
	if !ok {
		t.Fatal("no system message")
	}
	return m
}

func TestDiff(t *testing.T) {
	base := Options{Dir: "/p", Tools: tools("read", "bash"), Addendum: Text{"one", ""}}
	with := func(change func(*Options)) State {
		o := base
		o.Tools = slices.Clone(base.Tools)
		change(&o)
		return Build(o)
	}
	for _, tt := range []struct {
		name string
		want State
		json string // of the difference; "" if there is none
	}{
		{"nothing changed", Build(base), ""},
		{"tools in another order", with(func(o *Options) {
			o.Preamble = Text{preamble, ""} // keep the texts out of it
			o.Tools = []message.ToolSpec{base.Tools[1], base.Tools[0]}
		}), `{"role":"system","content":"","sections":{"tools":null,"rules":null,"docs":null},"timestamp":0}`},
		{"a text that changed", with(func(o *Options) { o.Addendum.Text = "two" }),
			`{"role":"system","content":"","sections":{"addendum":"<addendum>\ntwo\n</addendum>"},"timestamp":0}`},
		{"a text that went", with(func(o *Options) { o.Addendum.Text = "" }),
			`{"role":"system","content":"","sections":{"addendum":null},"timestamp":0}`},
		{"another directory", with(func(o *Options) { o.Dir = "/q" }),
			`{"role":"system","content":"","sections":{"cwd":"<cwd>\n/q\n</cwd>"},"timestamp":0}`},
		{"a tool that changed is taken away and added", with(func(o *Options) { o.Tools[1].Description = "New." }),
			`{"role":"system","content":"","timestamp":0,"toolsAdded":[{"name":"bash","description":"New.","parameters":` +
				`{"type":"object","properties":{"path":{"type":"string"}}}}],"toolsRemoved":[{"name":"bash"}]}`},
		{"a schema written another way is the same", with(func(o *Options) {
			o.Tools[0].Parameters = []byte(`{ "properties": {"path":{"type":"string"}}, "type":"object" }`)
		}), ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			declared := fold(t, Build(base).Message())
			m, changed := Diff(declared, tt.want)
			if changed != (tt.json != "") || changed && string(m.JSON()) != tt.json {
				t.Fatalf("changed %v: %s\nwant %s", changed, m.JSON(), tt.json)
			}
			if !changed {
				return
			}
			if m, again := Diff(fold(t, declared, m), tt.want); again {
				t.Errorf("after the difference there is one still: %s", m.JSON())
			}
		})
	}
}

func TestDiffOfNothingIsComplete(t *testing.T) {
	want := Build(Options{Dir: "/p", Tools: tools("read")})
	m, changed := Diff(message.Message{}, want)
	if !changed || string(m.JSON()) != string(want.Message().JSON()) {
		t.Errorf("%v %s", changed, m.JSON())
	}
}

// A tool that pi declared with hints of its own is the same tool.
func TestDiffPassesOverHints(t *testing.T) {
	m, err := message.Decode([]byte(`{"role":"system","content":"","sections":{"preamble":"` + preamble + `"},"timestamp":1,"toolsAdded":[` +
		`{"name":"t","description":"d","parameters":{"type":"object"},"constrainedSampling":{"type":"json_schema"}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	want := State{Sections: []Section{{Name: Preamble, Text: preamble}},
		Tools: []message.ToolSpec{{Name: "t", Description: "d", Parameters: []byte(`{"type":"object"}`)}}}
	if d, changed := Diff(fold(t, m), want); changed {
		t.Errorf("a difference: %s", d.JSON())
	}
}

func TestKeeping(t *testing.T) {
	m, err := message.Decode([]byte(`{"role":"system","content":"","sections":{"preamble":"You are pi.","rules":"<rules>\n- x\n</rules>",` +
		`"docs":null,"addendum":"<addendum>\nold\n</addendum>","extra":"<extra>\ne\n</extra>"},"timestamp":1}`))
	if err != nil {
		t.Fatal(err)
	}
	s := Build(Options{Dir: "/p", Tools: tools("read")}).Keeping(m)
	for name, want := range map[string]string{Preamble: "You are pi.", Rules: "<rules>\n- x\n</rules>", Addendum: "", "extra": "<extra>\ne\n</extra>",
		Docs: "<docs>\n" + docs + "\n</docs>", Cwd: "<cwd>\n/p\n</cwd>"} {
		if got := section(s, name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}

// Whatever is declared, what is declared and its difference to the wanted state
// declare the wanted state.
func TestDiffLeadsToTheWantedState(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 0))
		var path []message.Message
		for range 6 {
			want := randomState(r)
			var declared message.Message
			if len(path) > 0 {
				declared = fold(t, path...)
			}
			if m, changed := Diff(declared, want); changed {
				path = append(path, m)
			}
			if got := describe(fold(t, path...)); got != describe(want.Message()) {
				t.Fatalf("seed %d: declares %s, want %s", seed, got, describe(want.Message()))
			}
		}
	}
}

func randomState(r *rand.Rand) State {
	all := tools("read", "bash", "edit")
	o := Options{Dir: []string{"/a", "/b"}[r.IntN(2)], Addendum: Text{Text: []string{"", "x", "y"}[r.IntN(3)]}}
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	o.Tools = all[:r.IntN(4)]
	for i := range o.Tools {
		if r.IntN(3) == 0 {
			o.Tools[i].Description = "Changed."
		}
	}
	if r.IntN(4) == 0 {
		o.Preamble.Text = "Own."
	}
	return Build(o)
}

// describe says what a message declares, without order.
func describe(m message.Message) string {
	var out []string
	for _, s := range m.Sections {
		out = append(out, s.Name+"="+*s.Text)
	}
	for _, tool := range m.ToolsAdded {
		out = append(out, string(tool.JSON()))
	}
	slices.Sort(out)
	return strings.Join(out, "\n")
}
