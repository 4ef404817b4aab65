package tui

import (
	"strconv"
	"strings"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/internal/styled"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/session"
)

// Cards of what was summed up (docs/spec/frontends.md D8).

// summaryCard draws a summary; open, also what it is about and what it took.
func (a *app) summaryCard(name, head, text string, details message.Value, usage *message.Usage, open bool) []styled.Line {
	out := a.cardBlock(name, head, text, open)
	if !open {
		return out
	}
	fact := func(words string) {
		out = append(out, styled.Wrap(styled.Of(words, a.theme.dim), a.look.width, margin, styled.Of("   ", styled.Style{}))...)
	}
	if files := filesIn(details, "readFiles"); files != "" {
		fact(a.t("files read: %s", files))
	}
	if files := filesIn(details, "modifiedFiles"); files != "" {
		fact(a.t("files changed: %s", files))
	}
	if usage != nil {
		if cost := render.Dollars(usage.Cost.Total); cost != "" {
			fact(a.t("cost: %s", cost))
		}
	}
	return out
}

// mostFiles is how many files a card names.
const mostFiles = 50

// filesIn are the paths of a list, as far as it is one.
func filesIn(details message.Value, name string) string {
	list := rawjson.Get(details, name)
	if rawjson.Kind(list) != '[' {
		return ""
	}
	var paths []string
	for e := range rawjson.Elements(list) {
		if path, ok := rawjson.String(e); ok && path != "" {
			if len(paths) == mostFiles {
				paths = append(paths, "...")
				break
			}
			paths = append(paths, render.Cut(render.OneLine(path), 200))
		}
	}
	return strings.Join(paths, ", ")
}

// cameFrom says which branch a summary is of: what was said first on it.
func (a *app) cameFrom(e *session.Entry, from session.ID) string {
	t := a.view.Tree
	fork := t.CommonAncestor(from, e.ID)
	var first *session.Entry
	for b, n := t.Get(from), 0; b != nil && b.ID != fork && n < t.Size(); b, n = t.Parent(b.ID), n+1 {
		if b.Role == message.User {
			first = b
		}
	}
	if first == nil {
		return a.t("what another branch came to")
	}
	return a.t("came back from %s", render.Quote(a.previews(t).Of(first).Text, 60))
}

// thousands writes a number in full: 98,765.
func thousands(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
