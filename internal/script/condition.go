package script

import (
	"errors"
	"fmt"
	"math"
	"regexp"

	"github.com/boughdev/bough/internal/rawjson"
)

// condition is a rule's "when". What is nil or "" was not given.
type condition struct {
	api      API
	lastRole Role
	exprs    []expr
	ranges   []within
	flags    []flag
	tools    []string
}

type expr struct {
	key string
	re  *regexp.Regexp
}

type within struct {
	key      string
	min, max float64
}

type flag struct {
	key  string
	want bool
}

func readCondition(v []byte) (condition, error) {
	var c condition
	if rawjson.IsNull(v) {
		return c, nil
	}
	if rawjson.Kind(v) != '{' {
		return c, errors.New("when must be an object")
	}
	for key, f := range rawjson.Members(v) {
		if err := c.read(key, f); err != nil {
			return c, err
		}
	}
	return c, nil
}

func (c *condition) read(key string, v []byte) error {
	switch key {
	case "model", "system", "user", "firstUser", "any", "toolResult", "toolName":
		return c.readExpr(key, v)
	case "turn", "userTurns", "request", "messages":
		return c.readRange(key, v)
	case "toolError", "noTools", "summary", "stream":
		k := rawjson.Kind(v)
		if k != 't' && k != 'f' {
			return fmt.Errorf("%s must be true or false", key)
		}
		c.flags = append(c.flags, flag{key, k == 't'})
	case "api":
		s, _ := rawjson.String(v)
		if c.api = API(s); c.api != Chat && c.api != Responses && c.api != Anthropic && c.api != Google && c.api != Bedrock && c.api != Mistral {
			return errors.New(`api must be "chat", "responses", "anthropic", "google", "bedrock" or "mistral"`)
		}
	case "lastRole":
		s, _ := rawjson.String(v)
		if c.lastRole = Role(s); c.lastRole != User && c.lastRole != ToolRole && c.lastRole != Assistant {
			return errors.New(`lastRole must be "user", "tool" or "assistant"`)
		}
	case "tools":
		if rawjson.Kind(v) != '[' {
			return errors.New("tools must be an array of names")
		}
		for t := range rawjson.Elements(v) {
			name, ok := rawjson.String(t)
			if !ok {
				return errors.New("tools must be an array of names")
			}
			c.tools = append(c.tools, name)
		}
	default:
		return fmt.Errorf("unknown condition %q", key)
	}
	return nil
}

func (c *condition) readExpr(key string, v []byte) error {
	s, ok := rawjson.String(v)
	if !ok {
		return fmt.Errorf("%s must be an expression in a string", key)
	}
	re, err := Compile(s)
	if err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	c.exprs = append(c.exprs, expr{key, re})
	return nil
}

func (c *condition) readRange(key string, v []byte) error {
	w := within{key, math.Inf(-1), math.Inf(1)}
	bound := func(v []byte, to *float64) bool {
		if v == nil {
			return true
		}
		n, ok := rawjson.Number(v)
		*to = n
		return ok
	}
	ok := false
	switch rawjson.Kind(v) {
	case '0':
		ok = bound(v, &w.min)
		w.max = w.min
	case '{':
		ok = bound(rawjson.Get(v, "min"), &w.min) && bound(rawjson.Get(v, "max"), &w.max)
	}
	if !ok {
		return fmt.Errorf(`%s must be a number or {"min":A,"max":B}`, key)
	}
	c.ranges = append(c.ranges, w)
	return nil
}

// groups are the texts that an expression's groups matched; nil for one that
// took no part.
type groups []*string

// holds reports whether all of the condition is met, and what the groups of user
// and toolResult matched.
func (c *condition) holds(q *Request) (user, tool groups, ok bool) {
	if c.api != "" && c.api != q.API || c.lastRole != "" && c.lastRole != q.lastRole() {
		return nil, nil, false
	}
	for _, w := range c.ranges {
		if n := float64(q.count(w.key)); n < w.min || n > w.max {
			return nil, nil, false
		}
	}
	for _, f := range c.flags {
		if q.is(f.key) != f.want {
			return nil, nil, false
		}
	}
	for _, t := range c.tools {
		if !q.offers(t) {
			return nil, nil, false
		}
	}
	for _, e := range c.exprs {
		if (e.key == "toolResult" || e.key == "toolName") && len(q.trailing) == 0 {
			return nil, nil, false
		}
		text := q.text(e.key)
		m := e.re.FindStringSubmatchIndex(text)
		if m == nil {
			return nil, nil, false
		}
		switch e.key {
		case "user":
			user = matched(text, m)
		case "toolResult":
			tool = matched(text, m)
		}
	}
	return user, tool, true
}

func matched(text string, m []int) groups {
	g := make(groups, len(m)/2)
	for i := range g {
		if m[2*i] >= 0 {
			s := text[m[2*i]:m[2*i+1]]
			g[i] = &s
		}
	}
	return g
}

func (q *Request) count(key string) int {
	switch key {
	case "turn":
		return q.turn
	case "userTurns":
		return q.userTurns
	case "request":
		return q.N
	}
	return len(q.Items)
}

func (q *Request) is(key string) bool {
	switch key {
	case "toolError":
		return q.last().isError
	case "noTools":
		return len(q.Tools) == 0
	case "summary":
		return q.summary
	}
	return q.Stream
}

func (q *Request) text(key string) string {
	switch key {
	case "model":
		return q.Model
	case "system":
		return q.System
	case "user":
		return q.user
	case "firstUser":
		return q.firstUser
	case "any":
		return q.any
	case "toolResult":
		return q.last().text
	case "toolName":
		return q.last().tool
	}
	return ""
}
