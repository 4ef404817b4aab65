// Package render turns what a session holds into what people read: one line for
// an entry, the numbered chain of a conversation, the rows of its tree. Terminal,
// page and plain text draw from it alike; none of it knows colours or a screen.
//
// All text of a conversation is hostile: it passes through a [Cleaner] before it
// comes out of this package (docs/spec/frontends.md G-05).
package render
