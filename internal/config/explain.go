package config

import (
	"bytes"
	"fmt"
	"net/url"
	"strings"

	"github.com/boughdev/bough/internal/pifile"
	"github.com/boughdev/bough/internal/rawjson"
)

func (k key) public(section string, defaults *Settings) Key {
	p := k.Key
	p.Section = section
	if k.show != nil {
		p.Default = string(k.show(defaults))
	}
	return p
}

// Value is what one place makes of a setting.
type Value struct {
	Level   Level
	Where   string // "/home/u/.pi/agent/settings.json:3", "PI_TRUE_COLOR", "--model"; ""
	JSON    string // of lists and objects: with what lies beneath, where both count; "" for none
	Ignored string // why it does not count; "" if it does
}

// Explanation says of a setting what is in force, and why.
type Explanation struct {
	Key    Key
	Values []Value // highest first, down to the default
}

// Changed reports whether anything but the default says something.
func (e Explanation) Changed() bool { return len(e.Values) > 1 }

// Explain says of each setting that is known where its value comes from. Nothing
// is shown of a password in it.
func (s *Sources) Explain() []Explanation {
	defaults := Defaults()
	docs := make([]members, len(s.layers))
	for i, l := range s.layers {
		docs[i] = membersOf(l.doc)
	}
	var out []Explanation
	for _, sec := range sections() {
		for _, k := range sec.keys {
			e := Explanation{Key: k.public(sec.title, &defaults)}
			now := Defaults()
			e.Values = []Value{{JSON: e.Key.Default}}
			for i, l := range s.layers {
				if v, ok := s.say(k, l, docs[i], &now, &defaults); ok {
					e.Values = append([]Value{v}, e.Values...)
				}
			}
			out = append(out, e)
		}
	}
	return out
}

// say takes up what a layer says of a setting, and tells it.
func (s *Sources) say(k key, l layer, doc members, now, defaults *Settings) (Value, bool) {
	v, at, name := k.in(doc)
	if v == nil || name != k.Name && !k.wasCalled(name) && !isNull(v) {
		return Value{}, false // nothing, or what was told of another key
	}
	if k.Kind == Object && compact(v) == "{}" {
		return Value{}, false // objects are joined: none of its members is said
	}
	val := Value{Level: l.level, Where: l.names[k.Name], JSON: compact(v)}
	if l.where != "" {
		val.Where = fmt.Sprintf("%s:%d", l.where, l.line(at))
	}
	val.Ignored = s.refusal(l, k)
	if val.Ignored == "" || k.Name == "sessionDir" {
		before := k.shown(now)
		var faults []string
		tell := func(_ string, _ []byte, err error) { faults = append(faults, err.Error()) }
		if l.level == InProject && !s.trusted {
			s.untrusted(now, l, tell)
		} else {
			k.apply(now, defaults, l, v, at, name, tell)
		}
		switch after := k.shown(now); {
		case k.show == nil:
		case len(faults) > 0 && bytes.Equal(before, after) && !isNull(v):
			val.Ignored = strings.TrimSuffix(faults[0], "; ignored")
		default:
			val.JSON = string(after)
		}
	}
	val.JSON = Shown(k.Key, val.JSON)
	return val, true
}

func (k key) wasCalled(name string) bool {
	for _, o := range k.old {
		if o.name == name {
			return true
		}
	}
	return false
}

func (k key) shown(s *Settings) []byte {
	if k.show == nil {
		return nil
	}
	return k.show(s)
}

// compact writes JSON on one line.
func compact(v []byte) string { return string(rawjson.AppendStringify(nil, v)) }

// Shown is the JSON of a value as people may see it: without the password of a
// proxy.
func Shown(k Key, v string) string {
	s, ok := rawjson.String([]byte(v))
	if k.Name != "httpProxy" || !ok {
		return v
	}
	u, err := url.Parse(s)
	switch {
	case err != nil:
		return `"(a URL that cannot be read)"`
	case u.User == nil:
		return v
	}
	return string(encode(u.Redacted()))
}

// Hint is something odd about a file of settings that costs nothing.
type Hint struct {
	File string
	Line int
	Key  string
	Text string
}

func (h Hint) String() string { return fmt.Sprintf("%s:%d: %s: %s", h.File, h.Line, h.Key, h.Text) }

// manyStrange is how many names that are not known are looked at in a file. More
// are no slips of the pen.
const manyStrange = 500

// Hints tells of names in the files that are most likely mistyped, and of those
// that stand there twice. Of other names that are not known see [Sources.Unknown].
func (s *Sources) Hints() []Hint {
	hints, _ := s.oddities()
	return hints
}

// Unknown is a name in a file that is no setting of bough's.
type Unknown struct {
	Key   string
	Level Level
	File  string
	Line  int
}

// Unknown returns the names that bough does not go by, in the order of the files.
// They stay there when a setting is changed.
func (s *Sources) Unknown() []Unknown {
	_, unknown := s.oddities()
	return unknown
}

func (s *Sources) oddities() (out []Hint, unknown []Unknown) {
	known := map[string]bool{}
	objects := map[string]bool{} // whose members are known by name
	all := allKeys()
	for _, k := range all {
		known[k.Name] = true
		for _, o := range k.old {
			known[o.name] = true
			known[strings.Split(o.name, ".")[0]] = true
		}
		for i := range k.Name {
			if k.Name[i] == '.' {
				known[k.Name[:i]], objects[k.Name[:i]] = true, true
			}
		}
	}
	for _, l := range s.layers {
		if l.where == "" {
			continue
		}
		strange := 0
		var walk func(prefix string, obj []byte)
		walk = func(prefix string, obj []byte) {
			seen := map[string]bool{}
			for name, v := range rawjson.Members(obj) {
				full := below(prefix, name)
				hint := func(text string) { out = append(out, Hint{l.where, pifile.Line(l.doc, v), full, text}) }
				switch {
				case seen[name]:
					hint("stands twice; the last one counts")
				case known[full]:
				case strange == manyStrange:
				default:
					strange++
					unknown = append(unknown, Unknown{full, l.level, l.where, pifile.Line(l.doc, v)})
					if near := near(full, all); near != "" {
						hint("is no setting; did you mean " + near + "?")
					}
				}
				seen[name] = true
				if objects[full] {
					walk(full, v)
				}
			}
		}
		walk("", l.doc)
	}
	return out, unknown
}
