package permission

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// maxCommand is how long a command may be, in bytes, that is read.
const maxCommand = 16 << 10

// maxRuns is how many commands are looked at, those that commands are told to run
// included.
const maxRuns = 500

// shellText is what is known of the text of a command.
type shellText struct {
	ok      bool     // it could be read
	dynamic bool     // it runs something that is only known when it runs
	plain   bool     // it is simple commands, joined by && || ; | or line ends, whose output goes nowhere else
	parts   []simple // of a plain one, in order
	runs    []string // all commands in it, and what those are told to run
	open    []string // the names of those of which a word is only known when they run
}

// simple is a command with its words.
type simple struct {
	words []string
	text  string // the words, joined by blanks
	fixed bool   // no word is replaced by others when it runs
}

// readShell reads a command.
func readShell(command string) shellText {
	t := shellText{plain: true}
	t.read(command, 0)
	t.plain = t.plain && t.ok && len(t.parts) > 0
	return t
}

// read adds what is in a text, which is within so many others.
func (t *shellText) read(command string, depth int) {
	if len(command) > maxCommand || depth > 4 || strings.ContainsFunc(command, func(r rune) bool { return r < ' ' && r != '\n' && r != '\t' || r == 0x7F }) {
		t.dynamic, t.plain = true, false
		return
	}
	f, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(command), "")
	if err != nil {
		t.dynamic, t.plain = true, false
		return
	}
	t.ok = true
	if depth == 0 {
		for _, s := range f.Stmts {
			t.statement(s)
		}
	}
	syntax.Walk(f, func(n syntax.Node) bool {
		if c, ok := n.(*syntax.CallExpr); ok && len(c.Args) > 0 {
			t.run(wordsOf(c.Args), depth)
		}
		return true
	})
}

// statement adds the parts of a statement, if it is a plain one.
func (t *shellText) statement(s *syntax.Stmt) {
	if s.Background || s.Coprocess || s.Negated || slices.ContainsFunc(s.Redirs, spills) {
		t.plain = false
		return
	}
	switch c := s.Cmd.(type) {
	case *syntax.CallExpr:
		words := wordsOf(c.Args)
		if len(c.Assigns) > 0 || len(words) == 0 || words[0].how != asIs || strings.ContainsAny(words[0].text, " \t\n") ||
			slices.ContainsFunc(words, func(w word) bool { return w.how == unknown }) {
			t.plain = false
			return
		}
		p := simple{fixed: true}
		for _, w := range words {
			p.words = append(p.words, w.text)
			p.fixed = p.fixed && w.how == asIs
		}
		p.text = strings.Join(p.words, " ")
		t.parts = append(t.parts, p)
	case *syntax.BinaryCmd:
		if c.Op != syntax.AndStmt && c.Op != syntax.OrStmt && c.Op != syntax.Pipe {
			t.plain = false
			return
		}
		t.statement(c.X)
		t.statement(c.Y)
	default:
		t.plain = false
	}
}

// spills reports whether a redirection reads or writes a file. Output that is thrown
// away, and one output that goes where the other does, are none.
func spills(r *syntax.Redirect) bool {
	if r.N != nil && r.N.Value != "1" && r.N.Value != "2" || r.Word == nil || r.Hdoc != nil {
		return true
	}
	w := wordOf(r.Word)
	switch {
	case w.how != asIs:
		return true
	case r.Op == syntax.DplOut:
		return w.text != "1" && w.text != "2"
	case r.Op == syntax.RdrOut, r.Op == syntax.AppOut:
		return w.text != "/dev/null"
	}
	return true
}

// word is one of a command, without quotes.
type word struct {
	text string
	how  certainty
}

// certainty is what is known of a word.
type certainty int

const (
	asIs     certainty = iota
	replaced           // by values of variables, or names of files
	unknown            // by what a command writes, and the like
)

func wordsOf(args []*syntax.Word) []word {
	out := make([]word, len(args))
	for i, a := range args {
		out[i] = wordOf(a)
	}
	return out
}

func wordOf(w *syntax.Word) word {
	var b strings.Builder
	how := asIs
	for i, part := range w.Parts {
		switch p := part.(type) {
		case *syntax.Lit:
			text, special := unquoted(p.Value)
			b.WriteString(text)
			if special || i == 0 && strings.HasPrefix(p.Value, "~") || strings.Contains(p.Value, "=~") || strings.Contains(p.Value, ":~") || strings.HasPrefix(p.Value, "=") && i == 0 {
				how = max(how, replaced)
			}
		case *syntax.SglQuoted:
			b.WriteString(p.Value)
			if p.Dollar {
				how = unknown
			}
		case *syntax.DblQuoted:
			if p.Dollar {
				how = unknown
			}
			for _, q := range p.Parts {
				switch q := q.(type) {
				case *syntax.Lit:
					b.WriteString(doubleQuoted(q.Value))
				case *syntax.ParamExp:
					how = max(how, parameter(&b, q))
				default:
					how = unknown
				}
			}
		case *syntax.ParamExp:
			how = max(how, parameter(&b, p))
		default:
			how = unknown
		}
	}
	return word{b.String(), how}
}

// parameter adds $NAME. Anything more may run commands.
func parameter(b *strings.Builder, p *syntax.ParamExp) certainty {
	if p.Param == nil || p.Excl || p.Length || p.Width || p.Index != nil || p.Slice != nil || p.Repl != nil || p.Exp != nil || p.Names != 0 {
		return unknown
	}
	b.WriteString("$" + p.Param.Value)
	return replaced
}

// unquoted takes backslashes out of a text, and says whether the shell may make other
// words of it.
func unquoted(s string) (string, bool) {
	special := strings.ContainsAny(s, "*?[{}") || strings.ContainsFunc(s, func(r rune) bool { return r >= 0x80 })
	if !strings.Contains(s, `\`) {
		return s, special
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			if i++; s[i] == '\n' {
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String(), special
}

// doubleQuoted takes backslashes out that mean something between double quotes.
func doubleQuoted(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && strings.IndexByte("$`\"\\\n", s[i+1]) >= 0 {
			if i++; s[i] == '\n' {
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// run notes a command, and what it is told to run in turn.
func (t *shellText) run(words []word, depth int) {
	for len(words) > 0 {
		if words[0].how != asIs || len(t.runs) > maxRuns {
			t.dynamic = true
			return
		}
		name := path.Base(words[0].text)
		texts := []string{words[0].text}
		for _, w := range words[1:] {
			if w.how != asIs {
				t.open = append(t.open, texts[0], name)
			}
			texts = append(texts, w.text)
		}
		t.runs = append(t.runs, strings.Join(texts, " "))
		if name != texts[0] {
			t.runs = append(t.runs, strings.Join(append([]string{name}, texts[1:]...), " "))
		}
		rest := words[1:]
		switch name {
		case "sudo", "doas", "env", "command", "exec", "builtin", "nohup", "nice", "ionice", "time", "timeout", "xargs", "setsid", "stdbuf", "busybox", "chroot", "su":
			// Options may take a word, and which is the command is not known then.
			for len(rest) > 0 && (strings.Contains(rest[0].text, "=") && name == "env" || name == "timeout" && isNumber(rest[0].text)) {
				rest = rest[1:]
			}
			if len(rest) > 0 && strings.HasPrefix(rest[0].text, "-") || name == "su" || name == "chroot" {
				t.dynamic = true
				return
			}
			words = rest
			continue
		case "sh", "bash", "dash", "zsh", "ksh", "fish":
			if len(rest) == 2 && rest[0].text == "-c" && rest[1].how == asIs {
				t.read(rest[1].text, depth+1)
			} else if len(rest) > 0 {
				t.dynamic = true
			}
		case "eval":
			for _, w := range rest {
				if w.how != asIs {
					t.dynamic = true
				}
			}
			t.read(strings.Join(texts[1:], " "), depth+1)
		case "source", ".", "trap", "alias", "parallel", "script", "expect":
			t.dynamic = true
		case "find":
			for i, w := range rest {
				if slices.Contains([]string{"-exec", "-execdir", "-ok", "-okdir"}, w.text) {
					t.run(rest[i+1:], depth)
				}
			}
		}
		return
	}
}

func isNumber(s string) bool {
	return s != "" && strings.Trim(s, "0123456789.smhd") == ""
}
