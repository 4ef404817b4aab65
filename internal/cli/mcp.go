package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/boughdev/bough/internal/config"
	"github.com/boughdev/bough/internal/mcp"
	"github.com/boughdev/bough/internal/pifile"
	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/internal/trust"
)

// mcpCommand is the subcommand mcp, whose words and options are pi's (docs/spec/
// frontends.md A4). Some options may be repeated, so it parses its own.
func mcpCommand() command {
	return command{"mcp", "add|remove|list|enable|disable|login|logout [SERVER]", "set up, check and sign in to MCP servers",
		"  bough mcp add files -- npx -y @modelcontextprotocol/server-filesystem .\n" +
			"  bough mcp add docs --url https://example.com/mcp --bearer-token-env-var DOCS_TOKEN\n" +
			"  bough mcp list            connects to all, says how it went; exit code 1 if it did not\n" +
			"  bough mcp login docs      signs in by the browser; logout forgets it\n\n" +
			"Servers are in mcp.json of the agent folder, shared with pi, and in .pi/mcp.json of a\nproject that is trusted. More: bough help mcp\n",
		[]commandOption{
			{"--local, -l", "", "add, remove, login, logout: in .pi/mcp.json of this project (also --project)"},
			{"--url", "URL", "add: a server that is reached by HTTP"},
			{"--env", "NAME=VALUE", "add: a variable for a command; may be repeated"},
			{"--cwd", "DIR", "add: where a command runs"},
			{"--header", "NAME=VALUE", "add: an HTTP header; may be repeated"},
			{"--bearer-token-env-var", "NAME", "add: send Authorization: Bearer ${NAME}"},
			{"--oauth-client-id", "ID", "add: a client that is registered"},
			{"--oauth-client-secret", "SECRET", "add: its secret; may be ${NAME} or !command"},
			{"--oauth-callback-port", "PORT", "add: where the browser comes back to"},
			{"--oauth-client-name", "NAME", "add: how to register"},
			{"--oauth-client-registration", "MODE", "add: auto, cimd or dcr"},
			{"--exposure", "MODE", "add: direct, codemode, deferred or hidden"},
			{"--description", "TEXT", "add: what the server offers"},
			{"--no-check", "", "list: only what is configured, without connecting"},
			{"--json", "", "list: print JSON"},
			{"--timeout", "SECONDS", "login: how long it may take (300)"},
			{"--no-browser", "", "login: open no browser here; show the address to open elsewhere"},
		}, nil}
}

// mcpOptions says which word takes which options.
var mcpOptions = map[string][]string{
	"add": {"--local", "--url", "--env", "--cwd", "--header", "--bearer-token-env-var", "--oauth-client-id", "--oauth-client-secret",
		"--oauth-callback-port", "--oauth-client-name", "--oauth-client-registration", "--exposure", "--description"},
	"remove":  {"--local"},
	"list":    {"--no-check", "--check", "--json"},
	"enable":  {},
	"disable": {},
	"login":   {"--local", "--timeout", "--no-browser"},
	"logout":  {"--local"},
}

// mcpRun is a run of bough mcp.
type mcpRun struct {
	*runner
	opts    map[string][]string
	words   []string
	command []string // behind --
}

func mcpUsage(format string, args ...any) error { return commandUsage("mcp", format, args...) }

func mcpMain(ctx context.Context, env Env, words []string) error {
	if len(words) == 0 || words[0] == "-h" || words[0] == "--help" {
		return helpCommand(ctx, env, nil, []string{"mcp"})
	}
	verb := words[0]
	known, ok := mcpOptions[verb]
	if !ok {
		return mcpUsage("there is no %q; there are add, remove, list, enable, disable, login and logout", oneLine(verb, 40))
	}
	x := mcpRun{opts: map[string][]string{}}
	for i := 1; i < len(words); i++ {
		w := words[i]
		if w == "--" {
			x.command = words[i+1:]
			break
		}
		if w == "-h" || w == "--help" {
			return helpCommand(ctx, env, nil, []string{"mcp"})
		}
		if !strings.HasPrefix(w, "-") || w == "-" {
			x.words = append(x.words, w)
			continue
		}
		name, v, inline := strings.Cut(w, "=")
		if name == "-l" || name == "--project" {
			name = "--local"
		}
		if !slices.Contains(known, name) {
			if verb == "add" && len(x.words) > 1 {
				return mcpUsage("put -- before the command: bough mcp add %s -- %s", oneLine(x.words[0], 40), oneLine(strings.Join(append(x.words[1:], words[i:]...), " "), 100))
			}
			return mcpUsage("%s does not take %s", verb, oneLine(name, 40))
		}
		if slices.Contains([]string{"--local", "--json", "--check", "--no-check", "--no-browser"}, name) {
			if inline {
				return mcpUsage("%s takes no value", name)
			}
			v = "true"
		} else if !inline && i+1 < len(words) && words[i+1] != "--" {
			i++
			v = words[i]
		}
		if v == "" {
			return mcpUsage("%s needs a value", name)
		}
		x.opts[name] = append(x.opts[name], v)
	}
	if verb == "list" && len(x.words) > 0 {
		return mcpUsage("list takes no server: it shows all")
	}
	if verb != "list" && len(x.words) == 0 {
		return mcpUsage("%s needs the name of a server: bough mcp %s NAME", verb, verb)
	}
	if verb != "add" && (len(x.words) > 1 || x.command != nil) {
		return mcpUsage("%s takes one server", verb)
	}
	var err error
	if x.runner, err = newRunner(env, &args{maxTurns: -1}); err != nil {
		return err
	}
	switch verb {
	case "add":
		return x.add(ctx)
	case "remove":
		return x.remove(ctx)
	case "list":
		return x.list(ctx)
	case "login":
		return x.login(ctx)
	case "logout":
		return x.logout(ctx)
	}
	return x.enable(ctx, verb == "enable")
}

func (x *mcpRun) opt(name string) string {
	if all := x.opts[name]; len(all) > 0 {
		return all[len(all)-1]
	}
	return ""
}

// file is the one to change, and what it is called.
func (x *mcpRun) file() (path, kind string) {
	if x.opt("--local") != "" {
		return mcp.ProjectFile(x.env.Dir), "project"
	}
	return mcp.UserFile(x.paths), "global"
}

// server is what the options of add describe.
func (x *mcpRun) server() (mcp.Server, error) {
	s := mcp.Server{Name: x.words[0], URL: x.opt("--url"), Cwd: x.opt("--cwd"), Exposure: x.opt("--exposure"), Description: x.opt("--description"),
		OAuth: mcp.OAuth{ClientID: x.opt("--oauth-client-id"), ClientSecret: x.opt("--oauth-client-secret"), ClientName: x.opt("--oauth-client-name"),
			ClientRegistration: x.opt("--oauth-client-registration")}}
	rest := append(x.words[1:], x.command...)
	if s.URL == "" && len(rest) == 1 && x.command == nil && strings.Contains(rest[0], "://") {
		s.URL, rest = rest[0], nil
	}
	if len(rest) > 0 {
		s.Command, s.Args = rest[0], rest[1:]
	}
	switch {
	case s.Command == "" && s.URL == "":
		return s, mcpUsage("add needs a command or an address: bough mcp add %s -- COMMAND ..., or --url URL", oneLine(s.Name, 40))
	case s.Command != "" && s.URL != "":
		return s, mcpUsage("give a command or --url, not both")
	}
	for _, o := range []string{"--env", "--cwd"} {
		if s.URL != "" && x.opt(o) != "" {
			return s, mcpUsage("%s is for servers that are started by a command", o)
		}
	}
	for _, o := range []string{"--header", "--bearer-token-env-var", "--oauth-client-id", "--oauth-client-secret", "--oauth-callback-port", "--oauth-client-name", "--oauth-client-registration"} {
		if s.Command != "" && x.opt(o) != "" {
			return s, mcpUsage("%s is for servers with a --url", o)
		}
	}
	var err error
	if s.Env, err = mcpPairs("--env", x.opts["--env"]); err != nil {
		return s, err
	}
	if s.Headers, err = mcpPairs("--header", x.opts["--header"]); err != nil {
		return s, err
	}
	if name := x.opt("--bearer-token-env-var"); name != "" {
		s.Headers = append(s.Headers, mcp.Pair{Key: "Authorization", Value: "Bearer ${" + name + "}"})
	}
	if port := x.opt("--oauth-callback-port"); port != "" {
		if s.OAuth.CallbackPort, err = strconv.Atoi(port); err != nil {
			return s, mcpUsage("--oauth-callback-port wants a number from 1 to 65535")
		}
	}
	return s, nil
}

func mcpPairs(option string, list []string) ([]mcp.Pair, error) {
	var out []mcp.Pair
	for _, kv := range list {
		k, v, ok := strings.Cut(kv, "=")
		if option == "--header" && !ok {
			k, v, ok = strings.Cut(kv, ":")
			v = strings.TrimSpace(v)
		}
		if k = strings.TrimSpace(k); !ok || k == "" {
			return nil, mcpUsage("%s wants NAME=VALUE", option)
		}
		out = append(out, mcp.Pair{Key: k, Value: v})
	}
	return out, nil
}

func (x *mcpRun) add(ctx context.Context) error {
	s, err := x.server()
	if err != nil {
		return err
	}
	file, kind := x.file()
	trusted := kind == "project" && x.setup.Trusts(x.env.Dir).Trusted
	old, err := mcp.Put(ctx, file, s)
	if err != nil {
		return err
	}
	out := x.env.Stdout
	if old != nil {
		fmt.Fprintf(out, "Replaced %s MCP server %q in %s.\n", kind, s.Name, file)
		x.tellKept(file, s.Name, old)
	} else {
		fmt.Fprintf(out, "Added %s MCP server %q in %s.\n", kind, s.Name, file)
		fmt.Fprintf(out, "To undo: bough mcp remove %s%s\n", s.Name, x.localFlag())
	}
	fmt.Fprintf(out, "Check it with: bough mcp list\n")
	if s.URL != "" && len(s.Headers) == 0 {
		fmt.Fprintf(out, "If it needs you to sign in: bough mcp login %s\n", s.Name)
	}
	if plainSecret(s) {
		x.tell("a secret among the arguments of a command can be seen by others, and is in the file as it is. Better write '${NAME}' and set that variable")
	}
	return x.projectChanged(kind, trusted)
}

// plainSecret reports whether something that is surely secret was written out.
func plainSecret(s mcp.Server) bool {
	plain := func(v string) bool { return v != "" && !strings.Contains(v, "$") && !strings.HasPrefix(v, "!") }
	return plain(s.OAuth.ClientSecret) || slices.ContainsFunc(s.Headers, func(p mcp.Pair) bool {
		return strings.EqualFold(p.Key, "Authorization") && plain(p.Value)
	})
}

func (x *mcpRun) localFlag() string {
	if x.opt("--local") != "" {
		return " --local"
	}
	return ""
}

// projectChanged sees to it that nobody is asked about what was done by hand.
func (x *mcpRun) projectChanged(kind string, trusted bool) error {
	switch {
	case kind != "project":
		return nil
	case !trusted:
		fmt.Fprintf(x.env.Stdout, "This project is not trusted yet, so its servers are not used: bough trust yes\n")
		return nil
	}
	return trust.Accept(x.setup.Places(), x.env.Dir)
}

// tellKept keeps an entry that was taken away, and says where.
func (x *mcpRun) tellKept(file, name string, entry []byte) {
	doc, err := pifile.Set(nil, []string{"mcpServers", name}, entry)
	if err != nil {
		return // the entry came out of a file of that form
	}
	kept := filepath.Join(x.paths.State, "mcp", name+".removed.json")
	if err := os.MkdirAll(filepath.Dir(kept), 0o700); err == nil {
		err = pifile.Write(kept, doc, 0o600)
		if err == nil {
			fmt.Fprintf(x.env.Stdout, "To undo, copy the entry from %s back to %s.\n", kept, file)
		}
	}
}

func (x *mcpRun) remove(ctx context.Context) error {
	file, kind := x.file()
	name := x.words[0]
	trusted := kind == "project" && x.setup.Trusts(x.env.Dir).Trusted
	old, err := mcp.Remove(ctx, file, name)
	if err != nil {
		return err
	}
	if old == nil {
		hint := ""
		if other := mcp.ProjectFile(x.env.Dir); kind == "global" && fileExists(other) {
			hint = " With --local the project's file is meant."
		}
		return fmt.Errorf("there is no %s MCP server %q in %s.%s", kind, oneLine(name, 40), file, hint)
	}
	fmt.Fprintf(x.env.Stdout, "Removed %s MCP server %q from %s.\n", kind, name, file)
	x.tellKept(file, name, old)
	return x.projectChanged(kind, trusted)
}

// enable switches a server on or off in the file that it stands in.
func (x *mcpRun) enable(ctx context.Context, on bool) error {
	servers, _ := mcp.Load(x.paths, x.env.Dir, x.setup.Trusts(x.env.Dir).Trusted)
	i := slices.IndexFunc(servers, func(s mcp.Server) bool { return s.Name == x.words[0] })
	if i < 0 {
		return fmt.Errorf("there is no MCP server %q: bough mcp list shows those that there are", oneLine(x.words[0], 40))
	}
	s := servers[i]
	if err := mcp.SetEnabled(ctx, s, on); err != nil {
		return err
	}
	word := map[bool]string{true: "on", false: "off"}[on]
	fmt.Fprintf(x.env.Stdout, "MCP server %q is switched %s in %s.\n", s.Name, word, s.File)
	return x.projectChanged(string(s.Source), s.Source == mcp.Project)
}

// mcpOptions are those of a manager for a folder, and what is wrong with its
// configuration.
func (r *runner) mcpOptions(dir string, trusted bool) (mcp.Options, []config.Problem) {
	servers, problems := mcp.Load(r.paths, dir, trusted)
	return mcp.Options{Servers: servers, Dir: dir, Paths: r.paths, Env: config.Env(r.env.Getenv), Environ: os.Environ(), Version: Version}, problems
}

func (x *mcpRun) manager() (*mcp.Manager, []config.Problem) {
	d := x.setup.Trusts(x.env.Dir)
	if !d.Trusted && fileExists(mcp.ProjectFile(x.env.Dir)) {
		x.say("%s is not read, as this project is not trusted (%s): bough trust yes", mcp.ProjectFile(x.env.Dir), d.Why)
	}
	o, problems := x.mcpOptions(x.env.Dir, d.Trusted)
	return mcp.New(o), problems
}

// mcpRow is a server in bough mcp list --json; pi has the same fields.
type mcpRow struct {
	Name      string   `json:"name"`
	Scope     string   `json:"scope"`
	Source    string   `json:"source"`
	Enabled   bool     `json:"enabled"`
	Exposure  string   `json:"exposure"`
	Transport string   `json:"transport"`
	State     string   `json:"state"`
	Tools     []string `json:"tools"`
	Resources bool     `json:"resources,omitempty"`
	Error     string   `json:"error,omitempty"`
	Stderr    []string `json:"stderr,omitempty"`
	Log       string   `json:"log,omitempty"`
}

func (x *mcpRun) list(ctx context.Context) error {
	m, problems := x.manager()
	defer m.Close()
	if x.opt("--no-check") == "" {
		m.Wait(ctx)
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	all := m.Status()
	bad := len(problems) > 0
	for _, s := range all {
		switch s.State {
		case mcp.Failed, mcp.NeedsSignIn, mcp.Invalid, mcp.Disconnected, mcp.Connecting:
			bad = true
		}
	}
	var err error
	if x.opt("--json") != "" {
		err = x.listJSON(all, problems)
	} else {
		err = x.listText(all, problems)
	}
	if err == nil && bad {
		return errSilent
	}
	return err
}

func (x *mcpRun) listJSON(all []mcp.ServerStatus, problems []config.Problem) error {
	list := struct {
		Servers []mcpRow `json:"servers"`
		Errors  []string `json:"errors"`
	}{[]mcpRow{}, []string{}}
	for _, s := range all {
		row := mcpRow{Name: s.Name, Scope: string(s.Source), Source: s.File, Enabled: s.State != mcp.Disabled, Exposure: s.Exposure, Transport: s.Target,
			State: string(s.State), Tools: []string{}, Resources: s.Resources, Error: s.Err, Stderr: s.Stderr}
		for _, t := range s.Tools {
			row.Tools = append(row.Tools, t.Name)
		}
		if fileExists(s.Log) {
			row.Log = s.Log
		}
		list.Servers = append(list.Servers, row)
	}
	for _, p := range problems {
		list.Errors = append(list.Errors, p.String())
	}
	enc := json.NewEncoder(x.env.Stdout)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(list)
}

// shownTools is how many names of tools are shown to people.
const shownTools = 40

func (x *mcpRun) listText(all []mcp.ServerStatus, problems []config.Problem) error {
	var b strings.Builder
	if len(all) == 0 && len(problems) == 0 {
		b.WriteString("No MCP servers are configured. bough mcp add NAME -- COMMAND adds one.\n")
	}
	width := 80
	if x.env.Width > 20 {
		width = x.env.Width
	}
	for _, s := range all {
		fmt.Fprintf(&b, "%s: %s", s.Name, s.State)
		if s.State == mcp.Connected {
			fmt.Fprintf(&b, ", %s", render.Plural(len(s.Tools), "tool", "tools"))
		}
		fmt.Fprintf(&b, " (%s, %s)\n  %s\n", s.Exposure, s.Source, render.Clean(oneLine(s.Target, 300)))
		if s.Err != "" {
			b.WriteString(render.Wrap("  "+render.Clean(s.Err), width) + "\n")
		}
		for _, line := range s.Stderr {
			b.WriteString("  | " + render.Clean(oneLine(line, 200)) + "\n")
		}
		if len(s.Tools) > 0 {
			b.WriteString(render.Wrap("  tools: "+mcpNames(s), width) + "\n")
		}
		if s.Resources {
			b.WriteString("  offers resources\n")
		}
	}
	for _, p := range problems {
		fmt.Fprintf(&b, "config error: %s\n", p)
	}
	_, err := fmt.Fprint(x.env.Stdout, b.String())
	return err
}

// mcpNames are the names of the tools of a server, with how each is offered if
// that is not as the others are.
func mcpNames(s mcp.ServerStatus) string {
	var names []string
	for i, t := range s.Tools {
		if i == shownTools {
			names = append(names, fmt.Sprintf("and %d more (--json has all)", len(s.Tools)-i))
			break
		}
		name := render.Clean(t.Name)
		if t.Exposure != s.Exposure {
			name += " (" + t.Exposure + ")"
		}
		names = append(names, name)
	}
	return strings.Join(names, ", ")
}

func (x *mcpRun) login(ctx context.Context) error {
	if err := x.inProject(); err != nil {
		return err
	}
	limit := 300.0
	if v := x.opt("--timeout"); v != "" {
		var err error
		if limit, err = strconv.ParseFloat(v, 64); err != nil || !(limit > 0) || limit > 86400 {
			return mcpUsage("--timeout wants seconds above 0")
		}
	}
	ctx, cancel := context.WithTimeoutCause(ctx, time.Duration(limit*float64(time.Second)), errors.New("it took too long"))
	defer cancel()
	m, _ := x.manager()
	defer m.Close()
	name := x.words[0]
	ui := mcp.LoginUI{Show: func(page string) {
		fmt.Fprintf(x.env.Stderr, "Sign in to MCP server %q on this page:\n%s\n", name, page)
		if x.opt("--no-browser") == "" {
			if err := openBrowser(page, x.env.Getenv); err != nil {
				fmt.Fprintf(x.env.Stderr, "No browser could be opened (%v): open the page yourself.\n", err)
			}
		}
		if x.env.StdinTerminal {
			fmt.Fprintln(x.env.Stderr, "If that browser is on another machine, paste here the address it ends at.")
		}
	}}
	if x.env.StdinTerminal {
		ui.Paste = x.line
	}
	if err := m.Login(ctx, name, ui); err != nil {
		return err
	}
	m.Wait(ctx)
	for _, s := range m.Status() {
		if s.Name != name {
			continue
		}
		if s.State != mcp.Connected {
			return fmt.Errorf("signed in, but %s cannot be used: %s", name, s.Err)
		}
		fmt.Fprintf(x.env.Stdout, "Signed in to MCP server %q (%d tools).\n", name, len(s.Tools))
	}
	return nil
}

// inProject checks that a server that is said to be the project's is.
func (x *mcpRun) inProject() error {
	if x.opt("--local") == "" {
		return nil
	}
	servers, _ := mcp.Load(x.paths, x.env.Dir, x.setup.Trusts(x.env.Dir).Trusted)
	if !slices.ContainsFunc(servers, func(s mcp.Server) bool { return s.Name == x.words[0] && s.Source == mcp.Project }) {
		return fmt.Errorf("there is no server %q in %s, or the project is not trusted", oneLine(x.words[0], 40), mcp.ProjectFile(x.env.Dir))
	}
	return nil
}

func (x *mcpRun) logout(ctx context.Context) error {
	if err := x.inProject(); err != nil {
		return err
	}
	m, _ := x.manager()
	defer m.Close()
	was, err := m.Logout(ctx, x.words[0])
	if err != nil {
		return err
	}
	if !was {
		fmt.Fprintf(x.env.Stdout, "There was no sign-in at MCP server %q.\n", x.words[0])
		return nil
	}
	fmt.Fprintf(x.env.Stdout, "Signed out of MCP server %q. To undo: bough mcp login %s\n", x.words[0], x.words[0])
	return nil
}
