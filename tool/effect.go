package tool

import (
	"context"
	"encoding/json"
)

// Known may be implemented by a tool that knows what a call would do, so that people
// can be asked before it is run. A call of another tool may do anything.
type Known interface {
	// Effect says what a call would do, and does nothing itself. Of a call that the
	// tool will refuse it says that it reads nothing.
	Effect(ctx context.Context, args json.RawMessage) Effect
}

// Effect is what a call would do.
type Effect struct {
	Kind    EffectKind
	Tool    string // that is called in truth, by its name; "": the tool itself
	Files   []File // that it reads or changes
	Command string // that it runs
	Shell   string // which reads the command: "sh" for one like POSIX's; "": it is not known
	Dir     string // where the command is run

	// Preview shows what would change in a file, a line each with its sign. It may
	// read the file. Nil, or "": there is nothing to show.
	Preview func(context.Context) string
}

// EffectKind is a kind of effect.
type EffectKind string

// The kinds of effects.
const (
	Anything EffectKind = ""
	Reads    EffectKind = "reads"
	Changes  EffectKind = "changes"
	Runs     EffectKind = "runs"
)

// File is a file or folder that a call is about.
type File struct {
	Path  string // as it was named, made absolute
	Real  string // where the links in it lead; it need not exist
	Names bool   // the file has several names, of which this is one
}
