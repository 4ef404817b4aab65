package script

import (
	"strconv"
	"strings"

	"github.com/boughdev/bough/internal/rawjson"
)

// The built-in behaviour, in this order; X is the last user text:
//
//	ends in tool results     "Done. NAME said: <first line> (<k> lines)", of several one line each
//	asks for a summary       a canned one. That is a request without tools whose system prompt or X
//	                         talks of summaries
//	"read F", "read F and G" one call of read for each file, if that is offered
//	"run CMD", "bash CMD"    a call of bash
//	"write F: TEXT", "ls D"  calls of write and ls
//	"think: X"               thinking, then "Answer: X"
//	"fail KIND"              that error
//	"long N"                 N words
//	anything else            "Echo: X"
var (
	readPrompt  = lazily(`/^read\s+(\S[\s\S]*)$/i`)
	runPrompt   = lazily(`/^(?:run|bash)\s+([\s\S]+)$/i`)
	writePrompt = lazily(`/^write\s+(\S+?):\s*([\s\S]*)$/i`)
	lsPrompt    = lazily(`/^ls\s*(\S*)$/i`)
	thinkPrompt = lazily(`/^think:\s*([\s\S]+)$/i`)
	failPrompt  = lazily(`/^fail\s+([a-z-]+)$/i`)
	longPrompt  = lazily(`/^long\s+(\d+)$/i`)

	between      = lazily(`\s+and\s+|\s*,\s*|\s+`)
	goalLine     = lazily(`\[User\]: (.*)`)
	firstRequest = lazily(`/original request/i`)

	pathNames    = []string{"path", "file_path", "filePath", "filename", "file"}
	commandNames = []string{"command", "cmd", "script"}
	contentNames = []string{"content", "contents", "text"}
	folderNames  = []string{"path", "dir", "directory"}
)

const maxWords = 200000

// builtin returns a reply and the name of what it does.
func builtin(q *Request) (name string, reply []byte) {
	if len(q.trailing) > 0 {
		return "tool-answer", textReply(toolAnswer(q.trailing))
	}
	if q.summary {
		return summary(q.user)
	}
	x := trim(q.user)
	match := func(tool string, m []string) bool { return m != nil && q.offers(tool) }
	if m := readPrompt().FindStringSubmatch(x); match("read", m) {
		return "read", readReplyTo(q, m[1])
	}
	if m := runPrompt().FindStringSubmatch(x); match("bash", m) {
		return "bash", callReply("bash", object(q.argument("bash", commandNames...), m[1]))
	}
	if m := writePrompt().FindStringSubmatch(x); match("write", m) {
		return "write", callReply("write", object(q.argument("write", pathNames...), m[1], q.argument("write", contentNames...), m[2]))
	}
	if m := lsPrompt().FindStringSubmatch(x); match("ls", m) {
		folder := m[1]
		if folder == "" {
			folder = "."
		}
		return "ls", callReply("ls", object(q.argument("ls", folderNames...), folder))
	}
	if m := thinkPrompt().FindStringSubmatch(x); m != nil {
		return "think", object("thinking", "Considering: "+m[1], "text", "Answer: "+m[1])
	}
	if m := failPrompt().FindStringSubmatch(x); m != nil {
		if _, ok := kinds[strings.ToLower(m[1])]; ok {
			return "fail", object("error", strings.ToLower(m[1]))
		}
	}
	if m := longPrompt().FindStringSubmatch(x); m != nil {
		return "long", textReply(words(m[1]))
	}
	return "echo", textReply("Echo: " + cutUnits(x, 4000))
}

func textReply(s string) []byte { return object("text", s) }

func call(name string, args []byte) []byte { return object("name", name, "args", args) }

func callReply(name string, args []byte) []byte {
	return object("toolCalls", rawjson.Array([][]byte{call(name, args)}))
}

func toolAnswer(results []result) string {
	lines := make([]string, len(results))
	for i, r := range results {
		all := strings.Split(strings.TrimRight(r.text, "\n"), "\n")
		tool, plural := r.tool, "s"
		if tool == "" {
			tool = "tool"
		}
		if len(all) == 1 {
			plural = ""
		}
		lines[i] = tool + " said: " + cutUnits(all[0], 200) + " (" + strconv.Itoa(len(all)) + " line" + plural + ")"
	}
	if len(lines) == 1 {
		return "Done. " + lines[0]
	}
	return "Done.\n- " + strings.Join(lines, "\n- ")
}

func readReplyTo(q *Request, list string) []byte {
	arg := q.argument("read", pathNames...)
	var files []string
	var calls [][]byte
	for _, f := range between().Split(list, -1) {
		if f != "" {
			files = append(files, f)
			calls = append(calls, call("read", object(arg, f)))
		}
	}
	return object("text", "Reading "+strings.Join(files, ", ")+".", "toolCalls", rawjson.Array(calls))
}

func summary(user string) (name string, reply []byte) {
	goal := "Continue the conversation"
	if m := goalLine().FindStringSubmatch(user); m != nil {
		goal = cutUnits(m[1], 200)
	}
	if firstRequest().MatchString(user) {
		return "turn-summary", textReply("## Original Request\n" + goal + "\n\n## Progress So Far\n- Canned progress\n\n## Context Needed to Continue\n- (none)")
	}
	return "summary", textReply("## Goal\n" + goal + `

## Constraints & Preferences
- (none)

## Progress
### Done
- [x] Work so far was carried out

### In Progress
- [ ] Nothing open

### Blocked
- (none)

## Key Decisions
- **Canned summary**: produced by the fake model

## Next Steps
1. Continue with the next user request

## Critical Context
- (none)`)
}

func words(count string) string {
	n, err := strconv.Atoi(count)
	if err != nil || n > maxWords { // the error is: beyond an int
		n = maxWords
	}
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString("word" + strconv.Itoa(i))
	}
	return b.String()
}
