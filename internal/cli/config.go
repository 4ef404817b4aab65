package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/boughdev/bough/internal/config"
	"github.com/boughdev/bough/internal/frontend/slash"
	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/internal/setup"
	"github.com/boughdev/bough/protocol"
)

// configSpec is bough config in the table of commands.
func configSpec() command {
	return command{"config", "[KEY | set KEY VALUE | unset KEY]", "show settings and where they come from, or change them",
		"Without KEY it lists what something but the default is said of. Of a default, the\nuser's file, the project's file, the environment and the command line the later\ncounts. set and unset change the user's settings.json and nothing else in it.\n\n" +
			"A text needs no quotes, a list is words with commas between or JSON. Before a value\nthat begins with a dash stands --: bough config set defaultTools -- -bash\n\n" +
			"With --json each setting is a line: key, value, default, allowed, help, section,\nunused, sources (value, from, ignored; the first that is not ignored counts).\n",
		[]commandOption{
			{"--all", "", "also those that nobody has changed"},
			{"--project", "", "change .pi/settings.json of this folder instead"},
			{"--approve", "", "as if the project were trusted"},
			{"--no-approve", "", "as if it were not"},
			jsonOption,
		}, configCommand}
}

func configCommand(ctx context.Context, env Env, opts map[string]string, words []string) error {
	quiet := env
	quiet.Stderr = io.Discard // what is wrong with the files is part of the list
	r, err := newRunner(quiet, &args{maxTurns: -1, Options: setup.Options{Approve: opts["--approve"] != "", NoApprove: opts["--no-approve"] != ""}})
	if err != nil {
		return err
	}
	r.env = env
	c := configurer{r: r, ctx: ctx, project: opts["--project"] != "", json: opts["--json"] != ""}
	switch {
	case len(words) == 0 && c.project:
		return configSpec().usage("--project goes with set and unset")
	case len(words) == 0:
		return c.list(opts["--all"] != "")
	case c.json && (words[0] == "set" || words[0] == "unset"):
		return configSpec().usage("--json goes with what is shown")
	case words[0] == "set" && len(words) == 3:
		return c.set(words[1], words[2])
	case words[0] == "set":
		return configSpec().usage("set takes a key and a value: bough config set KEY VALUE")
	case words[0] == "unset" && len(words) == 2:
		return c.unset(words[1])
	case words[0] == "unset":
		return configSpec().usage("unset takes a key: bough config unset KEY")
	case len(words) == 1 && !c.project:
		return c.explain(words[0])
	case len(words) == 1:
		return configSpec().usage("--project goes with set and unset")
	}
	return configSpec().usage("it takes one key. To change it: bough config set %s", quoteWord(words[0]))
}

type configurer struct {
	r             *runner
	ctx           context.Context // of the command
	project, json bool
}

func (c configurer) print(format string, args ...any) error {
	_, err := fmt.Fprintf(c.r.env.Stdout, format, args...)
	return err
}

func (c configurer) list(all bool) error {
	got, err := c.r.live.Get(c.r.env.Dir, protocol.GetSettings{All: all})
	if err != nil {
		return err
	}
	var b strings.Builder
	section := ""
	for _, s := range got.Settings {
		if c.json {
			b.Write(settingJSON(s))
			continue
		}
		if all && s.Section != section {
			section = s.Section
			fmt.Fprintf(&b, "%s:\n", section)
		}
		b.WriteString(cutTo(c.r.env.Width, render.Clean(slash.SettingRow(s, c.r.paths.Home))) + "\n")
	}
	if !c.json && !all && len(got.Settings) == 0 {
		b.WriteString("All settings have their defaults; --all lists them.\n")
	}
	for _, h := range got.Hints {
		fmt.Fprintf(c.r.env.Stderr, "bough: %s\n", render.OneLine(h))
	}
	return c.print("%s", b.String())
}

// cutTo cuts a row to the width of a terminal; 0 is none.
func cutTo(width int, row string) string {
	if width <= 0 {
		return row
	}
	return render.Cut(row, width)
}

// settingJSON is a line.
func settingJSON(s protocol.Setting) []byte {
	raw := func(v string) json.RawMessage {
		if v == "" {
			return json.RawMessage("null")
		}
		return json.RawMessage(v)
	}
	type source struct {
		Value   json.RawMessage `json:"value"`
		From    string          `json:"from"`
		Ignored string          `json:"ignored,omitempty"`
	}
	row := struct {
		Key     string          `json:"key"`
		Value   json.RawMessage `json:"value"`
		Default json.RawMessage `json:"default"`
		Allowed string          `json:"allowed"`
		Help    string          `json:"help"`
		Section string          `json:"section"`
		Unused  string          `json:"unused,omitempty"`
		Sources []source        `json:"sources"`
	}{s.Key, raw(s.Force().Value), raw(s.Default), s.Allowed, s.Help, s.Section, s.Unused, nil}
	for _, f := range s.Sources {
		row.Sources = append(row.Sources, source{raw(f.Value), f.From, f.Ignored})
	}
	b, _ := rawjson.Encode(row) // all of it is text and JSON: it does not fail
	return append(b, '\n')
}

func (c configurer) explain(name string) error {
	got, err := c.r.live.Get(c.r.env.Dir, protocol.GetSettings{Key: name})
	if err != nil {
		return c.unknown(err)
	}
	for _, s := range got.Settings {
		if c.json {
			return c.print("%s", settingJSON(s))
		}
		for _, line := range slash.SettingText(s, c.r.paths.Home) {
			if err := c.print("%s\n", render.Clean(line)); err != nil {
				return err
			}
		}
	}
	return nil
}

// unknown says what to do about a key that is none.
func (c configurer) unknown(err error) error {
	if u, ok := errors.AsType[config.UnknownError](err); ok && u.Near == "" {
		return fmt.Errorf("%w. bough config --all lists all", err)
	}
	return err
}

// file is the one that is changed.
func (c configurer) file() string {
	if c.project {
		return config.ProjectSettings(c.r.env.Dir)
	}
	return c.r.paths.SettingsFile()
}

func (c configurer) set(name, value string) error {
	k, path, v, err := config.Parse(name, value)
	if err != nil {
		return c.unknown(err)
	}
	return c.change(k, path, v)
}

func (c configurer) unset(name string) error {
	k, path, err := config.Find(name)
	if err != nil {
		return c.unknown(err)
	}
	return c.change(k, path, nil)
}

// change changes a file and says what came of it.
func (c configurer) change(k config.Key, path []string, v json.RawMessage) error {
	name := strings.Join(path, ".")
	if c.project && k.UserOnly && v != nil {
		return fmt.Errorf("%s counts only in the user's settings, since a project must not decide on it. Leave out --project", k.Name)
	}
	was, err := config.Edit(c.ctx, c.file(), k, path, v)
	if err != nil {
		return err
	}
	file := slash.Home(c.file(), c.r.paths.Home)
	more := ""
	if c.project {
		more = " --project"
	}
	switch {
	case v == nil && was == nil:
		return c.print("%s says nothing of %s.\n", file, render.Clean(name))
	case v == nil:
		err = c.print("%s is taken out of %s\n", render.Clean(name), file)
	default:
		err = c.print("%s = %s in %s\n", render.Clean(name), render.Clean(config.Shown(k, string(v))), file)
	}
	if err != nil {
		return err
	}
	c.beside(k, v)
	if back := undo(k, path, was, more); back != "" {
		fmt.Fprintf(c.r.env.Stderr, "bough: to undo: %s\n", render.Clean(back))
	} else {
		fmt.Fprintf(c.r.env.Stderr, "bough: before, it said %s\n", render.Clean(config.Shown(k, string(was))))
	}
	return nil
}

// beside warns if what was written does not count.
func (c configurer) beside(k config.Key, v json.RawMessage) {
	if why := unused(k); why != "" && v != nil {
		fmt.Fprintf(c.r.env.Stderr, "bough: %s\n", why)
	}
	got, err := c.r.live.Get(c.r.env.Dir, protocol.GetSettings{Key: k.Name})
	if err != nil || len(got.Settings) == 0 || v == nil {
		return
	}
	s := got.Settings[0]
	mine := ", " + c.file() + ":"
	for i, f := range s.Sources {
		if !strings.Contains(f.From, mine) {
			continue
		}
		if f.Ignored != "" {
			fmt.Fprintf(c.r.env.Stderr, "bough: it does not count: %s\n", f.Ignored)
		}
		for _, above := range s.Sources[:i] {
			if above.Ignored == "" && f.Ignored == "" {
				fmt.Fprintf(c.r.env.Stderr, "bough: here %s says otherwise and counts: %s\n", render.Clean(above.From), render.Clean(above.Value))
				return
			}
		}
	}
}
