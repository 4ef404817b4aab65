package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/boughdev/bough/internal/config"
	"github.com/boughdev/bough/internal/frontend/tui"
	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/provider/catalog"
	"github.com/boughdev/bough/provider/offline"
)

// firstRun leads a person at a terminal who has no model to one: by a key, by a
// server on this machine, or to the offline model. What was chosen counts at
// once.
func (m *models) firstRun(ctx context.Context, found []catalog.Server) error {
	r := m.r
	if r.screens {
		return m.firstScreens(ctx, found)
	}
	out := r.env.Stderr
	fmt.Fprint(out, "No model is set up yet. There are three ways to get one:\n\n")
	fmt.Fprintf(out, "  1  a key of a provider (Anthropic, OpenAI, Google, OpenRouter and %d more).\n", len(catalog.Providers())-4)
	fmt.Fprint(out, "     bough asks now. Or set ANTHROPIC_API_KEY or the like, and start again.\n")
	fmt.Fprintf(out, "  2  a model server on this machine.\n%s\n", render.Wrap("     "+strings.Join(r.tellServers(found), " "), 80))
	fmt.Fprint(out, "  3  the offline model: a set of rules, no real model, to try everything with.\n\n")
	for {
		usual := byte('3')
		if modelsOf(found) > 0 {
			usual = '2'
		}
		fmt.Fprintf(out, "Which one, 1 to 3 (Enter: %c)? ", usual)
		line, err := r.line(ctx)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		answer := strings.TrimSpace(line)
		if answer == "" {
			answer = string(usual)
		}
		if err != nil {
			answer = "3" // the input is over
		}
		switch answer {
		case "1":
			if err := m.enterKey(ctx); ctx.Err() != nil {
				return ctx.Err()
			} else if err != nil {
				fmt.Fprintf(out, "bough: %v\n", err)
				continue
			}
			if len(m.reg.Available()) > 0 {
				return nil
			}
		case "2":
			if !r.offline() {
				found = r.probe(ctx)
				m.reg.Add(found)
			}
			if modelsOf(found) == 0 {
				fmt.Fprintf(out, "%s\n", strings.Join(r.tellServers(found), " "))
				continue
			}
			return m.takeLocal(ctx, found)
		case "3":
			m.pick = catalog.Pick{Choice: catalog.Choice{Info: offline.New(offline.Options{}).Info(), Ready: true}}
			fmt.Fprint(out, "The offline model answers in this session; the next start asks again.\n")
			return nil
		default:
			fmt.Fprint(out, "Type 1, 2 or 3. ctrl+c ends.\n")
		}
	}
}

// firstScreens is firstRun on a screen of its own.
func (m *models) firstScreens(ctx context.Context, found []catalog.Server) error {
	r := m.r
	choices, rows := m.local(found)
	got, err := tui.AskFirst(ctx, r.screen(), tui.FirstRun{Servers: r.tellServers(found), Local: rows, Ready: func() bool { return len(m.reg.Available()) > modelsOf(found) },
		Look: func(ctx context.Context) ([]string, []string) {
			if !r.offline() {
				found = r.probe(ctx)
				m.reg.Add(found)
			}
			choices, rows = m.local(found)
			return r.tellServers(found), rows
		}})
	switch {
	case errors.Is(err, context.Canceled):
		return errCancelled
	case err != nil:
		return err
	case got.Offline:
		m.pick = catalog.Pick{Choice: catalog.Choice{Info: offline.New(offline.Options{}).Info(), Ready: true}}
	case got.Local >= 0:
		m.pick = catalog.Pick{Choice: choices[got.Local]}
		return r.keepDefault(ctx, choices[got.Local])
	}
	return nil
}

// local lists the models of servers that can be asked, with a line on each.
func (m *models) local(found []catalog.Server) (choices []catalog.Choice, rows []string) {
	for _, s := range found {
		for _, l := range s.Models {
			c, ok := m.reg.Find(s.Provider, l.ID)
			if !ok {
				continue // models.json says otherwise
			}
			choices = append(choices, c)
			rows = append(rows, fmt.Sprintf("%s (%s, %s tokens)", c.Name(), s.Name, catalog.Tokens(c.Info.ContextWindow)))
		}
	}
	return choices, rows
}

// modelsOf counts the models of servers.
func modelsOf(servers []catalog.Server) (n int) {
	for _, s := range servers {
		n += len(s.Models)
	}
	return n
}

// tellServers says which model servers answer, in sentences.
func (r *runner) tellServers(found []catalog.Server) []string {
	if r.offline() {
		return []string{"None was looked for, since the network is switched off."}
	}
	if len(found) == 0 {
		return []string{"None answers now. To start one: ollama serve, then ollama pull qwen3"}
	}
	var names []string
	for _, s := range found {
		if len(s.Models) == 0 {
			names = append(names, fmt.Sprintf("%s answers, but has no model yet. For one: ollama pull qwen3", s.Name))
			continue
		}
		var ids []string
		for _, m := range s.Models[:min(len(s.Models), 3)] {
			ids = append(ids, m.ID)
		}
		if n := len(s.Models) - len(ids); n > 0 {
			ids = append(ids, fmt.Sprintf("%d more", n))
		}
		names = append(names, fmt.Sprintf("%s answers (%s).", s.Name, strings.Join(ids, ", ")))
	}
	return names
}

// enterKey asks for the key of a provider and stores it.
func (m *models) enterKey(ctx context.Context) error {
	if m.r.env.Secret == nil {
		return errors.New("a key cannot be typed here. Give it on standard input: … | bough auth login PROVIDER")
	}
	a := &account{runner: m.r, opts: map[string]string{"--api-key": "true"}, keys: m.keys, reg: m.reg}
	if err := a.askProvider(ctx); err != nil {
		return err
	}
	return a.login(ctx)
}

// takeLocal chooses a model of the servers on this machine, and makes it the
// default, so that the next start has it too.
func (m *models) takeLocal(ctx context.Context, found []catalog.Server) error {
	choices, rows := m.local(found)
	if len(choices) == 0 {
		return errors.New("the models of the servers on this machine are hidden by models.json")
	}
	i := 0
	if len(choices) > 1 {
		var ok bool
		if i, ok = m.r.askWhich(ctx, rows); !ok {
			i = 0 // the first is as good as any
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	c := choices[i]
	m.pick = catalog.Pick{Choice: c}
	return m.r.keepDefault(ctx, c)
}

// keepDefault makes a model the default of new sessions.
func (r *runner) keepDefault(ctx context.Context, c catalog.Choice) error {
	err := config.Save(ctx, r.paths.SettingsFile(), config.Change{Path: []string{"defaultProvider"}, Value: c.Info.Provider}, config.Change{Path: []string{"defaultModel"}, Value: c.Info.ID})
	if err != nil {
		_, werr := io.WriteString(r.env.Stderr, "bough: it could not be made the default: "+err.Error()+"\n")
		return werr
	}
	fmt.Fprintf(r.env.Stderr, "%s answers, and is the default from now on (defaultModel in %s).\n", c.Name(), r.paths.SettingsFile())
	return nil
}
