package cli

import (
	"strings"
	"testing"

	"github.com/boughdev/bough/provider"
)

const twoServers = `{"providers":{
	"near":{"baseUrl":"http://127.0.0.1:1/v1","api":"openai-completions","apiKey":"k","models":[{"id":"small"},{"id":"big","reasoning":true},{"id":"same"},{"id":"odd:high","reasoning":true}]},
	"far":{"baseUrl":"http://127.0.0.1:1/v1","api":"openai-responses","apiKey":"k","models":[{"id":"large","reasoning":true},{"id":"same"}]},
	"locked":{"baseUrl":"http://127.0.0.1:1/v1","api":"openai-completions","apiKey":"$NO_SUCH_KEY","models":[{"id":"secret"}]}}}`

// startsWith checks which model a new session begins with, and at which level.
func (p *place) startsWith(want string, m mode, words ...string) *models {
	p.t.Helper()
	ms, err := p.runner(words...).models(p.t.Context(), m)
	if err != nil {
		p.t.Errorf("bough %v: %v", words, err)
		return nil
	}
	var model provider.Model
	if at, id := ms.named(); id != "" {
		model, err = ms.Model(at, id)
	} else {
		model, _, err = ms.Default()
	}
	if err != nil {
		p.t.Errorf("bough %v: %v", words, err)
		return nil
	}
	level := ms.level
	if level == "" {
		level = ms.Thinking(model.Info())
	}
	if got := model.Info().Provider + "/" + model.Info().ID + " " + level; got != want {
		p.t.Errorf("bough %v starts with %s, want %s", words, got, want)
	}
	return ms
}

func TestModels(t *testing.T) {
	p := newPlace(t)
	p.write("agent/models.json", twoServers)
	p.startsWith("near/small medium", modeJSON)
	p.startsWith("near/big medium", modePrint, "--model", "near/big")
	p.startsWith("near/big high", modePrint, "--model", "BIG:high")
	p.startsWith("near/big low", modePrint, "--model", "big:high", "--thinking", "low")
	p.startsWith("near/odd:high medium", modePrint, "--model", "odd:high") // its own name
	p.startsWith("far/same medium", modePrint, "--provider", "far", "--model", "same")
	if p.err.Len() > 0 {
		t.Errorf("told %s", &p.err)
	}
	p.startsWith("far/large medium", modePrint, "--model", "arg")
	p.told(`no model is called just "arg"; far/large has it in its name and is used`)
	p.startsWith("far/large high", modePrint, "--model", "far/lar:high")
	p.told(`no model is called just "far/lar"; far/large has it`)
	p.startsWith("far/new medium", modePrint, "--model", "far/new")
	p.told(`no known model "new"`)
	p.startsWith("near/big high", modePrint, "--model", "big:high", "--thinking", "enormous")
	p.told(`--thinking "enormous" is no level; there are off, minimal`)

	p.startsWith("far/large low", modePrint, "--models", "far/*:low,near/*")
	p.startsWith("far/large high", modePrint, "--models", "large:high")
	p.startsWith("far/large off", modePrint, "--models", "large:high", "--thinking", "off")
	p.startsWith("near/small medium", modePrint, "--models", "nothing*")
	p.told(`matches "nothing*"`)

	p.write("agent/settings.json", `{"enabledModels":["far/*:high"],"defaultThinkingLevel":"low","modelThinkingLevels":{"near/big":"max"}}`)
	p.startsWith("far/large high", modePrint)
	p.startsWith("near/small low", modePrint, "--models", "small")
	p.startsWith("near/big max", modePrint, "--model", "near/big")
	p.write("agent/settings.json", `{"defaultProvider":"far","defaultModel":"same"}`)
	p.startsWith("far/same medium", modePrint)
	p.startsWith("far/same medium", modePrint, "--models", "near/big,far/*") // it is within
	p.startsWith("near/big medium", modePrint, "--models", "near/big,far/large")

	for _, tt := range []struct{ line, want string }{
		{"--model nosuch", "bough --list-models shows"},
		{"--model same", "--provider"},
		{"--model nowhere/x --provider nowhere", "unknown provider"},
		{"--model locked/secret", "cannot be used"},
		{"--model offline/other", "there is only the offline model offline/demo"},
		{"--model scripted/one", "BOUGH_SCRIPT"},
		{"--api-key k --model nosuch", "--api-key"},
	} {
		if _, err := p.runner(strings.Fields(tt.line)...).models(t.Context(), modePrint); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("bough %s: error %v, want one with %q", tt.line, err, tt.want)
		}
	}
}

// The model of a session that goes on wins over --models, not over --model.
func TestModelOfASession(t *testing.T) {
	p := newPlace(t)
	p.write("agent/models.json", twoServers)
	for _, words := range [][]string{{"--models", "far/*"}, nil} {
		ms, err := p.runner(words...).models(t.Context(), modePrint)
		if err != nil {
			t.Fatal(err)
		}
		if at, id := ms.named(); id != "" {
			t.Errorf("%v names %s/%s, which would beat the session's", words, at, id)
		}
	}
}

func TestModelsOfNobody(t *testing.T) {
	p := newPlace(t)
	p.startsWith("offline/demo medium", modePrint)
	p.startsWith("offline/demo medium", modeREPL, "--models", "x")
	p.told(`matches "x"`)
	p.startsWith("offline/demo medium", modeJSON, "--model", "offline/demo")
	p.startsWith("offline/demo high", modeJSON, "--model", "Offline/demo:high")
	p.startsWith("offline/demo medium", modeJSON, "--model", "demo", "--provider", "offline")
	if _, err := p.runner().models(t.Context(), modeJSON); err == nil || !strings.Contains(err.Error(), "--model offline/demo") {
		t.Errorf("JSON mode without a model: %v", err)
	}
	p.vars["BOUGH_SCRIPT"] = p.write("script.json", "[]")
	p.startsWith("scripted/a/b high", modeJSON, "--model", "scripted/a/b:high")
	p.vars["BOUGH_SCRIPT"] = "none.json"
	if _, err := p.runner().models(t.Context(), modePrint); err == nil || !strings.Contains(err.Error(), "BOUGH_SCRIPT") {
		t.Errorf("a script that is not there: %v", err)
	}
}

// A key of the command line goes to the provider of the chosen model alone.
func TestAPIKey(t *testing.T) {
	for _, words := range [][]string{
		{"--api-key", "sesame", "--model", "locked/secret"},
		{"--api-key", "sesame", "--model", "secret", "--provider", "locked"},
		{"--api-key", "sesame", "--models", "locked/*"},
	} {
		p := newPlace(t)
		p.write("agent/models.json", twoServers)
		ms := p.startsWith("locked/secret medium", modePrint, words...)
		if ms == nil {
			continue
		}
		for at, want := range map[string]string{"locked/secret": "sesame", "near/small": "k"} {
			pr, id, _ := strings.Cut(at, "/")
			c, ok := ms.reg.Find(pr, id)
			if !ok {
				t.Fatalf("no %s", at)
			}
			if key, err := ms.reg.Endpoint(c).Key(t.Context()); err != nil || key != want {
				t.Errorf("%v: key of %s is %q (%v), want %q", words, at, key, err, want)
			}
		}
	}
}

func TestListModels(t *testing.T) {
	p := newPlace(t)
	list := func(words ...string) string {
		t.Helper()
		var out strings.Builder
		env := p.env()
		env.Args, env.Stdout = append([]string{"--list-models"}, words...), &out
		if code := Main(t.Context(), env); code != 0 {
			t.Errorf("exit code %d: %s", code, &p.err)
		}
		return out.String()
	}
	if got := list(); got != "" {
		t.Errorf("without models: %q", got)
	}
	p.told("Set a provider's key")
	p.write("agent/models.json", twoServers)
	want := `provider  model  context  max-out  thinking  images
far       large  128K     16.4K    yes       no
far       same   128K     16.4K    no        no
`
	if got := list("far"); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if got := strings.Count(list(), "\n"); got != 7 {
		t.Errorf("%d lines, want a heading and six models", got)
	}
	if got := list("zzz"); got != "" {
		t.Errorf("without a hit: %q", got)
	}
	p.told(`anything like "zzz"`)
}
