package rpc

import (
	"errors"
	"testing"
)

// A client that asks and never reads is stopped before the answers that wait fill
// the memory, also if it gives no ids.
func TestAnswersWithoutAnIDAreOwed(t *testing.T) {
	for _, a := range []answer{success(call{}, nil, nil), failure(call{}, errors.New(""))} {
		if waiting := maxOwed / max(a.size, 1); waiting > 1<<20 {
			t.Errorf("%d answers may wait", waiting)
		}
	}
}
