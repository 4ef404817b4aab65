package slash

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/session"
)

// Target finds the entry that a word names: "#12" by its number in the whole
// session, else by id, label, or the beginning of an id that no other has. The
// numbers of a printed list are the front end's own.
func Target(t *session.Tree, word string) (session.ID, error) {
	if s, ok := strings.CutPrefix(word, "#"); ok {
		if k, err := strconv.Atoi(s); err == nil {
			n := render.NumbersOf(t)
			if k < 0 || k >= len(n.Entries) {
				if len(n.Entries) == 0 {
					return "", fmt.Errorf("there is no #%s: nothing has been said yet", s)
				}
				return "", fmt.Errorf("there is no #%s; the numbers go from #0 to #%d", s, len(n.Entries)-1)
			}
			return n.Entries[k].ID, nil
		}
	}
	if id := session.ID(word); t.Has(id) {
		return id, nil
	}
	if id := t.Labelled(word); id != "" {
		return id, nil
	}
	var found session.ID
	if len(word) >= 3 {
		for e := range t.All() {
			if !strings.HasPrefix(string(e.ID), word) {
				continue
			}
			if found != "" {
				return "", fmt.Errorf("several ids begin with %s", word)
			}
			found = e.ID
		}
	}
	if found == "" {
		return "", fmt.Errorf("nothing has the number, id or label %s; /history and /tree show what there is", render.Quote(word, 40))
	}
	return found, nil
}
