package workspace

import "os"

// pipe reads the output of a command on a goroutine of its own, which ends with
// the output.
type pipe struct {
	file   *os.File
	chunks chan []byte   // closed at the end; the bytes are valid until taken
	taken  chan struct{} // gets one element for each chunk that was used
	left   chan struct{} // closed when nobody takes any more
	ended  bool          // the taker's: chunks is closed
	over   bool          // guarded by Local.mu: the reader has ended
}

// newPipe reads r to its end, then calls over.
func newPipe(r *os.File, over func(*pipe)) *pipe {
	p := &pipe{file: r, chunks: make(chan []byte), taken: make(chan struct{}), left: make(chan struct{})}
	go func() {
		defer over(p)
		defer r.Close()
		defer close(p.chunks)
		p.read()
	}()
	return p
}

func (p *pipe) read() {
	buf := make([]byte, 32<<10)
	wanted := true
	for {
		n, err := p.file.Read(buf)
		if n > 0 && wanted {
			wanted = p.offer(buf[:n])
		}
		if err != nil { // the end, as a pipe knows no other
			return
		}
	}
}

// offer hands a chunk out; false means that nobody is there.
func (p *pipe) offer(b []byte) bool {
	select {
	case p.chunks <- b:
		<-p.taken
		return true
	case <-p.left:
		return false
	}
}
