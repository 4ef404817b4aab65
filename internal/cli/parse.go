package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/boughdev/bough/internal/setup"
	"github.com/boughdev/bough/session"
)

// parse reads a command line in pi's syntax (docs/spec/frontends.md A1): options
// anywhere, short ones of several letters, --opt=value, @file, -- before words
// that begin with a dash.
func parse(words []string) (*args, error) {
	a := &args{maxTurns: -1}
	opts := options()
	for i := 0; i < len(words); i++ {
		w := words[i]
		switch {
		case w == "--":
			for _, w := range words[i+1:] {
				a.word(w)
			}
			i = len(words)
		case strings.HasPrefix(w, "-"):
			used, err := a.option(opts, w, words[i+1:])
			if err != nil {
				return nil, err
			}
			i += used
		default:
			a.word(w)
		}
	}
	return a, a.check()
}

// word takes up a word that is no option: a file or a message.
func (a *args) word(w string) {
	if len(w) > 1 && w[0] == '@' {
		a.files = append(a.files, w[1:])
		return
	}
	a.messages = append(a.messages, w)
}

// option takes up one option and returns how many of the words behind it it used.
func (a *args) option(opts []option, w string, rest []string) (int, error) {
	name, inline, hasInline := w, "", false
	if strings.HasPrefix(w, "--") {
		name, inline, hasInline = strings.Cut(w, "=")
	}
	i := slices.IndexFunc(opts, func(o option) bool {
		return name == "--"+o.long || o.short != "" && name == "-"+o.short
	})
	if i < 0 {
		return 0, unknown(opts, name)
	}
	o := opts[i]
	if hasInline {
		switch o.kind {
		case flag:
			return 0, fmt.Errorf("%s takes no value", name)
		case message1:
			a.messages = append(a.messages, inline)
		}
		return 0, o.take(a, name, inline)
	}
	switch o.kind {
	case flag:
		return 0, o.set(a, "")
	case message1:
		if len(rest) > 0 && isMessage(rest[0]) {
			a.messages = append(a.messages, rest[0])
			return 1, o.set(a, "")
		}
		return 0, o.set(a, "")
	case optional:
		if len(rest) > 0 && !strings.HasPrefix(rest[0], "-") && !strings.HasPrefix(rest[0], "@") {
			return 1, o.set(a, rest[0])
		}
		return 0, o.set(a, "")
	}
	if len(rest) == 0 {
		return 0, o.lacks(name)
	}
	return 1, o.take(a, name, rest[0])
}

// take sets the value of an option. An empty one, as an unset variable of a shell
// leaves it, counts as none where it has no meaning.
func (o option) take(a *args, name, v string) error {
	if v == "" && o.kind == value {
		return fmt.Errorf("%s is empty; it needs a value: %s %s", name, name, o.arg)
	}
	return o.set(a, v)
}

func (o option) lacks(name string) error {
	return fmt.Errorf("%s needs a value: %s %s", name, name, o.arg)
}

// isMessage reports whether -p takes the word behind it: front matter begins with
// three dashes (docs/spec/frontends.md A-06).
func isMessage(w string) bool {
	return !strings.HasPrefix(w, "@") && (!strings.HasPrefix(w, "-") || strings.HasPrefix(w, "---"))
}

// check finds options that contradict each other.
func (a *args) check() error {
	for _, err := range []error{a.checkSession(), a.checkModel(), a.checkTools()} {
		if err != nil {
			return err
		}
	}
	switch {
	case a.mode == "rpc" && len(a.files) > 0:
		return errors.New("--mode rpc takes no @file: its messages come on standard input")
	case a.Approve && a.NoApprove:
		return errors.New("--approve and --no-approve contradict each other")
	}
	return nil
}

func (a *args) checkSession() error {
	var which []string
	for _, o := range []struct {
		name string
		on   bool
	}{
		{"--session", a.session != ""}, {"--continue", a.cont}, {"--resume", a.resume}, {"--fork", a.fork != ""},
		{"--session-id", a.sessionID != "" && a.fork == ""}, // with --fork it names the copy
	} {
		if o.on {
			which = append(which, o.name)
		}
	}
	if a.sessionID != "" {
		if err := session.CheckSessionID(a.sessionID); err != nil {
			return err
		}
	}
	switch {
	case len(which) > 1:
		return fmt.Errorf("%s and %s both say which session to open; give one of them", which[0], which[1])
	case a.fork != "" && a.noSession:
		return errors.New("--fork makes a session file, which --no-session forbids; --session with --no-session goes on in memory")
	case a.at != "" && a.session == "" && a.fork == "" && !a.cont && !a.resume:
		return errors.New("--at needs a session: --session, --fork, --continue or --resume")
	}
	return nil
}

func (a *args) checkModel() error {
	switch {
	case a.provider != "" && a.model == "":
		return fmt.Errorf("--provider needs --model, for example --provider %s --model MODEL", a.provider)
	case a.apiKey != "" && a.model == "" && len(split(a.models)) == 0:
		return errors.New("--api-key needs --model, so that the key goes to nobody else")
	}
	return nil
}

func (a *args) checkTools() error {
	signed := 0
	for _, t := range a.Tools {
		if !setup.Signed(t) {
			continue
		}
		signed++
		if len(t) == 1 {
			return fmt.Errorf("--tools has a %s without a name", t)
		}
		if strings.Contains(t, "*") {
			return fmt.Errorf("--tools %s: a pattern cannot have a sign; name the tools", t)
		}
	}
	if signed > 0 && signed < len(a.Tools) {
		return errors.New("--tools: give names, or only +names and -names, not both")
	}
	return nil
}

// unknown is the error of an option that does not exist.
func unknown(opts []option, name string) error {
	shown := oneLine(name, 40)
	if name == "-" {
		return errors.New(`unknown option "-": standard input is read without being asked for, if it is no terminal`)
	}
	if near := nearest(opts, name); near != "" {
		return fmt.Errorf("unknown option %s. Did you mean %s?", shown, near)
	}
	return fmt.Errorf("unknown option %s. Words that begin with a dash go behind --", shown)
}

// nearest returns the option that a mistyped one most likely means, or "".
func nearest(opts []option, name string) string {
	best, at := 4, ""
	for _, o := range opts {
		if o.help == "" || !strings.HasPrefix(name, "--") {
			continue
		}
		known := "--" + o.long
		d := distance(name, known)
		if d < best && d < len(known)-2 || d == best && at != "" && len(known) == len(name) && len(at) != len(name) {
			best, at = d, known
		}
	}
	return at
}

// distance counts the slips between two words: a letter too many, missing or
// wrong, or two letters in the wrong order.
func distance(a, b string) int {
	var before, above []int
	row := make([]int, len(b)+1)
	for k := range row {
		row[k] = k
	}
	for i := range len(a) {
		before, above, row = above, row, make([]int, len(b)+1)
		row[0] = i + 1
		for k := range len(b) {
			wrong := 1
			if a[i] == b[k] {
				wrong = 0
			}
			row[k+1] = min(above[k+1]+1, row[k]+1, above[k]+wrong)
			if i > 0 && k > 0 && a[i] == b[k-1] && a[i-1] == b[k] {
				row[k+1] = min(row[k+1], before[k-1]+1)
			}
		}
	}
	return row[len(b)]
}
