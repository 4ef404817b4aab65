package builtin

import (
	"cmp"
	"context"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/message"
)

// missing tells the model that a file or folder is not there, and what is there
// that has nearly its name.
func (s *set) missing(ctx context.Context, kind, name, path string) message.Output {
	why := "There is no " + kind + " " + name + "."
	if near := s.near(ctx, name, path); len(near) > 0 {
		why += " Similar: " + strings.Join(near, ", ")
	}
	return message.ErrorOutput(rawjson.ToValid(why))
}

// near returns up to three existing paths like one that does not exist. Where
// the folder does not exist either, it looks for one like that.
func (s *set) near(ctx context.Context, name, path string) []string {
	if strings.Contains(name, "://") {
		name = path
	}
	name, path = filepath.Clean(name), filepath.Clean(path)
	for {
		dir := filepath.Dir(path)
		if dir == path || filepath.Dir(name) == name {
			return nil
		}
		list, err := s.ws.ReadDir(ctx, dir)
		if err == nil {
			return similar(list, filepath.Dir(name), filepath.Base(path))
		}
		name, path = filepath.Dir(name), dir
	}
}

func similar(list []fs.DirEntry, dir, base string) []string {
	type guess struct {
		name string
		far  int
	}
	var guesses []guess
	for _, e := range list {
		if far, ok := distance(base, e.Name()); ok {
			name := filepath.Join(dir, e.Name())
			if e.IsDir() {
				name += "/"
			}
			guesses = append(guesses, guess{name, far})
		}
	}
	slices.SortStableFunc(guesses, func(a, b guess) int { return cmp.Compare(a.far, b.far) })
	var names []string
	for _, g := range guesses[:min(3, len(guesses))] {
		names = append(names, filepath.ToSlash(g.name))
	}
	return names
}

// distance tells how far two names are from each other, and whether they are
// near enough to be mistaken.
func distance(a, b string) (int, bool) {
	a, b = strings.ToLower(a), strings.ToLower(b)
	const longest = 64
	if a == b {
		return 0, true
	}
	if len(a) > longest || len(b) > longest {
		return 0, false
	}
	stem := strings.TrimSuffix(a, filepath.Ext(a))
	if len(stem) > 1 && stem == strings.TrimSuffix(b, filepath.Ext(b)) {
		return 1, true
	}
	if sortedBytes(a) == sortedBytes(b) { // letters that changed places
		return 2, true
	}
	d := editDistance(a, b)
	return 1 + d, d <= max(1, len(a)/4)
}

func sortedBytes(s string) string {
	b := []byte(s)
	slices.Sort(b)
	return string(b)
}

// editDistance is that of Levenshtein, in bytes.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
