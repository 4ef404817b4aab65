package main

import (
	"strings"
	"testing"
)

func TestTwoAndThreeBranches(t *testing.T) {
	for _, tt := range []struct {
		name string
		n    int
		want string
	}{
		{"two branches", 2, `the tree (7 entries in one file):
  e1 user: Which chairs should we order?
  e2 assistant: Oak or beech: both fit.
  e3 user: Write the order.
  ├─ e4 assistant: Order: 40 chairs, oak.
  │  e5 user: Good, send the oak order.
  └─ e6 assistant: Order: 40 chairs, beech.
     e7 user: Good, send the beech order.

at e5 the model sees:
  e1 user       Which chairs should we order?
  e2 assistant  Oak or beech: both fit.
  e3 user       Write the order.
  e4 assistant  Order: 40 chairs, oak.
  e5 user       Good, send the oak order.

at e7 the model sees:
  e1 user       Which chairs should we order?
  e2 assistant  Oak or beech: both fit.
  e3 user       Write the order.
  e6 assistant  Order: 40 chairs, beech.
  e7 user       Good, send the beech order.
`},
		{"three branches", 3, `the tree (9 entries in one file):
  e1 user: Which chairs should we order?
  e2 assistant: Oak or beech: both fit.
  e3 user: Write the order.
  ├─ e4 assistant: Order: 40 chairs, oak.
  │  e5 user: Good, send the oak order.
  ├─ e6 assistant: Order: 40 chairs, beech.
  │  e7 user: Good, send the beech order.
  └─ e8 assistant: Order: 40 chairs, ash.
     e9 user: Good, send the ash order.

at e5 the model sees:
  e1 user       Which chairs should we order?
  e2 assistant  Oak or beech: both fit.
  e3 user       Write the order.
  e4 assistant  Order: 40 chairs, oak.
  e5 user       Good, send the oak order.

at e7 the model sees:
  e1 user       Which chairs should we order?
  e2 assistant  Oak or beech: both fit.
  e3 user       Write the order.
  e6 assistant  Order: 40 chairs, beech.
  e7 user       Good, send the beech order.

at e9 the model sees:
  e1 user       Which chairs should we order?
  e2 assistant  Oak or beech: both fit.
  e3 user       Write the order.
  e8 assistant  Order: 40 chairs, ash.
  e9 user       Good, send the ash order.
`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var b strings.Builder
			if err := run(t.Context(), &b, t.TempDir(), tt.n); err != nil {
				t.Fatal(err)
			}
			if b.String() != tt.want {
				t.Errorf("got\n%s\nwant\n%s", b.String(), tt.want)
			}
		})
	}
}
