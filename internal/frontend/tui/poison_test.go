package tui_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/boughdev/bough/internal/frontend/tui"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

// poison is what no terminal must get: titles, clears, moves, a clipboard, C0, C1,
// bidirectional controls, and more marks than a cell can hold.
const poison = "P\x1b]0;OWNED\x07\x1b[2J\x1b[77;77HQ\x1bcR\u009b2J\u009dS\u202eT\u2066U\x00\r\n\x08\x7f\u2028\ufff9\x1b]52;c;T1dORUQ=\x07V" + "e\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301" + "👨‍👩‍👧‍👦 "

// poisoned puts poison into all texts of what a service says, wherever they stand.
func poisoned(v any) any {
	p := reflect.New(reflect.TypeOf(v)).Elem()
	p.Set(reflect.ValueOf(v))
	var walk func(v reflect.Value, name string)
	walk = func(v reflect.Value, name string) {
		switch v.Kind() {
		case reflect.String:
			switch name {
			case "ID", "Kind", "Session", "Entry", "EntryID", "CallID", "Level", "Key":
			default:
				if v.CanSet() {
					v.SetString(poison + v.String())
				}
			}
		case reflect.Struct:
			for i := range v.NumField() {
				walk(v.Field(i), v.Type().Field(i).Name)
			}
		case reflect.Pointer:
			if !v.IsNil() && v.CanSet() && v.Type().Elem().Kind() == reflect.Struct {
				own := reflect.New(v.Type().Elem())
				own.Elem().Set(v.Elem())
				v.Set(own)
				walk(own.Elem(), "")
			}
		case reflect.Slice:
			if v.IsNil() || !v.CanSet() || v.Type().Elem().Kind() == reflect.Uint8 {
				return
			}
			own := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
			reflect.Copy(own, v)
			v.Set(own)
			for i := range own.Len() {
				walk(own.Index(i), "")
			}
		}
	}
	walk(p, "")
	return p.Interface()
}

// poisonedLine puts poison into all texts of an entry.
func poisonedLine(t testing.TB, e *session.Entry) *session.Entry {
	raw, err := e.Raw()
	if err != nil {
		t.Fatal(err)
	}
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatal(err)
	}
	var walk func(v any, name string) any
	walk = func(v any, name string) any {
		switch v := v.(type) {
		case map[string]any:
			for k := range v {
				v[k] = walk(v[k], k)
			}
		case []any:
			for i := range v {
				v[i] = walk(v[i], name)
			}
		case string:
			switch name {
			case "id", "parentId", "type", "timestamp", "role", "targetId", "fromId", "firstKeptEntryId", "toolCallId", "stopReason", "data":
			default:
				return poison + v
			}
		}
		return v
	}
	line, err := json.Marshal(walk(v, ""))
	if err != nil {
		t.Fatal(err)
	}
	out, err := session.Decode(line, session.Line{}, session.Bytes(line))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// obeys says what in bytes for a terminal is none of ours; "" if nothing is.
func obeys(raw string) string {
	for i := 0; i < len(raw); {
		switch rest := raw[i:]; {
		case strings.HasPrefix(rest, "\x1b["):
			end := strings.IndexFunc(rest[2:], func(r rune) bool { return r >= '@' && r <= '~' })
			if end < 0 {
				return fmt.Sprintf("a sequence without an end: %q", rest[:min(len(rest), 40)])
			}
			if seq := rest[:end+3]; strings.Contains(seq, "77;77") || !strings.ContainsRune("mHJKABCDGhlunpqtcrsdXPL", rune(seq[len(seq)-1])) {
				return fmt.Sprintf("%q", seq)
			}
			i += end + 3
		case strings.HasPrefix(rest, "\x1b]"), strings.HasPrefix(rest, "\x1b_"):
			end := strings.IndexAny(rest[2:], "\x07\x1b")
			if end < 0 {
				return fmt.Sprintf("a text without an end: %q", rest[:min(len(rest), 40)])
			}
			text := rest[2 : end+2]
			if strings.HasPrefix(text, "0;OWNED") || strings.HasPrefix(text, "52;c;T1dORUQ=") || strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r >= 0x7f && r < 0xa0 || r == 0x202e }) {
				return fmt.Sprintf("%q", text)
			}
			i += end + 3
		case strings.HasPrefix(rest, "\x1b\\"), strings.HasPrefix(rest, "\x1b7"), strings.HasPrefix(rest, "\x1b8"), strings.HasPrefix(rest, "\x1b="), strings.HasPrefix(rest, "\x1b>"):
			i += 2
		default:
			if i > 0 && raw[i-1] == 0x1b && raw[i] == '\\' { // the end of a text
				i++
				continue
			}
			r, n := utf8.DecodeRuneInString(rest)
			switch {
			case r == '\r' || r == '\n':
			case r < ' ', r >= 0x7f && r < 0xa0, r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069, r == 0x2028, r >= 0xfff9 && r <= 0xfffb:
				return fmt.Sprintf("%q before %q", r, rest[:min(len(rest), 40)])
			}
			i += n
		}
	}
	return ""
}

// What others have written, wherever it shows, neither draws outside of its place nor
// reaches the terminal as it is.
func TestHostileTextsOnAllScreens(t *testing.T) {
	for _, sc := range scenes {
		t.Run(sc.name, func(t *testing.T) {
			t.Parallel()
			said := sc.session
			sc.session = func() []protocol.Event {
				var out []protocol.Event
				for _, ev := range said() {
					out = append(out, protocol.Appended{Entry: poisonedLine(t, ev.(protocol.Appended).Entry), By: poison})
				}
				return out
			}
			act := sc.act
			sc.act = func(s *stage) {
				if act != nil {
					act(s)
				}
				s.p.tell(protocol.Notice{Level: "warning", Text: poison}, protocol.BashStarted{ID: 1, Command: poison}, protocol.BashOutput{ID: 1, Delta: poison},
					protocol.QueueChanged{Queue: protocol.Queue{Items: []protocol.Waiting{{ID: "w1", Text: poison}, {ID: "w2", Text: poison, FollowUp: true}}}},
					protocol.ToolStarted{CallID: "c1", Tool: poison, Args: []byte(args("path", poison, "command", poison))}, protocol.RetryStarted{Attempt: 1, Max: 2, Error: poison})
				s.Paste(poison)
				s.settle()
				s.play("ctrl+u")
			}
			for _, answer := range []func(cmd protocol.Request, r any, err error) (any, error){
				func(_ protocol.Request, r any, err error) (any, error) {
					if err != nil {
						return nil, protocol.Fail(protocol.IO, "%s", poison+err.Error())
					}
					return poisoned(r), nil
				},
				func(protocol.Request, any, error) (any, error) {
					return nil, protocol.Fail(protocol.IO, "%s", poison)
				},
				func(protocol.Request, any, error) (any, error) { return nil, errors.New(poison) },
			} {
				sc.do = func(usual func(protocol.Request) (any, error)) func(protocol.Request) (any, error) {
					return func(cmd protocol.Request) (any, error) {
						r, err := usual(cmd)
						return answer(cmd, r, err)
					}
				}
				onStage(t, sc, 80, 24, beyond, func(s *stage) {
					for _, size := range [][2]int{{80, 24}, {24, 14}, {160, 50}} {
						s.size(size[0], size[1], beyond)
						if why := s.broken(size[0], size[1]); why != "" {
							t.Fatalf("at %v: %s\n%s", size, why, s.String())
						}
					}
					if sc.before == nil && !strings.Contains(s.Raw(), "OWNED") {
						t.Error("nothing hostile was shown")
					}
					if why := obeys(s.Raw()); why != "" {
						t.Errorf("the terminal got %s\n%s", why, s.String())
					}
				}, func(o *tui.Options) { o.Hint, o.Who = poison, poison })
			}
		})
	}
}
