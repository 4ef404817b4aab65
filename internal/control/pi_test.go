package control_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/boughdev/bough/internal/control"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

// asInPi opens a session in pi and returns its answers to commands.
func asInPi(t *testing.T, path string, commands ...string) (data []json.RawMessage) {
	t.Helper()
	node, dist := os.Getenv("NODE24"), os.Getenv("PI_DIST")
	if node == "" || dist == "" {
		t.Skip("set NODE24 (a node of version 22 or later) and PI_DIST (the dist folder of the installed package)")
	}
	home := t.TempDir()
	cmd := exec.CommandContext(t.Context(), node, filepath.Join(dist, "cli.js"), "--mode", "rpc", "--session", path)
	cmd.Dir = home
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "PI_OFFLINE=1", "ANTHROPIC_API_KEY=none"}
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	records := json.NewDecoder(out)
	for _, c := range commands {
		fmt.Fprintf(in, `{"type":%q}`+"\n", c)
		for {
			var r struct {
				Type, Command string
				Success       bool
				Data          json.RawMessage
			}
			if err := records.Decode(&r); err != nil {
				t.Fatalf("%s: %v", c, err)
			}
			if r.Type == "response" {
				if r.Command != c || !r.Success {
					t.Fatalf("%s: %+v", c, r)
				}
				data = append(data, r.Data)
				break
			}
		}
	}
	in.Close()
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	return data
}

// What is written at places of the tree opens in pi where it stands here, with the
// same labels and messages.
func TestPlacesInPi(t *testing.T) {
	for name, write := range map[string]func(f *front){
		"a message that was added, and a move before it": func(f *front) {
			call(f, protocol.Append{Parent: at("D"), Message: saying(message.User, "added")})
			call(f, protocol.Navigate{Target: "B", Persist: true})
		},
		"an imported answer below a question": func(f *front) {
			m := saying(message.Assistant, "imported")
			m.API, m.Provider, m.Model = "x", "p", "m"
			call(f, protocol.Append{Parent: at("X"), Message: m})
			call(f, protocol.SetLabel{Entry: "X", Text: "side"})
		},
		"a message of a program that does not move the leaf": func(f *front) {
			call(f, protocol.Append{Parent: at("B"), Message: saying("", "hint"), Custom: "mine", Display: true, Details: []byte(`{"a":1}`), Stay: true})
			call(f, protocol.Navigate{Target: "D", Persist: true})
		},
		"a question asked again": func(f *front) {
			call(f, protocol.PromptAt{Parent: "B", Text: "again"})
			f.until("the end", func() bool { return f.ends() == 1 })
			call(f, protocol.SetLabel{Entry: "B", Text: ""})
		},
		"a run from a question": func(f *front) {
			call(f, protocol.Retry{Entry: at("X")})
			f.until("the end", func() bool { return f.ends() == 1 })
		},
		"before the first entry": func(f *front) {
			call(f, protocol.PromptAt{Text: "from the start"})
			f.until("the end", func() bool { return f.ends() == 1 })
			call(f, protocol.Navigate{Target: "X", At: true, Label: "here", Persist: true})
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, goodRule)
			lines := append([]string{}, exampleLines...)
			lines[0] = strings.Replace(lines[0], "/srv", t.TempDir(), 1)
			path := w.file(lines...)
			f := w.connect(control.Start{Open: path})
			write(f)
			leaf := call(f, protocol.GetState{}).Leaf
			f.Close()
			s, err := session.Open(t.Context(), w.store, path)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			data := asInPi(t, path, "get_entries", "get_messages", "get_tree")
			var theirs struct {
				Entries []struct{ ID, Type, ParentID, CustomType string }
				LeafID  string
			}
			if err := json.Unmarshal(data[0], &theirs); err != nil {
				t.Fatal(err)
			}
			// Markers of the place and settings that pi adds stand below the leaf.
			standing := theirs.LeafID
			for i := len(theirs.Entries) - 1; i >= 0 && session.ID(standing) != leaf; i-- {
				e := theirs.Entries[i]
				if e.ID == standing && (e.CustomType == session.LeafMarker || strings.HasSuffix(e.Type, "_change")) {
					standing = e.ParentID
				}
			}
			if session.ID(standing) != leaf {
				t.Errorf("pi stands at %s, want %s", theirs.LeafID, leaf)
			}
			p, err := new(session.Projector).Context(s.Tree(), leaf)
			if err != nil {
				t.Fatal(err)
			}
			var want []string
			for _, m := range p.Messages() {
				want = append(want, string(m.Role)+" "+m.Text("|"))
			}
			var msgs struct{ Messages []message.Message }
			if err := json.Unmarshal(data[1], &msgs); err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, m := range msgs.Messages {
				got = append(got, string(m.Role)+" "+m.Text("|"))
			}
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("pi sees\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
			for e := range s.Tree().All() {
				if label := s.Tree().Label(e.ID); label != "" && !bytes.Contains(data[2], fmt.Appendf(nil, `"label":%q,"labelTimestamp"`, label)) {
					t.Errorf("pi does not know the label %q", label)
				}
			}
			if n, have := len(theirs.Entries), s.Tree().Len(); n < have {
				t.Errorf("pi has %d entries of %d", n, have)
			}
		})
	}
}
