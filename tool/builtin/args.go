package builtin

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/message"
)

// arguments reads the arguments of a call and remembers what is wrong with them.
type arguments struct {
	tool   string
	object message.Value
	wrong  []string
}

// text returns an argument that must be there.
func (a *arguments) text(key string) string {
	v := rawjson.Get(a.object, key)
	if rawjson.IsNull(v) {
		a.complain("%s is missing", key)
		return ""
	}
	return a.asText(key, v)
}

// optionalText returns "" for an argument that is not there.
func (a *arguments) optionalText(key string) string {
	v := rawjson.Get(a.object, key)
	if rawjson.IsNull(v) {
		return ""
	}
	return a.asText(key, v)
}

func (a *arguments) asText(key string, v message.Value) string {
	s, ok := asText(v)
	if !ok {
		a.complain("%s is not a string", key)
	}
	return s
}

// asText takes numbers and booleans for what they look like.
func asText(v message.Value) (string, bool) {
	switch rawjson.Kind(v) {
	case '"':
		s, ok := rawjson.String(v)
		return rawjson.ToValid(s), ok
	case '{', '[', 'n', 0:
		return "", false
	}
	return string(rawjson.Trim(v)), true
}

// path returns the name of a file and its path in the workspace.
func (a *arguments) path(s *set, key string) (name, path string) {
	name = a.text(key)
	if name == "" {
		if len(a.wrong) == 0 {
			a.complain("%s is empty", key)
		}
		return "", ""
	}
	return name, a.resolve(s, name)
}

// folder is path for an argument whose default is the workspace's folder.
func (a *arguments) folder(s *set, key string) (name, path string) {
	name = a.optionalText(key)
	if name == "" {
		return ".", s.ws.Dir()
	}
	return name, a.resolve(s, name)
}

func (a *arguments) resolve(s *set, name string) string {
	if strings.ContainsRune(name, 0) {
		a.complain("%q is no file name", name)
		return ""
	}
	path, err := s.ws.Resolve(name)
	if err != nil {
		a.complain("%v", err)
	}
	return path
}

// number returns an optional number, which may stand in a string.
func (a *arguments) number(key string) (n float64, ok bool) {
	v := rawjson.Get(a.object, key)
	switch rawjson.Kind(v) {
	case 0, 'n':
		return 0, false
	case '"':
		s, _ := rawjson.String(v)
		if s = strings.TrimSpace(s); s == "" {
			return 0, false
		}
		f, err := strconv.ParseFloat(s, 64)
		if err == nil && !math.IsNaN(f) {
			return f, true
		}
	default:
		if f, ok := rawjson.Number(v); ok {
			return f, true
		}
	}
	a.complain("%s is not a number", key)
	return 0, false
}

// integer returns an optional number without its fraction, or 0.
func (a *arguments) integer(key string) int {
	f, _ := a.number(key)
	return int(max(-math.MaxInt32, min(math.MaxInt32, f)))
}

// limit returns an optional number that is at least 1.
func (a *arguments) limit(key string, otherwise int) int {
	if f, ok := a.number(key); !ok || math.IsNaN(f) {
		return otherwise
	}
	return max(1, a.integer(key))
}

// flag returns an optional boolean, which may stand in a string.
func (a *arguments) flag(key string) bool {
	v := rawjson.Get(a.object, key)
	switch rawjson.Kind(v) {
	case 0, 'n', 'f':
		return false
	case 't':
		return true
	}
	if s, ok := asText(v); ok {
		if b, err := strconv.ParseBool(strings.TrimSpace(s)); err == nil {
			return b
		}
	}
	a.complain("%s is not true or false", key)
	return false
}

func (a *arguments) complain(format string, args ...any) {
	a.wrong = append(a.wrong, fmt.Sprintf(format, args...))
}

// refused returns the result of a call whose arguments are wrong.
func (a *arguments) refused() (message.Output, bool) {
	if len(a.wrong) == 0 {
		return message.Output{}, false
	}
	return fail("Invalid arguments for %s: %s.", a.tool, strings.Join(a.wrong, "; ")), true
}
