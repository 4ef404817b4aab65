package config

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/boughdev/bough/internal/rawjson"
)

// UnknownError says that there is no setting of that name.
type UnknownError struct{ Name, Near string }

func (e UnknownError) Error() string {
	if e.Near != "" {
		return fmt.Sprintf("there is no setting %q; did you mean %s?", e.Name, e.Near)
	}
	return fmt.Sprintf("there is no setting %q", e.Name)
}

// Find returns the setting that a person names, and its place in a file. The name
// may leave out "bough.", be an old one, and may go on into an object:
// modelThinkingLevels.anthropic/claude-4.5.
func Find(name string) (Key, []string, error) {
	k, path, err := lookup(name)
	if err != nil {
		return Key{}, nil, err
	}
	d := Defaults()
	for _, s := range sections() {
		if slices.ContainsFunc(s.keys, func(o key) bool { return o.Name == k.Name }) {
			return k.public(s.title, &d), path, nil
		}
	}
	return Key{}, nil, err // lookup found it in one of them
}

func lookup(name string) (key, []string, error) {
	all := allKeys()
	for _, full := range []string{name, "bough." + name} {
		for _, k := range all {
			rest, in := strings.CutPrefix(full, k.Name)
			switch {
			case !in:
			case rest == "":
				return k, strings.Split(k.Name, "."), nil
			case rest[0] == '.' && len(rest) > 1 && k.Kind == Object:
				return k, append(strings.Split(k.Name, "."), within(k, rest[1:])...), nil
			}
		}
	}
	for _, k := range all {
		if strings.EqualFold(k.Name, name) || strings.EqualFold(k.Name, "bough."+name) || k.wasCalled(name) {
			return k, strings.Split(k.Name, "."), nil
		}
	}
	return key{}, nil, UnknownError{name, Near(name)}
}

// within splits what stands behind the name of an object. Names of models have
// dots of their own.
func within(k key, rest string) []string {
	if i := strings.LastIndexByte(rest, '.'); i > 0 && k.Name == "compaction.modelOverrides" {
		if last := rest[i+1:]; last == "reserveTokens" || last == "keepRecentTokens" {
			return []string{rest[:i], last}
		}
	}
	if k.User != Bough && k.User != Later {
		return strings.Split(rest, ".")
	}
	return []string{rest}
}

// Parse makes JSON of what a person wrote for a setting: a text may do without
// quotes, a list may be words with commas between.
func Parse(name, value string) (Key, []string, json.RawMessage, error) {
	p, path, err := Find(name)
	if err != nil {
		return p, nil, nil, err
	}
	k, _, err := lookup(name)
	if err != nil {
		return p, nil, nil, err
	}
	v := k.written(value, len(path) > len(strings.Split(k.Name, ".")))
	refuse := func(why string) error {
		if why == "" {
			why = "it is to be " + k.Allowed()
		}
		return fmt.Errorf("cannot set %s to %s: %s", strings.Join(path, "."), quoted(value), why)
	}
	if v == nil {
		return p, path, nil, refuse("")
	}
	// As a file that says just this would be read.
	doc := (&Sources{}).put(nil, path, v)
	at, _ := membersOf(doc).find(k.Name)
	s, why, failed := Defaults(), "", false
	k.set(&s, at, ByUser, func(sub string, _ []byte, err error) {
		first, _, _ := strings.Cut(err.Error(), "; ") // what is made of it in a file
		if failed = true; sub != "" {
			why = sub + " " + first
		}
	})
	if failed || k.show == nil && !k.fits(v, len(path)) {
		return p, path, nil, refuse(why)
	}
	return p, path, v, nil
}

// written makes JSON of a text for a value of this kind, nil if it can be none.
// inside says that it is a member of an object.
func (k key) written(value string, inside bool) []byte {
	raw := []byte(value)
	isJSON := rawjson.Valid(raw)
	kind := rawjson.Kind(raw)
	switch {
	case isJSON && kind == 'n':
		return nil
	case inside, k.Kind == Any:
		if isJSON {
			return raw
		}
		return encode(value)
	case k.Kind == Text:
		if isJSON && kind == '"' {
			return raw
		}
		return encode(value)
	case k.Kind == Flag:
		switch strings.ToLower(value) {
		case "true", "on", "yes":
			return []byte("true")
		case "false", "off", "no":
			return []byte("false")
		}
		return nil
	case k.Kind == Word || k.Kind == Number && slices.Contains(k.Words, value):
		if isJSON && kind == '"' {
			return raw
		}
		if isBool(value) && slices.Contains(k.Words, value) {
			return raw
		}
		return encode(value)
	case k.Kind == List && (!isJSON || kind != '['):
		out := []string{}
		for w := range strings.SplitSeq(value, ",") {
			if w = strings.TrimSpace(w); w != "" {
				out = append(out, w)
			}
		}
		return encode(out)
	case !isJSON:
		return nil
	}
	return raw
}

// fits reports whether a value has the kind of a setting that bough passes over.
func (k key) fits(v []byte, depth int) bool {
	if depth > len(strings.Split(k.Name, ".")) {
		return true // a member of an object of others
	}
	switch s, _ := rawjson.String(v); k.Kind {
	case Flag:
		return rawjson.Kind(v) == 't' || rawjson.Kind(v) == 'f'
	case Word:
		return slices.Contains(k.Words, s)
	case List:
		return rawjson.Kind(v) == '['
	case Object:
		return rawjson.Kind(v) == '{'
	}
	return true
}

func quoted(s string) string {
	if len(s) > 60 {
		s = s[:60] + "…"
	}
	return fmt.Sprintf("%q", s)
}
