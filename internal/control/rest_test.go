package control

import (
	"reflect"
	"testing"
	"testing/synctest"
	"time"
)

func TestRest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r rest
		r.begin()
		began := time.Now()
		var looks []int
		for len(looks) < 7 {
			at := <-r.look
			looks = append(looks, int(at.Sub(began).Seconds()))
			r.goesOn()
		}
		if want := []int{1, 2, 4, 8, 16, 26, 36}; !reflect.DeepEqual(looks, want) {
			t.Errorf("nothing happens: looks at %v s, want %v", looks, want)
		}
		r.over()
		if at := <-r.look; at.Sub(began) != 37*time.Second {
			t.Errorf("something was done after 36 s: a look at %v", at.Sub(began))
		}
	})
}
