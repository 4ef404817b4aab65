package session

import (
	"iter"
	"math"
	"time"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/message"
)

// Summarize returns what a list says of a session (docs/spec/session.md 10.1),
// from its header and entries in the order of the log; they are not kept. Path
// is left to the caller, as is Modified where neither a message nor the header
// tells a time. text, if not nil, gets the texts of all messages of user and
// model in order, for a search; empty ones are left out.
func Summarize(h Header, entries iter.Seq2[*Entry, error], text func(string)) (Summary, error) {
	s := Summary{ID: h.ID, CWD: h.CWD, ParentSession: h.ParentSession}
	created := rawjson.Get(h.Line(), "timestamp")
	s.Created, _ = ParseTime(created)
	active := 0.0 // Unix milliseconds
	for e, err := range entries {
		if err != nil {
			return s, err
		}
		s.Touched = e.Time
		switch e.Type {
		case TypeInfo:
			line, err := e.Raw()
			if err != nil {
				return s, err
			}
			name, _ := rawjson.GetString(line, "name")
			s.Name = TrimSpace(name)
		case TypeMessage:
			if e.Role == "" {
				continue // no message in it (rule R3)
			}
			s.Messages++
			if e.Role != message.User && e.Role != message.Assistant {
				continue
			}
			line, err := e.Raw()
			if err != nil {
				return s, err
			}
			m := rawjson.Get(line, "message")
			if ms, ok := rawjson.Number(rawjson.Get(m, "timestamp")); ok {
				active = max(active, ms)
			} else if !e.Time.IsZero() {
				active = max(active, float64(e.Time.UnixMilli()))
			}
			if text == nil && (s.FirstMessage != "" || e.Role != message.User) {
				continue
			}
			said := contentText(m, " ")
			if said == "" {
				continue
			}
			if s.FirstMessage == "" && e.Role == message.User {
				s.FirstMessage = said
			}
			if text != nil {
				text(said)
			}
		}
	}
	switch {
	case active > 0 && active <= maxTime:
		s.Modified = time.UnixMilli(int64(math.Trunc(active))).UTC()
	case active > 0: // beyond what ECMAScript takes for a time
	case rawjson.Kind(created) == '"':
		s.Modified = s.Created
	}
	return s, nil
}
