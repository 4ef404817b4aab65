package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/tool"
)

// Tools that are not declared, because their server says so or because they are
// too many, are found by one tool and called by another: what is declared stays
// the same, and with it the provider's cache.
const (
	searchName = "mcp__search"
	callName   = "mcp__call"
)

// maxHits is how many tools a search shows.
const maxHits = 8

// servers lists whose tools are meant, for the descriptions.
func serversOf(tools []*serverTool) string {
	var lines []string
	var last *server
	n := 0
	add := func() {
		if last == nil {
			return
		}
		line := fmt.Sprintf("- %s, %d tools", last.Name, n)
		if s := last.summary(); s != "" {
			line += ": " + s
		}
		lines = append(lines, line)
	}
	for _, t := range tools {
		if t.s != last {
			add()
			last, n = t.s, 0
		}
		n++
	}
	add()
	return strings.Join(lines, "\n")
}

func searchTool(tools []*serverTool) tool.Tool {
	type args struct {
		Query string `json:"query"`
	}
	return inner{tool.New(message.ToolSpec{Name: searchName,
		Description: "Find tools of MCP servers by words of what they do. The answer has their names, descriptions and arguments; " +
			callName + " calls them. Servers with such tools:\n" + serversOf(tools),
		Parameters: message.Value(`{"properties":{"query":{"description":"Words that name or describe the tool; empty lists all names","type":"string"}},"required":["query"],"type":"object"}`),
	}, func(_ context.Context, a args, _ func(message.Output)) (message.Output, error) {
		return message.TextOutput(search(tools, a.Query)), nil
	})}
}

// search ranks tools by how many of the words they have, in the name above all.
func search(tools []*serverTool, query string) string {
	words := strings.FieldsFunc(strings.ToLower(query), func(r rune) bool { return !nameRune(r) && r < 0x80 || r == '_' })
	var b strings.Builder
	if len(words) == 0 {
		for _, t := range tools {
			b.WriteString(t.name + "\n")
		}
		return cutText(b.String(), maxText)
	}
	type hit struct {
		t     *serverTool
		score int
	}
	var hits []hit
	for _, t := range tools {
		name, text := strings.ToLower(t.s.Name+" "+t.offered.Name), strings.ToLower(t.Description)
		score := 0
		for _, w := range words {
			switch {
			case strings.Contains(name, w):
				score += 3
			case strings.Contains(text, w):
				score++
			}
		}
		if score > 0 {
			hits = append(hits, hit{t, score})
		}
	}
	slices.SortStableFunc(hits, func(x, y hit) int { return cmp.Compare(y.score, x.score) })
	if len(hits) == 0 {
		return "No tool fits. An empty query lists the names of all."
	}
	for _, h := range hits[:min(len(hits), maxHits)] {
		fmt.Fprintf(&b, "%s\n%s\nArguments: %s\n\n", h.t.name, h.t.Description, h.t.Parameters)
	}
	if len(hits) > maxHits {
		fmt.Fprintf(&b, "%d more fit; use more words.", len(hits)-maxHits)
	}
	return cutText(strings.TrimSpace(b.String()), maxText)
}

func callTool(tools []*serverTool) tool.Tool { return &caller{tools} }

// caller calls a tool that is not declared.
type caller struct{ tools []*serverTool }

func (c *caller) Spec() message.ToolSpec {
	return message.ToolSpec{Name: callName, Description: "Call a tool that " + searchName + " has found.",
		Parameters: message.Value(`{"properties":{"arguments":{"description":"The arguments of the tool","type":"object"},"tool":{"description":"Its whole name, mcp__SERVER__TOOL","type":"string"}},"required":["tool","arguments"],"type":"object"}`)}
}

func (c *caller) Run(ctx context.Context, args json.RawMessage, progress func(message.Output)) (message.Output, error) {
	name, _ := rawjson.GetString(args, "tool")
	i := slices.IndexFunc(c.tools, func(t *serverTool) bool { return t.name == name })
	if i < 0 {
		return message.ErrorOutput(fmt.Sprintf("There is no tool %q. %s finds the names.", cutText(name, 100), searchName)), nil
	}
	inner := rawjson.Get(args, "arguments")
	if s, ok := rawjson.String(inner); ok { // some models write JSON as text
		inner = []byte(s)
	}
	return c.tools[i].Run(ctx, json.RawMessage(inner), progress)
}

// Effect says which tool is called in truth.
func (c *caller) Effect(_ context.Context, args json.RawMessage) tool.Effect {
	name, _ := rawjson.GetString(args, "tool")
	if !slices.ContainsFunc(c.tools, func(t *serverTool) bool { return t.name == name }) {
		return tool.Effect{Kind: tool.Reads}
	}
	return tool.Effect{Tool: name}
}

// inner is a tool that works on what is known here already.
type inner struct{ tool.Tool }

func (inner) Effect(context.Context, json.RawMessage) tool.Effect {
	return tool.Effect{Kind: tool.Reads}
}
