// Package script plays scripted models: it reads a script of rules, picks the
// rule that a conversation meets and plans the reply, step by step. It knows no
// wire format; internal/fakellm puts one around it, provider/scripted none.
//
// A script is a JSON object, or only its array of rules:
//
//	{"defaults": {…fields of a reply…},
//	 "models": ["fake-1", …],
//	 "otherwise": "builtin" | "error",        when no rule holds; "builtin" is the default
//	 "rules": [{"name": "x",
//	            "when": {…all given must hold…},
//	            "times": K,                   the rule is used up after K matches
//	            "reply": REPLY | [REPLY, …]   the k-th match takes the k-th, the last one repeats
//	           }, …]}
//
// The first rule that holds wins. Conditions of "when":
//
//	api          "chat" | "responses" | "anthropic" | "google"
//	model, system, user (last user text), firstUser, any (all texts)   expressions
//	toolResult   expression over the last tool result; holds only at the end of a conversation
//	toolName     expression over the tool it came from
//	toolError    true | false
//	lastRole     "user" | "tool" | "assistant"
//	turn         answers since the last user message (0: first request)
//	userTurns, request (number of the request, from 1), messages
//	             turn to messages are N or {"min":A,"max":B}
//	tools        names that must be offered
//	noTools, summary, stream   true | false
//
// Expressions are ECMAScript's, as "source" or "/source/flags"; see [Compile].
//
// A REPLY:
//
//	text, thinking, toolCalls:[{name, args, id?, rawArgs?}]   in the order thinking, text, calls
//	content      [{type:"text"|"thinking"|"toolCall", …}] for another order
//	repeat       repeats the text so often
//	usage        {input, output, cacheRead, cacheWrite, reasoning}; input is what was not cached
//	stop         "stop" | "toolUse" | "length", or the provider's own word
//	model        the model that says it answered
//	chunk        characters in a piece; delayMs before each piece,
//	             firstDelayMs before the answer, endDelayMs before its end
//	error        a kind, or {kind, status, type, code, message, headers, retryAfter, body}
//	at           [{"chunk": N | "end", "do": ACTION, …}], done just before piece N of the whole reply
//	wire         {crlf, splitBytes, comments}: odd but legal event streams
//
// Kinds of errors: rate-limit, quota, server, bad-gateway, unavailable,
// overloaded, overflow, too-large, bad-request, auth, forbidden, not-found,
// timeout, and without an answer reset and hang.
//
// Actions: hold {name, maxMs} waits for [Script.Release], pause {ms}, reset
// breaks the connection, end ends the stream early, hang says nothing more,
// error {kind | type, code, message} fails in the stream, malformed {data} sends
// a line that cannot be read.
//
// Texts, arguments and messages may hold {{user}} {{toolResult}} {{toolName}}
// {{model}} {{n}}, {{1}}… (groups of when.user) and {{t1}}… (of when.toolResult).
//
// Without a rule that holds the built-in behaviour answers: see builtin.go.
package script

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"sync"

	"github.com/boughdev/bough/internal/rawjson"
)

// A Script is rules, and how far they have been used. It may be used by several
// goroutines; all that use it share its counters and holds, as the clients of
// one server do.
type Script struct {
	mu       sync.Mutex
	program  *program       // guarded by mu
	requests int            // guarded by mu
	used     []int          // matches of each rule; guarded by mu
	released map[string]int // releases that nobody has waited for yet; guarded by mu
	holds    []*hold        // guarded by mu
	silent   int            // replies that hang; guarded by mu
	changed  chan struct{}  // closed when holds or silent change; guarded by mu
}

// program is what was read: it never changes.
type program struct {
	rules     []rule
	defaults  []byte // an object
	models    []string
	noBuiltin bool // otherwise: "error"
}

type rule struct {
	name    string
	when    condition
	times   int      // -1: no limit
	replies [][]byte // objects, not yet filled in
}

// Parse reads a script.
func Parse(data []byte) (*Script, error) {
	p, err := parse(data)
	if err != nil {
		return nil, fmt.Errorf("script: %w", err)
	}
	return newScript(p), nil
}

// Load reads the script in a file.
func Load(path string) (*Script, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read script: %w", err)
	}
	p, err := parse(data)
	if err != nil {
		return nil, fmt.Errorf("script %s: %w", path, err)
	}
	return newScript(p), nil
}

// Empty returns a script without rules: the built-in behaviour.
func Empty() *Script { return newScript(&program{defaults: []byte("{}")}) }

func newScript(p *program) *Script {
	return &Script{program: p, used: make([]int, len(p.rules)), released: map[string]int{}, changed: make(chan struct{})}
}

// Copy returns a script with the same rules, unused.
func (s *Script) Copy() *Script {
	s.mu.Lock()
	defer s.mu.Unlock()
	return newScript(s.program)
}

// Models returns the models that the script names.
func (s *Script) Models() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.program.models)
}

// Rules returns the number of rules.
func (s *Script) Rules() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.program.rules)
}

func parse(data []byte) (*program, error) {
	if !rawjson.Valid(data) {
		return nil, errors.New("it is not JSON")
	}
	data = slices.Clone(rawjson.Trim(data))
	p := &program{defaults: []byte("{}")}
	rules := data
	switch rawjson.Kind(data) {
	case '{':
		rules = rawjson.Get(data, "rules")
		if err := p.options(data); err != nil {
			return nil, err
		}
	case '[':
	default:
		return nil, errors.New("it must be an array of rules or an object with rules")
	}
	if !rawjson.IsNull(rules) && rawjson.Kind(rules) != '[' {
		return nil, errors.New("rules must be an array")
	}
	for v := range rawjson.Elements(rules) {
		r, err := p.rule(v, len(p.rules))
		if err != nil {
			return nil, err
		}
		p.rules = append(p.rules, r)
	}
	return p, nil
}

// options reads what stands beside the rules.
func (p *program) options(obj []byte) error {
	if v := rawjson.Get(obj, "defaults"); !rawjson.IsNull(v) {
		if rawjson.Kind(v) != '{' {
			return errors.New("defaults must be an object")
		}
		if _, err := readReply(v, nil); err != nil {
			return fmt.Errorf("defaults: %w", err)
		}
		p.defaults = v
	}
	if v := rawjson.Get(obj, "otherwise"); !rawjson.IsNull(v) {
		switch s, _ := rawjson.String(v); s {
		case "builtin":
		case "error":
			p.noBuiltin = true
		default:
			return errors.New(`otherwise must be "builtin" or "error"`)
		}
	}
	models := rawjson.Get(obj, "models")
	if !rawjson.IsNull(models) && rawjson.Kind(models) != '[' {
		return errors.New("models must be an array")
	}
	for m := range rawjson.Elements(models) {
		id, ok := rawjson.String(m)
		if !ok {
			id, ok = rawjson.GetString(m, "id")
		}
		if !ok {
			return errors.New("models must be names or objects with an id")
		}
		p.models = append(p.models, id)
	}
	return nil
}

func (p *program) rule(v []byte, index int) (rule, error) {
	r := rule{name: "rule " + strconv.Itoa(index), times: -1}
	if rawjson.Kind(v) != '{' {
		return r, fmt.Errorf("%s must be an object", r.name)
	}
	if name, ok := rawjson.GetString(v, "name"); ok {
		r.name = name
	}
	if err := r.read(v, p.defaults); err != nil {
		return r, fmt.Errorf("%s: %w", r.name, err)
	}
	return r, nil
}

func (r *rule) read(v, defaults []byte) error {
	if t := rawjson.Get(v, "times"); t != nil {
		n, ok := number(t)
		if !ok || n < 0 {
			return errors.New("times must be a number")
		}
		r.times = int(min(n, 1<<31))
	}
	var err error
	if r.when, err = readCondition(rawjson.Get(v, "when")); err != nil {
		return err
	}
	switch reply := rawjson.Get(v, "reply"); rawjson.Kind(reply) {
	case '{':
		r.replies = [][]byte{reply}
	case '[':
		r.replies = slices.Collect(rawjson.Elements(reply))
	}
	if len(r.replies) == 0 {
		return errors.New("no reply")
	}
	for _, reply := range r.replies {
		if rawjson.Kind(reply) != '{' {
			return errors.New("a reply must be an object")
		}
		if hasTemplate(reply) {
			continue // only known when it is filled in
		}
		if _, err := readReply(defaults, reply); err != nil {
			return err
		}
	}
	return nil
}
