package render

import "path/filepath"

// Below writes a path on one line, of a path in dir what follows dir.
func Below(path, dir string) string {
	if rel, err := filepath.Rel(dir, path); err == nil && filepath.IsLocal(rel) {
		path = rel
	}
	return OneLine(path)
}
