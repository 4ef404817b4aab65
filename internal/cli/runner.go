package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/boughdev/bough/internal/auth"
	"github.com/boughdev/bough/internal/config"
	"github.com/boughdev/bough/internal/control"
	"github.com/boughdev/bough/internal/frontend/printer"
	"github.com/boughdev/bough/internal/frontend/repl"
	"github.com/boughdev/bough/internal/prompt"
	"github.com/boughdev/bough/internal/workspace"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/provider/catalog"
	"github.com/boughdev/bough/session"
	"github.com/boughdev/bough/session/filestore"
	"github.com/boughdev/bough/tool"
	"github.com/boughdev/bough/tool/builtin"
)

// runner is one run of the program: what was asked for and what is configured.
type runner struct {
	env      Env
	args     *args
	paths    config.Paths
	settings config.Settings
	store    filestore.Store
}

// newRunner reads settings. It neither looks for models nor touches a session.
func newRunner(env Env, a *args) (*runner, error) {
	r := &runner{env: env, args: a}
	getenv := config.Env(env.Getenv)
	var err error
	if r.paths, err = config.Locate(getenv, env.Dir); err != nil {
		return nil, err
	}
	var problems []config.Problem
	r.settings, problems = config.Load(r.paths, env.Dir, a.approve)
	r.tell(problems)
	dir, err := r.paths.SessionDir(getenv, a.sessionDir, r.settings, env.Dir)
	if err != nil {
		return nil, err
	}
	r.store = filestore.Store{Root: r.paths.Sessions(), Sync: filestore.Policy(r.settings.Bough.Sync),
		Leases: filepath.Join(r.paths.State, "leases"), Cache: r.paths.Cache}
	if dir != r.paths.Sessions() {
		r.store.Flat = dir
	}
	return r, nil
}

func (r *runner) tell(problems []config.Problem) {
	for _, p := range problems {
		fmt.Fprintf(r.env.Stderr, "bough: %s\n", p)
	}
}

// say tells the user something that is not the product of the run.
func (r *runner) say(format string, args ...any) {
	if !r.args.quiet {
		fmt.Fprintf(r.env.Stderr, "bough: "+format+"\n", args...)
	}
}

func (r *runner) listModels() error {
	reg, err := r.registry(context.Background(), false)
	if err != nil {
		return err
	}
	rows := catalog.List(reg.Available(), r.args.listQuery)
	if len(rows) == 1 {
		r.say("no model can be asked yet. Set a provider's key, for example ANTHROPIC_API_KEY, or describe a server in %s.", r.paths.ModelsFile())
		return nil
	}
	w := tabwriter.NewWriter(r.env.Stdout, 0, 8, 2, ' ', 0)
	for _, row := range rows {
		fmt.Fprintln(w, strings.Join(row, "\t"))
	}
	return w.Flush()
}

// run opens the session and gives it to a front end.
func (r *runner) run(ctx context.Context) (int, error) {
	m := chooseMode(r.args, r.env)
	var prompts []protocol.Prompt
	var err error
	switch m {
	case modeRPC:
		return 1, errors.New("this version does not speak RPC yet; --mode json prints all events of a prompt")
	case modePrint, modeJSON:
		prompts, err = r.prompts(ctx, m)
	case modeREPL:
		prompts, err = r.firstWords(ctx)
	}
	if err != nil {
		return 1, err
	}
	hint := r.hint(ctx, m)
	start, err := r.choose(ctx)
	if errors.Is(err, errCancelled) {
		return 0, nil
	}
	if err != nil {
		return 1, err
	}
	models, err := r.models(ctx, m)
	if err != nil {
		return 1, err
	}
	start.Provider, start.Model = models.named()
	if models.level != "" {
		start.Thinking = models.level
	}
	hub := control.NewHub(r.options(m, models))
	defer hub.Close()
	c, err := hub.Connect(ctx, start)
	if err != nil {
		return 1, err
	}
	defer c.Close()
	if m == modeREPL {
		return repl.Run(ctx, c, repl.Options{In: r.env.Stdin, Out: r.env.Stdout, Err: r.env.Stderr,
			Terminal: r.env.StdinTerminal && r.env.StdoutTerminal, NoColor: noColor(r.env.Getenv), ASCII: r.args.ascii,
			Width: r.env.Width, Quiet: r.args.quiet, Version: Version, Hint: hint, Prompts: prompts,
			Interrupts: relay(ctx, r.env.Interrupts),
			Sessions:   func(ctx context.Context) ([]session.Summary, error) { return r.store.Recent(ctx, r.env.Dir) }})
	}
	return printer.Run(ctx, c, printer.Options{Prompts: prompts, JSON: m == modeJSON, Out: r.env.Stdout, Err: r.env.Stderr})
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

// firstWords are messages and files of the command line, said before the first
// line is read.
func (r *runner) firstWords(ctx context.Context) ([]protocol.Prompt, error) {
	if len(r.args.messages) == 0 && len(r.args.files) == 0 {
		return nil, nil
	}
	piped := r.env.Stdin
	r.env.Stdin = nil // its lines are for the REPL
	defer func() { r.env.Stdin = piped }()
	return r.prompts(ctx, modeREPL)
}

// hint says how to go on with the last conversation of the folder.
func (r *runner) hint(ctx context.Context, m mode) string {
	a := r.args
	if m != modeREPL || !r.env.StdinTerminal || a.quiet || a.cont || a.resume || a.session != "" || a.sessionID != "" || a.fork != "" {
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
	return fmt.Sprintf("last here: %s, %s ago; bough -c goes on with it", title(recent[0]), age(time.Since(recent[0].Touched)))
}

// options puts the parts of the session service together.
func (r *runner) options(m mode, models *models) control.Options {
	s := r.settings
	o := control.Options{
		Models:      models,
		Tools:       r.tools,
		Prompt:      r.prompt,
		Shell:       r.shell,
		AllSteering: s.SteeringMode == "all",
		AllFollowUp: s.FollowUpMode == "all",
		Follow:      m == modeREPL,
		MaxTurns:    100,
	}
	if m == modeREPL {
		o.MaxTurns = 0
	}
	if s.Bough.MaxTurns != nil {
		o.MaxTurns = int(*s.Bough.MaxTurns)
	}
	if r.args.maxTurns >= 0 {
		o.MaxTurns = r.args.maxTurns
	}
	if s.Retry.Enabled {
		o.Retry = control.Retry{Max: int(s.Retry.MaxRetries), Base: s.Retry.BaseDelay, Most: s.Retry.MaxDelay}
	}
	return o
}

func (r *runner) builtinOptions(p control.Place) builtin.Options {
	s := r.settings
	timeout := s.Bough.BashTimeout
	if timeout == 0 {
		timeout = -1
	}
	return builtin.Options{ShellPath: s.ShellPath, ShellPrefix: s.ShellCommandPrefix, BashTimeout: timeout, AgentDir: r.paths.Agent,
		Images: builtin.ImageLimits{KeepSize: !s.Images.AutoResize},
		NoImages: func() string {
			if info, _ := p.Model(); info.ID != "" && !info.TakesImages() {
				return info.ID
			}
			return ""
		},
		Session: func() builtin.Session {
			info, level := p.Model()
			return builtin.Session{ID: p.SessionID(), File: p.File(), Provider: info.Provider, Model: info.ID, ReasoningLevel: level}
		}}
}

// tools are the built-in ones that settings and options leave on, in their order.
func (r *runner) tools(p control.Place) []tool.Tool {
	a := r.args
	if a.noTools || a.noBuiltin {
		return nil
	}
	on := r.settings.DefaultTools
	if len(a.tools) > 0 {
		on = config.Tools(on, a.tools)
	}
	var out []tool.Tool
	for _, t := range builtin.Tools(workspace.NewLocal(p.Dir), r.builtinOptions(p)) {
		name := t.Spec().Name
		if fits(on, name) && !fits(a.excludeTools, name) {
			out = append(out, t)
		}
	}
	for _, want := range a.tools {
		if want[0] != '-' && !strings.ContainsAny(want, "*?[") && !hasTool(builtin.Tools(workspace.NewLocal(p.Dir), builtin.Options{}), strings.TrimPrefix(want, "+")) {
			r.say("there is no tool %q", strings.TrimPrefix(want, "+"))
		}
	}
	return out
}

func hasTool(tools []tool.Tool, name string) bool {
	for _, t := range tools {
		if t.Spec().Name == name {
			return true
		}
	}
	return false
}

// fits reports whether a name is in a list of names and patterns.
func fits(list []string, name string) bool {
	for _, p := range list {
		if ok, err := filepath.Match(p, name); ok && err == nil {
			return true
		}
	}
	return false
}

// prompt makes the system prompt of a session.
func (r *runner) prompt(p control.Place, specs []message.ToolSpec) (prompt.State, []string) {
	project := ""
	if r.args.approve {
		project = p.Dir
	}
	preamble, addendum, odd := prompt.PromptFiles(r.paths.Agent, project)
	o := prompt.Options{Dir: p.Dir, Tools: specs, Preamble: preamble, Addendum: addendum}
	if v := r.args.systemPrompt; v != "" {
		text, err := prompt.TextOrFile(v, r.env.Dir)
		if err != nil {
			odd = append(odd, err.Error())
		}
		o.Preamble = text
	}
	var added []string
	for _, v := range r.args.appendPrompt {
		text, err := prompt.TextOrFile(v, r.env.Dir)
		if err != nil {
			odd = append(odd, err.Error())
		}
		added = append(added, text.Text)
	}
	if len(added) > 0 {
		o.Addendum = prompt.Text{Text: strings.Join(added, "\n\n")}
	}
	if !r.args.noContext {
		var warnings []string
		o.Context, warnings = prompt.ContextFiles(r.paths.Agent, p.Dir)
		odd = append(odd, warnings...)
	}
	return prompt.Build(o), odd
}

// shell runs a command of the user.
func (r *runner) shell(ctx context.Context, p control.Place, command string, onDelta func(string)) (protocol.BashResult, error) {
	b, err := builtin.RunUserCommand(ctx, workspace.NewLocal(p.Dir), r.builtinOptions(p), command, onDelta)
	return protocol.BashResult(b), err
}

// registry knows all models of the user.
func (r *runner) registry(ctx context.Context, probe bool) (*catalog.Registry, error) {
	modelsFile, problems := config.LoadModels(r.paths)
	r.tell(problems)
	creds, odd := auth.Load(r.paths.AuthFile())
	for _, o := range odd {
		fmt.Fprintf(r.env.Stderr, "bough: %s\n", o)
	}
	keys := auth.New(r.env.Getenv, creds)
	o := catalog.Options{Models: modelsFile, Keys: keys}
	if probe {
		o.Local = catalog.ProbeLocal(ctx)
	}
	if a := r.args; a.apiKey != "" {
		if a.model == "" {
			return nil, usage{errors.New("--api-key needs --model, so that the key goes to nobody else")}
		}
		at := a.provider
		if at == "" {
			reg, _ := catalog.New(o)
			p, err := reg.Resolve(a.model, "")
			if err != nil {
				return nil, err
			}
			at = p.Info.Provider
		}
		keys.Use(at, a.apiKey)
	}
	reg, problems := catalog.New(o)
	r.tell(problems)
	return reg, nil
}

func (r *runner) offline() bool {
	return r.args.offline || config.Env(r.env.Getenv).Offline()
}
