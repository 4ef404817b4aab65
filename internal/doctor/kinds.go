package doctor

// Kind names what a finding is about. Its words are the names in JSON.
type Kind string

const (
	// Of the file as a whole.
	Empty       Kind = "empty"
	NoSession   Kind = "no-session"
	UTF16       Kind = "utf-16"
	OrderMark   Kind = "byte-order-mark"
	CRLF        Kind = "crlf"
	NoLineEnd   Kind = "no-final-newline"
	OldVersion  Kind = "old-version"
	NewVersion  Kind = "new-version"
	NoHeader    Kind = "header-missing"
	TornHeader  Kind = "header-damaged"
	LateHeader  Kind = "header-late"
	NamelessID  Kind = "header-without-id"
	MoreHeaders Kind = "second-header"

	// Of lines.
	Torn     Kind = "torn"
	Glued    Kind = "glued"
	Zeros    Kind = "zeros"
	NotUTF8  Kind = "invalid-utf-8"
	NoObject Kind = "not-an-object"
	NoID     Kind = "no-id"
	TooLong  Kind = "too-long"
	Long     Kind = "long"

	// Of how entries hang together.
	Twice      Kind = "repeated-line"
	SameID     Kind = "duplicate-id"
	Orphan     Kind = "unknown-parent"
	OwnParent  Kind = "own-parent"
	Cycle      Kind = "parent-cycle"
	LateParent Kind = "parent-after-child"
	Backwards  Kind = "time-backwards"
	OffPath    Kind = "boundary-not-on-path"
	AtResult   Kind = "boundary-is-tool-result"
	EditAway   Kind = "edit-of-other-branch"
	Unanswered Kind = "call-without-result"
	Uncalled   Kind = "result-without-call"
	Answered   Kind = "result-twice"
	CallTwice  Kind = "call-id-twice"

	// Of what entries say.
	NoMessage   Kind = "no-message"
	NoContent   Kind = "no-content"
	TextContent Kind = "content-is-text"
	NoUsage     Kind = "no-usage"
	NoCost      Kind = "usage-incomplete"
	OddName     Kind = "name-not-text"
	OddTime     Kind = "time-unreadable"
	OtherType   Kind = "unknown-type"
	OtherRole   Kind = "unknown-role"
)

// levels says how bad each kind is.
var levels = map[Kind]Level{
	Empty: Note, NoSession: Damage, UTF16: Damage, OrderMark: Trouble, CRLF: Note, NoLineEnd: Note, OldVersion: Note, NewVersion: Trouble,
	NoHeader: Damage, TornHeader: Damage, LateHeader: Damage, NamelessID: Damage, MoreHeaders: Note,
	Torn: Damage, Glued: Damage, Zeros: Damage, NotUTF8: Damage, NoObject: Note, NoID: Damage, TooLong: Damage, Long: Note,
	Twice: Note, SameID: Damage, Orphan: Damage, OwnParent: Damage, Cycle: Damage, LateParent: Note, Backwards: Note,
	OffPath: Note, AtResult: Note, EditAway: Note, Unanswered: Note, Uncalled: Note, Answered: Note, CallTwice: Note,
	NoMessage: Trouble, NoContent: Note, TextContent: Trouble, NoUsage: Trouble, NoCost: Trouble, OddName: Trouble, OddTime: Note,
	OtherType: Note, OtherRole: Note,
}
