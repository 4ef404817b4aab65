package offline

import (
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// withoutPlease drops what people say before a request.
func withoutPlease(s string) string {
	for again := true; again; {
		again = false
		for _, w := range []string{"please ", "please, ", "can you ", "could you ", "would you ", "will you ", "now ", "hey, ", "ok, ", "and ",
			"请帮我", "请你", "请", "帮我", "麻烦你", "麻烦", "你能不能", "你能", "能不能", "能否", "可以", "现在", "再"} {
			if len(s) > len(w) && strings.EqualFold(s[:len(w)], w) {
				s, again = strings.TrimSpace(s[len(w):]), true
			}
		}
	}
	return s
}

// withoutThanks drops what people say behind a request.
func withoutThanks(s string) string {
	for again := true; again; {
		again = false
		for _, w := range []string{" please", " for me", "谢谢", " thanks", " thank you", "吗？", "吗?", "吗", "吧"} {
			if t, ok := strings.CutSuffix(strings.TrimRight(s, ".! "), w); ok && t != "" {
				s, again = strings.TrimRight(t, " ,，。"), true
			}
		}
	}
	return s
}

// trimEnd drops the punctuation that ends a sentence. The dots of ".." and "."
// stay.
func trimEnd(s string) string {
	s = strings.TrimRight(s, "?!,;:，。；：？！、")
	if t, ok := strings.CutSuffix(s, "."); ok && t != "" && !strings.HasSuffix(t, ".") && !strings.HasSuffix(t, "/") {
		s = strings.TrimRight(t, "?!,;:")
	}
	return s
}

// quotes are pairs of opening and closing marks.
func quotes() []string {
	return []string{`""`, "''", "``", "“”", "‘’", "「」", "『』", "《》"}
}

// unquote takes one pair of quotes off a text that stands in it as a whole.
func unquote(s string) string {
	for _, q := range quotes() {
		open, n := utf8.DecodeRuneInString(q)
		end, _ := utf8.DecodeRuneInString(q[n:])
		if strings.HasPrefix(s, string(open)) && strings.HasSuffix(s, string(end)) && len(s) >= len(q) {
			inner := s[n : len(s)-utf8.RuneLen(end)]
			if !strings.ContainsRune(inner, end) {
				return inner
			}
		}
	}
	return s
}

// folder turns what somebody calls a folder into a path.
func folder(s string) string {
	switch strings.ToLower(s) {
	case "", ".", "./", "here", "this", "folder", "directory", "dir", "project", "repository", "repo", "it", "files", "code", "the", "current",
		"当前", "这个", "这里", "项目", "本":
		return ""
	}
	return s
}

// isFile reports whether a word looks like the name of a file.
func isFile(s string) bool {
	if s == "" || len(s) > 500 || strings.Contains(s, "://") || strings.ContainsAny(s, "\n\x00<>|") {
		return false
	}
	base := path.Base(strings.ReplaceAll(s, `\`, "/"))
	if slices.Contains([]string{"README", "LICENSE", "NOTICE", "COPYING", "AUTHORS", "CHANGELOG", "Makefile", "Dockerfile", "Justfile", "Procfile"}, base) {
		return true
	}
	if slices.Contains([]string{"e.g", "i.e", "..", "."}, base) {
		return false
	}
	ext := path.Ext(base)
	if len(ext) < 2 || len(ext) > 12 {
		return strings.HasPrefix(base, ".") && len(base) > 2
	}
	letter := false
	for _, r := range ext[1:] {
		if r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' && r != '-' {
			return false
		}
		letter = letter || unicode.IsLetter(r)
	}
	return letter
}

// filesIn returns the files that a sentence names, each once: words that look
// like files and, if somebody wants to see one, whatever is quoted.
func filesIn(s string, wanted bool) []string {
	var files []string
	add := func(f string) {
		if f = trimEnd(f); f != "" && !slices.Contains(files, f) {
			files = append(files, f)
		}
	}
	for _, w := range split(s) {
		inner := unquote(w)
		switch {
		case inner != w && (isFile(inner) || wanted && inner != "" && len(inner) < 200 && !strings.Contains(inner, "\n")):
			add(inner)
		case inner != w:
		case isFile(trimEnd(w)) && isASCII(w):
			add(strings.TrimPrefix(w, "@"))
		case isASCII(w):
			if wanted && strings.HasSuffix(trimEnd(w), "/") && !strings.Contains(w, "://") {
				add(w)
			}
		default:
			for _, f := range mixed(w) {
				add(f)
			}
		}
	}
	return files
}

// split cuts a sentence into words; what is quoted is one, with its quotes.
func split(s string) []string {
	var words []string
	start, end := 0, rune(0)
	for i, r := range s {
		switch {
		case end != 0:
			if r == end {
				words = append(words, s[start:i+utf8.RuneLen(r)])
				start, end = i+utf8.RuneLen(r), 0
			}
		case unicode.IsSpace(r) || strings.ContainsRune("，。；：？！、,;()（）", r):
			words = append(words, s[start:i])
			start = i + utf8.RuneLen(r)
		default:
			for _, q := range quotes() {
				open, n := utf8.DecodeRuneInString(q)
				closing, _ := utf8.DecodeRuneInString(q[n:])
				if r != open || start != i && r == '\'' || !strings.ContainsRune(s[i+n:], closing) {
					continue
				}
				words = append(words, s[start:i])
				start, end = i, closing
				break
			}
		}
	}
	words = append(words, s[start:])
	return slices.DeleteFunc(words, func(w string) bool { return w == "" })
}

// mixed finds files in a word of Chinese and other letters: the runs of other
// letters, or the whole word without the verb before it if the name is Chinese.
func mixed(w string) []string {
	var files []string
	start := -1
	for i, r := range w + "字" {
		ascii := r <= unicode.MaxASCII && r > ' '
		switch {
		case ascii && start < 0:
			start = i
		case !ascii && start >= 0:
			run := w[start:i]
			if strings.HasPrefix(run, ".") && start > 0 {
				run = chineseName(w[:start]) + run
			}
			if isFile(trimEnd(run)) {
				files = append(files, trimEnd(run))
			}
			start = -1
		}
	}
	return files
}

// chineseName drops the verbs in front of a name.
func chineseName(s string) string {
	for _, verb := range []string{"读一下", "读取", "看一下", "看看", "打开", "显示", "查看", "总结", "文件", "读", "看", "把", "将", "在", "和", "与"} {
		if i := strings.LastIndex(s, verb); i >= 0 && i+len(verb) < len(s) {
			s = s[i+len(verb):]
		}
	}
	return s
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// head returns the beginning of s, at most n bytes and at least one character.
func head(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	if n == 0 {
		_, n = utf8.DecodeRuneInString(s)
	}
	return s[:n]
}
