package offline

import (
	"fmt"
	"strconv"
	"strings"
)

// material tells a request from a text that was given with it, as in
//
//	git diff | bough -p "Review this"
//
// Text and request stand in paragraphs of their own. What is named in the text is
// no request to read it.
func material(s string) (request, text string) {
	isRequest := func(p string) bool { return p != "" && len(p) <= 200 && !strings.Contains(p, "\n") }
	if head, diff, tail, ok := cutDiff(s); ok {
		for _, p := range []string{tail, head} {
			if p = strings.TrimSpace(p); isRequest(p) {
				return p, diff
			}
		}
		return "", diff
	}
	s = strings.TrimSpace(s)
	if strings.Count(s, "\n") < 3 {
		return s, ""
	}
	if i := strings.LastIndex(s, "\n\n"); i >= 0 && isRequest(strings.TrimSpace(s[i:])) && !isOrder(s) {
		return strings.TrimSpace(s[i:]), strings.TrimSpace(s[:i])
	}
	if head, rest, ok := strings.Cut(s, "\n\n"); ok && isRequest(head) && !isOrder(s) {
		return head, strings.TrimSpace(rest)
	}
	return s, ""
}

// isOrder reports whether a text is a request as a whole, such as one to write
// several paragraphs to a file.
func isOrder(s string) bool {
	if len(s) > longest {
		return false
	}
	for _, r := range table().rules {
		if _, ok := r.match(withoutPlease(s)); ok && (r.kind == writeFile || r.kind == editFile) {
			return true
		}
	}
	return false
}

// cutDiff finds a diff in a text.
func cutDiff(s string) (head, diff, tail string, ok bool) {
	at := -1
	was := ""
	pos, before := 0, 0
	for line := range strings.Lines(s) {
		switch {
		case strings.HasPrefix(line, "diff --git "):
			at = pos
		case strings.HasPrefix(was, "--- ") && strings.HasPrefix(line, "+++ "):
			at = before
		}
		if at >= 0 {
			break
		}
		was, before = line, pos
		pos += len(line)
	}
	if at < 0 {
		return "", "", "", false
	}
	head, diff = s[:at], s[at:]
	// The last paragraph may be about the diff.
	if i := strings.LastIndex(diff, "\n\n"); i >= 0 {
		if last := diff[i+2:]; last != "" && !strings.ContainsRune("+-@ \\\t", rune(last[0])) && !strings.HasPrefix(last, "diff ") && !strings.HasPrefix(last, "index ") {
			diff, tail = diff[:i], last
		}
	}
	return head, diff, tail, true
}

// change is what a diff does to one file.
type change struct {
	name           string
	added, removed int
}

// changes reads a diff.
func changes(diff string) []change {
	var all []change
	old := ""
	from, to := 0, 0 // lines of a hunk that are still to come
	for line := range strings.Lines(diff) {
		line = strings.TrimRight(line, "\r\n")
		in := from > 0 || to > 0
		switch {
		case !in && strings.HasPrefix(line, "diff --git "):
			_, name, _ := strings.Cut(line, " b/")
			all = append(all, change{name: name})
		case !in && strings.HasPrefix(line, "--- "):
			old = sideOf(line[4:])
		case !in && strings.HasPrefix(line, "+++ "):
			name := sideOf(line[4:])
			if name == "" {
				name = old
			}
			if n := len(all); n > 0 && all[n-1].added+all[n-1].removed == 0 {
				all[n-1].name = name
			} else {
				all = append(all, change{name: name})
			}
		case !in && strings.HasPrefix(line, "@@ "):
			from, to = hunk(line)
		case len(all) == 0 || !in || strings.HasPrefix(line, `\`):
		case strings.HasPrefix(line, "+"):
			all[len(all)-1].added++
			to--
		case strings.HasPrefix(line, "-"):
			all[len(all)-1].removed++
			from--
		default:
			from, to = from-1, to-1
		}
	}
	return all
}

// hunk returns how many lines of the old and of the new text follow a line such
// as "@@ -1,7 +1,6 @@".
func hunk(line string) (from, to int) {
	f := strings.Fields(line)
	if len(f) < 3 {
		return 0, 0
	}
	size := func(s string) int {
		_, n, ok := strings.Cut(s, ",")
		if !ok {
			return 1
		}
		lines, _ := strconv.Atoi(n) // what is no number has no lines
		return lines
	}
	return size(f[1]), size(f[2])
}

// sideOf is the file that one side of a diff names, "" if there is none.
func sideOf(s string) string {
	s, _, _ = strings.Cut(s, "\t")
	if s == "/dev/null" {
		return ""
	}
	for _, p := range []string{"a/", "b/"} {
		if t, ok := strings.CutPrefix(s, p); ok {
			return t
		}
	}
	return s
}

// tellPasted says what can be said of a text by rules.
func (l lang) tellPasted(request, text string) string {
	beyond := l.say("What it means is beyond me: that takes a real model. Set a provider's key, such as ANTHROPIC_API_KEY, and ask again.",
		"它的含义我看不懂：这需要真正的模型。请设置密钥（例如 ANTHROPIC_API_KEY）后再问。")
	if _, diff, _, ok := cutDiff(text); ok {
		all := changes(diff)
		added, removed := 0, 0
		var b strings.Builder
		for i, c := range all {
			added, removed = added+c.added, removed+c.removed
			if i < 20 {
				fmt.Fprintf(&b, "\n- %s +%d -%d", c.name, c.added, c.removed)
			}
		}
		if n := len(all) - 20; n > 0 {
			b.WriteString("\n" + l.say("- and %d more", "- 还有 %d 个", n))
		}
		files := l.say("%d files", "%d 个文件", len(all))
		if len(all) == 1 {
			files = l.say("1 file", "1 个文件")
		}
		return l.say("That is a diff of %s, +%d -%d:\n", "这是 %s 的差异，+%d -%d：\n", files, added, removed) + b.String() + "\n\n" + beyond
	}
	if wantsGist(request) {
		return l.say("Its headings or first lines:", "标题或开头几行：") + l.quote(strings.Join(gist(text, 8), "\n"))
	}
	return l.say("That is a text of %d lines, which begins:", "这是一段 %d 行的文字，开头是：", strings.Count(text, "\n")+1) +
		l.quote(strings.Join(gist(text, 6), "\n")) + "\n\n" + beyond
}
