package slash

// Bug says where faults are reported, and how a conversation goes along.
func Bug() []string {
	return []string{
		"Faults are reported at https://github.com/boughdev/bough/issues.",
		"/export --static --redact bug.html writes the conversation without keys and tokens; look through it before you attach it.",
	}
}
