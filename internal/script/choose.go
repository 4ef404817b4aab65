package script

import (
	"fmt"
	"regexp"
	"strconv"
	"sync"

	"github.com/boughdev/bough/internal/rawjson"
)

// Reply picks the rule that holds for a request, uses it once and plans what it
// says. It always gives a reply: mistakes of the script are refusals too.
func (s *Script) Reply(q *Request) *Reply {
	name, defaults, raw := s.choose(q)
	p, err := readReply(defaults, raw)
	if err == nil {
		r := &Reply{Rule: name, script: s}
		if err = r.plan(q, p); err == nil {
			return r
		}
	}
	return s.refusal(q, "script-error", "fake-llm script error: "+err.Error())
}

// Refuse returns the reply to a request that a real server would not take: an
// HTTP error 400.
func (s *Script) Refuse(q *Request, why string) *Reply { return s.refusal(q, "strict", why) }

func (s *Script) refusal(q *Request, rule, why string) *Reply {
	typ := "invalid_request_error"
	r := &Reply{Rule: rule, script: s}
	if err := r.plan(q, &replySpec{failure: &failureSpec{status: 400, typ: &typ, message: &why}}); err != nil {
		panic(err) // there is nothing in it that could be wrong
	}
	return r
}

// choose returns the reply of the first rule that holds, filled in, and what it
// is laid over.
func (s *Script) choose(q *Request) (name string, defaults, reply []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.program
	for i, r := range p.rules {
		if r.times >= 0 && s.used[i] >= r.times {
			continue
		}
		user, tool, ok := r.when.holds(q)
		if !ok {
			continue
		}
		raw := r.replies[min(s.used[i], len(r.replies)-1)]
		s.used[i]++
		return r.name, p.defaults, filler{q, user, tool}.value(raw)
	}
	if p.noBuiltin {
		return "unmatched", nil, object("error", []byte(`{"status":400,"type":"invalid_request_error","message":"fake-llm: no rule matches this request"}`))
	}
	name, reply = builtin(q)
	return "builtin:" + name, p.defaults, reply
}

var template = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\{\{(\w+)\}\}`) })

func hasTemplate(v []byte) bool { return template().Match(v) }

// filler replaces the templates in the texts of a reply.
type filler struct {
	q          *Request
	user, tool groups
}

func (f filler) value(v []byte) []byte {
	switch rawjson.Kind(v) {
	case '"':
		s, _ := rawjson.String(v)
		return rawjson.Quote(template().ReplaceAllStringFunc(s, f.word))
	case '[':
		var elems [][]byte
		for e := range rawjson.Elements(v) {
			elems = append(elems, f.value(e))
		}
		return rawjson.Array(elems)
	case '{':
		var pairs []any
		for key, m := range rawjson.Members(v) {
			pairs = append(pairs, key, f.value(m))
		}
		return object(pairs...)
	}
	return v
}

// word returns what stands for {{key}}: itself if it means nothing.
func (f filler) word(whole string) string {
	key := whole[2 : len(whole)-2]
	switch key {
	case "user":
		return f.q.user
	case "toolResult":
		return f.q.last().text
	case "toolName":
		return f.q.last().tool
	case "model":
		return f.q.Model
	case "n":
		return strconv.Itoa(f.q.N)
	}
	from, digits := f.user, key
	if key[0] == 't' {
		from, digits = f.tool, key[1:]
	}
	if i, err := strconv.ParseUint(digits, 10, 31); err == nil && int(i) < len(from) && from[i] != nil {
		return *from[i]
	}
	return whole
}

// reader reads fields of an object and keeps the first complaint.
type reader struct{ err error }

func (r *reader) fail(key, want string) {
	if r.err == nil {
		r.err = fmt.Errorf("%s must be %s", key, want)
	}
}

// optional returns a text, or nil for none; a number reads as its text.
func (r *reader) optional(v []byte, key string) *string {
	f := rawjson.Get(v, key)
	if rawjson.IsNull(f) {
		return nil
	}
	if k := rawjson.Kind(f); k != '"' && k != '0' {
		r.fail(key, "a string")
		return nil
	}
	s := plain(f)
	return &s
}

func (r *reader) text(v []byte, key string) string {
	if s := r.optional(v, key); s != nil {
		return *s
	}
	return ""
}

// amount returns a number that is not negative, 0 for none.
func (r *reader) amount(v []byte, key string) float64 {
	f := rawjson.Get(v, key)
	if rawjson.IsNull(f) {
		return 0
	}
	n, ok := number(f)
	if !ok || n < 0 || n > 1<<53 {
		r.fail(key, "a number that is not negative")
		return 0
	}
	return n
}

func (r *reader) whole(v []byte, key string) int64 {
	n := r.amount(v, key)
	if n != float64(int64(n)) {
		r.fail(key, "a whole number")
	}
	return int64(n)
}
