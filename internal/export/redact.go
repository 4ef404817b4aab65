package export

import (
	"bytes"
	"cmp"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/boughdev/bough/internal/rawjson"
)

// A Redactor takes secrets out of the lines of a session: values that are known,
// tokens of bearer headers, private keys, and what has the shape of a key of a
// well-known service (docs/spec/frontends.md G3). It sees text, not meaning: a
// password in plain words stays. nil takes nothing out.
type Redactor struct {
	values []knownValue // longest first, so that one in another counts once
	counts map[string]int
}

// A Redaction says how often something was taken out.
type Redaction struct {
	What  string // the name of the value, never the value
	Times int
}

type knownValue struct {
	name  string
	forms [][]byte // as it can stand in a line
}

// minSecret is how long a value must be. Shorter ones are ordinary words too often.
const minSecret = 8

// NewRedactor returns a redactor that knows these values, by their names.
func NewRedactor(values map[string]string) *Redactor {
	r := &Redactor{counts: map[string]int{}}
	for name, v := range values {
		if v = strings.TrimSpace(v); len(v) < minSecret {
			continue
		}
		quoted := rawjson.Quote(v)
		inner := quoted[1 : len(quoted)-1]
		forms := [][]byte{inner}
		if twice := rawjson.Quote(string(inner)); len(twice) != len(quoted) {
			forms = append(forms, twice[1:len(twice)-1]) // JSON in a string of JSON
		}
		r.values = append(r.values, knownValue{name, forms})
	}
	slices.SortFunc(r.values, func(a, b knownValue) int {
		return cmp.Or(cmp.Compare(len(b.forms[0]), len(a.forms[0])), cmp.Compare(a.name, b.name))
	})
	return r
}

// shape is a kind of secret that is known by its looks. Where has none of hints
// the expression is not tried.
type shape struct {
	what  string
	hints []string
	re    *regexp.Regexp // its first group stays
}

// shapes are compiled when they are first needed: most runs export nothing.
var shapes = sync.OnceValue(func() []shape {
	return []shape{
		{"private key", []string{"PRIVATE KEY"}, regexp.MustCompile(`()-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:[^"\\]|\\[^"])*?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|(\\*"))`)},
		{"bearer token", []string{"earer ", "EARER "}, regexp.MustCompile(`((?i:bearer) +)[A-Za-z0-9._~+/=-]{12,}`)},
		{"authorization header", []string{"uthorization", "UTHORIZATION"}, regexp.MustCompile(`((?i:authorization)\\*"?: *\\*"?(?i:basic|token) +)[A-Za-z0-9._~+/=-]{12,}`)},
		{"API key", []string{"sk-", "gsk_", "xai-", "AIza", "AKIA", "ASIA", "hf_", "r8_"}, regexp.MustCompile(
			`(\b)(?:sk-[A-Za-z0-9_-]{20,}|gsk_[A-Za-z0-9]{20,}|xai-[A-Za-z0-9]{20,}|AIza[A-Za-z0-9_-]{35}|(?:AKIA|ASIA)[A-Z0-9]{16}|hf_[A-Za-z0-9]{30,}|r8_[A-Za-z0-9]{30,})`)},
		{"access token", []string{"ghp_", "gho_", "ghs_", "ghu_", "github_pat_", "glpat-", "npm_", "xoxb-", "xoxp-", "xoxa-", "xapp-"}, regexp.MustCompile(
			`(\b)(?:gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{40,}|glpat-[A-Za-z0-9_-]{20,}|npm_[A-Za-z0-9]{30,}|xox[abp]-[A-Za-z0-9-]{20,}|xapp-[A-Za-z0-9-]{20,})`)},
		{"JSON web token", []string{"eyJ"}, regexp.MustCompile(`(\b)eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}`)},
	}
})

// line returns the line without secrets: itself if it has none. What stands in
// their place needs no escape, so JSON stays JSON.
func (r *Redactor) line(line []byte) []byte {
	if r == nil {
		return line
	}
	for _, v := range r.values {
		for _, form := range v.forms {
			if n := bytes.Count(line, form); n > 0 {
				r.counts[v.name] += n
				line = bytes.ReplaceAll(line, form, []byte("[redacted: "+v.name+"]"))
			}
		}
	}
	for _, s := range shapes() {
		if !slices.ContainsFunc(s.hints, func(h string) bool { return bytes.Contains(line, []byte(h)) }) {
			continue
		}
		n := 0
		out := s.re.ReplaceAllFunc(line, func(m []byte) []byte {
			parts := s.re.FindSubmatch(m)
			n++
			out := append(bytes.Clone(parts[1]), "[redacted: "+s.what+"]"...)
			if len(parts) > 2 {
				out = append(out, parts[2]...)
			}
			return out
		})
		if n > 0 {
			r.counts[s.what] += n
			line = out
		}
	}
	return line
}

// Text is what line is for text that is no JSON.
func (r *Redactor) Text(s string) string {
	if r == nil || s == "" {
		return s
	}
	v := rawjson.Quote(s)
	if out, ok := rawjson.String(r.line(v)); ok {
		return out
	}
	return s
}

// Report returns what was taken out so far, by name.
func (r *Redactor) Report() []Redaction {
	if r == nil {
		return nil
	}
	var out []Redaction
	for what, n := range r.counts {
		out = append(out, Redaction{what, n})
	}
	slices.SortFunc(out, func(a, b Redaction) int { return cmp.Compare(a.What, b.What) })
	return out
}
