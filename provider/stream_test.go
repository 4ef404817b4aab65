package provider_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/provider"
)

// echo makes a text of each event.
type echo struct{}

func (echo) Event(ev provider.Event) ([]message.Delta, bool, error) {
	return []message.Delta{{Kind: message.TextDelta, Text: string(ev.Data)}}, false, nil
}

func (echo) End(bool) ([]message.Delta, error) { return nil, nil }

func TestAnswerWithoutEnd(t *testing.T) {
	piece := "data: " + strings.Repeat("x", 1<<20) + "\n\n"
	base := serve(t, func(w http.ResponseWriter, r *http.Request) {
		for {
			if _, err := io.WriteString(w, piece); err != nil {
				return
			}
		}
	})
	said, last := 0, error(nil)
	for d, err := range endpoint(base).Stream(t.Context(), provider.Call{}, echo{}) {
		said, last = said+len(d.Text), err
	}
	if e, ok := errors.AsType[*provider.Error](last); !ok || e.Kind != provider.Rejected || said > 33<<20 || said < 31<<20 {
		t.Errorf("%v after %d bytes", last, said)
	}
}
