package session

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// An account is the sum of its parts, at every leaf and however damaged the session is.
func TestAccount(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 31))
		lines := grow(r, 1+r.IntN(30), seed%2 == 0)
		for i, l := range lines {
			usage := fmt.Sprintf(`"usage":{"input":%d,"output":%d,"cacheRead":%d,"cost":{"input":%v,"cacheRead":%v,"total":%v}}`,
				r.IntN(9000), r.IntN(9), r.IntN(2)*r.IntN(5000), r.Float64(), r.Float64(), r.Float64())
			if r.IntN(3) == 0 { // a key that only looks otherwise
				usage = strings.Replace(usage, `"usage"`, `"us\u0061ge"`, 1)
			}
			l = strings.Replace(l, `"usage":{"input":1,"output":2,"cost":{"total":0.5}}`, usage, 1)
			if r.IntN(2) == 0 {
				l = strings.Replace(l, `"isError":false`, usage, 1)
				l = strings.Replace(l, `"type":"compaction"`, `"type":"compaction",`+usage, 1)
			}
			lines[i] = strings.Replace(l, `"model":"m`, `"stopReason":"aborted","responseModel":"`+[]string{"", "x"}[r.IntN(2)]+`","model":"m`, 1)
		}
		tr := tree(t, lines...)
		leaves := []ID{"", "lost"}
		for e := range tr.All() {
			leaves = append(leaves, e.ID)
		}
		for _, leaf := range leaves {
			got, err := tr.Account(leaf)
			if err != nil {
				t.Fatal(err)
			}
			if want := partsOf(t, tr, leaf); !reflect.DeepEqual(got, want) {
				t.Fatalf("seed %d, leaf %q:\ngot  %+v\nwant %+v", seed, leaf, got, want)
			}
		}
	}
}

func partsOf(t *testing.T, tr *Tree, leaf ID) (a Account) {
	t.Helper()
	var err error
	for _, part := range []func(){
		func() { a.Stats, err = tr.Stats() },
		func() { a.Shares, err = tr.Shares() },
		func() { a.All, err = TallyOf(tr.Log()) },
		func() { a.Branch, err = TallyOf(slices.Values(tr.Path(leaf))) },
		func() { a.Rebilled, err = tr.Rebilled(leaf) },
	} {
		if part(); err != nil {
			t.Fatal(err)
		}
	}
	return a
}

// Who ran a tool asked no model.
func TestSharesOfTools(t *testing.T) {
	shares, err := tree(t,
		line("a", "", `"type":"message","message":{"role":"toolResult","content":[]}`),
		line("b", "a", `"type":"message","message":{"role":"toolResult","content":[],"usage":{"input":3}}`),
		line("c", "b", `"type":"compaction","summary":"s"`),
	).Shares()
	if err != nil {
		t.Fatal(err)
	}
	if len(shares) != 1 || shares[0].Calls != 1 || shares[0].Input != 3 {
		t.Errorf("shares %+v, want one call", shares)
	}
}
