package repl_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/boughdev/bough/internal/frontend/repl"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/protocol"
)

// What the model thinks is hidden as soon as the setting says so.
func TestThinkingIsHidden(t *testing.T) {
	hide := false
	d := func(kind message.DeltaKind, index int, text string) protocol.Event {
		return protocol.Delta{Delta: message.Delta{Kind: kind, Index: index, Text: text}}
	}
	p := newPuppet(func(p *puppet, cmd protocol.Request) (any, error) {
		p.tell(protocol.LoopStarted{}, protocol.AnswerStarted{}, d(message.ThinkingStart, 0, ""), d(message.ThinkingDelta, 0, "hmm"), d(message.ThinkingEnd, 0, ""),
			d(message.TextStart, 1, ""), d(message.TextDelta, 1, "yes"), d(message.TextEnd, 1, ""), protocol.RunEnded{})
		hide = true
		return protocol.Started, nil
	})
	out, _, _, err := p.run(t, "a\nb\n", repl.Options{Terminal: true, HideThinking: func() bool { return hide }})
	if err != nil || strings.Contains(out, "hmm") || !strings.Contains(out, "yes") {
		t.Errorf("%v: %q", err, out)
	}
	out, _, _, err = newPuppet(p.answer).run(t, "a\n", repl.Options{Terminal: true})
	if err != nil || !strings.Contains(out, "hmm") {
		t.Errorf("%v: %q", err, out)
	}
}

func TestWhatSettingsSay(t *testing.T) {
	w := newWorld(t, "")
	got := w.say("read main.go\n/tree --ascii\n/tree --ascii --default\n", quiet, func(o *repl.Options) {
		o.TreeFilter = func() string { return "user-only" }
	})
	want := `> #1 * user: read main.go
  #1 * user: read main.go
  #2 * assistant: Reading main.go.
  #3 * [read: main.go]
> #4 * assistant: Done. read said: package main (1 line)
`
	if !strings.HasSuffix(got.out, "(1 line)\n"+want) {
		t.Errorf("%s\nwant\n%s", got.out, want)
	}
	if got := w.say("", func(o *repl.Options) { o.NoHeader = true }); strings.Contains(got.out, "/help for commands") {
		t.Errorf("%s", got.out)
	}
	if got := w.say(""); !strings.Contains(got.out, "/help for commands") {
		t.Errorf("%s", got.out)
	}
}

func TestSettingsCommand(t *testing.T) {
	set := protocol.Setting{Key: "a.b", Help: "What it does.", Allowed: "a number", Default: "1", Sources: []protocol.SettingSource{
		{Value: `"x"`, From: "project, /p/.pi/settings.json:3", Ignored: "wants a number, not a text"},
		{Value: "5", From: "user, /home/u/.pi/agent/settings.json:2"}, {Value: "1", From: "default"}}}
	var asked []protocol.Request
	p := newPuppet(func(p *puppet, cmd protocol.Request) (any, error) {
		if _, ok := cmd.(protocol.SetSetting); ok {
			asked = append(asked, cmd)
		}
		switch c := cmd.(type) {
		case protocol.GetSettings:
			if c.Key == "no" {
				return nil, protocol.Fail(protocol.NotFound, "there is no setting %q", c.Key)
			}
			return protocol.Settings{Settings: []protocol.Setting{set}, Hints: []string{"f:1: x\x1b[2J: odd"}}, nil
		case protocol.SetSetting:
			if c.Value == "bad" {
				return nil, protocol.Fail(protocol.BadRequest, "cannot set a.b to bad")
			}
			return protocol.SettingSet{Setting: set, Effect: "at once", Undo: "bough config unset a.b"}, nil
		}
		return nil, errors.New("unexpected")
	})
	out, errs, _, err := p.run(t, "/settings\n/settings --all\n/settings a.b\n/settings no\n/settings a.b bad\n/settings a.b  [1, 2] \n/settings unset a.b\n/settings save a.b 7 8\n/settings save\n/settings unset\n", repl.Options{Home: "/home/u"})
	row := `a.b = 5 (user, ~/.pi/agent/settings.json:2); project, /p/.pi/settings.json:3, says "x": wants a number, not a text`
	how := "/settings KEY says more of one, /settings KEY VALUE sets it for this run, /settings save KEY VALUE for good; --all lists all.\n"
	done := row + "; at once\nTo undo: bough config unset a.b\n"
	want := row + "\nf:1: x: odd\n" + how + row + "\nf:1: x: odd\n" + how +
		"a.b = 5\n  ignored  project, /p/.pi/settings.json:3: \"x\" (wants a number, not a text)\n  from     user, ~/.pi/agent/settings.json:2\n  beneath  default: 1\n  meaning  What it does.\n  allowed  a number\n" +
		"There is no setting \"no\".\n/settings --all lists all settings.\nCannot set a.b to bad.\n" + done + done + done +
		"/settings save takes a key and a value: /settings save retry.maxRetries 5\n" + done
	if out != want || errs != "" || err != nil {
		t.Errorf("%v %q\n%s\nwant\n%s", err, errs, out, want)
	}
	if got := asked[1]; got != (protocol.SetSetting{Key: "a.b", Value: "[1, 2]"}) {
		t.Errorf("%+v", got)
	}
	if got := asked[3]; got != (protocol.SetSetting{Key: "a.b", Value: "7 8", Save: true}) {
		t.Errorf("%+v", got)
	}
}
