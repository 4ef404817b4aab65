package repl

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/provider"
	"github.com/boughdev/bough/session"
)

// model lists the models, or chooses one: provider/id or id, with :level behind
// it or not.
func (r *repl) model(word string) error {
	got, err := protocol.Call(r.ctx, r.c, protocol.GetModels{})
	if err != nil {
		r.failed(err)
		return nil
	}
	if word == "" {
		if len(got.Models) == 0 {
			r.say("%s", noModels)
			return nil
		}
		if r.out.speech {
			return r.offerModels(withCurrent(got.Models, r.view.Model))
		}
		for _, m := range withCurrent(got.Models, r.view.Model) {
			r.modelRow(m.Provider, m.ID, m.ContextWindow)
		}
		r.say("/model NAME chooses one.")
		return nil
	}
	models := withCurrent(got.Models, r.view.Model)
	name, level := word, ""
	find := func(name string) (found []int) {
		for i, m := range models {
			if name == m.Provider+"/"+m.ID {
				return []int{i}
			}
			if name == m.ID {
				found = append(found, i)
			}
		}
		return found
	}
	found := find(name)
	if i := strings.LastIndexByte(word, ':'); len(found) == 0 && i > 0 {
		// A colon may be part of an id, so the whole word went first.
		name, level = word[:i], word[i+1:]
		found = find(name)
	}
	switch {
	case len(found) == 0:
		if provider, id, ok := strings.Cut(word, "/"); ok && unlisted(provider) {
			return r.setModel(provider, id, "")
		}
		r.noModel(name, got)
		return nil
	case len(found) > 1:
		r.say("Several providers have %s; name one of them:", name)
		for _, i := range found {
			r.modelRow(models[i].Provider, models[i].ID, models[i].ContextWindow)
		}
		return nil
	}
	m := models[found[0]]
	if level != "" && !slices.Contains(m.Levels(), level) {
		r.say("%s/%s has no thinking level %q; it has %s.", m.Provider, m.ID, level, strings.Join(m.Levels(), ", "))
		return nil
	}
	return r.setModel(m.Provider, m.ID, level)
}

// withCurrent puts the model of the session in front if it is in no list.
func withCurrent(list []provider.Info, now *provider.Info) []provider.Info {
	if now == nil || !unlisted(now.Provider) {
		return list
	}
	return append([]provider.Info{*now}, list...)
}

// unlisted reports whether the models of a provider are in no list and can be
// named all the same: those that are none (docs/spec/README.md 34).
func unlisted(provider string) bool { return provider == "offline" || provider == "scripted" }

func (r *repl) setModel(provider, id, level string) error {
	info, err := protocol.Call(r.ctx, r.c, protocol.SetModel{Provider: provider, ID: id})
	if err != nil {
		r.failed(err)
		return nil
	}
	st, err := protocol.Call(r.ctx, r.c, protocol.GetState{})
	if err != nil {
		r.failed(err)
		return nil
	}
	if err := r.await(func() bool {
		now := r.view.Model
		return now != nil && now.Provider == info.Provider && now.ID == info.ID && r.view.Thinking == st.Thinking
	}); err != nil {
		return err
	}
	if level != "" {
		if err := r.think(level); err != nil {
			return err
		}
	}
	when := ""
	if r.view.Running {
		when = " from the next request on"
	}
	r.say("model %s, thinking %s%s", r.modelName(), r.view.Thinking, when)
	r.forewarn()
	return nil
}

const noModels = "No models are configured. Store a key with bough auth login, or set one such as ANTHROPIC_API_KEY, and start bough again; bough help models says more."

// noModel says that there is no model of that name, and which come near.
func (r *repl) noModel(name string, got protocol.Models) {
	if len(got.Models) == 0 {
		r.say("There is no model %s. %s", render.Quote(name, 40), noModels)
		return
	}
	near := 0
	for _, m := range got.Models {
		if !hasAll(m.Provider+"/"+m.ID+" "+m.Name, []string{name}) {
			continue
		}
		if near++; near == 1 {
			r.say("There is no model %s. These have it in their names:", render.Quote(name, 40))
		}
		r.modelRow(m.Provider, m.ID, m.ContextWindow)
	}
	if near == 0 {
		r.say("There is no model %s; /model lists all.", render.Quote(name, 40))
	}
}

func (r *repl) modelRow(provider, id string, window int64) {
	mark := "  "
	if m := r.view.Model; m != nil && m.Provider == provider && m.ID == id {
		mark = "* "
	}
	s := mark + provider + "/" + id
	if window > 0 {
		s = render.Pad(s, 42) + " " + render.Count(window) + " tokens"
	}
	r.say("%s", s)
}

// thinking says how much the model thinks, or sets it.
func (r *repl) thinking(level string) error {
	m := r.view.Model
	if m == nil {
		r.say("There is no model that could think; /model chooses one.")
		return nil
	}
	if level == "" || !slices.Contains(m.Levels(), level) {
		if level != "" {
			r.say("%s has no thinking level %s.", r.modelName(), render.Quote(level, 20))
		}
		if r.out.speech {
			return r.offerLevels(m.Levels())
		}
		r.say("thinking %s; %s has %s", r.view.Thinking, r.modelName(), strings.Join(m.Levels(), ", "))
		return nil
	}
	if err := r.think(level); err != nil {
		return err
	}
	r.say("thinking %s", r.view.Thinking)
	return nil
}

// think sets the level, which the model has.
func (r *repl) think(level string) error {
	got, err := protocol.Call(r.ctx, r.c, protocol.SetThinking{Level: level})
	if err != nil {
		r.failed(err)
		return nil
	}
	return r.await(func() bool { return r.view.Thinking == got })
}

// copy copies the last answer with a text, or the n-th last.
func (r *repl) copy(word string) {
	n := 1
	if word != "" {
		var err error
		if n, err = strconv.Atoi(word); err != nil || n < 1 {
			r.say("/copy takes a number: 1 is the last answer, 2 the one before.")
			return
		}
	}
	path := r.view.Path()
	for i := len(path) - 1; i >= 0; i-- {
		text, ok := answerText(path[i])
		if !ok {
			continue
		}
		if n--; n > 0 {
			continue
		}
		if r.o.Copy == nil {
			r.out.line(none, render.Clean(text))
			return
		}
		if err := r.o.Copy(text); err != nil {
			r.failed(fmt.Errorf("copy the answer: %w", err))
			return
		}
		r.say("copied %s", render.Quote(text, 40))
		return
	}
	r.say("There is no such answer here.")
}

// answerText returns the text of an answer that has some and was not aborted.
func answerText(e *session.Entry) (string, bool) {
	if e.Role != message.Assistant || render.IsSilent(e) {
		return "", false
	}
	body, err := e.Body()
	if err != nil {
		return "", false
	}
	m, ok := body.(session.Message)
	if !ok || m.Message.StopReason == message.Aborted {
		return "", false
	}
	text := strings.TrimSpace(m.Message.Text("\n"))
	return text, text != ""
}
