package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/boughdev/bough/internal/control"
	"github.com/boughdev/bough/internal/frontend/tui"
	"github.com/boughdev/bough/internal/join"
	"github.com/boughdev/bough/internal/lang"
	"github.com/boughdev/bough/internal/term"
	"github.com/boughdev/bough/internal/workspace"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

// runTUI gives the session of start to the terminal UI, which is there before it.
func (r *runner) runTUI(ctx context.Context, w way, start control.Start, hint string, prompts []protocol.Prompt) (int, error) {
	c := newAwaited(ctx, func(ctx context.Context) (*join.Client, error) { return w.stand(ctx, start) })
	defer c.cancel()
	defer c.Close()
	goesOn := false
	code, err := tui.Run(ctx, c, r.screenOf(ctx, c, w.hub, start, hint, prompts, func() { goesOn = true }))
	if err == nil && goesOn {
		c.Close()
		err = r.background(ctx, w.hub)
	}
	return code, err
}

// screenOf is what the terminal UI is to know of a session that is being opened.
func (r *runner) screenOf(ctx context.Context, c *awaited, hub *control.Hub, start control.Start, hint string, prompts []protocol.Prompt, goOn func()) tui.Options {
	o := r.screen()
	o.Dir = start.Dir
	if info, err := os.Stat(start.Open); err == nil {
		o.Size = info.Size()
	}
	files := &fileList{ctx: ctx, dir: start.Dir, home: r.paths.Home}
	o.Who, o.Hint, o.Prompts = start.Who, hint, prompts
	if r.args.resume && start.Open == "" {
		o.Begin = "/resume"
	}
	o.DoubleEscape, o.CompletionRows = r.settings.DoubleEscape, int(r.settings.Screen.CompletionRows)
	o.HideThinking = func() bool { return r.current().HideThinking }
	o.TreeFilter = func() string { return r.current().TreeFilter }
	o.SkipSummary = func() bool { return r.current().BranchSummary.SkipPrompt }
	o.KeepThinking = func(hide bool) error {
		_, err := protocol.Call(ctx, c, protocol.SetSetting{Key: "hideThinkingBlock", Value: strconv.FormatBool(hide), Save: true})
		return err
	}
	o.Files, o.Edit, o.Image = files.like, r.edit, r.pastedImage
	o.LeaveTranscript = r.settings.Screen.ExitOutput == "transcript"
	if r.settings.Bough.PromptHistory {
		prompted := newPromptFile(r.paths, start.Dir)
		o.History, o.Remember = prompted.last(), prompted.add
	}
	o.TreeAsks = func() bool { return r.current().Bough.TreeEnter == "ask" }
	if !r.args.noSession {
		o.Drafts = draftFiles{filepath.Join(r.paths.State, "drafts")}
		looks := treeLooks{filepath.Join(r.paths.State, "trees")}
		o.TreeLook, o.KeepTreeLook = looks.load, looks.save
	}
	o.Detach = func() error {
		if j := c.there(); j != nil {
			return r.mayDetach(j)
		}
		return errors.New("the session is not open yet")
	}
	o.Unattended = hub.Unattended
	if r.env.LeaveTerminal != nil && !r.args.noSession {
		o.GoOn = goOn
		if r.env.Hangups != nil && r.settings.Bough.Hangup == "continue" {
			o.Hangups = r.env.Hangups()
		}
	}
	o.ResumeWords = func(h session.Header, file string) string {
		if file == "" || r.args.noSession {
			return ""
		}
		return "bough --session " + h.ID
	}
	return o
}

// screen says which terminal it is and how it is to look.
func (r *runner) screen() tui.Options {
	screen := r.settings.Screen
	mode := r.args.tuiMode
	if mode == "" {
		mode = screen.Mode
	}
	keys, err := os.ReadFile(filepath.Join(r.paths.Agent, "keybindings.json"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		r.tell("keybindings.json: " + err.Error())
	}
	colors := term.ColorsOf(r.env.Getenv)
	if screen.TrueColor == "true" && colors != term.NoColors {
		colors = term.True
	}
	return tui.Options{
		Terminal: term.Options{In: r.env.Stdin, Out: r.env.Stdout, Getenv: r.env.Getenv, Colors: colors, Progress: screen.Progress},
		Regular:  mode == "regular", Theme: cmp.Or(r.args.useTheme, screen.Theme), Themes: r.themes, ASCII: r.args.ascii || foreignLocale(r.env.Getenv) != "",
		Notes:   r.terminalNotes,
		Lang:    lang.Of(r.args.lang, r.settings.Bough.Lang, r.env.Getenv),
		Links:   screen.Hyperlinks == "true" || screen.Hyperlinks == "auto" && colors == term.True,
		Version: Version, Home: r.paths.Home, Keys: keys,
		Brief:  screen.QuietStartup == "header" && !r.args.verbose,
		Agent:  r.paths.Agent,
		Quiet:  screen.QuietStartup == "true" && !r.args.verbose || r.args.quiet,
		Around: r.around(), Crash: r.keepCrash,
		Clipboard: r.clipboard, Pictures: r.pictures(screen), PictureWidth: int(screen.ImageWidth),
		CopyOnSelect: screen.CopyOnSelect, WheelLines: int(screen.WheelLines), Scrollbar: screen.Scrollbar,
	}
}

// pastedImage reads the file of an image that was pasted or dropped, as the read tool
// would; an error says why it cannot be shown.
func (r *runner) pastedImage(ctx context.Context, path string) (*message.Block, error) {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		path = filepath.Join(r.paths.Home, rest)
	}
	path = r.env.abs(path)
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return nil, nil // a text that looks like a path
	}
	note, image, err := r.imageArg(ctx, workspace.NewLocal(r.env.Dir), path)
	if err == nil && image == nil && note != "" {
		err = errors.New(note)
	}
	return image, err
}

// keepCrash writes a report of a fault of ours where only the user reads it.
func (r *runner) keepCrash(report string) string {
	dir := filepath.Join(r.paths.State, "crashes")
	if os.MkdirAll(dir, 0o700) != nil {
		return ""
	}
	path := filepath.Join(dir, time.Now().UTC().Format("20060102-150405")+".txt")
	if os.WriteFile(path, []byte(report), 0o600) != nil {
		return ""
	}
	return path
}

// edit has a text edited by the user's editor, which has the terminal meanwhile. If
// the editor fails the text stays as it was.
func (r *runner) edit(ctx context.Context, text string) (string, error) {
	command := r.current().ExternalEditor
	for _, name := range []string{"VISUAL", "EDITOR"} {
		if command == "" {
			command = r.env.Getenv(name)
		}
	}
	if command == "" {
		command = "nano"
	}
	f, err := os.CreateTemp("", "bough-*.md")
	if err != nil {
		return text, fmt.Errorf("make a file to edit: %w", err)
	}
	defer os.Remove(f.Name())
	_, err = f.WriteString(text)
	if err = errors.Join(err, f.Close()); err != nil {
		return text, fmt.Errorf("write the text to edit: %w", err)
	}
	cmd := exec.CommandContext(ctx, "/bin/sh", "-c", command+` "$1"`, "editor", f.Name())
	if runtime.GOOS == "windows" {
		cmd = exec.CommandContext(ctx, "cmd", "/c", command, f.Name())
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = r.env.Stdin, r.env.Stdout, r.env.Stderr
	if err := cmd.Run(); err != nil {
		return text, fmt.Errorf("the text stays as it was: %s: %w", command, err)
	}
	b, err := os.ReadFile(f.Name())
	if err != nil {
		return text, fmt.Errorf("the text stays as it was: %w", err)
	}
	return string(b), nil
}

// fileList completes paths. The files below the folder are looked through once,
// beside what goes on, and again when the list is old; paths that lead elsewhere are
// looked up where they lead.
type fileList struct {
	ctx       context.Context
	dir, home string

	mu      sync.Mutex
	list    []string  // guarded by mu
	read    time.Time // when that was; guarded by mu
	reading bool      // guarded by mu
}

const (
	mostFiles  = 50_000
	mostListed = 20
	filesAge   = 10 * time.Second
)

// like lists the paths that fit what was typed of one, the best first.
func (l *fileList) like(typed string) []string {
	if strings.HasPrefix(typed, "/") || strings.HasPrefix(typed, "~/") || strings.HasPrefix(typed, "../") || strings.HasPrefix(typed, "./") {
		return l.beside(typed)
	}
	l.mu.Lock()
	list := l.list
	if !l.reading && time.Since(l.read) > filesAge {
		l.reading = true
		go l.look()
	}
	l.mu.Unlock()
	if list == nil {
		return l.beside(typed)
	}
	type hit struct {
		path string
		rank int
	}
	var hits []hit
	lower := strings.ToLower(typed)
	for _, path := range list {
		if rank := fitness(strings.ToLower(path), lower); rank > 0 {
			hits = append(hits, hit{path, rank})
		}
	}
	slices.SortStableFunc(hits, func(a, b hit) int {
		if a.rank != b.rank {
			return b.rank - a.rank
		}
		return len(a.path) - len(b.path)
	})
	var out []string
	for _, h := range hits[:min(len(hits), mostListed)] {
		out = append(out, h.path)
	}
	return out
}

// fitness says how well a path fits: what the name itself has counts most.
func fitness(path, typed string) int {
	name := path[strings.LastIndexByte(strings.TrimSuffix(path, "/"), '/')+1:]
	switch {
	case strings.HasPrefix(name, typed):
		return 4
	case strings.Contains(name, typed):
		return 3
	case strings.Contains(path, typed):
		return 2
	}
	for _, r := range typed {
		i := strings.IndexRune(path, r)
		if i < 0 {
			return 0
		}
		path = path[i+len(string(r)):]
	}
	return 1
}

// look reads the list.
func (l *fileList) look() {
	list := []string{}
	for e, err := range workspace.Walk(l.ctx, workspace.NewLocal(l.dir), l.dir) {
		if err != nil || len(list) == mostFiles {
			break
		}
		if e.Err != nil {
			continue
		}
		if e.Type.IsDir() {
			list = append(list, e.Rel+"/")
		} else {
			list = append(list, e.Rel)
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.list, l.read, l.reading = list, time.Now(), false
}

// beside lists what lies in the folder that a path leads to.
func (l *fileList) beside(typed string) []string {
	folder, name := "", typed
	if i := strings.LastIndexByte(typed, '/'); i >= 0 {
		folder, name = typed[:i+1], typed[i+1:]
	}
	dir := folder
	if rest, ok := strings.CutPrefix(folder, "~/"); ok {
		dir = filepath.Join(l.home, rest)
	} else if !strings.HasPrefix(folder, "/") {
		dir = filepath.Join(l.dir, folder)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	var out []string
	for _, e := range entries {
		if e.Name() == ".git" || !strings.HasPrefix(strings.ToLower(e.Name()), strings.ToLower(name)) {
			continue
		}
		path := folder + e.Name()
		if info, err := os.Stat(filepath.Join(dir, e.Name())); err == nil && info.IsDir() {
			path += "/"
		}
		if out = append(out, path); len(out) == mostListed {
			break
		}
	}
	return out
}
