package protocol

// Export writes the conversation to a file outside of the session, and changes
// nothing in it.
type (
	Export struct {
		Path   string // ends in .html, .md or .jsonl; "" is a page in the folder of the process
		Whole  bool   // all branches, not just the way to the leaf
		Static bool   // a page without any script
		Redact bool   // without secrets, as far as they are known by their looks
		Page   bool   // a page, whatever Path ends in
		Force  bool   // also in the place of another file
	}

	// Exported says where it is now, and what was taken out; "" if that was not
	// wanted.
	Exported struct{ Path, Redacted string }
)

func (Export) Name() string     { return "export" }
func (Export) answers(Exported) {}
