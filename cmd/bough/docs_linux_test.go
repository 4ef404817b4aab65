package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/boughdev/bough/internal/golden"
)

// What README and some pages of the manual show is what a terminal of 80 columns shows:
// every block of theirs that begins with "$ " is played, all of a page in one
// folder, and must come out to the letter. -update writes what came out.
func TestThePagesShowWhatIsPrinted(t *testing.T) {
	for _, page := range []string{"README.md", "docs/sessions.md", "docs/compaction.md", "docs/tour.md", "docs/tour.zh-CN.md"} {
		t.Run(page, func(t *testing.T) {
			path := filepath.Join("..", "..", page)
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			text := string(data)
			blocks := transcripts(text)
			if len(blocks) == 0 {
				t.Fatal("it has no transcript")
			}
			p := newPlayer(t)
			if strings.Contains(page, "tour") { // which is played in its folder
				if err := os.CopyFS(p.dir, os.DirFS(filepath.Join("..", "..", "examples", "tour"))); err != nil {
					t.Fatal(err)
				}
			}
			for _, want := range blocks {
				switch got := p.play(want); {
				case golden.Updating():
					text = strings.Replace(text, indented(want), indented(got), 1)
				case got != want:
					t.Errorf("%s", golden.Diff(want, got))
				}
			}
			if golden.Updating() {
				if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// transcripts are the indented blocks of a page that begin with a command.
func transcripts(page string) []string {
	var blocks []string
	block := ""
	for line := range strings.Lines(page + "\nend\n") {
		if s, ok := strings.CutPrefix(line, "    "); ok {
			block += s
			continue
		}
		if strings.TrimSpace(line) == "" && block != "" {
			block += "\n"
			continue
		}
		if strings.HasPrefix(block, "$ ") {
			blocks = append(blocks, strings.TrimRight(block, "\n")+"\n")
		}
		block = ""
	}
	return blocks
}

// indented is a transcript as it stands on a page.
func indented(block string) string {
	return strings.ReplaceAll("    "+strings.ReplaceAll(strings.TrimSuffix(block, "\n"), "\n", "\n    ")+"\n", "\n    \n", "\n\n")
}

// player is somebody at a terminal.
type player struct {
	t    *testing.T
	dir  string
	env  []string
	vars string // assignments so far
}

func newPlayer(t *testing.T) *player {
	home := t.TempDir()
	// The model is told where it works, so the path has one length always.
	home = filepath.Join(home, strings.Repeat("x", max(90-len(home), 1)))
	p := &player{t: t, dir: filepath.Join(home, "project")}
	if err := os.MkdirAll(p.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	p.env = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "TERM=xterm", "NO_COLOR=1", "BOUGH_OFFLINE=1"}
	return p
}

// play plays a transcript and returns what it looks like now. Ids are those that
// the transcript has.
func (p *player) play(want string) string {
	var got strings.Builder
	steps := strings.Split("\n"+want, "\n$ ")[1:]
	for _, step := range steps {
		command, shown, _ := strings.Cut(step, "\n")
		if strings.Contains(command, "jq ") {
			if _, err := exec.LookPath("jq"); err != nil {
				p.t.Skip("jq is not installed")
			}
		}
		var typed []string
		for line := range strings.Lines(shown) {
			if s, ok := strings.CutPrefix(strings.TrimRight(line, "\n"), "> "); ok && !strings.HasPrefix(s, "#") {
				typed = append(typed, s)
			}
		}
		got.WriteString("$ " + command + "\n" + p.run(command, typed))
	}
	ids := regexp.MustCompile(`session [0-9a-f]{8}\.\.\.|\b[0-9a-f]{8}\b`)
	known := ids.FindAllString(want, -1)
	return ids.ReplaceAllStringFunc(got.String(), func(id string) string {
		if len(known) == 0 {
			return id
		}
		old := known[0]
		known = known[1:]
		return old
	})
}

// run runs one command on a terminal, types, and returns what is on the screen.
func (p *player) run(command string, typed []string) string {
	master, slave := openTerminal(p.t, 80, 24)
	defer master.Close()
	script := p.vars + command
	if regexp.MustCompile(`^[a-z]+=`).MatchString(command) {
		p.vars += command + "\n"
	}
	cmd := exec.Command("sh", "-c", script)
	cmd.Dir, cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = p.dir, p.env, slave, slave, slave
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	slave.Close()
	late := time.AfterFunc(30*time.Second, func() { cmd.Process.Kill() })
	defer late.Stop()
	came := make(chan string)
	go func() {
		defer close(came)
		b := make([]byte, 1<<16)
		for {
			n, err := master.Read(b)
			if n > 0 {
				came <- string(b[:n])
			}
			if err != nil {
				return // the other end is closed
			}
		}
	}()
	screen := ""
	for open := true; open; {
		var quiet <-chan time.Time
		if screen == "> " || strings.HasSuffix(screen, "\n> ") {
			quiet = time.After(100 * time.Millisecond) // or it is the beginning of a row
		}
		select {
		case s, ok := <-came:
			open = ok
			screen += strings.ReplaceAll(s, "\r", "")
		case <-quiet:
			next := "\x04"
			if len(typed) > 0 {
				next, typed = typed[0]+"\n", typed[1:]
			}
			if _, err := master.WriteString(next); err != nil {
				p.t.Fatal(err)
			}
			screen += "\x00" // so that nothing is typed twice
		}
	}
	if err := cmd.Wait(); err != nil {
		p.t.Errorf("%s: %v", command, err)
	}
	colours := regexp.MustCompile("\x1b\\[[0-9;]*m")
	screen = colours.ReplaceAllString(strings.ReplaceAll(screen, "\x00", ""), "")
	return strings.TrimSuffix(screen, "> \n") // left with ctrl+d
}

// openTerminal makes a terminal: what is written to one end is typed at the other.
func openTerminal(t *testing.T, columns, rows uint16) (master, slave *os.File) {
	t.Helper()
	const lock, number, size = 0x40045431, 0x80045430, 0x5414 // TIOCSPTLCK, TIOCGPTN, TIOCSWINSZ
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("there are no terminals here: %v", err)
	}
	control := func(what uintptr, arg unsafe.Pointer) {
		if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, master.Fd(), what, uintptr(arg)); errno != 0 {
			t.Skipf("there are no terminals here: %v", errno)
		}
	}
	var unlocked int32
	var n uint32
	control(lock, unsafe.Pointer(&unlocked))
	control(number, unsafe.Pointer(&n))
	control(size, unsafe.Pointer(&[4]uint16{rows, columns}))
	slave, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("there are no terminals here: %v", err)
	}
	return master, slave
}
