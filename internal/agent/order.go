package agent

import (
	"encoding/json"

	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/tool"
)

// fileOrder keeps calls that are about the same file in the order of the answer.
// The zero value is ready.
type fileOrder struct {
	alone   bool                       // there is one call, so nothing to keep
	changed map[string]chan struct{}   // the last call that changes a file, by the file; closed when it is done
	reading map[string][]chan struct{} // the calls after that which only read it
}

// next returns what waits for the calls before that the call depends on, and what
// tells that it is done. It must be asked in the order of the calls.
func (o *fileOrder) next(t tool.Tool, call message.Block) (wait, done func()) {
	file, changes := "", false
	if f, ok := t.(tool.OnFile); ok && !o.alone && call.ArgumentsError == "" {
		file, changes = f.File(json.RawMessage(call.Args()))
	}
	if file == "" {
		return func() {}, func() {}
	}
	if o.changed == nil {
		o.changed, o.reading = map[string]chan struct{}{}, map[string][]chan struct{}{}
	}
	var before []chan struct{}
	if c := o.changed[file]; c != nil {
		before = append(before, c)
	}
	mine := make(chan struct{})
	if changes {
		before = append(before, o.reading[file]...)
		o.changed[file], o.reading[file] = mine, nil
	} else {
		o.reading[file] = append(o.reading[file], mine)
	}
	return func() {
		for _, c := range before {
			<-c
		}
	}, func() { close(mine) }
}
