package markdown

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/boughdev/bough/internal/styled"
)

// A language says as much of a programming language as it takes to tell words,
// strings, comments and numbers apart. That is little, but it is true, and costs
// nothing at the start and some 10 ns a byte; the lexers of highlighting libraries
// cost 1 to 3 µs.
type language struct {
	line     []string // begin a comment up to the end of the line
	block    []string // begin and end a comment: pairs
	strings  string   // quotes of strings that end with their line at the latest
	long     []string // quotes of strings of several lines
	keywords string   // parted by blanks
	any      bool     // keywords in any case
}

const (
	cWords  = "break case const continue default do else enum extern for goto if inline return sizeof static struct switch typedef union volatile while true false NULL "
	jsWords = "async await break case catch class const continue debugger default delete do else export extends finally for from function if import in instanceof let new of return static super switch this throw try typeof var void while yield true false null undefined "
)

// languages by the names that fences and file names have.
var languages = sync.OnceValue(func() map[string]*language {
	return map[string]*language{
		"go":         {line: []string{"//"}, block: []string{"/*", "*/"}, strings: `"'`, long: []string{"`"}, keywords: "break case chan const continue default defer else fallthrough for func go goto if import interface map package range return select struct switch type var true false nil"},
		"c":          {line: []string{"//"}, block: []string{"/*", "*/"}, strings: `"'`, keywords: cWords + "auto char double float int long register short signed unsigned void"},
		"cpp":        {line: []string{"//"}, block: []string{"/*", "*/"}, strings: `"'`, keywords: cWords + "auto bool catch char class concept constexpr delete double explicit final float friend int long namespace new noexcept nullptr operator override private protected public requires short template this throw try typename unsigned using virtual void"},
		"csharp":     {line: []string{"//"}, block: []string{"/*", "*/"}, strings: `"'`, keywords: cWords + "abstract as async await base bool catch class decimal delegate event finally foreach get in init int interface internal is lock namespace new null object out override params partial private protected public readonly record ref sealed set string this throw try using var virtual void where yield"},
		"java":       {line: []string{"//"}, block: []string{"/*", "*/"}, strings: `"'`, long: []string{`"""`}, keywords: "abstract assert boolean break byte case catch char class const continue default do double else enum extends final finally float for if implements import instanceof int interface long native new null package permits private protected public record return sealed short static super switch synchronized this throw throws transient true false try var void volatile while yield"},
		"kotlin":     {line: []string{"//"}, block: []string{"/*", "*/"}, strings: `"'`, long: []string{`"""`}, keywords: "abstract as break by catch class companion const continue data do else enum false final finally for fun if import in infix init inline interface internal is lateinit null object open operator override package private protected public return sealed super suspend this throw true try typealias val var vararg when where while"},
		"swift":      {line: []string{"//"}, block: []string{"/*", "*/"}, strings: `"`, long: []string{`"""`}, keywords: "actor as async await break case catch class continue default defer do else enum extension false fileprivate final for func guard if import in init inout internal is let nil open override private protocol public repeat rethrows return self static struct super switch throw throws true try typealias var where while"},
		"rust":       {line: []string{"//"}, block: []string{"/*", "*/"}, strings: `"`, keywords: "as async await break const continue crate dyn else enum extern false fn for if impl in let loop match mod move mut pub ref return self Self static struct super trait true type unsafe use where while"},
		"javascript": {line: []string{"//"}, block: []string{"/*", "*/"}, strings: `"'`, long: []string{"`"}, keywords: jsWords},
		"typescript": {line: []string{"//"}, block: []string{"/*", "*/"}, strings: `"'`, long: []string{"`"}, keywords: jsWords + "abstract any as boolean declare enum implements interface infer is keyof namespace never number private protected public readonly satisfies string type unknown"},
		"python":     {line: []string{"#"}, strings: `"'`, long: []string{`"""`, "'''"}, keywords: "and as assert async await break class continue def del elif else except finally for from global if import in is lambda match nonlocal not or pass raise return try while with yield True False None self"},
		"ruby":       {line: []string{"#"}, strings: `"'`, keywords: "alias and begin break case class def do else elsif end ensure false for if in module next nil not or redo rescue retry return self super then true undef unless until when while yield"},
		"php":        {line: []string{"//", "#"}, block: []string{"/*", "*/"}, strings: `"'`, keywords: "abstract and array as break case catch class const continue declare default do echo else elseif enum extends final finally fn for foreach function global if implements include instanceof interface isset match namespace new null or private protected public readonly require return static switch this throw trait true false try unset use var while yield"},
		"lua":        {line: []string{"--"}, block: []string{"--[[", "]]"}, strings: `"'`, long: []string{"[["}, keywords: "and break do else elseif end false for function goto if in local nil not or repeat return then true until while"},
		"sh":         {line: []string{"#"}, strings: `"'`, keywords: "case do done elif else esac exit export fi for function if in local return select set shift source then trap unset until while"},
		"sql":        {line: []string{"--"}, block: []string{"/*", "*/"}, strings: `"'`, any: true, keywords: "add all alter and as asc begin between by case check column commit constraint create cross default delete desc distinct drop else end exists foreign from full group having in index inner insert into is join key left like limit not null on or order outer primary references right rollback select set table then union unique update using values view when where with"},
		"json":       {strings: `"`, keywords: "true false null"},
		"yaml":       {line: []string{"#"}, strings: `"'`, keywords: "true false null yes no"},
		"toml":       {line: []string{"#"}, strings: `"'`, long: []string{`"""`}, keywords: "true false"},
		"css":        {block: []string{"/*", "*/"}, strings: `"'`, keywords: "important inherit initial none auto"},
		"html":       {block: []string{"<!--", "-->"}, strings: `"'`},
		"dockerfile": {line: []string{"#"}, strings: `"'`, any: true, keywords: "add arg cmd copy entrypoint env expose from healthcheck label run shell user volume workdir"},
		"make":       {line: []string{"#"}, strings: `"'`, keywords: "define else endef endif export ifdef ifeq ifndef ifneq include override"},
		"elixir":     {line: []string{"#"}, strings: `"'`, long: []string{`"""`}, keywords: "after and case catch cond def defimpl defmacro defmodule defp defprotocol defstruct do else end false fn for if import in nil not or quote raise receive require rescue true try unless use when with"},
		"haskell":    {line: []string{"--"}, block: []string{"{-", "-}"}, strings: `"`, keywords: "case class data deriving do else if import in infix instance let module newtype of then type where"},
		"zig":        {line: []string{"//"}, strings: `"'`, keywords: "and break catch const continue defer else enum errdefer error export extern false fn for if inline null or orelse packed pub return struct switch test true try undefined union unreachable var while"},
	}
})

var aliases = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"golang": "go", "h": "c", "cc": "cpp", "c++": "cpp", "cxx": "cpp", "hpp": "cpp", "cs": "csharp", "c#": "csharp", "kt": "kotlin", "kts": "kotlin", "rs": "rust",
		"js": "javascript", "jsx": "javascript", "mjs": "javascript", "cjs": "javascript", "ts": "typescript", "tsx": "typescript", "py": "python", "python3": "python",
		"rb": "ruby", "bash": "sh", "shell": "sh", "zsh": "sh", "console": "sh", "sh-session": "sh", "fish": "sh", "jsonc": "json", "json5": "json", "jsonl": "json", "yml": "yaml",
		"ini": "toml", "conf": "toml", "scss": "css", "less": "css", "xml": "html", "svg": "html", "vue": "html", "svelte": "html", "docker": "dockerfile", "makefile": "make", "mk": "make",
		"ex": "elixir", "exs": "elixir", "hs": "haskell", "postgresql": "sql", "mysql": "sql", "sqlite": "sql",
	}
})

// Language returns the name by which [Highlight] knows the language of a file, ""
// if it knows none.
func Language(path string) string {
	base := path[strings.LastIndexAny(path, `/\`)+1:]
	name := strings.ToLower(base)
	if i := strings.LastIndexByte(name, '.'); i >= 0 {
		name = name[i+1:]
	}
	if a, ok := aliases()[name]; ok {
		return a
	}
	if _, ok := languages()[name]; ok || name == "diff" || name == "patch" {
		return name
	}
	return ""
}

// mostHighlighted is how much of a text is looked at, in bytes; the rest is plain.
const mostHighlighted = 256 << 10

// Highlight makes rows of code. The text must be clean.
func Highlight(source, lang string, t Theme) []styled.Line {
	lang = strings.ToLower(lang)
	if lang == "diff" || lang == "patch" {
		return diff(source, t)
	}
	if a, ok := aliases()[lang]; ok {
		lang = a
	}
	l := languages()[lang]
	h := highlighter{t: t}
	if l == nil {
		h.add(source, t.CodeBlock)
		return h.end()
	}
	rest := ""
	if len(source) > mostHighlighted {
		cut := mostHighlighted
		for cut > 0 && !utf8.RuneStart(source[cut]) {
			cut--
		}
		source, rest = source[:cut], source[cut:]
	}
	h.run(source, l)
	h.add(rest, t.CodeBlock)
	return h.end()
}

// diff colors the rows of a patch.
func diff(source string, t Theme) []styled.Line {
	var out []styled.Line
	for line := range strings.SplitSeq(source, "\n") {
		style := t.CodeBlock
		switch {
		case strings.HasPrefix(line, "@@"):
			style = t.Hunk
		case strings.HasPrefix(line, "+"):
			style = t.Added
		case strings.HasPrefix(line, "-"):
			style = t.Removed
		}
		out = append(out, styled.Of(line, style))
	}
	return out
}

type highlighter struct {
	t   Theme
	out []styled.Line
	row styled.Line
}

func (h *highlighter) add(s string, style styled.Style) {
	for {
		line, rest, more := strings.Cut(s, "\n")
		if line != "" {
			if n := len(h.row); n > 0 && h.row[n-1].Style == style {
				h.row[n-1].Text += line
			} else {
				h.row = append(h.row, styled.Span{Text: line, Style: style})
			}
		}
		if !more {
			return
		}
		h.out, h.row = append(h.out, h.row), nil
		s = rest
	}
}

func (h *highlighter) end() []styled.Line { return append(h.out, h.row) }

func (h *highlighter) run(s string, l *language) {
	words := map[string]bool{}
	for w := range strings.FieldsSeq(l.keywords) {
		words[w] = true
	}
	plain := 0 // where what is nothing special begins
	flush := func(at int) { h.add(s[plain:at], h.t.CodeBlock) }
	for i := 0; i < len(s); {
		n, style := l.token(s[i:], i == 0 || !isWord(s[i-1]), words, h.t)
		if n == 0 {
			if isWord(s[i]) { // a word goes as one
				for i < len(s) && isWord(s[i]) {
					i++
				}
			} else {
				i++
			}
			continue
		}
		flush(i)
		h.add(s[i:i+n], style)
		i += n
		plain = i
	}
	flush(len(s))
}

func isWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

// token returns how long the token is that s begins with, 0 if it is nothing
// special.
func (l *language) token(s string, fresh bool, words map[string]bool, t Theme) (int, styled.Style) {
	for i := 0; i+1 < len(l.block); i += 2 {
		if strings.HasPrefix(s, l.block[i]) {
			return upTo(s, len(l.block[i]), l.block[i+1]), t.Comment
		}
	}
	for _, mark := range l.line {
		if strings.HasPrefix(s, mark) && (mark != "#" || fresh) {
			if n := strings.IndexByte(s, '\n'); n >= 0 {
				return n, t.Comment
			}
			return len(s), t.Comment
		}
	}
	for _, q := range l.long {
		if strings.HasPrefix(s, q) {
			end := q
			if q == "[[" {
				end = "]]"
			}
			return upTo(s, len(q), end), t.String
		}
	}
	c := s[0]
	if strings.IndexByte(l.strings, c) >= 0 {
		if n := quoted(s); n > 0 {
			return n, t.String
		}
		return 0, t.CodeBlock
	}
	if !isWord(c) {
		return mark(s, t)
	}
	if !fresh {
		return 0, t.CodeBlock
	}
	n := 1
	for n < len(s) && (isWord(s[n]) || c >= '0' && c <= '9' && s[n] == '.') {
		n++
	}
	word := s[:n]
	switch {
	case c >= '0' && c <= '9':
		return n, t.Number
	case words[word] || l.any && words[strings.ToLower(word)]:
		return n, t.Keyword
	case n < len(s) && s[n] == '(' && unicode.IsLetter(rune(c)):
		return n, t.Name
	case t.Type != (styled.Style{}) && strings.Contains(typeWords, " "+word+" "):
		return n, t.Type
	}
	return 0, t.CodeBlock
}

// typeWords are names of types that come with languages.
const typeWords = " any bool boolean byte char complex64 complex128 double error f32 f64 float float32 float64 i8 i16 i32 i64 i128 isize int int8 int16 int32 int64 integer " +
	"list dict set tuple long number object rune short str string String u8 u16 u32 u64 u128 usize uint uint8 uint16 uint32 uint64 uintptr unknown unsigned Vec Option Result void "

// mark is what stands between words, where a theme has a color for it.
func mark(s string, t Theme) (int, styled.Style) {
	for _, m := range [...]struct {
		chars string
		style styled.Style
	}{{"+-*/%=<>!&|^~?", t.Operator}, {"()[]{},;:.", t.Punctuation}} {
		if m.style != (styled.Style{}) && strings.IndexByte(m.chars, s[0]) >= 0 {
			return 1, m.style
		}
	}
	return 0, t.CodeBlock
}

// upTo returns where a text ends that begins with some bytes and ends in end.
func upTo(s string, from int, end string) int {
	if i := strings.Index(s[from:], end); i >= 0 {
		return from + i + len(end)
	}
	return len(s)
}

// quoted returns how long the string is that s begins with, 0 if it is not closed
// on its line: then the quote is something else.
func quoted(s string) int {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '\n':
			return 0
		case s[0]:
			return i + 1
		}
	}
	return 0
}
