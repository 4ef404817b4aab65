package fakellm

import (
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/internal/script"
)

var (
	modelPath   = regexp.MustCompile(`/models(?:/(.+))?$`)
	countSuffix = "/count_tokens"
)

// apiOf tells which API a path without /count_tokens belongs to.
func apiOf(path string) (script.API, bool) {
	switch {
	case strings.HasSuffix(path, "/mistral/v1/chat/completions"):
		return script.Mistral, true
	case strings.HasSuffix(path, "/chat/completions"):
		return script.Chat, true
	case strings.HasSuffix(path, "/responses"):
		return script.Responses, true
	case strings.HasSuffix(path, "/messages"), strings.HasSuffix(path, "/messages"+countSuffix):
		return script.Anthropic, true
	case converse.MatchString(path):
		return script.Bedrock, true
	}
	if _, _, ok := googleCall(path); ok {
		return script.Google, true
	}
	return "", false
}

func invalid(msg string) *script.Failure {
	return &script.Failure{Type: "invalid_request_error", Message: msg}
}

func (s *Server) route(w http.ResponseWriter, r *http.Request) {
	path := strings.TrimRight(r.URL.EscapedPath(), "/")
	if what, ok := strings.CutPrefix(path, "/__fake/"); ok {
		s.control(w, r, what)
		return
	}
	if r.Method == http.MethodGet {
		s.models(w, r, path)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client is gone
	}
	api, ok := apiOf(path)
	switch {
	case r.Method != http.MethodPost || !ok:
		sendJSON(w, http.StatusNotFound, invalid("no such endpoint: "+r.Method+" "+path).JSON(script.Chat, 0))
	case !rawjson.Valid(body) || rawjson.Kind(body) != '{' && rawjson.Kind(body) != '[':
		sendJSON(w, http.StatusBadRequest, invalid("the body is not a JSON object").JSON(api, 0))
	case strings.HasSuffix(path, countSuffix):
		sendJSON(w, http.StatusOK, obj("input_tokens", countTokens(conversation(api, path, body))))
	default:
		s.ask(w, r, api, path, body)
	}
}

// countTokens is a guess: the length of all texts divided by four.
func countTokens(c script.Conversation) int {
	texts := make([]string, len(c.Items))
	for i, it := range c.Items {
		texts[i] = it.Text
	}
	return 10 + (rawjson.UTF16Len(strings.Join(texts, "\n"))+3)/4
}

// ask answers a request to a model.
func (s *Server) ask(w http.ResponseWriter, r *http.Request, api script.API, path string, body []byte) {
	c := conversation(api, path, body)
	if api == script.Google { // what others say in the body is in the path here
		c.Model, c.Stream, _ = googleCall(r.URL.EscapedPath())
	}
	q := s.script.Take(c)
	found := violations(c, body)
	var reply *script.Reply
	if s.o.Strict && len(found) > 0 {
		reply = s.script.Refuse(q, found[0])
	} else {
		reply = s.script.Reply(q)
	}
	rec := s.begin(r, q, reply.Rule, found, body)
	start := time.Now()
	how := ending{status: "reset", aborted: true} // of an answer that panics
	defer func() { s.end(rec, how, time.Since(start)) }()
	how = s.answer(r.Context(), w, reply, c, body)
}

// models answers GET /models and /models/ID in the words of the API that the
// request is of.
func (s *Server) models(w http.ResponseWriter, r *http.Request, path string) {
	m := modelPath.FindStringSubmatch(path)
	if m == nil {
		sendJSON(w, http.StatusNotFound, invalid("no such path "+path).JSON(script.Chat, 0))
		return
	}
	api := script.Chat
	show := func(id string) raw { return obj("id", id, "object", "model", "created", created, "owned_by", "fake") }
	if r.Header.Get("Anthropic-Version") != "" {
		api = script.Anthropic
		show = func(id string) raw {
			return obj("type", "model", "id", id, "display_name", id, "created_at", createdISO)
		}
	}
	ids := s.modelIDs()
	if m[1] != "" {
		id, err := url.PathUnescape(m[1])
		if err != nil || !slices.Contains(ids, id) {
			sendJSON(w, http.StatusNotFound, script.FailureOf("not-found", api).JSON(api, 0))
			return
		}
		sendJSON(w, http.StatusOK, show(id))
		return
	}
	list := make([]raw, len(ids))
	for i, id := range ids {
		list[i] = show(id)
	}
	if api == script.Chat {
		sendJSON(w, http.StatusOK, obj("object", "list", "data", arr(list...)))
		return
	}
	var first, last any
	if len(ids) > 0 {
		first, last = ids[0], ids[len(ids)-1]
	}
	sendJSON(w, http.StatusOK, obj("data", arr(list...), "has_more", false, "first_id", first, "last_id", last))
}

func (s *Server) modelIDs() []string {
	if ids := s.script.Models(); len(ids) > 0 {
		return ids
	}
	if len(s.o.Models) > 0 {
		return s.o.Models
	}
	return []string{"fake-1", "fake-2", "fake-reasoning"}
}

// control answers what is for those who test, not for a client of models.
func (s *Server) control(w http.ResponseWriter, r *http.Request, what string) {
	ok := obj("ok", true)
	switch what {
	case "health":
		sendJSON(w, http.StatusOK, obj("ok", true, "requests", s.script.Requests()))
		return
	case "requests":
		sendJSON(w, http.StatusOK, s.memory())
		return
	case "holds":
		var holds []raw
		for _, h := range s.script.Holds() {
			holds = append(holds, obj("name", h.Name, "n", h.Request))
		}
		sendJSON(w, http.StatusOK, arr(holds...))
		return
	}
	if r.Method != http.MethodPost {
		sendJSON(w, http.StatusMethodNotAllowed, obj("error", "use POST"))
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client is gone
	}
	name, isRelease := strings.CutPrefix(what, "release/")
	switch {
	case isRelease:
		if name, err = url.PathUnescape(name); err != nil {
			sendJSON(w, http.StatusBadRequest, obj("error", err.Error()))
			return
		}
		s.Release(name)
	case what == "reset":
		s.Reset()
	case what == "script":
		to, err := script.Parse(body)
		if err != nil {
			sendJSON(w, http.StatusBadRequest, obj("error", err.Error()))
			return
		}
		s.SetScript(to)
		ok = obj("ok", true, "rules", to.Rules())
	default:
		sendJSON(w, http.StatusNotFound, obj("error", "unknown control "+what))
		return
	}
	sendJSON(w, http.StatusOK, ok)
}
