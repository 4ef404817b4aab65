package trust

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/boughdev/bough/internal/pifile"
)

// memory is what a project had when it was trusted. It lies in STATE/trust, a
// file a project.
type memory struct {
	Dir   string          `json:"dir"`
	Files map[string]seen `json:"files"` // by path
}

// seen is a file as it was. With the same size and time it is not read again.
type seen struct {
	Size int64  `json:"size"`
	Time int64  `json:"time"` // see changeTime
	Sum  string `json:"sum"`  // SHA-256 of the content
}

// Change is a difference to what was trusted.
type Change struct {
	Path string
	What string // "new", "changed", "gone"
	Size int64  // now
}

func memoryFile(p Places, dir string) string {
	sum := sha256.Sum256([]byte(Real(dir)))
	return filepath.Join(p.State, "trust", hex.EncodeToString(sum[:16])+".json")
}

func recall(p Places, dir string) (memory, bool) {
	var m memory
	b, err := os.ReadFile(memoryFile(p, dir))
	if err != nil || json.Unmarshal(b, &m) != nil || m.Dir != Real(dir) {
		return memory{}, false
	}
	return m, true
}

func keep(p Places, dir string, m memory) error {
	m.Dir = Real(dir)
	b, err := json.Marshal(m)
	if err != nil {
		return err
	}
	file := memoryFile(p, dir)
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	return pifile.Write(file, b, 0o600)
}

// snapshot takes up the files that can run or change something; extensions are
// not run here. What is as it was in old by size and time has its sum.
func snapshot(dir string, items []Item, old memory) memory {
	m := memory{Files: map[string]seen{}}
	for _, i := range items {
		if filepath.Base(i.Path) == "extensions" {
			continue
		}
		for _, f := range i.Files {
			s := seen{Size: f.Size, Time: f.time}
			if o, ok := old.Files[f.Path]; ok && s.Time != 0 && o.Size == s.Size && o.Time == s.Time && o.Sum != "" {
				s.Sum = o.Sum
			} else {
				s.Sum = sum(f.Path)
			}
			m.Files[f.Path] = s
		}
	}
	return m
}

// sum is "" for what cannot be read, which then differs from nothing else.
func sum(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return ""
	}
	return hex.EncodeToString(h.Sum(nil))
}

func (m memory) same(o memory) bool { return maps.Equal(m.Files, o.Files) }

// changes lists what differs from old. What is gone can do nothing, but is told
// if something else differs.
func (m memory) changes(old memory) []Change {
	var out, gone []Change
	for path, s := range m.Files {
		o, ok := old.Files[path]
		switch {
		case !ok:
			out = append(out, Change{path, "new", s.Size})
		case o.Sum != s.Sum:
			out = append(out, Change{path, "changed", s.Size})
		}
	}
	if len(out) == 0 {
		return nil
	}
	for path := range old.Files {
		if _, ok := m.Files[path]; !ok {
			gone = append(gone, Change{path, "gone", 0})
		}
	}
	out = append(out, gone...)
	slices.SortFunc(out, func(a, b Change) int { return strings.Compare(a.Path, b.Path) })
	return out
}

// ContextFile is a context file as it was read.
type ContextFile struct {
	Path string
	Text string
}

// Novelty says how a context file differs from what was seen before: "new",
// "changed", or "" if it does not.
func Novelty(p Places, f ContextFile) string {
	b, err := os.ReadFile(contextFile(p, f.Path))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "new"
	case err != nil || string(b) != sumOf(f.Text):
		return "changed"
	}
	return ""
}

// Seen remembers a context file as it is.
func Seen(p Places, f ContextFile) error {
	file := contextFile(p, f.Path)
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	return pifile.Write(file, []byte(sumOf(f.Text)), 0o600)
}

func sumOf(text string) string {
	h := sha256.Sum256([]byte(text))
	return hex.EncodeToString(h[:])
}

func contextFile(p Places, path string) string {
	h := sha256.Sum256([]byte(path))
	return filepath.Join(p.State, "trust", "context", hex.EncodeToString(h[:16]))
}
