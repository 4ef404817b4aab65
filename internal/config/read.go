package config

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/boughdev/bough/internal/rawjson"
)

// A reader of values returns what is to be used, and an error if that is not what
// stands there. What cannot be used at all is an errWrong.

type errWrong struct{ want, have string }

func (e errWrong) Error() string {
	return fmt.Sprintf("wants %s, not %s", e.want, e.have) + "; ignored"
}

func isWrong(err error) bool { _, ok := errors.AsType[errWrong](err); return ok }

func wrong(want string, v []byte) error {
	have := "nothing"
	switch rawjson.Kind(v) {
	case '{':
		have = "an object"
	case '[':
		have = "a list"
	case '"':
		have = "a text"
	case '0':
		have = "such a number"
	case 't', 'f':
		have = "true or false"
	case 'n':
		have = "null"
	}
	return errWrong{want, have}
}

// errWord is about a word that is none of those allowed: the default is used.
type errWord struct {
	have  string
	words []string
}

func (e errWord) Error() string {
	return fmt.Sprintf("%q is none of %s; the default is used", e.have, strings.Join(e.words, ", "))
}

func isWord(err error) bool { _, ok := errors.AsType[errWord](err); return ok }

func isNull(v []byte) bool { return rawjson.Kind(v) == 'n' }

func readText(v []byte) (string, error) {
	s, ok := rawjson.String(v)
	if !ok {
		return "", wrong("a text", v)
	}
	return s, nil
}

func readFlag(v []byte) (bool, error) {
	if k := rawjson.Kind(v); k != 't' && k != 'f' {
		return false, wrong("true or false", v)
	}
	return rawjson.Bool(v), nil
}

// readWord reads one of several words, of which true and false are no texts.
func readWord(words []string) func([]byte) (string, error) {
	return func(v []byte) (string, error) {
		s, ok := rawjson.String(v)
		k := rawjson.Kind(v)
		switch {
		case ok && slices.Contains(words, s) && !isBool(s):
			return s, nil
		case ok:
			return "", errWord{s, words}
		case k == 't' && slices.Contains(words, "true"):
			return "true", nil
		case k == 'f' && slices.Contains(words, "false"):
			return "false", nil
		case slices.Contains(words, "true") || slices.Contains(words, "false"):
			return "", wrong("one of "+strings.Join(words, ", "), v)
		}
		return "", wrong("a text", v)
	}
}

// readCount reads a whole number in a range; most 0 is no limit.
func readCount(least, most int64) func([]byte) (int64, error) {
	top := most
	if most == 0 {
		top = 1 << 53 // what JavaScript counts to
	}
	return func(v []byte) (int64, error) {
		f, ok := rawjson.Number(v)
		switch {
		case !ok:
			return 0, wrong("a number", v)
		case f > float64(top):
			return top, fmt.Errorf("too large; %d is used", top)
		case f < float64(least):
			return least, fmt.Errorf("below %d; %d is used", least, least)
		case f != float64(int64(f)):
			return 0, wrong("a whole number", v)
		}
		return int64(f), nil
	}
}

func readDuration(unit time.Duration, v []byte) (time.Duration, error) {
	const most = 365 * 24 * time.Hour
	f, ok := rawjson.Number(v)
	s, _ := rawjson.String(v)
	switch {
	case s == "disabled":
		return 0, nil
	case !ok:
		return 0, wrong("a number or \"disabled\"", v)
	case f < 0:
		return 0, errors.New("below 0; 0 is used")
	case f > float64(most/unit):
		return most, errors.New("too long; a year is used")
	}
	return time.Duration(f * float64(unit)), nil
}

func readList(v []byte) ([]string, error) {
	if rawjson.Kind(v) != '[' {
		return nil, wrong("a list of texts", v)
	}
	out := []string{}
	var bad error
	for e := range rawjson.Elements(v) {
		s, ok := rawjson.String(e)
		if !ok {
			bad = errors.New("has an element that is no text; it was left out")
			continue
		}
		out = append(out, s)
	}
	return out, bad
}

// readPackages reads a list of sources, or of objects that have one and say which
// resources of it count.
func readPackages(v []byte) ([]Package, error) {
	if rawjson.Kind(v) != '[' {
		return nil, wrong("a list of packages", v)
	}
	out := []Package{}
	var bad error
	for e := range rawjson.Elements(v) {
		p := Package{AutoLoad: true}
		var ok bool
		if p.Source, ok = rawjson.String(e); !ok {
			p.Source, ok = rawjson.GetString(e, "source")
			p.AutoLoad = rawjson.Kind(rawjson.Get(e, "autoload")) != 'f'
			for name, l := range map[string]*[]string{"extensions": &p.Extensions, "skills": &p.Skills, "prompts": &p.Prompts, "themes": &p.Themes} {
				if v := rawjson.Get(e, name); rawjson.Kind(v) == '[' {
					*l, _ = readList(v) // what is no text selects nothing
				}
			}
		}
		if !ok || p.Source == "" {
			bad = errors.New("has an element that names no package; it was left out")
			continue
		}
		out = append(out, p)
	}
	return out, bad
}

// each calls f with the members of an object.
func each(v []byte, tell teller, f func(k string, v []byte)) {
	if rawjson.Kind(v) != '{' {
		tell("", v, wrong("an object", v))
		return
	}
	for k, e := range rawjson.Members(v) {
		f(k, e)
	}
}
