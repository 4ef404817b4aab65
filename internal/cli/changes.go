package cli

import (
	"path/filepath"

	"github.com/fsnotify/fsnotify"
)

// fileChanges calls changed when something has happened to a file. The folder is
// watched, since a file may be replaced. Where that cannot be done, as in folders of a
// network, nothing is ever said.
func fileChanges(path string, changed func()) (stop func()) {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return func() {}
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for ev := range w.Events {
			if filepath.Clean(ev.Name) == filepath.Clean(path) {
				changed()
			}
		}
	}()
	go func() {
		for range w.Errors { // what was missed is found by looking
			changed()
		}
	}()
	if w.Add(filepath.Dir(path)) != nil {
		w.Close()
	}
	return func() {
		w.Close() // ends both
		<-done
	}
}
