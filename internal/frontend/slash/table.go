package slash

// Where is a set of front ends.
type Where uint8

// The front ends that have commands.
const (
	Terminal Where = 1 << iota
	REPL
	Web

	everywhere = Terminal | REPL | Web
)

// A Spec says what a command is.
type Spec struct {
	Name  string // without the slash
	Alias string // another name, or ""
	Args  string // a hint at the arguments, or ""
	Help  string // one line
	More  string // what else there is to know, or ""
	Where Where
	Busy  bool // acts while the model works; the others want it to be stopped first
	Later bool // has a name, but is not built yet
}

// Usage returns the command with its arguments: "/branch N".
func (s Spec) Usage() string {
	if s.Args == "" {
		return "/" + s.Name
	}
	return "/" + s.Name + " " + s.Args
}

// All returns all commands, in the order in which help lists them.
func All() []Spec { return append([]Spec(nil), commands...) }

// Find returns the command of that name or alias.
func Find(name string) (Spec, bool) {
	if name == "" {
		return Spec{}, false
	}
	for _, s := range commands {
		if s.Name == name || s.Alias == name {
			return s, true
		}
	}
	return Spec{}, false
}

var commands = []Spec{
	{Name: "help", Args: "[command]", Help: "list the commands, or say more of one", Where: everywhere, Busy: true},

	// The tree.
	{Name: "history", Args: "[n]", Help: "the conversation up to here, numbered", Where: Terminal | REPL, Busy: true,
		More: "With a number: the last n entries. With --all: all branches, numbered as in /tree. /help branch says what the numbers mean."},
	{Name: "show", Args: "entry", Help: "all of an entry, as it was said", Where: everywhere, Busy: true,
		More: "Also of one that the model does not see any more, since it was summed up or hidden. --raw prints its line of the file."},
	{Name: "queue", Args: "[send|clear]", Help: "what waits to be said", Where: everywhere, Busy: true,
		More: "What you type during an answer waits for its end. /queue drop N takes a message back, /queue edit N TEXT says it otherwise, /queue clear drops all, /queue send says it now. What waits is still there after bough was ended."},
	{Name: "tree", Args: "[text]", Help: "the conversation as a tree", Where: everywhere, Busy: true,
		More: "The straight line with dots is the way to where you stand; the other ways on from a place stand right below it, so that rows are not always in the order of their numbers. With a text: what has all its words. Filters: --no-tools, --user-only, --labeled-only, --all, --branches, --errors. Drawing: --classic, --ascii."},
	{Name: "find", Args: "[text]", Help: "search this conversation; enter goes on to all branches if nothing is found", Where: Terminal, Busy: true,
		More: "It is what ctrl+shift+f does, which many terminals keep for themselves. The text is found as it stands, whatever its case. /tree TEXT searches all branches at once."},
	{Name: "compare", Args: "[entry] [entry]", Help: "two branches side by side: what each answered, changed and cost", Where: Terminal, Busy: true,
		More: "Two entries, one of each branch; one is compared with where you are; without any the two newest ways on from the nearest branch point are. In the tree a key marks a branch, and compares it with another one."},
	{Name: "branch", Args: "[entry]", Help: "stand right after an entry: what you say next is another branch", Where: Terminal | REPL,
		More: "N is a number as it was written last: by /history, or in a line such as: at [5] assistant. After a line of another branch numbers mean that branch; what is said later changes none. #N, of /tree, is the same entry always. Alone it lists the branches at the nearest branch point. A place between a call and its results moves on to the last result: --strict refuses it instead, --exact takes it. --summary has what is left behind summed up by the model and put there, --summary WORDS with a look at that above all. Nothing is copied and nothing is lost: /back returns."},
	{Name: "goto", Args: "entry", Help: "go to an entry; a message of yours comes back to be said anew", Where: everywhere,
		More: "It is /branch for what others said, and /edit for what you said. --summary as with /branch."},
	{Name: "edit", Args: "[entry]", Help: "say one of your messages anew, the last one or another", Where: everywhere,
		More: "You stand before it; what you say next takes its place as another branch. The summary of a compaction is said anew in the same way. The old one stays. /back calls it off."},
	{Name: "retry", Help: "ask the model again, without a new message", Where: everywhere,
		More: "After a complete answer its question is answered once more, as another branch."},
	{Name: "back", Help: "go to where you stood before", Where: everywhere},
	{Name: "forward", Help: "undo /back", Where: everywhere},
	{Name: "label", Args: "[text]", Help: "name the entry you stand at; without a text take the name away", Where: everywhere, Busy: true},
	{Name: "hide", Args: "entry", Help: "keep an entry from the model, from here on", Where: everywhere,
		More: "The entry stays in the session and in the file; other branches see it as before. It is the way out when a server refuses something in it, such as an image. /unhide brings it back."},
	{Name: "unhide", Args: "[entry]", Help: "let the model see an entry again; alone: the one hidden last", Where: everywhere},
	{Name: "replace", Args: "entry", Help: "let the model see an entry with other words, from here on", Where: everywhere,
		More: "Its words are shown; what you write next takes their place for the model. The entry stays in the session and in the file, and other branches see it as before. Images and tool calls stay. /unhide brings its own words back."},
	{Name: "context", Args: "[entry]", Help: "what the model sees here, with the tokens of each entry", Where: everywhere, Busy: true,
		More: "Tokens are estimated; the last line has what the model itself counted. /hide and /replace make it less, /compact sums up what is old. With an entry it is what the model saw there."},
	{Name: "summarize", Args: "[words]", Help: "sum up this branch for the place you go to next", Where: everywhere,
		More: "The next /branch, /goto or /edit has the model sum up what is left behind, and the summary stands at the new place. The words say what to look at above all. It is called off when you say something here, or by /back."},
	{Name: "take", Args: "entry [what]", Help: "bring something of another branch here: answer, summary or entries", Where: everywhere,
		More: "/take N brings the answer at that place, /take N summary what the branch up to it came to, summed up by the model, /take N entries the message as it is; /take 5-9 takes all from [5] to [9], /take 5 7 these two. What it cost is not counted twice, and where it is from is noted in the session. /back leaves it again."},

	// Sessions.
	{Name: "new", Args: "[name]", Help: "begin a new session here", Where: everywhere},
	{Name: "resume", Args: "[session]", Help: "list the sessions of this folder, or go over to one", Where: everywhere,
		More: "By its number in the list, its id, its file, or a text of its name or first message."},
	{Name: "fork", Args: "[entry]", Help: "new session from before a message of yours; alone: list them", Where: everywhere,
		More: "The path to it is copied to a new file, and the message comes back to be said there. The old session stays as it is. To stay in it: /edit, /branch."},
	{Name: "clone", Args: "[name]", Help: "new session with the conversation up to here", Where: everywhere,
		More: "The path is copied to a new file; the old session stays as it is. To stay in it: /branch."},
	{Name: "name", Args: "[text]", Help: "name the session, or show its name", Where: everywhere, Busy: true,
		More: "/name --auto has the model find a name, which is one small request."},
	{Name: "session", Help: "what this session holds and took", Where: everywhere, Busy: true},
	{Name: "compact", Args: "[text]", Help: "sum up the older part of the conversation", Where: everywhere,
		More: "The model then sees the summary and the newest part. A text says what the summary must not lose. All that was said stays in the session: /uncompact goes back, /edit N says the summary anew."},
	{Name: "uncompact", Help: "stand right before the last compaction", Where: everywhere,
		More: "The model sees again what was summed up. What you say next is another branch; /back returns."},
	{Name: "summary", Args: "[entry]", Help: "show what the model sees of a part that was summed up", Where: everywhere, Busy: true},
	{Name: "export", Args: "[path]", Help: "write the conversation to a file", Where: everywhere, Busy: true,
		More: "By the end of its name: a page (.html), Markdown (.md) or a session file (.jsonl); alone it is a page in this folder. It is the way to where you stand; --all-branches takes the whole tree. --static: a page without script, for sharing. --redact: without keys and tokens. --force: in the place of another file."},
	{Name: "import", Args: "path", Help: "take up a session of another place", Where: Terminal | Web,
		More: "A session file, or a headerless tree of messages. It is copied among the sessions with its id and its folder; the file stays as it is."},
	{Name: "share", Help: "show the session to others", Where: Terminal | Web, Busy: true, Later: true},
	{Name: "diff", Args: "[from [to]]", Help: "files that changed between two entries", Where: Terminal | Web, Busy: true, Later: true},
	{Name: "files", Help: "files read and changed on this branch", Where: Terminal | Web, Busy: true},
	{Name: "cost", Help: "what turn, branch, session and day cost, and the next request will", Where: everywhere, Busy: true,
		More: "Forks and clones of a session share model calls; each is counted once. bough stats in a shell adds up by day, model, folder, session or branch. The settings bough.budget.perRun, perSession and perDay have bough ask before more is spent."},

	// The model and the rest.
	{Name: "model", Args: "[name]", Help: "list the models, or choose one", Where: everywhere, Busy: true,
		More: "As provider/id, or id where no other provider has it; with :level the thinking level too. offline/demo is the built-in one that needs no key."},
	{Name: "thinking", Args: "[level]", Help: "how much the model is to think", Where: everywhere, Busy: true},
	{Name: "copy", Args: "[n]", Help: "copy the last answer, or the n-th last", Where: Terminal | REPL, Busy: true},
	{Name: "scoped-models", Args: "[text]", Help: "which models are cycled through", Where: Terminal | Web, Busy: true},
	{Name: "settings", Args: "[key]", Help: "show settings and where they come from, or set one", Where: everywhere, Busy: true,
		More: "With a value behind the key, /settings KEY VALUE, it is set for this run; /settings unset KEY takes that back. /settings save KEY VALUE changes your settings.json. --all lists also what nobody has changed."},
	{Name: "login", Args: "[provider]", Help: "sign in to a provider", Where: Terminal | Web, Busy: true},
	{Name: "logout", Args: "[provider]", Help: "forget a sign-in", Where: Terminal | Web, Busy: true},
	{Name: "trust", Help: "trust the files of this project", Where: Terminal | Web, Busy: true},
	{Name: "mcp", Args: "[reconnect name]", Help: "the MCP servers and how it stands with them", Where: everywhere, Busy: true,
		More: "bough mcp add and bough mcp login in a shell set servers up; /reload takes them over and tries failed ones again. /tools turns their tools on and off."},
	{Name: "tools", Args: "[+name|-name]", Help: "list the tools, or turn some on and off", Where: everywhere, Busy: true,
		More: "/tools +grep -bash turns one on and one off for this session, from the next turn on. The session remembers it."},
	{Name: "permissions", Args: "[mode]", Help: "what tools may do without a question, or change that", Where: everywhere, Busy: true,
		More: "The modes are auto, auto-edit, ask and read-only; a mode holds for this run of the session. /permissions forget takes back what you have allowed for this session. Settings: bough.permissionMode, bough.permissions."},
	{Name: "prompt", Args: "[section]", Help: "what the model is told before the conversation", Where: everywhere, Busy: true,
		More: "Alone it lists the sections with their sizes and files; with a name it shows that section."},
	{Name: "reload", Help: "read settings, instructions, skills and templates again", Where: everywhere,
		More: "What was turned off by /tools stays off."},
	{Name: "hotkeys", Help: "the active keys", Where: Terminal | Web, Busy: true},
	{Name: "changelog", Help: "what is new", Where: Terminal | Web, Busy: true, Later: true},
	{Name: "debug", Help: "write down what the screen shows", Where: Terminal, Busy: true},
	{Name: "bug", Help: "where to report a fault", Where: everywhere, Busy: true},
	{Name: "web", Help: "show this machine's sessions in a browser", Where: Terminal | REPL, Busy: true, Later: true},
	{Name: "detach", Help: "leave the session; what runs in it goes on", Where: Terminal | REPL, Busy: true,
		More: "That is so where the session runs in another bough: in bough serve, or where it was open before (bough help attach)."},
	{Name: "quit", Alias: "exit", Help: "end", Where: Terminal | REPL, Busy: true},
}
