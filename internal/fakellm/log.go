package fakellm

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/internal/script"
)

// Request is a request to a model, as it came and as it was answered.
type Request struct {
	N          int // from 1
	Time       time.Time
	Path       string // with the query
	API        script.API
	Model      string
	Stream     bool
	Rule       string          // that answered it
	Violations []string        // what a real server would refuse
	Header     http.Header     // without credentials
	Auth       string          // name of the header that had some, in small letters; "" for none
	Body       json.RawMessage // to the byte

	// Over is set when the answer has ended, and what follows with it.
	Over     bool
	Status   string        // of HTTP, or "reset", "hang", "truncated", "stream-error"
	Pieces   int           // of the reply that were sent
	Aborted  bool          // the client went away first
	Duration time.Duration // of the answer
}

// record is a Request with its lines in the log.
type record struct {
	Request
	asked, answered raw
}

// secrets are headers with credentials.
var secrets = []string{"Authorization", "Proxy-Authorization", "X-Api-Key", "Api-Key", "Cookie", "X-Goog-Api-Key"}

// begin notes a request that has come.
func (s *Server) begin(r *http.Request, q *script.Request, rule string, found []string, body []byte) *record {
	rec := &record{Request: Request{
		N: q.N, Time: time.Now(), Path: r.URL.RequestURI(), API: q.API, Model: q.Model, Stream: q.Stream,
		Rule: rule, Violations: found, Header: r.Header.Clone(), Body: body,
	}}
	for _, name := range slices.Backward(secrets) {
		if rec.Header.Get(name) != "" {
			rec.Auth = strings.ToLower(name)
			rec.Header.Del(name)
		}
	}
	rec.asked = rec.line(r.Host)
	s.mu.Lock()
	s.requests = append(s.requests, rec)
	s.changedLocked()
	s.mu.Unlock()
	s.log(rec.asked)
	return rec
}

func (r *record) line(host string) raw {
	headers := []any{"host", host}
	for _, name := range slices.Sorted(maps.Keys(r.Header)) {
		headers = append(headers, strings.ToLower(name), strings.Join(r.Header[name], ", "))
	}
	return obj("kind", "request", "n", r.N, "time", r.Time.UTC().Format("2006-01-02T15:04:05.000Z"), "path", r.Path,
		"api", string(r.API), "model", r.Model, "stream", r.Stream, "rule", r.Rule, "violations", arr(r.Violations...),
		"auth", orNull(r.Auth), "headers", obj(headers...), "body", raw(rawjson.AppendStringify(nil, r.Body)))
}

// end notes how a request was answered.
func (s *Server) end(r *record, how ending, took time.Duration) {
	var status any = how.status
	if how.status != "" && how.status[0] <= '9' {
		status = raw(how.status)
	}
	line := obj("kind", "response", "n", r.N, "rule", r.Rule, "status", status, "deltas", how.pieces, "aborted", how.aborted, "ms", took.Milliseconds())
	s.mu.Lock()
	r.Over, r.Status, r.Pieces, r.Aborted, r.Duration = true, how.status, how.pieces, how.aborted, took
	r.answered = line
	s.changedLocked()
	s.mu.Unlock()
	s.log(line)
}

// changedLocked wakes those who wait for a request to end.
func (s *Server) changedLocked() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// log writes one line of the log.
func (s *Server) log(line raw) {
	if s.o.Log == nil {
		return
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	_, _ = s.o.Log.Write(append(slices.Clone(line), '\n')) // the tests go on without
}

// memory is the log of requests as JSON.
func (s *Server) memory() raw {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := make([]raw, len(s.requests))
	for i, r := range s.requests {
		all[i] = r.asked
		if r.answered != nil {
			all[i] = rawjson.Set(r.asked, "response", r.answered)
		}
	}
	return arr(all...)
}
