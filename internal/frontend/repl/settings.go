package repl

import (
	"errors"

	"github.com/boughdev/bough/internal/frontend/slash"
	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/protocol"
)

// settings lists settings, explains one, or sets one: "KEY VALUE" for this run,
// "unset KEY" takes that back, "save KEY VALUE" writes it to the user's file.
func (r *repl) settings(words string) error {
	switch words {
	case "":
		return r.listSettings(false)
	case "--all":
		return r.listSettings(true)
	}
	c, ok, err := slash.SettingChange(words)
	switch {
	case err != nil:
		r.say("%s", err)
		return nil
	case !ok:
		return r.explainSetting(words)
	}
	set, err := protocol.Call(r.ctx, r.c, c)
	if err != nil {
		r.noSetting(err)
		return nil
	}
	row := slash.SettingRow(set.Setting, r.o.Home)
	if set.Setting.Unused == "" {
		row += "; " + set.Effect
	}
	r.say("%s", row)
	if set.Undo != "" {
		r.note("To undo: %s", set.Undo)
	}
	return nil
}

func (r *repl) listSettings(all bool) error {
	got, err := protocol.Call(r.ctx, r.c, protocol.GetSettings{All: all})
	if err != nil {
		r.failed(err)
		return nil
	}
	if r.out.speech {
		r.offerSettings(got.Settings)
		return nil
	}
	for _, s := range got.Settings {
		r.say("%s", slash.SettingRow(s, r.o.Home))
	}
	if len(got.Settings) == 0 {
		r.say("All settings have their defaults.")
	}
	for _, h := range got.Hints {
		r.note("%s", render.OneLine(h))
	}
	r.note("/settings KEY says more of one, /settings KEY VALUE sets it for this run, /settings save KEY VALUE for good; --all lists all.")
	return nil
}

func (r *repl) explainSetting(key string) error {
	got, err := protocol.Call(r.ctx, r.c, protocol.GetSettings{Key: key})
	if err != nil {
		r.noSetting(err)
		return nil
	}
	for _, s := range got.Settings {
		for _, line := range slash.SettingText(s, r.o.Home) {
			r.say("%s", line)
		}
		if r.out.speech {
			r.offerValues(s)
		}
	}
	return nil
}

// noSetting says why a setting cannot be shown or set.
func (r *repl) noSetting(err error) {
	r.failed(err)
	if e, ok := errors.AsType[*protocol.Error](err); ok && e.Code == protocol.NotFound {
		r.note("/settings --all lists all settings.")
	}
}
