package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/boughdev/bough/internal/golden"
	"github.com/boughdev/bough/internal/rawjson"
)

// What docs/rpc-commands.md shows is what is answered, to the letter. -update writes
// what came.
func TestRPCCommandsPage(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("its commands are those of a Unix shell")
	}
	path := filepath.Join("..", "..", "docs", "rpc-commands.md")
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	// A place where nobody says anything for two seconds is noted in the session, as
	// an entry that the page does not have: what took long is played again.
	var got string
	for try := 0; ; try++ {
		began := time.Now()
		got = playCommandsPage(t, string(page))
		if time.Since(began) < 2*time.Second {
			break
		}
		if try == 10 {
			t.Skip("this machine is too slow for it")
		}
	}
	if golden.Updating() {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if got != string(page) {
		t.Error(golden.Diff(string(page), got))
	}
}

// playCommandsPage sends the commands of the page and returns it with what was
// answered.
func playCommandsPage(t *testing.T, page string) string {
	t.Helper()
	c := startCommandsPage(t)
	commands := regexp.MustCompile(`(?m)^> .*`).FindAllString(page, -1)
	var got strings.Builder
	in := false // a block
	for line := range strings.Lines(page) {
		if line == "```\n" {
			in = !in
		}
		switch {
		case !in || line == "```\n":
			got.WriteString(line)
		case strings.HasPrefix(line, "> "):
			commands = commands[1:]
			next := ""
			if len(commands) > 0 {
				next = commands[0]
			}
			got.WriteString(line + c.ask(strings.TrimSpace(line[2:]), next))
		}
	}
	c.end()
	return got.String()
}

// commandsPage is a bough to which the commands of the page are sent.
type commandsPage struct {
	t     *testing.T
	home  string
	cmd   *exec.Cmd
	in    io.WriteCloser
	lines *bufio.Reader
	told  bytes.Buffer
	alias map[string]string // of ids, as the page has them
	real  map[string]string
}

func startCommandsPage(t *testing.T) *commandsPage {
	t.Helper()
	home := t.TempDir()
	// The model is told where it works, so the path has one length always.
	home = filepath.Join(home, strings.Repeat("x", max(90-len(home), 1)))
	dir := filepath.Join(home, "project")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	session := strings.Replace(twoQuestions, `"cwd":"/"`, `"cwd":"`+dir+`"`, 1)
	for name, text := range map[string]string{"hello.txt": "first draft\n", "s.jsonl": session} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c := &commandsPage{t: t, home: home, alias: map[string]string{}, real: map[string]string{}}
	c.cmd = exec.CommandContext(t.Context(), "bough", "--mode", "rpc", "--model", "offline/demo", "--session-dir", dir)
	c.cmd.Dir, c.cmd.Stderr = dir, &c.told
	c.cmd.Env = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "BOUGH_OFFLINE=1", "TZ=UTC"}
	var err error
	if c.in, err = c.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	c.lines = bufio.NewReader(out)
	return c
}

// ask sends a command of the page and returns the answer as the page has it.
func (c *commandsPage) ask(command, next string) string {
	c.t.Helper()
	for alias, id := range c.real {
		command = strings.ReplaceAll(command, `"`+alias+`"`, `"`+id+`"`)
	}
	if _, err := io.WriteString(c.in, command+"\n"); err != nil {
		c.t.Fatalf("%s: %v\n%s", command, err, &c.told)
	}
	line := c.until("response")
	// What is about a run that goes on comes before its end.
	during := regexp.MustCompile(`"(steer|follow_up|get_queue|edit_queued|drop_queued|clear_queue|abort_retry|abort)"`)
	if started, _ := rawjson.GetString(rawjson.Get(line, "data"), "disposition"); started == "started" && !during.MatchString(next) {
		c.until("agent_settled")
	}
	if s, failed := rawjson.GetString(line, "error"); failed {
		code, _ := rawjson.GetString(line, "code")
		return fmt.Sprintf("< %s: %s\n", code, c.text(s, false))
	}
	if data := rawjson.Get(line, "data"); data != nil {
		return "< " + c.node("", data).lay("", 0) + "\n"
	}
	return "< ok\n"
}

// until reads up to a record of a type.
func (c *commandsPage) until(typ string) []byte {
	c.t.Helper()
	for {
		line, err := c.lines.ReadBytes('\n')
		if err != nil {
			c.t.Fatalf("no %s: %v\n%s", typ, err, &c.told)
		}
		if is, _ := rawjson.GetString(line, "type"); is == typ {
			return line
		}
	}
}

func (c *commandsPage) end() {
	c.t.Helper()
	late := time.AfterFunc(time.Minute, func() { c.cmd.Process.Kill() })
	defer late.Stop()
	if err := c.in.Close(); err != nil {
		c.t.Fatal(err)
	}
	for {
		if _, err := c.lines.ReadBytes('\n'); err != nil {
			break // the end
		}
	}
	if err := c.cmd.Wait(); err != nil {
		c.t.Errorf("it ends with %v\n%s", err, &c.told)
	}
}

var (
	pageTime = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d[:-]\d\d[:-]\d\d[.-]\d{3}Z`)
	pageUUID = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}`)
	pageCall = regexp.MustCompile(`call_[0-9a-f]{16}`)
	pageID   = regexp.MustCompile(`^[0-9a-f]{8}$`)
)

// node is a value as the page has it.
type node struct {
	text string // of what is no list and no object
	kids []node
	keys []string // of an object
	list bool
}

// node reads a value: places, times and ids are the same always, what is long is cut.
func (c *commandsPage) node(key string, raw []byte) node {
	switch rawjson.Kind(raw) {
	case '{':
		n := node{keys: []string{}}
		for key, v := range rawjson.Members(raw) {
			n.keys, n.kids = append(n.keys, key), append(n.kids, c.node(key, v))
		}
		return n
	case '[':
		const most = 3
		n := node{list: true}
		for v := range rawjson.Elements(raw) {
			n.kids = append(n.kids, c.node("", v))
		}
		if len(n.kids) > most {
			n.kids = append(n.kids[:most-1:most-1], node{text: "…"})
		}
		return n
	case '"':
		s, _ := rawjson.String(raw)
		switch key {
		case "version":
			s = "0.1.0"
		case "address":
			s = "127.0.0.1:34567"
		}
		return node{text: string(rawjson.AppendString(nil, c.text(s, true)))}
	}
	switch v, number := rawjson.Number(raw); {
	case number && v > 1e12:
		return node{text: "1796115600000"}
	case key == "durationMs":
		return node{text: "0"}
	case key == "process":
		return node{text: "405"}
	case key == "size":
		return node{text: "4096"}
	}
	return node{text: string(raw)}
}

// text is a text as the page has it, cut if it is long and that is wanted.
func (c *commandsPage) text(s string, cut bool) string {
	if pageID.MatchString(s) && !strings.HasPrefix(s, "aaaa000") {
		if c.alias[s] == "" {
			c.alias[s] = fmt.Sprintf("a%07d", len(c.alias)+1)
			c.real[c.alias[s]] = s
		}
		return c.alias[s]
	}
	s = strings.ReplaceAll(s, filepath.Join(c.home, "project"), "/p")
	s = strings.ReplaceAll(s, c.home, "/home/you")
	s = pageCall.ReplaceAllString(s, "call_1")
	s = pageTime.ReplaceAllStringFunc(s, func(at string) string {
		return "2026-12-01T09" + at[13:14] + "00" + at[16:17] + "00" + at[19:20] + "000Z"
	})
	s = pageUUID.ReplaceAllStringFunc(s, func(id string) string {
		if strings.HasPrefix(id, "11111111") {
			return id
		}
		if c.alias[id] == "" {
			c.alias[id] = fmt.Sprintf("01a20000-0000-7000-8000-%012d", len(c.alias)+1)
		}
		return c.alias[id]
	})
	if r := []rune(s); cut && len(r) > 90 && !strings.HasPrefix(s, "/") {
		s = string(r[:60]) + "…"
	}
	return s
}

// pageBrief are members that are shown on one line, as far as they fit.
var pageBrief = []string{"model", "message", "line", "usage", "turn", "branch", "session", "children"}

// lay writes a value on one line, or what does not fit into one on several.
func (n node) lay(key string, depth int) string {
	if n.keys == nil && !n.list {
		return n.text
	}
	indent := strings.Repeat("  ", depth+1)
	open, end := "{", "}"
	if n.list {
		open, end = "[", "]"
	}
	parts, brief, room := make([]string, len(n.kids)), open, 86-len(indent)-len(key)
	for i, kid := range n.kids {
		under := ""
		if !n.list {
			under = n.keys[i]
			parts[i] = strconv.Quote(under) + ":"
		}
		parts[i] += kid.lay(under, depth+1)
		if len(brief)+len(parts[i]) < room && !strings.Contains(parts[i], "\n") && !strings.HasSuffix(brief, "…") {
			brief += parts[i] + ","
		} else if !strings.HasSuffix(brief, "…") {
			brief += "…"
		}
	}
	if brief = strings.TrimSuffix(brief, ",") + end; !strings.HasSuffix(brief, "…"+end) || depth > 2 || slices.Contains(pageBrief, key) {
		return brief
	}
	return open + "\n" + indent + "  " + strings.Join(parts, ",\n"+indent+"  ") + "\n" + indent + end
}
