package term

import (
	"errors"
	"io"

	"github.com/muesli/cancelreader"
)

// reader hands over what is typed until it is closed. Of a terminal it then takes
// no byte more: the next program gets them.
type reader struct {
	in    cancelreader.CancelReader
	ended chan struct{}
	stop  chan struct{}
}

func newReader(in io.Reader, out chan<- []byte, failed func(error)) (*reader, error) {
	c, err := cancelreader.NewReader(in)
	if err != nil {
		return nil, err
	}
	r := &reader{in: c, ended: make(chan struct{}), stop: make(chan struct{})}
	go func() {
		defer close(r.ended)
		buf := make([]byte, 4096)
		for {
			n, err := c.Read(buf)
			if n > 0 {
				select {
				case out <- append([]byte(nil), buf[:n]...):
				case <-r.stop:
					return
				}
			}
			if errors.Is(err, cancelreader.ErrCanceled) {
				return
			} else if err != nil {
				failed(err)
				return
			}
		}
	}()
	return r, nil
}

func (r *reader) close() {
	close(r.stop)
	if r.in.Cancel() { // false: it cannot be broken off, such as a test's pipe
		<-r.ended
	}
	// It holds a few descriptors that nobody reads any more.
	_ = r.in.Close()
}
