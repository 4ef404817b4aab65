package cli

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const richModels = `{"providers":{
 "mine":{"baseUrl":"http://10.0.0.1/v1","api":"openai-completions","apiKey":"k","models":[{"id":"a"},{"id":"b","reasoning":true,"contextWindow":1000000,"maxTokens":500,"input":["text","image"]},{"id":"c","contextWindow":131072,"maxTokens":8192}]},
 "envkey":{"baseUrl":"http://10.0.0.1/v1","api":"openai-completions","apiKey":"$NOT_SET","models":[{"id":"x"}]},
 "cmd":{"baseUrl":"http://10.0.0.1/v1","api":"anthropic-messages","apiKey":"!echo k","models":[{"id":"x"}]},
 "nokey":{"baseUrl":"http://10.0.0.1/v1","api":"openai-completions","models":[{"id":"x"}]},
 "openai":{"modelOverrides":{"gpt-5.4":{"contextWindow":5000,"input":["text"]},"nosuch":{"name":"x"}},"models":[{"id":"gpt-own"},{"id":"gpt-4","contextWindow":7}]},
 "anthropic":{"baseUrl":"https://proxy.example/v1"}}}`

const manyKeys = `{"anthropic":{"type":"api_key","key":"k"},"openai":{"type":"api_key","key":"k"},"google":{"type":"api_key","key":"k"},
 "groq":{"type":"api_key","key":"$ALSO_NOT_SET"},"deepseek":{"type":"api_key","key":"!echo k"},"openrouter":{"type":"api_key","key":"k"},"mistral":{"type":"api_key","key":"k"},
 "xai":{"type":"api_key","key":"k"},"zai":{"type":"api_key","key":"k"},"cloudflare-workers-ai":{"type":"api_key","key":"k","env":{"CLOUDFLARE_ACCOUNT_ID":"x"}},
 "azure":{"type":"api_key","key":"k","env":{"AZURE_OPENAI_RESOURCE_NAME":"x"}},"minimax":{"type":"api_key","key":"k"},"huggingface":{"type":"api_key","key":"k"},
 "github-copilot":{"type":"api_key","key":"k"},"radius":{"type":"api_key","key":"k"}}`

// For the same agent folder bough lists what pi lists, but for what has a reason.
func TestListAsPi(t *testing.T) {
	node, dist := os.Getenv("NODE24"), os.Getenv("PI_DIST")
	if node == "" || dist == "" {
		t.Skip("set NODE24 (a node of version 22 or later) and PI_DIST (the dist folder of the installed package)")
	}
	why := map[string]string{
		"github-copilot": "only pi: GitHub describes no sign-in for programs of others",
		"radius":         "only pi: its API belongs to pi",
		"nokey":          "only bough: a server of one's own may ask for no key; pi wants one, be it a dummy",
	}
	p := newPlace(t)
	p.write("agent/models.json", richModels)
	p.write("agent/auth.json", manyKeys)
	p.vars["PATH"] = os.Getenv("PATH")
	_, out, told := p.types("", "--list-models")
	cmd := exec.CommandContext(t.Context(), node, filepath.Join(dist, "cli.js"), "--list-models")
	cmd.Dir = p.dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + p.home, "PI_OFFLINE=1", "PI_CODING_AGENT_DIR=" + filepath.Join(p.home, "agent")}
	raw, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	rows := func(b []byte) map[string][]string {
		all := map[string][]string{}
		for line := range bytes.Lines(b) {
			f := strings.Fields(string(line))
			if len(f) == 6 {
				all[f[0]] = append(all[f[0]], strings.Join(f, " "))
			}
		}
		return all
	}
	ours, theirs := rows([]byte(out)), rows(raw)
	if len(theirs) < 15 {
		t.Fatalf("pi lists %d providers:\n%s", len(theirs), raw)
	}
	for provider, want := range theirs {
		got := ours[provider]
		delete(ours, provider)
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(got, want) && why[provider] == "" {
			t.Errorf("%s: bough lists\n%s\npi lists\n%s", provider, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	for provider, got := range ours {
		if why[provider] == "" {
			t.Errorf("only bough lists %s", got)
		}
	}
	if !strings.Contains(told, "list of models of ") {
		t.Errorf("told %s", told)
	}
}
