package export

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/session"
)

//go:embed static.css
var staticStyle string

// Static writes a page without any script, to be shared: everything is open, and
// the tree is a list of links.
func Static(w io.Writer, h session.Header, t *session.Tree, o Options) (Report, error) {
	s := &static{source: source{header: h, tree: t, o: o}, words: newWords()}
	s.out = &counter{w: w, tell: o.Progress}
	err := s.write()
	s.report.Redacted = o.Redact.Report()
	return s.report, err
}

type static struct {
	source
	words *words
	out   *counter
	err   error // of writing; nothing is written behind it
}

func (s *static) put(parts ...string) {
	for _, p := range parts {
		if s.err == nil {
			_, s.err = s.out.WriteString(p)
		}
	}
}

func (s *static) write() error {
	title := s.o.Redact.Text(s.title())
	s.put(strings.Replace(htmlHead(title, "", pageStyle+staticStyle), "<body>", `<body class="static">`, 1))
	path := s.tree.Path(s.stand())
	s.nav(path)
	s.put(`<div class="page"><header><h1>`, html.EscapeString(title), "</h1>")
	if err := s.head(); err != nil {
		return err
	}
	s.put("</header>\n<main>\n")
	if err := s.talk(path); err != nil {
		return err
	}
	scope := "One branch"
	if s.o.Leaf == "" {
		scope = "The whole tree"
		if err := s.others(path); err != nil {
			return err
		}
	}
	s.put("</main>\n<footer>", scope, ", exported by bough ", s.o.Now.UTC().Format("2006-01-02 15:04"), "</footer></div>\n</body>\n</html>\n")
	return s.err
}

// nav is the tree, or the way, as links.
func (s *static) nav(path []*session.Entry) {
	o := render.TreeOptions{}
	if s.o.Leaf != "" {
		on := map[session.ID]bool{}
		for _, e := range path {
			on[e.ID] = true
		}
		o.Match = func(e *session.Entry) bool { return on[e.ID] }
	}
	previews := render.NewPreviews(s.tree)
	s.put(`<nav aria-label="Tree"><div class="tree">` + "\n")
	for i, r := range render.TreeRows(s.tree, s.stand(), o) {
		if i%1000 == 999 {
			previews = render.NewPreviews(s.tree) // it remembers what it has read
		}
		class := ""
		if r.OnPath {
			class = ` class="on"`
		}
		label := ""
		if l := s.tree.Label(r.Entry.ID); l != "" {
			label = `<span class="label">` + html.EscapeString(s.o.Redact.Text(render.OneLine(l))) + "</span> "
		}
		s.put(`<a href="#`, anchor(r.Entry.ID), `"`, class, `><span class="lines">`, html.EscapeString(r.Prefix+r.Mark), "</span>", label,
			html.EscapeString(render.Cut(s.o.Redact.Text(previews.Of(r.Entry).Row), 120)), "</a>\n")
	}
	s.put("</div></nav>\n")
}

// anchor is the name of an entry in links.
func anchor(id session.ID) string {
	if anchorForm().MatchString(string(id)) {
		return "e-" + string(id)
	}
	return fmt.Sprintf("x-%x", string(id))
}

var anchorForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_.-]{1,100}$`) })

func (s *static) head() error {
	stats, shares, err := s.totals()
	if err != nil {
		return err
	}
	row := func(name, value string) {
		if value != "" {
			s.put("<dt>", name, "</dt><dd>", html.EscapeString(value), "</dd>")
		}
	}
	s.put("<dl>")
	row("Session", render.OneLine(s.header.ID))
	row("Folder", s.o.Redact.Text(render.OneLine(s.header.CWD)))
	first, last := s.span()
	row("From", clock(first))
	row("To", clock(last))
	row("Models", strings.Join(models(shares), ", "))
	row("Messages", fmt.Sprintf("%d yours, %s, %s", stats.User, render.Plural(stats.Assistant, "answer", "answers"), render.Plural(stats.ToolCalls, "call", "calls")))
	row("Tokens", tokens(stats))
	row("Cost", render.Dollars(stats.Cost))
	s.put("</dl>")
	return nil
}

// span returns the times of the first and the last entry.
func (s *source) span() (first, last time.Time) {
	path := s.tree.Path(s.stand())
	if len(path) == 0 {
		return first, last
	}
	first, last = path[0].Time, path[len(path)-1].Time
	if s.o.Leaf == "" {
		if e := s.tree.Last(); e != nil {
			last = e.Time
		}
	}
	return first, last
}

func clock(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02 15:04") + " UTC"
}

func models(shares []session.Share) []string {
	var out []string
	for _, s := range shares {
		if s.Model != "" {
			out = append(out, render.OneLine(s.Model))
		}
	}
	return out
}

func tokens(s session.Stats) string {
	t := render.Count(s.Input) + " in, " + render.Count(s.Output) + " out"
	if s.CacheRead > 0 || s.CacheWrite > 0 {
		t += ", cache " + render.Count(s.CacheRead) + " read, " + render.Count(s.CacheWrite) + " written"
	}
	return t
}

func (s *static) talk(path []*session.Entry) error {
	for p, err := range s.pieces(path) {
		if err != nil {
			return err
		}
		s.entry(p)
		if s.err != nil {
			return s.err
		}
	}
	return nil
}

// others are the branches that the conversation does not stand on, each from where
// it leaves what was shown before.
func (s *static) others(path []*session.Entry) error {
	on := map[session.ID]bool{}
	for _, e := range path {
		on[e.ID] = true
	}
	var branch []*session.Entry
	flush := func() error {
		if len(branch) == 0 {
			return nil
		}
		from := branch[0].Parent
		s.put(`<h2 class="branch">Another way on`)
		if e := s.tree.Get(from); e != nil {
			s.put(` from <a href="#`, anchor(e.ID), `">`, html.EscapeString(render.Cut(s.o.Redact.Text(render.NewPreviews(s.tree).Of(e).Row), 80)), "</a>")
		}
		s.put("</h2>\n")
		err := s.talk(branch)
		branch = branch[:0]
		return err
	}
	var failed error
	s.tree.Walk(s.stand(), func(step session.Step) bool {
		e := step.Entry
		if on[e.ID] {
			failed = flush()
			return failed == nil
		}
		if n := len(branch); n > 0 && branch[n-1].ID != e.Parent {
			if failed = flush(); failed != nil {
				return false
			}
		}
		copied := *e // good until the walk goes on
		branch = append(branch, &copied)
		return true
	})
	if failed != nil {
		return failed
	}
	return flush()
}

func (s *static) entry(p piece) {
	e := p.entry
	switch b := p.body.(type) {
	case session.Message:
		s.message(p, b.Message)
	case session.Compaction:
		s.card(e, "compaction", "Compacted", render.Count(b.TokensBefore)+" tokens summed up", b.Summary)
	case session.BranchSummary:
		s.card(e, "branch_summary", "Summary of another branch", "", b.Summary)
	case session.CustomMessage:
		if b.Display {
			s.open(e, "custom_message", render.OneLine(b.CustomType), "")
			s.blocks(b.Content)
			s.put("</article>\n")
		}
	case session.ModelChange:
		s.thin(e, "Model: "+render.OneLine(b.Provider+"/"+b.ModelID))
	case session.ThinkingChange:
		s.thin(e, "Thinking: "+render.OneLine(b.Level))
	case session.ContextEdit:
		words := "From here on the model sees other words of "
		if b.Omit {
			words = "From here on the model does not see "
		}
		s.put(`<p class="thin" id="`, anchor(e.ID), `">`, words, `<a href="#`, anchor(b.Target), `">an entry above</a></p>`+"\n")
	}
}

func (s *static) thin(e *session.Entry, text string) {
	s.put(`<p class="thin" id="`, anchor(e.ID), `">`, html.EscapeString(text), s.label(e.ID), "</p>\n")
}

func (s *static) label(id session.ID) string {
	l := s.tree.Label(id)
	if l == "" {
		return ""
	}
	return ` <span class="label">` + html.EscapeString(s.o.Redact.Text(render.OneLine(l))) + "</span>"
}

// open begins an entry.
func (s *static) open(e *session.Entry, class, who, more string) {
	s.put(`<article class="entry `, class, `" id="`, anchor(e.ID), `"><div class="top"><span class="who">`, html.EscapeString(who), "</span>")
	if more != "" {
		s.put(`<span class="model">`, html.EscapeString(more), "</span>")
	}
	s.put(s.label(e.ID), `<span class="space"></span><time>`, clock(e.Time), `</time><a class="link" href="#`, anchor(e.ID), `">link</a></div>`)
}

func (s *static) card(e *session.Entry, class, who, more, summary string) {
	s.open(e, class, who, more)
	s.put(`<details class="card" open><summary>Summary</summary><div class="inside">`, s.words.html(summary), "</div></details></article>\n")
}

func (s *static) message(p piece, m message.Message) {
	switch m.Role {
	case message.User:
		s.open(p.entry, "user", "You", "")
		s.blocks(m.Content)
	case message.Assistant:
		s.answer(p, m)
	case message.ToolResult:
		s.open(p.entry, "toolResult", "Tool result", "")
		s.call(message.ToolCall("", m.ToolName, nil), &m)
	case message.Bash:
		who := "Command"
		if m.ExcludeFromContext {
			who += ", kept from the model"
		}
		s.open(p.entry, "bashExecution", who, "")
		s.put(`<div class="inside">`, code("$ "+m.Command, "command"), code(m.Output, ""))
		switch {
		case m.Cancelled:
			s.put(`<p class="bad">cancelled</p>`)
		case m.ExitCode != nil && *m.ExitCode != 0:
			s.put(`<p class="bad">exit `, strconv.Itoa(*m.ExitCode), "</p>")
		}
		s.put("</div>")
	case message.System:
		s.open(p.entry, "system", "Instructions", "")
		s.put(`<details class="card"><summary>`, html.EscapeString(render.Plural(len(m.Sections), "section", "sections")+", "+render.Plural(len(m.ToolsAdded), "tool", "tools")),
			`</summary><div class="inside">`)
		if text := m.Text("\n"); text != "" {
			s.put(code(text, ""))
		}
		for _, sec := range m.Sections {
			s.put(`<p class="thin">`, html.EscapeString(render.OneLine(sec.Name)), "</p>")
			if sec.Text != nil {
				s.put(code(*sec.Text, ""))
			}
		}
		s.put("</div></details>")
	default:
		if m.Role == "" {
			return
		}
		s.open(p.entry, "other", render.OneLine(string(m.Role)), "")
		s.blocks(m.Content)
	}
	s.put("</article>\n")
}

func (s *static) answer(p piece, m message.Message) {
	model := m.ResponseModel
	if model == "" {
		model = m.Model
	}
	more := render.OneLine(model)
	if m.Usage != nil && m.Usage.Cost.Total > 0 {
		more += " · " + render.Dollars(m.Usage.Cost.Total)
	}
	s.open(p.entry, "assistant", "Assistant", more)
	for _, b := range m.Content {
		if b.Type != message.ToolCallBlock {
			s.blocks([]message.Block{b})
			continue
		}
		if r, ok := p.results[b.ID]; ok {
			s.call(b, &r)
		} else {
			s.call(b, nil)
		}
	}
	for _, r := range p.others {
		s.call(message.ToolCall("", r.ToolName, nil), &r)
	}
	if bad := ending(m); bad != "" {
		s.put(`<p class="bad">`, html.EscapeString(bad), "</p>")
	}
}

// ending says how an answer ended that did not end well.
func ending(m message.Message) string {
	bad := map[message.StopReason]string{message.Failed: "Failed", message.Aborted: "Aborted", message.Length: "Cut off: the answer reached its limit",
		message.Deferred: "Deferred"}[m.StopReason]
	if bad != "" && m.ErrorMessage != "" && m.StopReason != message.Length {
		bad += ": " + render.OneLine(m.ErrorMessage)
	}
	return bad
}

func (s *static) blocks(blocks []message.Block) {
	for _, b := range blocks {
		switch b.Type {
		case message.TextBlock:
			s.put(s.words.html(b.Text))
		case message.ThinkingBlock:
			if strings.TrimSpace(b.Text) != "" {
				s.put(`<details class="thinking" open><summary>Thinking</summary>`, s.words.html(b.Text), "</details>")
			}
		case message.ImageBlock:
			s.put(imageHTML(b))
		default:
			s.put(`<details class="raw"><summary>`, html.EscapeString(render.OneLine(string(b.Type))), "</summary>", code(indent(b.JSON()), ""), "</details>")
		}
	}
}

func imageHTML(b message.Block) string {
	if !isImage(b) {
		return `<p class="dim">[image of a kind that is not shown]</p>`
	}
	return `<img alt="Image" loading="lazy" src="data:` + b.MimeType + ";base64," + b.Data + `">`
}

var imageForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9+/]*=*$`) })

// imageKinds are what browsers show of images, with the ends of their files' names.
func imageKind(mime string) string {
	switch mime {
	case "image/png", "image/gif", "image/webp", "image/avif", "image/bmp":
		return strings.TrimPrefix(mime, "image/")
	case "image/jpeg":
		return "jpg"
	}
	return ""
}

func isImage(b message.Block) bool {
	return imageKind(b.MimeType) != "" && imageForm().MatchString(b.Data)
}

// code is a text as it stands.
func code(text, class string) string {
	if class != "" {
		class = ` class="` + class + `"`
	}
	return "<pre" + class + ">" + html.EscapeString(strings.TrimSuffix(render.Clean(text), "\n")) + "</pre>"
}

func indent(v message.Value) string {
	var b bytes.Buffer
	if json.Indent(&b, v, "", "  ") != nil {
		return string(v)
	}
	return b.String()
}

func (s *static) call(c message.Block, r *message.Message) {
	class, note := "call", "no result"
	if r != nil {
		note = resultNote(*r)
		if r.IsError {
			class += " failed"
		}
	}
	s.put(`<details class="`, class, `" open><summary><span class="tool">`, html.EscapeString(render.OneLine(c.Name)), `</span><span class="arg">`,
		html.EscapeString(render.CallArg(c.Name, c.Args())), `</span><span class="note">`, html.EscapeString(note), `</span></summary><div class="inside">`)
	for _, part := range callParts(c, r) {
		switch part.kind {
		case diffPart:
			s.put(diffHTML(render.Clean(part.text)))
		case badPart:
			s.put(code(part.text, "bad"))
		case commandPart:
			s.put(code(part.text, "command"))
		default:
			s.put(code(part.text, ""))
		}
	}
	if r != nil {
		for _, b := range r.Content {
			if b.Type == message.ImageBlock {
				s.put(imageHTML(b))
			}
		}
	}
	s.put("</div></details>\n")
}

// A part is what is shown of a call or its result.
type part struct {
	kind partKind
	text string
	lang string // for Markdown
}

type partKind int

const (
	plainPart partKind = iota
	commandPart
	diffPart
	badPart
)

// callParts lays a call of a tool of ours out; of others it shows the arguments.
func callParts(c message.Block, r *message.Message) []part {
	args := c.Args()
	str := func(names ...string) string {
		for _, n := range names {
			if s, ok := rawjson.GetString(args, n); ok && s != "" {
				return s
			}
		}
		return ""
	}
	var parts []part
	text, failed := "", false
	if r != nil {
		text, failed = r.Text("\n"), r.IsError
	}
	showResult := true
	switch c.Name {
	case "bash", "powershell":
		parts = append(parts, part{commandPart, "$ " + str("command", "cmd"), "sh"})
	case "write":
		parts = append(parts, part{plainPart, str("content"), ""})
		showResult = failed
	case "edit":
		d, ok := "", false
		if r != nil {
			d, ok = rawjson.GetString(r.Details, "diff")
		}
		if !ok {
			d = editDiff(args)
		}
		parts = append(parts, part{diffPart, d, "diff"})
		showResult = failed
	case "read", "grep", "find", "ls":
	default:
		if len(rawjson.Trim(args)) > 2 {
			parts = append(parts, part{plainPart, indent(args), "json"})
		}
	}
	if showResult && text != "" {
		kind := plainPart
		if failed {
			kind = badPart
		}
		parts = append(parts, part{kind, text, ""})
	}
	return parts
}

// editDiff shows the arguments of an edit as a diff.
func editDiff(args message.Value) string {
	edits := [][]byte{args}
	if list := rawjson.Get(args, "edits"); rawjson.Kind(list) == '[' {
		edits = nil
		for e := range rawjson.Elements(list) {
			edits = append(edits, e)
		}
	}
	var b strings.Builder
	for _, e := range edits {
		for _, side := range []struct{ sign, key, old string }{{"-", "oldText", "old_string"}, {"+", "newText", "new_string"}} {
			t, ok := rawjson.GetString(e, side.key)
			if !ok {
				t, _ = rawjson.GetString(e, side.old)
			}
			for line := range strings.Lines(t) {
				b.WriteString(side.sign + " " + strings.TrimSuffix(line, "\n") + "\n")
			}
		}
	}
	return b.String()
}

// resultNote says in a word or two what a result is.
func resultNote(r message.Message) string {
	if r.IsError {
		return "failed"
	}
	if add, del, ok := render.DiffCount(r.Details); ok {
		return fmt.Sprintf("+%d −%d", add, del)
	}
	t := strings.TrimSuffix(r.Text("\n"), "\n")
	if t == "" {
		return ""
	}
	return render.Plural(strings.Count(t, "\n")+1, "line", "lines")
}
