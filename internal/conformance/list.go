package conformance

import (
	"cmp"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/session"
)

// listed is one session of a list.
type listed struct {
	session.Summary
	file   string
	parent string // as JSON
	text   string // of all messages
}

// List writes the session list of a directory.
func List(w io.Writer, dir string) error {
	names, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("list sessions: %w", err)
	}
	var rows []listed
	var recent string
	var touched time.Time
	for _, n := range names {
		if !strings.HasSuffix(n.Name(), ".jsonl") {
			continue
		}
		row, mtime, err := readRow(filepath.Join(dir, n.Name()))
		if err != nil {
			continue // no session, or not readable: one file does not hide the others
		}
		rows = append(rows, row)
		if recent == "" || mtime.After(touched) {
			recent, touched = n.Name(), mtime
		}
	}
	slices.SortFunc(rows, func(a, b listed) int {
		if c := b.Modified.Compare(a.Modified); c != 0 {
			return c
		}
		return rawjson.CompareUTF16(b.file, a.file)
	})
	out := newWriter(w)
	out.raw(`{"byCwd":{`)
	byCWD := map[string][]string{}
	for _, r := range rows {
		if r.CWD != "" {
			byCWD[r.CWD] = append(byCWD[r.CWD], string(rawjson.Quote(r.file)))
		}
	}
	cwds := make([]string, 0, len(byCWD))
	for cwd := range byCWD {
		cwds = append(cwds, cwd)
	}
	slices.SortFunc(cwds, rawjson.CompareUTF16)
	for i, cwd := range cwds {
		out.comma(i)
		out.raw(string(rawjson.Quote(cwd)) + `:[` + strings.Join(byCWD[cwd], ",") + `]`)
	}
	out.raw(`},"format":1,"mostRecent":` + textOrNull(recent) + `,"sessions":[`)
	for i, r := range rows {
		out.comma(i)
		r.write(out)
	}
	out.raw(`]}`)
	return out.close()
}

// readRow reads one session file.
func readRow(path string) (listed, time.Time, error) {
	info, err := os.Stat(path)
	if err != nil {
		return listed{}, time.Time{}, err
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return listed{}, time.Time{}, err
	}
	h, entries, err := session.Load(data)
	if err != nil {
		return listed{}, time.Time{}, err
	}
	var texts []string
	s, err := session.Summarize(h, inMemory(entries), func(t string) { texts = append(texts, t) })
	if err != nil {
		return listed{}, time.Time{}, err
	}
	if s.Modified.IsZero() {
		s.Modified = info.ModTime()
	}
	row := listed{Summary: s, file: filepath.Base(path), parent: "null", text: strings.Join(texts, " ")}
	if v := rawjson.Get(h.Line(), "parentSession"); v != nil {
		row.parent = canonical(v)
	}
	return row, info.ModTime(), nil
}

// inMemory yields entries as a log does.
func inMemory(entries []*session.Entry) iter.Seq2[*session.Entry, error] {
	return func(yield func(*session.Entry, error) bool) {
		for _, e := range entries {
			if !yield(e, nil) {
				return
			}
		}
	}
}

func (r listed) write(out *writer) {
	out.raw(`{"allTextHash":"` + hashOf(rawjson.Quote(r.text)) +
		`","created":` + isoOrNull(r.Created) +
		`,"cwd":` + string(rawjson.Quote(r.CWD)) +
		`,"file":` + string(rawjson.Quote(r.file)) +
		`,"firstMessage":` + string(rawjson.Quote(cmp.Or(r.FirstMessage, "(no messages)"))) +
		`,"id":` + string(rawjson.Quote(r.ID)) +
		`,"messageCount":` + strconv.Itoa(r.Messages) +
		`,"modified":` + isoOrNull(r.Modified) +
		`,"name":` + textOrNull(r.Name) +
		`,"parentSession":` + r.parent + `}`)
}

func isoOrNull(t time.Time) string {
	if t.IsZero() {
		return "null"
	}
	return `"` + session.FormatTime(t) + `"`
}
