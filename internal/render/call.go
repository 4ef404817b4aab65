package render

import (
	"math"
	"strconv"
	"strings"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/message"
)

// CallArg says in one line what a tool is called with: the path, the command,
// the pattern. Of a tool that is not one of ours it is the JSON of the arguments.
func CallArg(tool string, args message.Value) string {
	str := func(names ...string) string {
		for _, n := range names {
			if s, ok := rawjson.GetString(args, n); ok && s != "" {
				return s
			}
		}
		return ""
	}
	path := str("path", "file_path", "filePath", "file")
	in := " in " + path
	if path == "" {
		in = ""
	}
	var s string
	switch tool {
	case "read":
		if s = path; s != "" {
			s += lineRange(args)
		}
	case "write", "edit":
		s = path
	case "bash", "powershell":
		s = str("command", "cmd")
	case "grep":
		if s = str("pattern"); s != "" {
			s = "/" + s + "/" + in
		}
	case "find":
		if s = str("pattern"); s != "" {
			s += in
		}
	case "ls":
		if s = path; s == "" {
			s = "."
		}
	}
	if s == "" && rawjson.Kind(args) == '{' && len(rawjson.Trim(args)) > 2 {
		s = string(args)
	}
	return OneLine(s)
}

// lineRange returns which lines of a file are read, as ":1-20", or "".
func lineRange(args message.Value) string {
	offset, hasOffset := number(rawjson.Get(args, "offset"))
	limit, hasLimit := number(rawjson.Get(args, "limit"))
	if !hasOffset && !hasLimit {
		return ""
	}
	if !hasOffset {
		offset = 1
	}
	s := ":" + strconv.FormatInt(offset, 10)
	if hasLimit {
		s += "-" + strconv.FormatInt(offset+limit-1, 10)
	}
	return s
}

// number reads a number, which may stand in a string.
func number(v message.Value) (int64, bool) {
	if s, ok := rawjson.String(v); ok {
		v = message.Value(s)
	}
	f, ok := rawjson.Number(v)
	if !ok || math.Abs(f) > 1<<53 {
		return 0, false
	}
	return int64(f), true
}

// CallLine names a call in plain words: "read src/main.go".
func CallLine(tool string, args message.Value) string {
	return strings.TrimSpace(OneLine(tool) + " " + CallArg(tool, args))
}

// callRow names a call as a row of the tree: "[read: src/main.go]".
func callRow(tool string, args message.Value) string {
	arg := CallArg(tool, args)
	switch tool {
	case "bash", "powershell":
		arg = shorten(arg, 50)
	case "read", "write", "edit", "grep", "find", "ls":
	default:
		arg = shorten(arg, 40)
	}
	if arg == "" {
		return "[" + OneLine(tool) + "]"
	}
	return "[" + OneLine(tool) + ": " + arg + "]"
}

// shorten takes at most n characters.
func shorten(s string, n int) string {
	at := 0
	for i := range s {
		if at == n {
			return strings.TrimRight(s[:i], " ") + "..."
		}
		at++
	}
	return s
}

// callNames lists the tools of calls, repeated ones once: "bash, read x2".
func callNames(calls []message.Block) string {
	var names []string
	times := map[string]int{}
	for _, c := range calls {
		name := OneLine(c.Name)
		if times[name]++; times[name] == 1 {
			names = append(names, name)
		}
	}
	for i, n := range names {
		if times[n] > 1 {
			names[i] += " x" + strconv.Itoa(times[n])
		}
	}
	return strings.Join(names, ", ")
}

// DiffCount returns how many lines an edit added and removed, by the details of
// its result. ok is false if they do not tell.
func DiffCount(details message.Value) (added, removed int, ok bool) {
	diff, ok := rawjson.GetString(details, "diff")
	if !ok {
		return 0, 0, false
	}
	for line := range strings.Lines(diff) {
		switch {
		case strings.HasPrefix(line, "+"):
			added++
		case strings.HasPrefix(line, "-"):
			removed++
		}
	}
	return added, removed, added+removed > 0
}
