package control_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/boughdev/bough/internal/control"
	"github.com/boughdev/bough/provider/scripted"
	"github.com/boughdev/bough/session/filestore"

	"github.com/boughdev/bough/internal/script"
)

func TestLostCachesAreTold(t *testing.T) {
	for _, tt := range []struct {
		name           string
		in, read, made int // of the first answer
		then, hit      int // tokens of the second that were read, and from the cache
		silent         bool
		want           string // of the notice; "" for none
	}{
		{name: "all of it", in: 100, read: 40000, made: 5000, then: 46000, want: "45k tokens were read anew. "},
		{name: "nothing", in: 100, read: 40000, made: 5000, then: 500, hit: 45000},
		{name: "a little", in: 100, read: 40000, made: 5000, then: 10000, hit: 36000},
		{name: "a short prompt", in: 10, read: 3000, then: 3200},
		{name: "no caches", in: 45000, then: 46000},
		{name: "nobody wants to know", in: 100, read: 40000, made: 5000, then: 46000, silent: true},
	} {
		rules := fmt.Sprintf(`[{"when":{"user":"one"},"reply":{"text":"a","usage":{"input":%d,"output":1,"cacheRead":%d,"cacheWrite":%d}}},{"reply":{"text":"b","usage":{"input":%d,"output":1,"cacheRead":%d,"cacheWrite":0}}}]`, tt.in, tt.read, tt.made, tt.then, tt.hit)
		s, err := script.Parse([]byte(rules))
		if err != nil {
			t.Fatal(err)
		}
		w := &world{t: t, store: filestore.Store{Root: t.TempDir()}}
		w.hub = control.NewHub(control.Options{Models: models{scripted.New(scripted.Info("one"), s)}, CacheNotices: !tt.silent})
		t.Cleanup(w.hub.Close)
		c := w.connect(control.Start{})
		c.say("one")
		c.say("two")
		c.mu.Lock()
		var said []string
		for _, n := range c.notices {
			said = append(said, n.Text)
		}
		c.mu.Unlock()
		if got := strings.Join(said, "\n"); (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}
