package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/boughdev/bough/internal/config"
	"github.com/boughdev/bough/internal/control"
	"github.com/boughdev/bough/internal/frontend/printer"
	"github.com/boughdev/bough/internal/frontend/repl"
	"github.com/boughdev/bough/internal/frontend/slash"
	"github.com/boughdev/bough/internal/journal"
	"github.com/boughdev/bough/internal/mcp"
	"github.com/boughdev/bough/internal/recall"
	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/internal/setup"
	"github.com/boughdev/bough/provider"
	"github.com/boughdev/bough/session"
	"github.com/boughdev/bough/session/filestore"
)

// runner is one run of the program: what was asked for and what is configured.
type runner struct {
	env      Env
	args     *args
	paths    config.Paths
	settings config.Settings // of the start
	live     *live           // as they are now
	store    filestore.Store
	asks     bool // there is a person at a terminal who can be asked
	screens  bool // by the terminal UI
	setup    *setup.Maker
	editor   *editor              // nil: there is none
	service  *session.LeasedError // bough serve; nil: it is not asked
}

// newRunner reads settings. It neither looks for models nor touches a session.
func newRunner(env Env, a *args) (*runner, error) {
	if env.Dir == "" {
		return nil, errors.New("the working directory does not exist any more. Go to another one and start again")
	}
	r := &runner{env: env, args: a}
	getenv := config.Env(env.Getenv)
	var err error
	if r.paths, err = config.Locate(getenv, env.Dir); err != nil {
		return nil, err
	}
	r.live = &live{r: r}
	r.setup = &setup.Maker{Options: a.Options, Paths: r.paths, Getenv: env.Getenv, Abs: env.abs, Dir: env.Dir, Version: Version, Quiet: a.quiet,
		Asks: func() bool { return r.asks }, IsCommand: isCommand, Current: r.current, Sources: r.sources, Workspace: r.workspace,
		Brought: func(dir string) []mcp.Server { return r.editor.servers(dir) }}
	for _, p := range r.readSettings() {
		r.tell(p.String())
	}
	r.settings = r.current()
	if p := r.settings.HTTPProxy; p != "" && getenv.First(config.ProxyVariables()...) == "" {
		if err := provider.UseProxy(p); err != nil {
			r.tell("setting " + err.Error())
		}
	}
	dir, err := r.paths.SessionDir(getenv, a.sessionDir, r.settings, env.Dir)
	if err != nil {
		return nil, err
	}
	r.store = filestore.Store{Root: r.paths.Sessions(), Sync: filestore.Policy(r.settings.Bough.Sync),
		Leases: filepath.Join(r.paths.State, "leases"), Cache: r.paths.Cache, Live: true}
	if dir != r.paths.Sessions() {
		r.store.Flat = dir
	}
	return r, nil
}

func isCommand(name string) bool {
	_, ok := slash.Find(name)
	return ok
}

// tell tells the user of what was passed over.
func (r *runner) tell(problem string) { fmt.Fprintf(r.env.Stderr, "bough: %s\n", problem) }

// tellLost tells the user of entries that could not be saved up to the end.
func (r *runner) tellLost(entries int, why error) {
	what := fmt.Sprintf("%d entries of the session are lost, since they", entries)
	if entries == 1 {
		what = "one entry of the session is lost, since it"
	}
	r.tell(fmt.Sprintf("%s could not be saved: %v", what, why))
}

// say tells the user something that is not the product of the run.
func (r *runner) say(format string, args ...any) {
	if !r.args.quiet {
		fmt.Fprintf(r.env.Stderr, "bough: "+format+"\n", args...)
	}
}

// warnOfTools tells which words of the command line fit no tool.
func (r *runner) warnOfTools() {
	for _, odd := range r.setup.OddTools() {
		r.say("%s", odd)
	}
}

// run opens the session and gives it to a front end.
func (r *runner) run(ctx context.Context) (code int, err error) {
	m := chooseMode(r.args, r.env)
	speech := r.speech()
	if m == modeTUI && speech != "" {
		m = modeREPL
	}
	if r.args.resume && !r.env.StdinTerminal {
		return 1, errors.New("--resume asks which session to open, which needs a terminal. Use --session ID or -c")
	}
	r.asks = m.talks() && r.env.StdinTerminal && r.env.StdoutTerminal
	r.screens = r.asks && m == modeTUI
	if before := r.setup.Trusts(r.env.Dir).Trusted; r.settle(ctx, r.env.Dir) && !before {
		for _, p := range r.readSettings() {
			r.tell(p.String())
		}
		r.settings = r.current()
	}
	r.warnOfTools()
	prompts, err := r.prompts(ctx, m)
	if errors.Is(err, errNothing) && (m.talks() || m == modeRPC) {
		err = nil
	}
	if err != nil {
		return 1, err
	}
	models, err := r.models(ctx, m)
	if err != nil {
		return 1, err
	}
	hint := r.hint(ctx)
	start, err := r.choose(ctx)
	if err == nil && r.args.attach {
		err = r.mayAttach(start)
	}
	if errors.Is(err, errCancelled) {
		r.say("No session was chosen.")
		return 0, nil
	}
	if err != nil {
		return 1, err
	}
	if start.Dir != r.env.Dir {
		r.settle(ctx, start.Dir)
	}
	start.Provider, start.Model = models.named()
	start.Thinking = models.level
	o := r.options(m, models)
	o.Lost = func(entries int, why error) {
		r.tellLost(entries, why)
		code = max(code, 1)
	}
	l := r.newListener()
	defer l.close()
	o.Address, o.Alone = l.address, !r.apart(m)
	o.Changes = fileChanges
	o.Linger = m == modeTUI // what is left goes on, until the program ends
	hub := control.NewHub(o)
	defer hub.Close()
	start.Who = string(m)
	if m == modePrint || m == modeJSON || m == modeTUI || m == modeREPL {
		start.Who += fmt.Sprintf(" %d", os.Getpid()) // several are told apart
	}
	w := way{r, hub, models, start.Who}
	l.door = r.door(hub, models)
	if m == modeTUI {
		return r.runTUI(ctx, w, start, hint, prompts)
	}
	c, err := w.stand(ctx, start)
	if err != nil {
		return 1, err
	}
	defer c.Close()
	if m == modeRPC {
		return r.runRPC(ctx, c, joining{w, l.door})
	}
	if m == modeREPL {
		return repl.Run(ctx, c, repl.Options{In: r.env.Stdin, Out: r.env.Stdout, Err: r.env.Stderr,
			Terminal: r.env.StdinTerminal && r.env.StdoutTerminal, NoColor: noColor(r.env.Getenv), ASCII: r.args.ascii, Speech: speech,
			Width: r.env.Width, Quiet: r.args.quiet, Version: Version, Hint: hint, Prompts: prompts, Who: start.Who,
			Interrupts: relay(ctx, r.env.Interrupts), Home: r.paths.Home,
			NoHeader:     r.settings.Screen.QuietStartup == "true" && !r.args.verbose,
			HideThinking: func() bool { return r.current().HideThinking },
			TreeFilter:   func() string { return r.current().TreeFilter },
			Detach:       func() error { return r.mayDetach(c) },
			Questions:    r.questions(start.Dir),
			Sessions:     func(ctx context.Context) ([]session.Summary, error) { return r.store.Recent(ctx, start.Dir) }})
	}
	return printer.Run(ctx, c, printer.Options{Who: start.Who, Prompts: prompts, JSON: m == modeJSON, Terminal: r.env.StdoutTerminal,
		Out: r.env.Stdout, Err: r.env.Stderr})
}

// speech says what asks for the screen reader mode: the option, the variable ACCESSIBLE,
// by which other programs go too, or the setting; "" if nothing does.
func (r *runner) speech() string {
	switch v := r.env.Getenv("ACCESSIBLE"); {
	case r.args.screenReader:
		return "--screen-reader"
	case v == "0" || v == "false":
		return ""
	case v != "":
		return "ACCESSIBLE=" + render.OneLine(v)
	case r.settings.Bough.ScreenReader:
		return "the setting bough.screenReader"
	}
	return ""
}

// relay listens for interrupts as long as ctx lasts, so that none ends the
// program, and passes them on.
func relay(ctx context.Context, from <-chan struct{}) <-chan struct{} {
	to := make(chan struct{}, 8)
	go func() {
		for {
			select {
			case <-from:
				select {
				case to <- struct{}{}:
				default: // eight wait already
				}
			case <-ctx.Done():
				return
			}
		}
	}()
	return to
}

func noColor(getenv func(string) string) bool {
	return getenv("NO_COLOR") != "" || getenv("CLICOLOR") == "0"
}

// hint says how to go on with the last conversation of the folder, or does so if
// the settings want it (docs/spec/README.md 24).
func (r *runner) hint(ctx context.Context) string {
	a := r.args
	if !r.asks || a.goesOn() || a.sessionID != "" || a.noSession {
		return ""
	}
	recent, err := r.store.Recent(ctx, r.env.Dir)
	if err != nil || len(recent) == 0 {
		return ""
	}
	if r.settings.Bough.ContinueOnStart {
		a.cont = true
		return ""
	}
	if a.quiet {
		return ""
	}
	return fmt.Sprintf("last here: %s, %s; bough -c goes on with it", title(recent[0]), render.Ago(time.Since(recent[0].Touched)))
}

// options puts the parts of the session service together.
func (r *runner) options(m mode, models *models) control.Options {
	r.live.mode = m
	o := control.Options{Models: models, Export: r.exportLive, Find: slash.Target, Setup: r.setup.Make, Settings: r.live, Follow: m.talks(),
		Journal: journal.Dir(filepath.Join(r.paths.State, "journal")), Recall: recall.New, Accounts: accounts{r.store}, Library: library{r}}
	r.live.policy(&o)
	if m == modeRPC {
		o.Early, o.InOrder, o.Follow, o.FindSession = true, true, true, r.switched
		o.Recall = nil // clients of pi expect no declaration behind a compaction
	}
	return o
}
