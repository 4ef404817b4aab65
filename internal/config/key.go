package config

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/boughdev/bough/internal/rawjson"
)

// Key says what one setting is.
type Key struct {
	Name    string // "compaction.enabled": one object in the other
	Section string
	Help    string // what it does, in one line
	Kind    Kind
	Words   []string // that it may be, where it may not be anything; true and false are no texts
	Least   float64  // of a number
	Most    float64  // of a number; 0: no limit
	Unit    string   // of a number: "tokens", "ms", "s", "columns"; ""
	Default string   // JSON; "" if there is none

	UserOnly bool // not in a project's file
	User     User
}

// Kind is what a value looks like.
type Kind string

// The kinds of values.
const (
	Text   Kind = "text"
	Flag   Kind = "flag"   // true or false
	Word   Kind = "word"   // one of [Key.Words]
	Number Kind = "number" // or one of [Key.Words]
	List   Kind = "list"   // of texts
	Object Kind = "object" // names and their values
	Any    Kind = "any"
)

// User is whose setting it is.
type User string

// Of settings.json there is one for all programs.
const (
	Bough User = ""
	Later User = "later" // bough, from a version to come on
	Pi    User = "pi"    // pi alone: read, kept and passed over
	PiApp User = "pi-app"
)

// Allowed says what a value may be: "a number from 0 to 3 (columns)".
func (k Key) Allowed() string {
	words := strings.Join(k.Words, ", ")
	switch k.Kind {
	case Text:
		return "a text"
	case Flag:
		return "true or false"
	case Word:
		return fmt.Sprintf("one of %s", words)
	case List:
		return "a list of texts"
	case Object:
		return "an object"
	case Any:
		return "anything"
	}
	s := fmt.Sprintf("a number from %s on", decimal(k.Least))
	if k.Most > 0 {
		s = fmt.Sprintf("a number from %s to %s", decimal(k.Least), decimal(k.Most))
	}
	if k.Unit != "" {
		s += " (" + k.Unit + ")"
	}
	if words != "" {
		s += ", or " + words
	}
	return s
}

func decimal(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

// key is a setting with what moves it between a file and [Settings].
type key struct {
	Key
	old []oldName

	set   func(s *Settings, v []byte, at Level, tell teller) // v is not null
	clear func(s, defaults *Settings)                        // for null
	show  func(s *Settings) []byte                           // JSON; nil if there is none
}

// teller is told what was wrong with a value; sub is the key below the setting's
// own, or "".
type teller func(sub string, at []byte, err error)

// oldName is what a setting was called once (docs/spec/frontends.md H-14). It
// counts where the new name is not. new makes a new value of an old one, nil if
// that is none.
type oldName struct {
	name string
	new  func(v []byte) []byte
}

func same(v []byte) []byte { return v }

func (k key) user() key  { k.UserOnly = true; return k }
func (k key) later() key { k.User = Later; return k }

// orDisabled says that a duration may be "disabled", which is 0.
func (k key) orDisabled() key { k.Words = []string{"disabled"}; return k }
func (k key) was(name string, new func([]byte) []byte) key {
	k.old = append(k.old, oldName{name, new})
	return k
}

// field makes a key with one value. JSON is what it is written as.
func field[T any](k Key, at func(*Settings) *T, read func([]byte) (T, error), write func(T) any) key {
	return key{Key: k,
		set: func(s *Settings, v []byte, _ Level, tell teller) {
			x, err := read(v)
			if err != nil {
				tell("", v, err)
			}
			if !isWrong(err) && !isWord(err) {
				*at(s) = x
			} else if isWord(err) {
				d := Defaults()
				*at(s) = *at(&d)
			}
		},
		clear: func(s, defaults *Settings) { *at(s) = *at(defaults) },
		show:  func(s *Settings) []byte { return encode(write(*at(s))) },
	}
}

// encode makes JSON; nil of nil.
func encode(v any) []byte {
	if v == nil {
		return nil
	}
	b, _ := rawjson.Encode(v) // texts, numbers, lists and maps of them: it does not fail
	return b
}

func text(name, help string, at func(*Settings) *string) key {
	return field(Key{Name: name, Help: help, Kind: Text}, at, readText, func(s string) any {
		if s == "" {
			return nil
		}
		return s
	})
}

func flag(name, help string, at func(*Settings) *bool) key {
	return field(Key{Name: name, Help: help, Kind: Flag}, at, readFlag, func(b bool) any { return b })
}

// number is a whole number; most 0 is no limit.
func number(name, help string, least, most int64, unit string, at func(*Settings) *int64) key {
	return field(Key{Name: name, Help: help, Kind: Number, Least: float64(least), Most: float64(most), Unit: unit}, at,
		readCount(least, most), func(n int64) any { return n })
}

// duration is a number of units; "disabled" is 0.
func duration(name, help string, unit time.Duration, at func(*Settings) *time.Duration) key {
	k := Key{Name: name, Help: help, Kind: Number, Unit: "ms"}
	if unit == time.Second {
		k.Unit = "s"
	}
	return field(k, at, func(v []byte) (time.Duration, error) { return readDuration(unit, v) },
		func(d time.Duration) any { return float64(d) / float64(unit) })
}

// word is one of several words; any other gives the default. The words true and
// false are written as such.
func word(name, help string, at func(*Settings) *string, words ...string) key {
	return field(Key{Name: name, Help: help, Kind: Word, Words: words}, at, readWord(words), func(s string) any {
		if isBool(s) {
			return s == "true"
		}
		return s
	})
}

func isBool(s string) bool { return s == "true" || s == "false" }

// list is a list of texts, which is joined to what it inherits.
func list(name, help string, at func(*Settings) *[]string, join func(inherited, list []string) []string) key {
	k := field(Key{Name: name, Help: help, Kind: List}, at, readList, func(l []string) any {
		if l == nil {
			return nil
		}
		return l
	})
	k.set = func(s *Settings, v []byte, _ Level, tell teller) {
		l, err := readList(v)
		if err != nil {
			tell("", v, err)
		}
		if !isWrong(err) {
			*at(s) = join(*at(s), l)
		}
	}
	return k
}

func replace(_, list []string) []string { return list }

// resources is a list of paths of which the user's and the project's both count.
func resources(name, help string, at func(*Settings) *Lists) key {
	return key{Key: Key{Name: name, Help: help, Kind: List},
		set: func(s *Settings, v []byte, level Level, tell teller) {
			l, err := readList(v)
			if err != nil {
				tell("", v, err)
			}
			if !isWrong(err) {
				*at(s).of(level) = l
			}
		},
		clear: func(s, _ *Settings) { at(s).Project = nil },
		show: func(s *Settings) []byte {
			return encode(append(append([]string{}, at(s).User...), at(s).Project...))
		},
	}
}

// table is an object whose members are values of one kind.
func table[T any](name, help string, at func(*Settings) *map[string]T, read func([]byte) (T, error)) key {
	return key{Key: Key{Name: name, Help: help, Kind: Object},
		set: func(s *Settings, v []byte, _ Level, tell teller) {
			each(v, tell, func(k string, v []byte) {
				if isNull(v) {
					delete(*at(s), k)
					return
				}
				x, err := read(v)
				if err != nil {
					tell(k, v, err)
				}
				if isWrong(err) || isWord(err) {
					return
				}
				if *at(s) == nil {
					*at(s) = map[string]T{}
				}
				(*at(s))[k] = x
			})
		},
		clear: func(s, defaults *Settings) { *at(s) = *at(defaults) },
		show: func(s *Settings) []byte {
			if len(*at(s)) == 0 {
				return nil
			}
			return encode(*at(s))
		},
	}
}

// foreign is a setting that bough passes over.
func foreign(user User, name, help string, kind Kind, words ...string) key {
	k := key{Key: Key{Name: name, Help: help, Kind: kind, Words: words, User: user}}
	k.set = func(*Settings, []byte, Level, teller) {}
	k.clear = func(_, _ *Settings) {}
	return k
}

// in returns what a document says of a setting: the value, where that stands, and
// under which name. Of an object on the way that is none it returns that, and its
// name.
func (k key) in(doc members) (v, at []byte, name string) {
	v, name = doc.find(k.Name)
	if v != nil && name == k.Name && !k.isOldForm(v) {
		return v, v, name
	}
	for _, o := range k.old {
		if w, as := doc.find(o.name); w != nil && as == o.name {
			if n := o.new(w); n != nil {
				return n, w, o.name
			}
		}
	}
	if k.isOldForm(v) {
		return nil, nil, ""
	}
	return v, v, name
}

// isOldForm reports whether a value is the object that skills once was.
func (k key) isOldForm(v []byte) bool { return k.Name == "skills" && rawjson.Kind(v) == '{' }

// members are those of a document, of repeated ones the last.
type members map[string][]byte

func membersOf(doc []byte) members {
	m := members{}
	for name, v := range rawjson.Members(doc) {
		m[name] = v
	}
	return m
}

// find returns the value of a key such as "a.b", or what is in its way, and the
// key of what it returns. Null in the way is the value of all below it.
func (m members) find(name string) (v []byte, at string) {
	part, rest, more := strings.Cut(name, ".")
	v, at = m[part], part
	for more && rawjson.Kind(v) == '{' {
		part, rest, more = strings.Cut(rest, ".")
		v, at = rawjson.Get(v, part), name[:len(at)+1+len(part)]
	}
	return v, at
}

// below joins the names of keys.
func below(name, sub string) string {
	if name == "" || sub == "" {
		return name + sub
	}
	return fmt.Sprintf("%s.%s", name, sub)
}
