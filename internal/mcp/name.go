package mcp

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// maxName is the longest name that all providers take for a tool.
const maxName = 64

type toolKey struct {
	s    *server
	name string
}

// plainName is the name of a tool as pi makes it: mcp__server__tool, with _ for
// all but letters, digits and _.
func plainName(server, tool string) string {
	return "mcp__" + strings.Map(func(r rune) rune {
		if nameRune(r) {
			return r
		}
		return '_'
	}, server+"__"+tool)
}

// withHash makes a name that is too long, or not the only one, into one that is.
func withHash(name, server, tool string) string {
	sum := sha256.Sum256([]byte(server + "\x00" + tool))
	suffix := "_" + hex.EncodeToString(sum[:4])
	return name[:min(len(name), maxName-len(suffix))] + suffix
}

// toolNames gives the tools of one server their names: all that would collide
// get a hash, so that a name does not hang on the order.
func toolNames(server string, tools []string) map[string]string {
	count := map[string]int{}
	seen := map[string]bool{}
	for _, t := range tools {
		if !seen[t] {
			seen[t] = true
			count[plainName(server, t)]++
		}
	}
	out := map[string]string{}
	for _, t := range tools {
		name := plainName(server, t)
		if count[name] > 1 || len(name) > maxName {
			name = withHash(name, server, t)
		}
		out[t] = name
	}
	return out
}

// names gives all tools of all servers their names. A server whose tools have
// names of one before it, as a__b may, gets a hash for these.
func (m *Manager) names() map[toolKey]string {
	out := map[toolKey]string{}
	taken := map[string]bool{}
	for _, s := range m.servers {
		offer := s.current()
		var tools []string
		for _, t := range offer.Tools {
			tools = append(tools, t.Name)
		}
		mine := toolNames(s.Name, tools)
		for _, t := range tools {
			name := mine[t]
			if _, ok := out[toolKey{s, t}]; ok {
				continue
			}
			if taken[name] {
				name = withHash(name, s.Name, t)
			}
			taken[name] = true
			out[toolKey{s, t}] = name
		}
	}
	return out
}
