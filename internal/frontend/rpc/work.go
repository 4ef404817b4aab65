package rpc

import (
	"context"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

// queueOf is a command that is answered with what waits.
func queueOf(cmd func(call) protocol.Command[protocol.Queue]) func(context.Context, *window, call) (reply, error) {
	return func(ctx context.Context, w *window, c call) (reply, error) {
		q, err := protocol.Call(ctx, w.c, cmd(c))
		items := make([][]byte, len(q.Items))
		for i, it := range q.Items {
			items[i] = newObject().str("id", string(it.ID)).str("text", it.Text).num("images", float64(it.Images)).flag("followUp", it.FollowUp).done()
		}
		return done(newObject().texts("steering", q.Steering).texts("followUp", q.FollowUp).list("items", items)), err
	}
}

func dropQueued(c call) protocol.Command[protocol.Queue] {
	return protocol.DropQueued{ID: session.ID(c.text("entryId"))}
}

func editQueued(c call) protocol.Command[protocol.Queue] {
	return protocol.EditQueued{ID: session.ID(c.text("entryId")), Text: c.text("message")}
}

func answerTo(ctx context.Context, w *window, c call) (reply, error) {
	_, err := protocol.Call(ctx, w.c, protocol.Answer{Question: c.text("question"), Choice: c.text("choice"), Text: c.text("text")})
	return nil, err
}

func getPermissions(ctx context.Context, w *window, _ call) (reply, error) {
	p, err := protocol.Call(ctx, w.c, protocol.GetPermissions{})
	return done(permissions(newObject(), p)), err
}

func setPermissions(ctx context.Context, w *window, c call) (reply, error) {
	p, err := protocol.Call(ctx, w.c, protocol.SetPermissions{Mode: c.text("mode"), Forget: c.flag("forget")})
	return done(permissions(newObject(), p)), err
}

func makeTitle(ctx context.Context, w *window, _ call) (reply, error) {
	name, err := protocol.Call(ctx, w.c, protocol.MakeTitle{})
	return done(newObject().str("name", name)), err
}

func toolList(t protocol.Tools) reply {
	list := make([][]byte, len(t.Tools))
	for i, x := range t.Tools {
		list[i] = newObject().str("name", x.ToolName).str("description", x.Description).optional("from", x.From).flag("on", x.On).done()
	}
	return done(newObject().list("tools", list))
}

func getTools(ctx context.Context, w *window, _ call) (reply, error) {
	t, err := protocol.Call(ctx, w.c, protocol.GetTools{})
	return toolList(t), err
}

func setTools(ctx context.Context, w *window, c call) (reply, error) {
	t, err := protocol.Call(ctx, w.c, protocol.SetTools{On: c.texts("on"), Off: c.texts("off")})
	return toolList(t), err
}

func getServers(ctx context.Context, w *window, _ call) (reply, error) {
	s, err := protocol.Call(ctx, w.c, protocol.GetServers{})
	list := make([][]byte, len(s.Servers))
	for i, x := range s.Servers {
		list[i] = newObject().str("name", x.Server).str("scope", x.Scope).str("target", x.Target).str("state", x.State).
			optional("problem", x.Problem).optional("log", x.Log).texts("tools", x.Tools).done()
	}
	return done(newObject().list("servers", list)), err
}

func reconnect(ctx context.Context, w *window, c call) (reply, error) {
	_, err := protocol.Call(ctx, w.c, protocol.Reconnect{Server: c.text("server")})
	return nil, err
}

func getSystemPrompt(ctx context.Context, w *window, _ call) (reply, error) {
	p, err := protocol.Call(ctx, w.c, protocol.GetSystemPrompt{})
	sections, tools := make([][]byte, len(p.Sections)), make([][]byte, len(p.Tools))
	for i, x := range p.Sections {
		sections[i] = newObject().str("title", x.Title).str("text", x.Text).texts("sources", x.Sources).done()
	}
	for i, x := range p.Tools {
		tools[i] = flat(x.JSON())
	}
	return done(newObject().list("sections", sections).list("tools", tools)), err
}

func reload(ctx context.Context, w *window, _ call) (reply, error) {
	r, err := protocol.Call(ctx, w.c, protocol.Reload{})
	return done(newObject().texts("changes", r.Changes)), err
}

// setting writes a setting and where it comes from. Values are JSON.
func setting(s protocol.Setting) []byte {
	o := newObject().str("key", s.Key).optional("section", s.Section).optional("help", s.Help).optional("allowed", s.Allowed)
	o.json("default", s.Default).json("value", s.Force().Value).optional("unused", s.Unused)
	sources := make([][]byte, len(s.Sources))
	for i, f := range s.Sources {
		sources[i] = newObject().json("value", f.Value).str("from", f.From).optional("ignored", f.Ignored).done()
	}
	return o.list("sources", sources).done()
}

func getSettings(ctx context.Context, w *window, c call) (reply, error) {
	s, err := protocol.Call(ctx, w.c, protocol.GetSettings{Key: c.text("key"), All: c.flag("all")})
	list := make([][]byte, len(s.Settings))
	for i, x := range s.Settings {
		list[i] = setting(x)
	}
	return done(newObject().list("settings", list).texts("hints", s.Hints)), err
}

func setSetting(ctx context.Context, w *window, c call) (reply, error) {
	set := protocol.SetSetting{Key: c.text("key"), Unset: c.flag("unset"), Save: c.flag("save")}
	if v := c.fields["value"]; v != nil {
		if text, ok := rawjson.String(v); ok {
			set.Value = text
		} else {
			set.Value = string(v)
		}
	} else if !set.Unset {
		return nil, protocol.Fail(protocol.BadRequest, "set_setting needs a value, or unset to take one back")
	}
	s, err := protocol.Call(ctx, w.c, set)
	return done(newObject().raw("setting", setting(s.Setting)).str("effect", s.Effect).optional("undo", s.Undo)), err
}

func export(ctx context.Context, w *window, c call) (reply, error) {
	e, err := protocol.Call(ctx, w.c, protocol.Export{Path: c.text("path"), Whole: c.flag("whole"), Static: c.flag("static"),
		Redact: c.flag("redact"), Page: c.flag("page"), Force: c.flag("force")})
	return done(newObject().str("path", e.Path).optional("redacted", e.Redacted)), err
}

// tally writes what model calls took.
func tally(t session.Tally) []byte {
	o := newObject().num("calls", float64(t.Calls)).num("unpriced", float64(t.Unpriced)).num("input", t.Input).num("output", t.Output)
	return o.num("cacheRead", t.CacheRead).num("cacheWrite", t.CacheWrite).num("cost", t.Cost).num("failedCost", t.FailedCost).done()
}

func rebilled(r session.Rebilled) []byte {
	return newObject().num("tokens", r.Tokens).num("cost", r.Cost).done()
}

// getAllStats is get_session_stats and what only bough counts.
func getAllStats(ctx context.Context, w *window, _ call) (reply, error) {
	st, err := protocol.Call(ctx, w.c, protocol.GetStats{})
	return func() ([]byte, error) {
		shares := make([][]byte, len(st.Shares))
		for i, x := range st.Shares {
			shares[i] = newObject().str("model", x.Model).num("calls", float64(x.Calls)).num("input", x.Input).num("output", x.Output).
				num("cacheRead", x.CacheRead).num("cacheWrite", x.CacheWrite).num("cost", x.Cost).done()
		}
		o := &object{w.stats(st)}
		o.b = o.b[:len(o.b)-1]
		return o.raw("branch", tally(st.Branch)).raw("rebilled", rebilled(st.Rebilled)).list("models", shares).num("unpriced", float64(st.Unpriced)).done(), nil
	}, err
}

func getCost(ctx context.Context, w *window, c call) (reply, error) {
	x, err := protocol.Call(ctx, w.c, protocol.GetCost{Others: c.flag("others"), NextOnly: c.flag("nextOnly")})
	o := newObject().raw("turn", tally(x.Turn)).raw("branch", tally(x.Branch)).raw("session", tally(x.Session)).raw("rebilled", rebilled(x.Rebilled))
	if x.Family != nil {
		o.raw("family", tally(*x.Family)).num("members", float64(x.Members))
	}
	if x.Today != nil {
		o.raw("today", tally(*x.Today))
	}
	if n := x.Next; n != nil {
		o.raw("next", newObject().num("tokens", float64(n.Tokens)).num("cached", float64(n.Cached)).num("output", float64(n.Output)).
			num("prompt", n.Prompt).num("answer", n.Answer).flag("priceUnknown", n.PriceUnknown).flag("cold", n.Cold).done())
	}
	budget := make([][]byte, len(x.Budget))
	for i, b := range x.Budget {
		budget[i] = newObject().str("of", b.Of).num("limit", b.Limit).num("spent", b.Spent).done()
	}
	return done(o.list("budget", budget)), err
}
