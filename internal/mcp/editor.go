package mcp

import (
	"fmt"
	"slices"
	"strings"
)

// Editor is the source of servers that an editor brings along.
const Editor Source = "editor"

// Brought completes a server that no file names. Its values are taken as they are;
// a name that no server may have is made one.
func Brought(s Server) Server {
	s.Source, s.Timeout, s.Exposure = Editor, defaultTimeout, "codemode"
	s.Name = strings.Map(func(r rune) rune {
		if nameRune(r) || r == '-' {
			return r
		}
		return '_'
	}, s.Name)
	if err := CheckName(s.Name); err != nil && s.Err == "" {
		s.Err = err.Error()
	}
	if s.URL != "" && s.Err == "" {
		if err := checkURL(s.URL); err != nil {
			s.Err = "url " + err.Error()
		}
	}
	if s.URL == "" && s.Command == "" && s.Err == "" {
		s.Err = "needs a command or a url"
	}
	s.raw = fmt.Appendf(nil, "%q", []any{s.Command, s.Args, s.Env, s.URL, s.Headers})
	return s
}

// Beside puts servers that were brought along beside those of the files; they take
// the place of those of the same name.
func Beside(files, brought []Server) []Server {
	list := slices.DeleteFunc(slices.Clone(files), func(s Server) bool {
		return slices.ContainsFunc(brought, func(b Server) bool { return sameName(b.Name, s.Name) })
	})
	return append(list, brought...)
}
