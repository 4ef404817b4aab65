package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/boughdev/bough/internal/auth"
	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/provider/catalog"
)

// authCommands is the subcommand auth, whose own words and options are pi's
// (docs/spec/frontends.md A4).
func authCommands() command {
	return command{"auth", "login|logout|check|list|print-api-key|print-bearer-token [PROVIDER]", "store, forget, test and print the keys of providers",
		"login PROVIDER asks for a key without showing it, or reads it from standard input:\n" +
			"  bough auth login anthropic\n  pass show keys/anthropic | bough auth login anthropic\n" +
			"At OpenRouter it signs in by the browser. A key is never an argument, since other\nusers of the machine could see it.\n" +
			"logout PROVIDER forgets what is stored. check prints ready, not_ready or invalid, and\nexits with 0, 1 or 2. list says which provider has a key, and where it is from.\n" +
			"Keys are in auth.json of the agent folder, which is shared with pi.\n",
		[]commandOption{
			{"--provider", "PROVIDER", "the provider (same as the word)"},
			{"--model", "MODEL", "check, print-…: that of this model"},
			{"--api-key", "", "login: store a key, do not sign in by the browser"},
			{"--no-browser", "", "login: open no browser here; show the address to open elsewhere"},
			{"--check", "", "login: try the key before it is stored"},
			{"--online", "", "check: try the key at the provider"},
			{"--json", "", "check, list: print JSON"},
			{"--credentials", "", "check: print the key when it is ready"},
			{"--no-refresh", "", "check: accepted; bough renews no sign-ins"},
			{"--min-expiry", "DURATION", "print-bearer-token: that much time must be left, as 30m"},
		}, authCommand}
}

// authOptions says which word takes which options.
var authOptions = map[string][]string{
	"login":              {"--provider", "--api-key", "--no-browser", "--check"},
	"logout":             {"--provider"},
	"check":              {"--provider", "--model", "--online", "--json", "--credentials", "--no-refresh"},
	"list":               {"--json"},
	"print-api-key":      {"--provider", "--model"},
	"print-bearer-token": {"--provider", "--model", "--min-expiry"},
}

// account is a run of bough auth.
type account struct {
	*runner
	opts     map[string]string
	keys     *auth.Keys
	reg      *catalog.Registry
	provider string // "" if none is named
}

func authCommand(ctx context.Context, env Env, opts map[string]string, words []string) error {
	if len(words) == 0 {
		return commandUsage("auth", "say what to do: login, logout, check, list, print-api-key or print-bearer-token")
	}
	verb, words := words[0], words[1:]
	known, ok := authOptions[verb]
	if !ok {
		return commandUsage("auth", "there is no %s; there are login, logout, check, list, print-api-key and print-bearer-token", oneLine(verb, 40))
	}
	for o := range opts {
		if !slices.Contains(known, o) {
			return commandUsage("auth", "%s takes no %s", verb, o)
		}
	}
	most := 1
	if verb == "list" {
		most = 0
	}
	if len(words) > most { // the words are not repeated: one may be a key
		return commandUsage("auth", "%s takes no more than the name of a provider. A key is asked for, or read from standard input; on a command line other users could see it", verb)
	}
	r, err := newRunner(env, &args{maxTurns: -1})
	if err != nil {
		return err
	}
	a := &account{runner: r, opts: opts, provider: opts["--provider"]}
	if len(words) == 1 {
		if a.provider != "" && a.provider != words[0] {
			return commandUsage("auth", "two providers are named")
		}
		a.provider = words[0]
	}
	if a.reg, a.keys, err = r.registryAndKeys(ctx); err != nil {
		return err
	}
	switch verb {
	case "login":
		return a.login(ctx)
	case "logout":
		return a.logout(ctx)
	case "check":
		return a.check(ctx)
	case "list":
		return a.list()
	case "print-api-key":
		return a.printKey(ctx)
	}
	return a.printToken()
}

// named finds the provider of a word, as it is written.
func (a *account) named() error {
	if a.provider == "" {
		return commandUsage("auth", "name a provider, for example anthropic")
	}
	for _, p := range a.reg.Providers() {
		if strings.EqualFold(p.ID, a.provider) {
			a.provider = p.ID
			return nil
		}
	}
	if _, ok := a.keys.Stored(a.provider); ok {
		return nil
	}
	if keyLike(a.provider) {
		return errors.New("that looks like a key, not like the name of a provider. Name the provider, as anthropic; the key is asked for after that")
	}
	near := ""
	if ids := nearNames(a.provider, a.reg.Providers()); len(ids) > 0 {
		near = " Is it " + strings.Join(ids, ", ") + "?"
	}
	return fmt.Errorf("there is no provider %s.%s A server of your own is described in %s first", oneLine(a.provider, 40), near, a.paths.ModelsFile())
}

// nearNames returns the providers that a word may mean, the nearest first.
func nearNames(word string, all []catalog.Listing) []string {
	word = strings.ToLower(word)
	if len(word) < 3 {
		return nil
	}
	var out []string
	for _, near := range []func(id, name string) bool{
		func(id, _ string) bool { return strings.HasPrefix(id, word) },
		func(id, name string) bool { return strings.Contains(id, word) || strings.Contains(name, word) },
		func(id, _ string) bool { return strings.HasPrefix(id, word[:3]) },
	} {
		for _, l := range all {
			if near(strings.ToLower(l.ID), strings.ToLower(l.Name)) && !slices.Contains(out, l.ID) {
				out = append(out, l.ID)
			}
		}
		if len(out) > 0 {
			break
		}
	}
	return out[:min(len(out), 5)]
}

func (a *account) displayName() string {
	for _, p := range a.reg.Providers() {
		if p.ID == a.provider {
			return p.Name
		}
	}
	return a.provider
}

// logout forgets what is stored.
func (a *account) logout(ctx context.Context) error {
	if a.provider == "" {
		return commandUsage("auth", "name the provider to forget")
	}
	if err := a.named(); err != nil {
		// What is nowhere is not stored either.
		fmt.Fprintf(a.env.Stderr, "bough: nothing is stored for %s\n", oneLine(a.provider, 40))
		return nil
	}
	had, err := auth.Remove(ctx, a.paths.AuthFile(), a.provider)
	if err != nil {
		return err
	}
	a.keys.Refresh()
	said := "the key of " + a.provider + " is forgotten"
	if !had {
		said = "nothing is stored for " + a.provider
	}
	if src := a.keys.Find(a.provider, a.reg.ConfiguredKey(a.provider)); src.Place != auth.Nowhere {
		said += fmt.Sprintf("; it still has one by %s", src)
	}
	fmt.Fprintf(a.env.Stderr, "bough: %s\n", said)
	return nil
}

// readiness is what check prints; the field names and words are pi's, reason has
// some of its own.
type readiness struct {
	Status      string `json:"status"` // ready, not_ready, invalid
	Provider    string `json:"provider"`
	AuthType    string `json:"authType,omitempty"`
	Reason      string `json:"reason,omitempty"`
	Credentials string `json:"credentials,omitempty"`

	advice string
}

func (a *account) check(ctx context.Context) error {
	r := a.ready(ctx)
	if r.Status == "ready" && a.opts["--online"] != "" {
		if err := a.reg.Try(ctx, a.provider, nil); err != nil {
			r = readiness{Status: "not_ready", Provider: a.provider, Reason: "refused", advice: err.Error()}
			if !errors.Is(err, catalog.ErrRefused) {
				r.Reason = "unreachable"
			}
		}
	}
	if a.opts["--credentials"] == "" || r.Status != "ready" {
		r.Credentials = ""
	}
	switch {
	case a.opts["--json"] != "":
		if err := printJSON(a.env.Stdout, r); err != nil {
			return err
		}
	case r.Credentials != "":
		fmt.Fprintln(a.env.Stdout, r.Credentials)
	default:
		fmt.Fprintln(a.env.Stdout, r.Status)
	}
	if r.advice != "" {
		fmt.Fprintf(a.env.Stderr, "bough: %s\n", r.advice)
	}
	switch r.Status {
	case "ready":
		return nil
	case "invalid":
		return exitCode(2)
	}
	return exitCode(1)
}

// ready says whether the provider that is named can be asked.
func (a *account) ready(ctx context.Context) readiness {
	if a.provider == "" && a.opts["--model"] == "" {
		return readiness{Status: "invalid", Reason: "no_provider", advice: "name a provider or a model: bough auth check --provider anthropic"}
	}
	if err := a.byModel(); err != nil {
		return readiness{Status: "invalid", Provider: either(a.provider, a.opts["--model"]), Reason: "invalid_state", advice: err.Error()}
	}
	if err := a.named(); err != nil {
		return readiness{Status: "not_ready", Provider: a.provider, Reason: "provider_not_found", advice: err.Error()}
	}
	out := readiness{Status: "not_ready", Provider: a.provider}
	stored, has := a.keys.Stored(a.provider)
	src := a.keys.Find(a.provider, a.reg.ConfiguredKey(a.provider))
	key, err := a.keys.Key(ctx, a.provider, a.reg.ConfiguredKey(a.provider))
	switch why := a.reg.Why(a.provider); {
	case err != nil:
		out.Reason, out.advice = "credentials_not_configured", err.Error()
	case src.Place == auth.Nowhere && has && stored.Type == "oauth" && stored.Access != "" && !stored.Valid(0):
		out.Status, out.Reason, out.advice = "invalid", "invalid_state", why
	case src.Place == auth.Nowhere && has && stored.Type == "oauth":
		out.Reason, out.advice = "sign_in_not_supported", why
	case src.Place == auth.Nowhere && why != "":
		out.Reason, out.advice = "credentials_not_configured", why
	case src.Place == auth.Nowhere:
		out.Status, out.AuthType = "ready", "none"
	case why != "":
		out.Reason, out.advice = "not_usable", why
	default:
		out.Status, out.AuthType, out.Credentials = "ready", "api_key", key
		if src.Place == auth.File && stored.Type == "oauth" {
			out.AuthType = "oauth"
		}
	}
	return out
}

func either(words ...string) string {
	for _, w := range words {
		if w != "" {
			return w
		}
	}
	return ""
}

// byModel takes the provider of --model.
func (a *account) byModel() error {
	m := a.opts["--model"]
	if m == "" {
		return nil
	}
	p, err := a.reg.Resolve(m, a.provider)
	if err != nil {
		return err
	}
	a.provider = p.Info.Provider
	return nil
}

// resolved finds the provider that is named or that of the model.
func (a *account) resolved() error {
	if err := a.byModel(); err != nil {
		return err
	}
	return a.named()
}

func (a *account) printKey(ctx context.Context) error {
	if err := a.resolved(); err != nil {
		return err
	}
	if c, ok := a.keys.Stored(a.provider); ok && c.Type == "oauth" && a.keys.Find(a.provider, "").Place != auth.File {
		return fmt.Errorf("%s has a sign-in, no key. bough auth print-bearer-token --provider %s prints its token", a.provider, a.provider)
	}
	key, err := a.keys.Key(ctx, a.provider, a.reg.ConfiguredKey(a.provider))
	if err != nil {
		return err
	}
	if key == "" {
		return a.keys.Missing(a.provider)
	}
	_, err = fmt.Fprintln(a.env.Stdout, key)
	return err
}

func (a *account) printToken() error {
	if err := a.resolved(); err != nil {
		return err
	}
	rest := time.Duration(0)
	if v := a.opts["--min-expiry"]; v != "" {
		d, err := time.ParseDuration(v)
		if err != nil || d < 0 {
			return commandUsage("auth", "--min-expiry is a time such as 500ms, 30s, 30m or 1h")
		}
		rest = d
	}
	c, ok := a.keys.Stored(a.provider)
	switch {
	case !ok || c.Type != "oauth":
		return fmt.Errorf("%s has no sign-in whose token could be printed. bough auth print-api-key --provider %s prints its key, if it has one", a.provider, a.provider)
	case c.Access == "":
		return fmt.Errorf("the sign-in of %s in %s has no token; sign in again where it was made: pi auth login %s", a.provider, a.paths.AuthFile(), a.provider)
	case !c.Valid(rest):
		return fmt.Errorf("the token of %s has expired, or will too soon, and bough cannot renew it. pi auth print-bearer-token --provider %s does", a.provider, a.provider)
	}
	_, err := fmt.Fprintln(a.env.Stdout, c.Access)
	return err
}

// holding is one row of auth list.
type holding struct {
	Provider string `json:"provider"`
	From     string `json:"from"`
	Ready    bool   `json:"ready"`
	Note     string `json:"note,omitempty"`
}

func (a *account) list() error {
	var rows []holding
	seen := map[string]bool{}
	add := func(id string) {
		if seen[id] {
			return
		}
		seen[id] = true
		h := holding{Provider: id, From: a.keys.Find(id, a.reg.ConfiguredKey(id)).String()}
		stored, has := a.keys.Stored(id)
		if h.From == "" && !has {
			return
		}
		if has && h.From != string(auth.File) && h.From != string(auth.Flag) {
			h.Note = "what auth.json has cannot be used"
			if stored.Type == "oauth" {
				h.Note = "the sign-in in auth.json is pi's"
			}
		}
		if why := a.reg.Why(id); why == "" {
			h.Ready = true
		} else if h.From != "" {
			h.Note = why
		}
		rows = append(rows, h)
	}
	for _, p := range a.reg.Providers() {
		add(p.ID)
	}
	for _, id := range a.keys.StoredProviders() {
		add(id)
	}
	if a.opts["--json"] != "" {
		for _, h := range rows {
			if err := printJSON(a.env.Stdout, h); err != nil {
				return err
			}
		}
		return nil
	}
	if len(rows) == 0 {
		fmt.Fprintln(a.env.Stderr, "bough: no provider has a key. bough auth login PROVIDER stores one")
		return nil
	}
	w := tabwriter.NewWriter(a.env.Stdout, 0, 8, 2, ' ', 0)
	for _, h := range rows {
		state := "ready"
		if !h.Ready {
			state = "not ready"
		}
		fmt.Fprintln(w, strings.TrimRight(render.Clean(h.Provider)+"\t"+either(h.From, "-")+"\t"+state+"\t"+h.Note, "\t"))
	}
	return w.Flush()
}

func printJSON(w io.Writer, v any) error {
	b, err := rawjson.Encode(v)
	if err == nil {
		_, err = w.Write(append(b, '\n'))
	}
	return err
}
