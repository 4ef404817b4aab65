package lang

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// spoken are the folders whose texts are translated.
var spoken = []string{"../frontend/tui", "../frontend/slash", "../render"}

// calls are functions that translate: which of their arguments, and whether what
// follows are those of its verbs.
var calls = map[string][]int{
	"t": {0}, "T": {0}, "flash": {0}, "tell": {1}, "said": {1, 2}, "done0": {1}, "promise": {1}, "listed": {0}, "document": {0}, "n": {2}, "N": {2},
	"New": {0}, "Errorf": {0}, // errors, by Said
}

// fields are those of types whose texts are translated where they are drawn.
var fields = map[string]map[string]int{
	"hint": {"words": 1}, "choice": {"text": 0}, "question": {"text": -1}, "picker": {"title": -1, "empty": -1, "verb": -1, "wait": -1},
	"page": {"title": 0}, "paper": {"title": -1}, "purpose": {"words": 0}, "binding": {"help": 2}, "Spec": {"Help": -1, "More": -1, "Args": -1},
}

// elided are the types of elements that are written without them.
var elided = map[string]string{"hint": "hint", "choice": "choice", "binding": "binding", "Spec": "Spec"}

// text is one that must be in the table.
type text struct {
	words, where string
	args         int // given to its verbs; -1: unknown
}

// constant is the value of a string that stands in the source, also in pieces.
func constant(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		if e.Kind == token.STRING {
			s, err := strconv.Unquote(e.Value)
			return s, err == nil
		}
	case *ast.ParenExpr:
		return constant(e.X)
	case *ast.BinaryExpr:
		a, ok := constant(e.X)
		b, ok2 := constant(e.Y)
		return a + b, ok && ok2 && e.Op == token.ADD
	}
	return "", false
}

func name(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	case *ast.UnaryExpr:
		return name(e.X)
	case *ast.ArrayType:
		return name(e.Elt)
	case *ast.IndexExpr:
		return name(e.X)
	}
	return ""
}

// textsOf finds what is translated in a file.
func textsOf(files *token.FileSet, f *ast.File) (found []text, made []string) {
	add := func(e ast.Expr, args int) {
		where := files.Position(e.Pos()).String()
		if s, ok := constant(e); ok {
			found = append(found, text{s, where, args})
			return
		}
		if b, ok := e.(*ast.BinaryExpr); ok && b.Op == token.ADD {
			ast.Inspect(b, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.CallExpr:
					return false
				case *ast.BasicLit:
					if s, ok := constant(n); ok && says(s) {
						made = append(made, where+": "+s)
					}
				}
				return true
			})
		}
	}
	var literal func(c *ast.CompositeLit, kind string)
	literal = func(c *ast.CompositeLit, kind string) {
		for i, e := range c.Elts {
			if inner, ok := e.(*ast.CompositeLit); ok && inner.Type == nil && elided[kind] != "" {
				literal(inner, kind)
				continue
			}
			if kv, ok := e.(*ast.KeyValueExpr); ok {
				if _, ok := fields[kind][name(kv.Key)]; ok {
					add(kv.Value, -1)
				}
				continue
			}
			for _, at := range fields[kind] {
				if at == i {
					add(e, -1)
				}
			}
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CompositeLit:
			if n.Type != nil {
				literal(n, name(n.Type))
			}
		case *ast.CallExpr:
			called := name(n.Fun)
			for _, at := range calls[called] {
				if at >= len(n.Args) {
					continue
				}
				args := len(n.Args) - at - 1
				switch {
				case n.Ellipsis.IsValid():
					args = -1
				case called == "n" || called == "N":
					args++
				case called == "listed" || called == "document":
					args = 0
				}
				add(n.Args[at], args)
			}
		}
		return true
	})
	return found, made
}

var word = regexp.MustCompile(`[A-Za-z]`)

// says reports whether a text has words.
func says(s string) bool {
	pieces, _ := split(s)
	return word.MatchString(strings.Join(pieces, ""))
}

// verbsOf are the verbs of a format in the order of their arguments.
func verbsOf(s string) []string {
	_, verbs := split(s)
	out := map[int]string{}
	at := 0
	for _, v := range verbs {
		if from := strings.IndexByte(v, '['); from >= 0 {
			to := strings.IndexByte(v, ']')
			at, _ = strconv.Atoi(v[from+1 : to])
			at--
			v = v[:from] + v[to+1:]
		}
		out[at] = v[len(v)-1:]
		at++
	}
	var list []string
	for i := range len(out) {
		list = append(list, out[i])
	}
	return list
}

func sources(t *testing.T, dirs ...string) (*token.FileSet, map[string]*ast.File) {
	t.Helper()
	set, files := token.NewFileSet(), map[string]*ast.File{}
	for _, dir := range dirs {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.Contains(path, "tuitest") {
				return err
			}
			files[path], err = parser.ParseFile(set, path, nil, 0)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return set, files
}

func TestEveryTextIsInTheTable(t *testing.T) {
	set, files := sources(t, spoken...)
	table := chinese()
	for _, f := range files {
		texts, made := textsOf(set, f)
		for _, x := range texts {
			if _, ok := table[x.words]; !ok && says(x.words) {
				t.Errorf("%s: %q has no line in the table of internal/lang", x.where, x.words)
			}
			if n := len(verbsOf(x.words)); x.args > 0 && n != x.args {
				t.Errorf("%s: %q has %d verbs and %d arguments", x.where, x.words, n, x.args)
			}
		}
		for _, m := range made {
			t.Errorf("%s: a text that is translated is not put together of pieces; give it verbs", m)
		}
	}
}

func TestTheTableIsRight(t *testing.T) {
	_, files := sources(t, "..", "../../protocol", "../../session", "../../tool", "../../provider")
	used := map[string]bool{}
	for path, f := range files {
		if strings.HasPrefix(path, "../lang/") {
			continue
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if e, ok := n.(ast.Expr); ok {
				if s, ok := constant(e); ok {
					used[s] = true
				}
			}
			return true
		})
	}
	seen := map[string]bool{}
	for _, l := range slices.Concat(tables()...) {
		switch {
		case seen[l.en]:
			t.Errorf("%q is in the table twice", l.en)
		case !used[l.en]:
			t.Errorf("%q is in the table and said nowhere", l.en)
		case l.zh == "":
			t.Errorf("%q has no Chinese", l.en)
		}
		seen[l.en] = true
		if en, zh := verbsOf(l.en), verbsOf(l.zh); !slices.Equal(en, zh) {
			t.Errorf("%q has the verbs %q, its Chinese %q has %q", l.en, en, l.zh, zh)
		}
		if strings.HasPrefix(l.en, " ") != strings.HasPrefix(l.zh, " ") || strings.Count(l.en, "\n") != strings.Count(l.zh, "\n") {
			t.Errorf("%q and %q differ in blanks at the start, or in lines", l.en, l.zh)
		}
	}
}
