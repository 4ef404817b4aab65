package slash

import (
	"strings"
	"testing"

	"github.com/boughdev/bough/internal/lang"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

func TestSplit(t *testing.T) {
	one, two, three := session.Tally{Calls: 1, Input: 10, Cost: 0.01}, session.Tally{Calls: 2, Input: 20, Cost: 0.02}, session.Tally{Calls: 3, Input: 30, Cost: 0.03}
	for _, tt := range []struct {
		name string
		cost protocol.Cost
		want []string // begin the rows
	}{
		{"nothing asked yet", protocol.Cost{}, nil},
		{"one branch and no fork", protocol.Cost{Branch: two, Session: two, Family: &two, Members: 1}, nil},
		{"two branches", protocol.Cost{Branch: one, Session: two}, []string{"this branch  $0.010", "whole file   $0.020"}},
		{"a fork", protocol.Cost{Branch: two, Session: two, Family: &three, Members: 2}, []string{"this branch  $0.020", "whole file   $0.020", "with forks   $0.030"}},
	} {
		got := Split(lang.English, tt.cost)
		if len(got) != len(tt.want) {
			t.Errorf("%s: %q", tt.name, got)
			continue
		}
		for i := range got {
			if !strings.HasPrefix(got[i], tt.want[i]) {
				t.Errorf("%s: %q, want %q", tt.name, got[i], tt.want[i])
			}
		}
	}
}
