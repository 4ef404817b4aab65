package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"runtime"
	"strings"
	"unicode"

	"github.com/boughdev/bough/internal/auth"
	"github.com/boughdev/bough/internal/signin"
	"github.com/boughdev/bough/provider"
	"github.com/boughdev/bough/provider/catalog"
)

// maxKey is how long a key may be, in bytes.
const maxKey = 16 << 10

// login stores a key for a provider, or signs in.
func (a *account) login(ctx context.Context) error {
	person := a.env.StdinTerminal && a.env.Secret != nil
	switch {
	case a.provider == "" && person:
		if err := a.askProvider(ctx); err != nil {
			return err
		}
	case a.provider == "":
		return commandUsage("auth", "name the provider of the key, for example: bough auth login anthropic")
	case a.opts["--api-key"] != "" && a.opts["--no-browser"] != "":
		return commandUsage("auth", "--no-browser is for signing in, --api-key for a key")
	}
	if err := a.named(); err != nil {
		return err
	}
	why, only := auth.NoSignIn(a.provider)
	if only {
		return errors.New(why)
	}
	if !person {
		if a.opts["--no-browser"] != "" {
			return fmt.Errorf("signing in needs a terminal. Give a key on standard input instead: … | bough auth login %s", a.provider)
		}
		return a.loginFrom(ctx)
	}
	if auth.CanSignIn(a.provider) && a.opts["--api-key"] == "" {
		return a.signIn(ctx, true)
	}
	if why != "" {
		fmt.Fprintf(a.env.Stderr, "%s\n", why)
	}
	return a.askKey(ctx)
}

// loginFrom takes the key that standard input holds.
func (a *account) loginFrom(ctx context.Context) error {
	raw, err := io.ReadAll(io.LimitReader(a.env.Stdin, maxKey+1))
	if err != nil {
		return fmt.Errorf("read the key: %w", err)
	}
	key, err := tidyKey(string(raw))
	if err != nil {
		return err
	}
	return a.store(ctx, key, nil)
}

// tidyKey takes the blanks around a key away, and refuses what is none.
func tidyKey(s string) (string, error) {
	key := strings.TrimSpace(strings.TrimPrefix(s, "\ufeff"))
	switch {
	case key == "":
		return "", errors.New("no key was given; nothing is stored")
	case len(key) > maxKey:
		return "", errors.New("that is too long for a key; nothing is stored")
	case strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }):
		return "", errors.New("that is no key: it has blanks, line ends or signs that no key has; nothing is stored")
	}
	return key, nil
}

// askProvider asks which provider it is about.
func (a *account) askProvider(ctx context.Context) error {
	fmt.Fprint(a.env.Stderr, "Which provider, for example anthropic, openai, google, openrouter? ")
	line, err := a.line(ctx)
	if a.provider = strings.TrimSpace(line); a.provider == "" {
		return errors.Join(errors.New("no provider was named; nothing is stored"), err)
	}
	return nil
}

// keyLike says that a word is rather a key than the name of a provider: it must
// not be said again. Of the keys that have no such beginning the length tells.
func keyLike(s string) bool {
	for _, begin := range []string{"sk-", "sk_", "AIza", "gsk_", "xai-", "hf_", "ghp_", "github_pat_", "nvapi-", "pplx-", "csk-", "AKIA"} {
		if strings.HasPrefix(s, begin) {
			return true
		}
	}
	return len(s) > 30 || strings.ContainsFunc(s, unicode.IsSpace)
}

// askKey asks for a key, and for what else the provider needs.
func (a *account) askKey(ctx context.Context) error {
	if page := auth.Page(a.provider); page != "" {
		fmt.Fprintf(a.env.Stderr, "%s gives out keys at %s\n", a.displayName(), page)
	}
	fmt.Fprintf(a.env.Stderr, "Key of %s (it is not shown): ", a.displayName())
	typed, err := a.env.Secret(ctx)
	fmt.Fprintln(a.env.Stderr)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	key, err := tidyKey(typed)
	if err != nil {
		return err
	}
	more := map[string]string{}
	for _, name := range a.reg.Lacks(a.provider) {
		fmt.Fprintf(a.env.Stderr, "%s: ", name)
		v, err := a.line(ctx)
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if v = strings.TrimSpace(v); v != "" {
			more[name] = v
		}
	}
	return a.store(ctx, key, more)
}

// signIn goes the way by the browser. paste says that a line of the terminal may
// hold the address that the browser ended at.
func (a *account) signIn(ctx context.Context, paste bool) error {
	lines := make(chan string, 1)
	key, err := a.browserKey(ctx, func(address, problem string) {
		fmt.Fprintf(a.env.Stderr, "Say yes to bough on this page:\n%s\n", address)
		if problem != "" {
			fmt.Fprintln(a.env.Stderr, problem)
		}
		if !paste {
			return
		}
		fmt.Fprint(a.env.Stderr, "If that browser is on another machine, paste here the address it ends at: ")
		go func() { // it ends with the process if nobody types
			if line, err := a.line(ctx); err == nil && strings.TrimSpace(line) != "" {
				lines <- line
			}
		}()
	}, lines)
	if paste {
		fmt.Fprintln(a.env.Stderr)
	}
	if err != nil {
		return err
	}
	return a.store(ctx, key, nil)
}

// browserKey has a key made on a page of the provider: show gets its address, and why
// no browser could be opened.
func (a *account) browserKey(ctx context.Context, show func(address, problem string), pasted <-chan string) (string, error) {
	f := signin.OpenRouter()
	f.Client = provider.DefaultClient()
	if to := a.env.OpenRouter; to != "" {
		f.Authorize, f.Exchange = to+"/auth", to+"/api/v1/auth/keys"
	}
	f.Pasted = pasted
	f.Show = func(address string) {
		problem := ""
		if a.opts["--no-browser"] == "" {
			if err := openBrowser(address, a.env.Getenv); err != nil {
				problem = fmt.Sprintf("No browser could be opened (%v): open the page yourself.", err)
			}
		}
		show(address, problem)
	}
	return f.Key(ctx)
}

// openBrowser opens a page, and does not wait for what comes of it.
func openBrowser(address string, getenv func(string) string) error {
	name, args := "xdg-open", []string{address}
	switch own := getenv("BROWSER"); {
	case own != "":
		name, _, _ = strings.Cut(own, ":")
	case runtime.GOOS == "darwin":
		name = "open"
	case runtime.GOOS == "windows":
		name, args = "rundll32", []string{"url.dll,FileProtocolHandler", address}
	case getenv("DISPLAY") == "" && getenv("WAYLAND_DISPLAY") == "":
		return errors.New("there is no screen here")
	}
	c := exec.Command(name, args...)
	if err := c.Start(); err != nil {
		return errors.New(name + " cannot be started")
	}
	go func() { _ = c.Wait() }() // what became of it is the browser's matter
	return nil
}

// store writes a key, after a try if one is wanted.
func (a *account) store(ctx context.Context, key string, more map[string]string) error {
	if a.opts["--check"] != "" {
		switch err := a.reg.Try(ctx, a.provider, &catalog.Trial{Key: key, Env: more}); {
		case err == nil:
			fmt.Fprintf(a.env.Stderr, "bough: %s takes the key\n", a.displayName())
		case errors.Is(err, catalog.ErrRefused):
			return fmt.Errorf("%w; nothing is stored", err)
		case ctx.Err() != nil:
			return ctx.Err()
		default:
			fmt.Fprintf(a.env.Stderr, "bough: the key could not be tried: %v\n", err)
		}
	}
	if err := auth.SaveKey(ctx, a.paths.AuthFile(), a.provider, auth.Literal(key), more); err != nil {
		return err
	}
	fmt.Fprintf(a.env.Stderr, "bough: the key of %s is stored in %s\n", a.provider, a.paths.AuthFile())
	for _, name := range auth.Variables(a.provider) {
		if a.env.Getenv(name) != "" {
			fmt.Fprintf(a.env.Stderr, "bough: it goes before that of %s\n", name)
		}
	}
	if why := a.reg.Why(a.provider); why != "" {
		fmt.Fprintf(a.env.Stderr, "bough: %s cannot be used yet: %s\n", a.provider, why)
	} else {
		fmt.Fprintf(a.env.Stderr, "bough: next: bough --list-models %s, or just bough\n", a.provider)
	}
	return nil
}
