package memstore_test

import (
	"testing"

	"github.com/boughdev/bough/session"
	"github.com/boughdev/bough/session/memstore"
	"github.com/boughdev/bough/session/storetest"
)

func TestStore(t *testing.T) {
	storetest.Run(t, func(t *testing.T) session.Store { return &memstore.Store{} })
}
