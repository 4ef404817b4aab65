package slash

import "testing"

func TestLimit(t *testing.T) {
	for usd, want := range map[float64]string{0: "$0", 0.0001: "$0.0001", 0.00002: "$0.00002", 0.002: "$0.002", 5: "$5.00"} {
		if got := limit(usd); got != want {
			t.Errorf("%v: %s, want %s", usd, got, want)
		}
	}
}
