package config

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Permissions are what tools may do without a question.
type Permissions struct {
	Mode             string   // one of permissionModes
	Allow, Ask, Deny []string // rules, those of the user before those of a project
}

// permissionModes are those of the package permission, which lies above; the freest
// first.
var errFreer = errors.New("a project cannot make it freer")

func permissionModes() []string { return []string{"auto", "auto-edit", "ask", "read-only"} }

// permissionMode is the mode of permissions. A project may make it stricter, and a
// word that is none does not set people free.
func permissionMode() key {
	k := word("bough.permissionMode", "What tools may do without a question; a project may only make it stricter.", func(s *Settings) *string { return &s.Bough.Permissions.Mode }, permissionModes()...)
	k.set = func(s *Settings, v []byte, at Level, tell teller) {
		mode, err := readWord(permissionModes())(v)
		if err != nil {
			mode = "ask"
			tell("", v, fmt.Errorf("%s is none of %s; ask is used", compact(v), strings.Join(permissionModes(), ", ")))
		}
		strict := func(m string) int { return slices.Index(permissionModes(), m) }
		if at == InProject && strict(mode) < strict(s.Bough.Permissions.Mode) {
			tell("", v, fmt.Errorf("%w; ignored", errFreer))
			return
		}
		s.Bough.Permissions.Mode = mode
	}
	k.clear = func(*Settings, *Settings) {}
	return k
}

// rules is a list of rules. Those of all places count.
func rules(name, help string, at func(*Permissions) *[]string) key {
	k := list("bough.permissions."+name, help, func(s *Settings) *[]string { return at(&s.Bough.Permissions) }, func(inherited, list []string) []string {
		return slices.Concat(inherited, list)
	})
	k.clear = func(*Settings, *Settings) {}
	return k
}
