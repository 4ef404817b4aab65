package catalog

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// asker asks one server on this machine what it has.
type asker struct {
	client *http.Client
	root   string // without /v1
	key    string
	getenv func(string) string
}

// localClient neither lets a proxy nor a redirect lead away from this machine.
func localClient() *http.Client {
	return &http.Client{
		Transport:     &http.Transport{MaxIdleConnsPerHost: 4},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// get asks for a path, with a body if there is one, and decodes the answer.
func (a asker) get(ctx context.Context, path string, body, into any) (http.Header, bool) {
	method, send := http.MethodGet, io.Reader(nil)
	if body != nil {
		raw, err := json.Marshal(body)
		if err != nil {
			return nil, false
		}
		method, send = http.MethodPost, bytes.NewReader(raw)
	}
	req, err := http.NewRequestWithContext(ctx, method, a.root+path, send)
	if err != nil {
		return nil, false
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if a.key != "" {
		req.Header.Set("Authorization", "Bearer "+a.key)
	}
	resp, err := a.client.Do(req)
	if err != nil {
		return nil, false
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, false // something else listens there
	}
	err = json.NewDecoder(io.LimitReader(resp.Body, 4<<20)).Decode(into)
	if _, ok := errors.AsType[*json.UnmarshalTypeError](err); err != nil && !ok {
		return nil, false // likewise; a wrong type costs only what has it
	}
	return resp.Header, true
}

// v1Models is the list that all servers have.
type v1Models struct {
	Data []struct {
		ID            string
		MaxModelLen   int64  `json:"max_model_len"`
		ContextLength int64  `json:"context_length"`
		OwnedBy       string `json:"owned_by"`
		Meta          struct {
			Ctx      int64 `json:"n_ctx"`
			CtxTrain int64 `json:"n_ctx_train"`
		}
		Architecture struct {
			Input  []string `json:"input_modalities"`
			Output []string `json:"output_modalities"`
		}
	}
}

func (a asker) v1(ctx context.Context) (v1Models, http.Header, bool) {
	var list v1Models
	h, ok := a.get(ctx, "/v1/models", nil, &list)
	return list, h, ok
}

// plain are the models of a list as it stands; models that make no text are left
// out.
func (l v1Models) plain() []LocalModel {
	var out []LocalModel
	for _, m := range l.Data {
		o := m.Architecture.Output
		if m.ID == "" || strings.Contains(m.ID, "embed") || len(o) > 0 && !slices.Contains(o, "text") {
			continue
		}
		out = append(out, LocalModel{ID: m.ID, Window: max(m.MaxModelLen, m.ContextLength, m.Meta.Ctx), Images: slices.Contains(m.Architecture.Input, "image")})
	}
	return out
}

// askOllama asks for the models, then for what each can do. How much of its
// window a model gets is what it is loaded with, else what its file or the
// environment says; Ollama itself would take less than an agent needs.
func askOllama(ctx context.Context, a asker) []LocalModel {
	var tags struct{ Models []struct{ Name string } }
	if _, ok := a.get(ctx, "/api/tags", nil, &tags); !ok || len(tags.Models) == 0 {
		list, _, _ := a.v1(ctx) // what imitates Ollama may have this one only
		if found := list.plain(); len(found) > 0 || !ok || tags.Models == nil {
			return found
		}
		return []LocalModel{}
	}
	var loaded struct {
		Models []struct {
			Name          string
			ContextLength int64 `json:"context_length"`
		}
	}
	a.get(ctx, "/api/ps", nil, &loaded)
	models := make([]LocalModel, len(tags.Models))
	slots := make(chan struct{}, 4)
	var wg sync.WaitGroup
	for i, t := range tags.Models {
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			models[i] = a.show(ctx, t.Name)
		})
	}
	wg.Wait()
	for i, t := range tags.Models {
		for _, l := range loaded.Models {
			if l.Name == t.Name && l.ContextLength > 0 {
				models[i].Window = l.ContextLength
			}
		}
	}
	return slices.DeleteFunc(models, func(m LocalModel) bool { return m.ID == "" })
}

// show asks Ollama what one model can do. A model that cannot talk has no id.
func (a asker) show(ctx context.Context, name string) LocalModel {
	m := LocalModel{ID: name}
	var is struct {
		Capabilities []string
		Parameters   string
		ModelInfo    map[string]any `json:"model_info"`
	}
	if _, ok := a.get(ctx, "/api/show", map[string]string{"model": name}, &is); !ok {
		if strings.Contains(name, "embed") {
			m.ID = ""
		}
		return m
	}
	if len(is.Capabilities) > 0 && !slices.Contains(is.Capabilities, "completion") {
		return LocalModel{}
	}
	m.Images = slices.Contains(is.Capabilities, "vision")
	m.Thinks = slices.Contains(is.Capabilities, "thinking")
	m.Effort = m.Thinks
	var most int64
	for k, v := range is.ModelInfo {
		if n, ok := v.(float64); ok && strings.HasSuffix(k, ".context_length") && n > 0 && n < 1e9 {
			most = int64(n)
		}
	}
	for line := range strings.Lines(is.Parameters) {
		if f := strings.Fields(line); len(f) == 2 && f[0] == "num_ctx" {
			m.Window, _ = strconv.ParseInt(f[1], 10, 64) // 0 is unknown
		}
	}
	if n, err := strconv.ParseInt(a.getenv("OLLAMA_CONTEXT_LENGTH"), 10, 64); err == nil && m.Window <= 0 && n > 0 {
		m.Window = n
	}
	if m.Window <= 0 {
		m.Window = 32768
	}
	if most > 0 {
		m.Window = min(m.Window, most)
	}
	return m
}

// askLlama asks a llama.cpp server; its router has several models, of which only
// the loaded ones say more.
func askLlama(ctx context.Context, a asker) []LocalModel {
	list, _, ok := a.v1(ctx)
	if !ok {
		return nil
	}
	models := list.plain()
	for i := range models {
		path := "/props"
		if len(models) > 1 {
			path += "?autoload=false&model=" + url.QueryEscape(models[i].ID)
		}
		var props struct {
			Settings struct {
				Ctx int64 `json:"n_ctx"`
			} `json:"default_generation_settings"`
			Modalities struct{ Vision bool }
			Template   string `json:"chat_template"`
		}
		if _, ok := a.get(ctx, path, nil, &props); !ok {
			continue
		}
		m := &models[i]
		if props.Settings.Ctx > 0 {
			m.Window = props.Settings.Ctx
		}
		m.Images = m.Images || props.Modalities.Vision
		m.Template = strings.Contains(props.Template, "enable_thinking")
		m.Thinks = m.Template
	}
	return models
}

// askLMStudio asks its own API, which knows windows and kinds.
func askLMStudio(ctx context.Context, a asker) []LocalModel {
	var list struct {
		Data []struct {
			ID, Type, State string
			Most            int64 `json:"max_context_length"`
			Loaded          int64 `json:"loaded_context_length"`
		}
	}
	if _, ok := a.get(ctx, "/api/v0/models", nil, &list); !ok || len(list.Data) == 0 {
		plain, _, _ := a.v1(ctx)
		return plain.plain()
	}
	var first, rest []LocalModel // what is loaded comes first
	for _, m := range list.Data {
		if m.ID == "" || m.Type != "llm" && m.Type != "vlm" {
			continue
		}
		l := LocalModel{ID: m.ID, Window: m.Most, Images: m.Type == "vlm"}
		if m.Loaded > 0 {
			l.Window = m.Loaded
		}
		if m.State == "loaded" {
			first = append(first, l)
		} else {
			rest = append(rest, l)
		}
	}
	return append(first, rest...)
}

// askVLLM takes only a server that is one: other programs like its port too.
func askVLLM(ctx context.Context, a asker) []LocalModel {
	list, _, ok := a.v1(ctx)
	if !ok || len(list.Data) == 0 || list.Data[0].OwnedBy != "vllm" && list.Data[0].MaxModelLen == 0 {
		return nil
	}
	return list.plain()
}

// askLiteLLM takes only a server that is one. What it knows of its models is at a
// path of its own.
func askLiteLLM(ctx context.Context, a asker) []LocalModel {
	a.key = a.getenv("LITELLM_API_KEY")
	list, h, ok := a.v1(ctx)
	if !ok {
		return nil
	}
	var more struct {
		Data []struct {
			Name string `json:"model_name"`
			Info struct {
				Window int64 `json:"max_input_tokens"`
				Vision bool  `json:"supports_vision"`
				Thinks bool  `json:"supports_reasoning"`
			} `json:"model_info"`
		}
	}
	_, knows := a.get(ctx, "/model/info", nil, &more)
	if !knows && !slices.ContainsFunc(slices.Collect(maps.Keys(h)), func(k string) bool { return strings.HasPrefix(strings.ToLower(k), "x-litellm-") }) {
		return nil
	}
	models := list.plain()
	for i := range models {
		for _, m := range more.Data {
			if m.Name == models[i].ID {
				models[i].Window, models[i].Images = m.Info.Window, m.Info.Vision
				models[i].Thinks, models[i].Effort = m.Info.Thinks, m.Info.Thinks
			}
		}
	}
	return models
}
