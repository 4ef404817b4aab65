package permission

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// reader is a command that reads, if it is called in one of these ways.
type reader struct {
	flags  string   // letters of options without a value
	values string   // letters of options with one, which names no file
	long   []string // long options, with or without a value
	args   argKind
	skip   int  // words before the files: a pattern
	most   int  // of the words that are no options; 0: any number
	inner  bool // the shell has it itself
}

type argKind int

const (
	files argKind = iota // the words name files
	any                  // they are texts
	none
)

// readerOf returns the command of a name. What is not here may do more than read, or
// may be made to: git runs what its configuration says, so it is not.
func readerOf(name string) (reader, bool) {
	switch name {
	case "pwd":
		return reader{flags: "LP", args: none, inner: true}, true
	case "true", "false":
		return reader{args: any, inner: true}, true
	case "echo":
		return reader{flags: "neE", args: any, inner: true}, true
	case "sleep", "seq":
		return reader{args: any}, true
	case "whoami", "nproc", "arch":
		return reader{args: none}, true
	case "id":
		return reader{flags: "ugGnr", args: any}, true
	case "uname":
		return reader{flags: "asnrvmpio", args: none}, true
	case "ls":
		return reader{flags: "aAlhrtSRF1dgnopsCBGcuXUmQi", long: []string{"--all", "--almost-all", "--human-readable", "--recursive", "--reverse", "--directory", "--color", "--sort", "--time"}}, true
	case "cat":
		return reader{flags: "AbeEnstTuv", long: []string{"--number", "--show-all"}}, true
	case "head", "tail":
		return reader{flags: "qv0123456789", values: "nc", long: []string{"--lines", "--bytes", "--quiet", "--verbose"}}, true
	case "wc":
		return reader{flags: "clmwL", long: []string{"--lines", "--words", "--bytes", "--chars"}}, true
	case "nl":
		return reader{values: "bvw"}, true
	case "tac", "rev":
		return reader{}, true
	case "file":
		return reader{flags: "bihL", long: []string{"--brief", "--mime", "--mime-type"}}, true
	case "stat":
		return reader{flags: "Lt", values: "c", long: []string{"--format"}}, true
	case "du":
		return reader{flags: "abchkmsSx0", values: "d", long: []string{"--max-depth", "--human-readable", "--summarize", "--all"}}, true
	case "df":
		return reader{flags: "hkTiP"}, true
	case "grep", "egrep", "fgrep":
		return reader{flags: "EFGPivwxclLnohHqsrabzZU0123456789", values: "eABCm", skip: 1, long: []string{"--include", "--exclude", "--exclude-dir", "--color", "--count",
			"--line-number", "--ignore-case", "--recursive", "--fixed-strings", "--extended-regexp", "--perl-regexp", "--word-regexp", "--files-with-matches",
			"--only-matching", "--no-messages", "--with-filename", "--no-filename", "--max-count", "--context", "--after-context", "--before-context", "--invert-match"}}, true
	case "diff":
		return reader{flags: "uqwbBiaNpcy", values: "U", long: []string{"--unified", "--brief", "--color"}}, true
	case "cmp":
		return reader{flags: "sbl"}, true
	case "sort":
		return reader{flags: "bdfgiMhnRrVucmsz", values: "kt", long: []string{"--reverse", "--numeric-sort", "--unique", "--key", "--field-separator", "--human-numeric-sort", "--version-sort"}}, true
	case "uniq":
		return reader{flags: "cdDuiz", values: "fsw", most: 1, long: []string{"--count", "--repeated", "--unique", "--ignore-case"}}, true
	case "cut":
		return reader{flags: "sz", values: "dfcb", long: []string{"--delimiter", "--fields", "--characters"}}, true
	case "tr":
		return reader{flags: "cdsCt", args: any}, true
	case "basename", "dirname":
		return reader{flags: "az", args: any}, true
	case "realpath", "readlink":
		return reader{flags: "efmqsnz"}, true
	case "md5sum", "sha1sum", "sha256sum", "sha512sum":
		return reader{flags: "bt"}, true
	}
	return reader{}, false
}

// onlyReads reports whether it is certain that a command reads and nothing else, and
// only what may be read without a question.
func (x *judged) onlyReads() bool {
	return x.shell.plain && x.eachPart(func(_ simple, reads bool) bool { return reads })
}

// eachPart asks f of each part of a plain command, until it says no. reads means that
// the part is certain to do nothing else.
func (x *judged) eachPart(f func(s simple, reads bool) bool) bool {
	// dirs are the folders in which a part may be run: cd may fail.
	dirs := []string{realDir(x.Effect.Dir)}
	for _, s := range x.shell.parts {
		reads := false
		if s.fixed && s.words[0] == "cd" {
			to, ok := x.goes(s.words[1:], dirs)
			if reads = ok; ok {
				dirs = append(dirs, to...)
			}
		} else if s.fixed {
			reads = x.partReads(s.words, dirs)
		}
		if !f(s, reads) {
			return false
		}
		if !reads && slices.Contains([]string{"cd", "pushd", "popd", "builtin", "command", "eval", ".", "source"}, s.words[0]) {
			dirs = append(dirs, "") // wherever it goes
		}
	}
	return true
}

// goes returns where cd may lead.
func (x *judged) goes(args, dirs []string) ([]string, bool) {
	if len(args) != 1 || x.CDPath || strings.HasPrefix(args[0], "-") || args[0] == "" || strings.Contains(args[0], "..") {
		return nil, false
	}
	var out []string
	for _, d := range dirs {
		to, ok := x.place(d, args[0])
		if !ok {
			return nil, false
		}
		out = append(out, to)
	}
	return out, true
}

// place returns the real path of a name in a folder, false if it may not be read.
func (x *judged) place(dir, name string) (string, bool) {
	at := name
	if !filepath.IsAbs(name) {
		if dir == "" {
			return "", false
		}
		at = dir + string(filepath.Separator) + name // not cleaned: .. behind a link is not what it looks like
	}
	real, err := filepath.EvalSymlinks(at)
	if err != nil {
		// What is not there cannot be read; it must not come to be elsewhere either.
		if strings.Contains(name, "..") {
			return "", false
		}
		real = realParent(filepath.Clean(at))
	}
	return real, x.readable(real)
}

// realParent is the real path of something of which only folders above it are there.
func realParent(at string) string {
	for dir := filepath.Dir(at); ; dir = filepath.Dir(dir) {
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			rel, _ := filepath.Rel(dir, at) // dir is above it
			if _, err := os.Lstat(filepath.Join(dir, strings.Split(rel, string(filepath.Separator))[0])); err == nil {
				return "" // a link to nothing
			}
			return filepath.Join(real, rel)
		}
		if dir == filepath.Dir(dir) {
			return ""
		}
	}
}

// partReads reports whether a command is one that reads.
func (x *judged) partReads(words, dirs []string) bool {
	switch words[0] {
	case "find":
		return x.found(words[0]) && x.findReads(words[1:], dirs)
	case "sed":
		return x.found(words[0]) && x.sedReads(words[1:], dirs)
	case "date":
		return x.found(words[0]) && !slices.ContainsFunc(words[1:], func(w string) bool { return w != "-u" && !strings.HasPrefix(w, "+") })
	}
	r, ok := readerOf(words[0])
	if !ok || !r.inner && !x.found(words[0]) {
		return false
	}
	var names []string
	skip, ended := r.skip, false
	for i := 1; i < len(words); i++ {
		w := words[i]
		switch {
		case ended || w == "-" || !strings.HasPrefix(w, "-") || r.args == any && words[0] == "echo":
			names = append(names, w)
		case w == "--":
			ended = true
		case strings.HasPrefix(w, "--"):
			if name, _, _ := strings.Cut(w, "="); !slices.Contains(r.long, name) || !strings.Contains(w, "=") && takesValue(name) {
				return false
			}
		default:
			for j, c := range w[1:] {
				if strings.ContainsRune(r.flags, c) {
					continue
				}
				if !strings.ContainsRune(r.values, c) {
					return false
				}
				if c == 'e' {
					skip = 0
				}
				if j == len(w)-2 { // its value is the next word
					i++
				}
				break
			}
		}
	}
	switch r.args {
	case any:
		return true
	case none:
		return len(names) == 0
	}
	if r.most > 0 && len(names) > r.most {
		return false
	}
	if words[0] == "diff" && slices.ContainsFunc(names, func(name string) bool { return anyFolder(name, dirs) }) {
		return false // it reads what is in a folder, links too
	}
	return x.allReadable(names[min(skip, len(names)):], dirs)
}

// anyFolder reports whether a name is a folder, as seen from one of the folders.
func anyFolder(name string, dirs []string) bool {
	return slices.ContainsFunc(dirs, func(dir string) bool {
		at := name
		if !filepath.IsAbs(at) {
			at = dir + string(filepath.Separator) + at
		}
		info, err := os.Stat(at)
		return err == nil && info.IsDir()
	})
}

// takesValue reports whether a long option takes the next word if there is no "=".
func takesValue(name string) bool {
	switch name {
	case "--lines", "--bytes", "--format", "--max-depth", "--include", "--exclude", "--exclude-dir", "--max-count", "--context", "--after-context", "--before-context",
		"--key", "--field-separator", "--delimiter", "--fields", "--characters", "--sort", "--time":
		return true
	}
	return false
}

func (x *judged) allReadable(names, dirs []string) bool {
	for _, name := range names {
		for _, d := range dirs {
			if _, ok := x.place(d, name); !ok && name != "-" {
				return false
			}
		}
	}
	for _, d := range dirs {
		if d == "" || !x.readable(d) {
			return false
		}
	}
	return true
}

// findReads reports whether find is told to list, and nothing else.
func (x *judged) findReads(args, dirs []string) bool {
	i := 0
	for i < len(args) && !strings.HasPrefix(args[i], "-") && args[i] != "(" && args[i] != "!" {
		i++
	}
	roots := args[:i]
	for ; i < len(args); i++ {
		switch args[i] {
		case "-name", "-iname", "-path", "-ipath", "-type", "-maxdepth", "-mindepth", "-size", "-mtime", "-mmin":
			i++
		case "-print", "-print0", "-empty", "-not", "!", "-o", "-a", "-or", "-and", "-prune", "(", ")", "-ls":
		default:
			return false
		}
	}
	return x.allReadable(roots, dirs)
}

// sedReads reports whether sed is told to print lines by their numbers.
func (x *judged) sedReads(args, dirs []string) bool {
	if len(args) < 2 || args[0] != "-n" {
		return false
	}
	from, to, _ := strings.Cut(strings.TrimSuffix(args[1], "p"), ",")
	number := func(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
	if !strings.HasSuffix(args[1], "p") || !number(from) || to != "" && to != "$" && !number(to) {
		return false
	}
	return !slices.ContainsFunc(args[2:], func(w string) bool { return strings.HasPrefix(w, "-") }) && x.allReadable(args[2:], dirs)
}

// found reports whether a command is one of the system, not one that lies where the
// model may write.
func (x *judged) found(name string) bool {
	if strings.ContainsAny(name, `/\`) {
		return false
	}
	for dir := range strings.SplitSeq(x.Path, string(filepath.ListSeparator)) {
		if !filepath.IsAbs(dir) || below(realDir(dir), x.real) {
			return false
		}
		if info, err := os.Stat(filepath.Join(dir, name)); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			real, err := filepath.EvalSymlinks(filepath.Join(dir, name))
			return err == nil && !below(real, x.real)
		}
	}
	return false
}
