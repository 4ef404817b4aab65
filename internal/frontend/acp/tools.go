package acp

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	sdk "github.com/coder/acp-go-sdk"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/internal/workspace"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

// call is a tool call that the editor was told of.
type call struct {
	id       sdk.ToolCallId
	tool     string
	args     message.Value
	complete bool // the arguments are all there
	running  bool
	over     bool
	terminal string // of the editor, which shows what it prints; ""
}

// toolCall is a tool_call or a tool_call_update. The library's types write
// arguments as they please; ours are as the model gave them.
type toolCall struct {
	Kind      string                 `json:"sessionUpdate,omitempty"`
	ID        sdk.ToolCallId         `json:"toolCallId"`
	Title     string                 `json:"title,omitempty"`
	Tool      sdk.ToolKind           `json:"kind,omitempty"`
	Status    sdk.ToolCallStatus     `json:"status,omitempty"`
	Content   []sdk.ToolCallContent  `json:"content,omitempty"`
	Locations []sdk.ToolCallLocation `json:"locations,omitempty"`
	RawInput  json.RawMessage        `json:"rawInput,omitempty"`
	RawOutput json.RawMessage        `json:"rawOutput,omitempty"`
}

const (
	newCall    = "tool_call"
	callUpdate = "tool_call_update"
)

// kindOf is what a built-in tool does; of other tools it is not known.
func kindOf(tool string) sdk.ToolKind {
	switch tool {
	case "read", "ls":
		return sdk.ToolKindRead
	case "grep", "find":
		return sdk.ToolKindSearch
	case "edit", "write":
		return sdk.ToolKindEdit
	case "bash", "powershell":
		return sdk.ToolKindExecute
	}
	return sdk.ToolKindOther
}

func isBuiltin(tool string) bool { return kindOf(tool) != sdk.ToolKindOther }

// announce tells of a call as soon as its tool is known.
func (s *live) announce(b message.Block) *call {
	c := s.newCall(b)
	s.update(toolCall{Kind: newCall, ID: c.id, Title: render.OneLine(b.Name), Tool: kindOf(b.Name), Status: sdk.ToolCallStatusPending})
	return c
}

// newCall takes up a call. Ids that come again, as those of some providers do, are
// told apart.
func (s *live) newCall(b message.Block) *call {
	s.named[b.ID]++
	c := &call{id: sdk.ToolCallId(b.ID), tool: b.Name}
	if n := s.named[b.ID]; n > 1 || b.ID == "" {
		c.id = sdk.ToolCallId(b.ID + "~" + strconv.Itoa(n))
	}
	s.calls[b.ID] = c
	return c
}

// called tells of a call whose arguments are all there.
func (s *live) called(b message.Block) *call {
	c, kind := s.calls[b.ID], callUpdate
	if c == nil || c.over || c.complete && string(c.args) != string(b.Args()) {
		c, kind = s.newCall(b), newCall
	}
	if c.complete {
		return c
	}
	c.args, c.complete = b.Args(), true
	u := s.described(c)
	if u.Kind = kind; kind == newCall {
		u.Status = sdk.ToolCallStatusPending
	}
	s.update(u)
	return c
}

// described says what a call is about to do.
func (s *live) described(c *call) toolCall {
	return toolCall{ID: c.id, Title: title(c.tool, c.args), Tool: kindOf(c.tool), RawInput: json.RawMessage(c.args),
		Locations: s.locations(c, 0), Content: s.changes(c)}
}

// title is a call on one line.
func title(tool string, args message.Value) string {
	t := render.CallLine(tool, args)
	if kindOf(tool) == sdk.ToolKindExecute {
		t = render.CallArg(tool, args)
	}
	if t == "" {
		t = tool
	}
	return shorten(t, 200)
}

// locations are the files that a call is about. The line counts if the call does
// not say one.
func (s *live) locations(c *call, line int) []sdk.ToolCallLocation {
	name, _ := rawjson.GetString(c.args, "path")
	if !isBuiltin(c.tool) || name == "" {
		return nil
	}
	l := sdk.ToolCallLocation{Path: s.path(name)}
	if n, ok := rawjson.Number(rawjson.Get(c.args, "offset")); ok && n >= 1 && n < 1<<31 {
		line = int(n)
	}
	if line > 0 {
		l.Line = &line
	}
	return []sdk.ToolCallLocation{l}
}

// path is the full path of what a tool was given.
func (s *live) path(name string) string {
	home, _ := os.UserHomeDir() // without one, ~ is a name like others
	if p, err := workspace.Path(s.folder(), home, name); err == nil {
		return p
	}
	return name
}

func (s *live) folder() string {
	if s.dir != "" {
		return filepath.Clean(s.dir)
	}
	return s.view.Header.CWD
}

// changes are what a call does to a file, as far as its arguments say.
func (s *live) changes(c *call) (out []sdk.ToolCallContent) {
	name, _ := rawjson.GetString(c.args, "path")
	if name == "" {
		return nil
	}
	switch c.tool {
	case "write":
		if text, ok := rawjson.GetString(c.args, "content"); ok {
			out = append(out, sdk.ToolDiffContent(s.path(name), text))
		}
	case "edit":
		for _, e := range edits(c.args) {
			out = append(out, sdk.ToolDiffContent(s.path(name), e[1], e[0]))
		}
	}
	return out
}

// edits are pairs of what is replaced and what takes its place.
func edits(args message.Value) (out [][2]string) {
	add := func(v message.Value) {
		was, ok := rawjson.GetString(v, "oldText")
		now, ok2 := rawjson.GetString(v, "newText")
		if ok && ok2 {
			out = append(out, [2]string{was, now})
		}
	}
	list := rawjson.Get(args, "edits")
	if s, ok := rawjson.String(list); ok && rawjson.Valid([]byte(s)) {
		list = message.Value(s) // models give it as a text too
	}
	switch rawjson.Kind(list) {
	case '[':
		for e := range rawjson.Elements(list) {
			add(e)
		}
	case '{':
		add(list)
	}
	add(args)
	return out
}

// toolStarted tells that a call is being done.
func (s *live) toolStarted(e protocol.ToolStarted) {
	c := s.called(message.ToolCall(e.CallID, e.Tool, message.Value(e.Args)))
	if c.running || c.over {
		return
	}
	c.running = true
	s.update(toolCall{Kind: callUpdate, ID: c.id, Status: sdk.ToolCallStatusInProgress})
}

func (s *live) toolProgress(e protocol.ToolProgress) {
	c := s.calls[e.CallID]
	if c == nil || c.over || c.terminal != "" {
		return
	}
	if out := s.output(c, e.Output.Content); len(out) > 0 {
		s.update(toolCall{Kind: callUpdate, ID: c.id, Content: out})
	}
}

// result tells what came of a call.
func (s *live) result(m message.Message) {
	c := s.calls[m.ToolCallID]
	if c == nil || c.over {
		c = s.announce(message.ToolCall(m.ToolCallID, m.ToolName, nil))
	}
	c.over = true
	u := toolCall{Kind: callUpdate, ID: c.id, Status: sdk.ToolCallStatusCompleted, RawOutput: rawOutput(m)}
	if m.IsError {
		u.Status = sdk.ToolCallStatusFailed
	}
	switch changes := s.changes(c); {
	case c.terminal != "":
	case len(changes) > 0 && !m.IsError:
		if n, ok := rawjson.Number(rawjson.Get(m.Details, "firstChangedLine")); ok && n >= 1 && n < 1<<31 {
			u.Locations = s.locations(c, int(n))
		}
		if was, ok := formerText(c, m); ok {
			u.Content = []sdk.ToolCallContent{sdk.ToolDiffContent(changes[0].Diff.Path, changes[0].Diff.NewText, was)}
		}
	default:
		u.Content = s.output(c, m.Content)
	}
	s.update(u)
}

func rawOutput(m message.Message) json.RawMessage {
	if rawjson.Kind(m.Details) == '{' && rawjson.Valid(m.Details) {
		return json.RawMessage(m.Details)
	}
	return nil
}

// formerText finds out of the new text and the difference what a file that was
// written as a whole held before. The difference has a row for each line that
// differs and some around: its sign, its number, itself.
func formerText(c *call, m message.Message) (string, bool) {
	now, ok := rawjson.GetString(c.args, "content")
	diff, ok2 := rawjson.GetString(m.Details, "diff")
	if c.tool != "write" || !ok || !ok2 || diff == "" {
		return "", false
	}
	removed, added := map[int]string{}, map[int]bool{}
	for row := range strings.Lines(diff) {
		row = strings.TrimSuffix(row, "\n")
		if row == "" || row[0] != '+' && row[0] != '-' {
			continue
		}
		number, text, _ := strings.Cut(strings.TrimLeft(row[1:], " "), " ")
		n, err := strconv.Atoi(number)
		if err != nil || strings.HasSuffix(text, "...") {
			return "", false // a long line is cut
		}
		if row[0] == '-' {
			removed[n] = text
		} else {
			added[n] = true
		}
	}
	var kept []string
	for i, l := range strings.Split(now, "\n") {
		if !added[i+1] {
			kept = append(kept, l)
		}
	}
	var was []string
	for n := 1; len(kept) > 0 || len(removed) > 0; n++ {
		if l, ok := removed[n]; ok {
			was = append(was, l)
			delete(removed, n)
			continue
		}
		if len(kept) == 0 {
			return "", false
		}
		was, kept = append(was, kept[0]), kept[1:]
	}
	return strings.Join(was, "\n"), true
}

// output is what a tool has given, as an editor shows it. What is no prose stands
// in a block of code.
func (s *live) output(c *call, blocks []message.Block) (out []sdk.ToolCallContent) {
	for _, b := range blocks {
		if isBuiltin(c.tool) && b.Type == message.TextBlock && b.Text != "" {
			b = message.Text(fenced(b.Text))
		}
		if x, ok := content(b); ok {
			out = append(out, sdk.ToolContent(x))
		}
	}
	return out
}

// fenced is a text in a block of code.
func fenced(text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + "\n" + strings.TrimSuffix(text, "\n") + "\n" + fence
}

// userCommand tells of a command that a person at another front end has run.
func (s *live) userCommand(id session.ID, m message.Message) {
	u := toolCall{Kind: newCall, ID: sdk.ToolCallId(id), Title: shorten(render.OneLine(m.Command), 200), Tool: sdk.ToolKindExecute,
		Status: sdk.ToolCallStatusCompleted}
	if m.ExitCode == nil || *m.ExitCode != 0 {
		u.Status = sdk.ToolCallStatusFailed
	}
	if m.Output != "" {
		u.Content = []sdk.ToolCallContent{sdk.ToolContent(sdk.TextBlock(fenced(m.Output)))}
	}
	s.update(u)
}

// giveUpCalls tells that calls without results get none any more.
func (s *live) giveUpCalls() {
	for _, id := range slices.Sorted(maps.Keys(s.calls)) {
		if c := s.calls[id]; !c.over {
			c.over = true
			s.update(toolCall{Kind: callUpdate, ID: c.id, Status: sdk.ToolCallStatusFailed})
		}
	}
}
