package tui

import (
	"fmt"
	"runtime"
)

// fault is a panic of what goes on beside the loop.
type fault struct {
	failure any
	stack   []byte
}

// crashed keeps what a panic left and says where. Only what the runtime says of it is
// kept: other words may be those of a conversation.
func (a *app) crashed(failure any, stack []byte) error {
	for f, ok := failure.(fault); ok; f, ok = failure.(fault) {
		failure, stack = f.failure, f.stack
	}
	what := fmt.Sprintf("%T", failure)
	if e, ok := failure.(runtime.Error); ok {
		what = e.Error()
	}
	report := fmt.Sprintf("bough %s: %s\n\n%s", a.o.Version, what, stack)
	if a.o.Crash != nil {
		if file := a.o.Crash(report); file != "" {
			return fmt.Errorf("bough has crashed, which is a fault of ours; the conversation is kept. What is known of it is in %s", file)
		}
	}
	return fmt.Errorf("bough has crashed, which is a fault of ours; the conversation is kept: %s", what)
}

// saveWhatCan keeps the draft after a crash, unless that is what crashes.
func (a *app) saveWhatCan() {
	defer func() { _ = recover() }() // the first fault is the one that is told
	a.lastDrafts()
}
