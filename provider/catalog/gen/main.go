// Command gen makes the data of package catalog from the model lists that pi
// brings along, which are facts under the MIT licence:
//
//	npm i --ignore-scripts @earendil-works/pi-coding-agent@VERSION
//	go run ./gen -pi node_modules/@earendil-works -node node
//
// It is run in the folder of package catalog, and writes data/*.json.gz, index.go
// and NOTICE. Which model stands for its provider, and in which order providers
// are tried, is not in the lists; for that it starts pi without network, with a
// made-up key for each provider, and asks which model it would use.
package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"go/format"
	"io"
	"log"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// names are the display names of providers (pi's docs/providers.md).
var names = map[string]string{
	"amazon-bedrock": "Amazon Bedrock", "ant-ling": "Ant Ling", "anthropic": "Anthropic", "azure": "Azure OpenAI", "baseten": "Baseten",
	"cerebras": "Cerebras", "cloudflare-ai-gateway": "Cloudflare AI Gateway", "cloudflare-workers-ai": "Cloudflare Workers AI",
	"deepseek": "DeepSeek", "fireworks": "Fireworks", "github-copilot": "GitHub Copilot", "google": "Google Gemini",
	"google-vertex": "Google Vertex AI", "groq": "Groq", "huggingface": "Hugging Face", "kimi-coding": "Kimi For Coding", "meta": "Meta",
	"minimax": "MiniMax", "minimax-cn": "MiniMax (China)", "mistral": "Mistral", "moonshotai": "Moonshot AI", "moonshotai-cn": "Moonshot AI (China)",
	"nvidia": "NVIDIA NIM", "openai": "OpenAI", "openai-codex": "OpenAI (ChatGPT sign-in)", "opencode": "OpenCode Zen", "opencode-go": "OpenCode Go",
	"openrouter": "OpenRouter", "qwen-token-plan": "Qwen Token Plan Team", "qwen-token-plan-cn": "Qwen Token Plan Team (China)",
	"qwen-token-plan-individual":    "Qwen Token Plan Individual",
	"qwen-token-plan-individual-cn": "Qwen Token Plan Individual (China)", "radius": "Radius", "together": "Together AI",
	"vercel-ai-gateway": "Vercel AI Gateway", "xai": "xAI", "xiaomi": "Xiaomi MiMo", "xiaomi-token-plan-ams": "Xiaomi MiMo Token Plan (Amsterdam)",
	"xiaomi-token-plan-cn": "Xiaomi MiMo Token Plan (China)", "xiaomi-token-plan-sgp": "Xiaomi MiMo Token Plan (Singapore)",
	"zai": "ZAI Coding Plan", "zai-coding-cn": "ZAI Coding Plan (China)",
}

func main() {
	pi := flag.String("pi", "", "the folder node_modules/@earendil-works")
	node := flag.String("node", "node", "the Node that runs pi")
	flag.Parse()
	log.SetFlags(0)
	if err := generate(*pi, *node); err != nil {
		log.Fatal(err)
	}
}

type provider struct {
	id, name, first string
	models          []json.RawMessage
	order           int
}

func generate(pi, node string) error {
	version, err := packageVersion(filepath.Join(pi, "pi-ai", "package.json"))
	if err != nil {
		return err
	}
	data := filepath.Join(pi, "pi-ai", "dist", "providers", "data")
	var manifest struct {
		GeneratedAt time.Time `json:"generatedAt"`
	}
	if err := readJSON(filepath.Join(data, ".manifest.json"), &manifest); err != nil {
		return err
	}
	files, err := filepath.Glob(filepath.Join(data, "*.json"))
	if err != nil {
		return err
	}
	var providers []*provider
	for _, f := range files {
		p, err := read(f)
		if err != nil {
			return fmt.Errorf("%s: %w", f, err)
		}
		if p != nil {
			providers = append(providers, p)
		}
	}
	if err := ask(filepath.Join(pi, "pi-coding-agent", "dist", "cli.js"), node, providers); err != nil {
		return err
	}
	slices.SortStableFunc(providers, func(a, b *provider) int { return a.order - b.order })
	return write(providers, version, manifest.GeneratedAt)
}

func packageVersion(path string) (string, error) {
	var p struct{ Version, License string }
	if err := readJSON(path, &p); err != nil {
		return "", err
	}
	if p.License != "MIT" {
		return "", fmt.Errorf("%s: the licence is %q now; look before you go on", path, p.License)
	}
	return p.Version, nil
}

func readJSON(path string, v any) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return json.Unmarshal(b, v)
}

// read reads the chat models of one provider, by id.
func read(path string) (*provider, error) {
	if strings.HasPrefix(filepath.Base(path), ".") {
		return nil, nil
	}
	var apis map[string]map[string]map[string]json.RawMessage
	if err := readJSON(path, &apis); err != nil {
		return nil, err
	}
	p := &provider{id: strings.TrimSuffix(filepath.Base(path), ".json"), order: 1 << 20}
	byID := map[string]json.RawMessage{}
	for _, models := range apis {
		for _, m := range models {
			if string(m["type"]) != `"chat"` {
				continue
			}
			var id string
			if err := json.Unmarshal(m["id"], &id); err != nil {
				return nil, err
			}
			if byID[id] != nil {
				return nil, fmt.Errorf("two models %s", id)
			}
			b, err := encode(m)
			if err != nil {
				return nil, err
			}
			byID[id] = b
		}
	}
	for _, id := range slices.Sorted(maps.Keys(byID)) {
		p.models = append(p.models, byID[id])
	}
	if len(p.models) == 0 {
		return nil, nil
	}
	if p.name = names[p.id]; p.name == "" {
		return nil, fmt.Errorf("a new provider %s: give it a name", p.id)
	}
	return p, nil
}

// encode writes a model with pi's fields in pi's order.
func encode(m map[string]json.RawMessage) ([]byte, error) {
	order := []string{"id", "name", "api", "provider", "baseUrl", "reasoning", "input", "cost", "contextWindow", "maxTokens", "thinkingLevelMap", "compat",
		"headers", "samplingParams", "promptCache", "inputLimits"}
	for k := range m {
		if !slices.Contains(append(order, "type", "lab", "enabled", "providers", "free"), k) {
			return nil, fmt.Errorf("a new field %s of a model: see what it is", k)
		}
	}
	var b bytes.Buffer
	b.WriteByte('{')
	for _, k := range order {
		if v, ok := m[k]; ok {
			if b.Len() > 1 {
				b.WriteByte(',')
			}
			fmt.Fprintf(&b, "%q:%s", k, v)
		}
	}
	b.WriteByte('}')
	var c bytes.Buffer
	err := json.Compact(&c, b.Bytes())
	return c.Bytes(), err
}

// ask finds out the order of the providers and their first models: with keys for
// all pi names one; its provider comes next, and its key is taken away.
func ask(cli, node string, providers []*provider) error {
	dir, err := os.MkdirTemp("", "catalog")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	left := map[string]*provider{}
	for _, p := range providers {
		left[p.id] = p
	}
	for n := 0; len(left) > 0; n++ {
		auth := map[string]any{}
		for id := range left {
			auth[id] = map[string]any{"type": "api_key", "key": "made-up", "env": map[string]string{"CLOUDFLARE_ACCOUNT_ID": "x", "CLOUDFLARE_GATEWAY_ID": "x",
				"AZURE_OPENAI_RESOURCE_NAME": "x"}}
		}
		b, err := json.Marshal(auth)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, "auth.json"), b, 0o600); err != nil {
			return err
		}
		id, model, err := state(cli, node, dir)
		if err != nil {
			return err
		}
		p := left[id]
		if p == nil {
			log.Printf("pi would use none of %v", slices.Sorted(maps.Keys(left)))
			break
		}
		p.first, p.order = model, n
		delete(left, id)
		log.Printf("%2d %s/%s", n, id, model)
	}
	return nil
}

// state starts pi and asks which model it would use.
func state(cli, node, dir string) (provider, model string, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, node, cli, "--mode", "rpc", "--no-session")
	c.Dir = dir
	c.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "PI_CODING_AGENT_DIR=" + dir, "PI_OFFLINE=1"}
	in, err := c.StdinPipe()
	if err != nil {
		return "", "", err
	}
	out, err := c.StdoutPipe()
	if err != nil {
		return "", "", err
	}
	if err := c.Start(); err != nil {
		return "", "", err
	}
	if _, err := io.WriteString(in, `{"id":"1","type":"get_state"}`+"\n"); err != nil {
		return "", "", err
	}
	var answer struct {
		Data struct {
			Model struct{ ID, Provider string }
		}
	}
	err = json.NewDecoder(out).Decode(&answer)
	if cerr := in.Close(); err == nil {
		err = cerr
	}
	_ = c.Wait() // it has answered; how it ends is no matter
	return answer.Data.Model.Provider, answer.Data.Model.ID, err
}

func write(providers []*provider, version string, at time.Time) error {
	old, err := filepath.Glob("data/*.json.gz")
	if err != nil {
		return err
	}
	for _, f := range old {
		if err := os.Remove(f); err != nil {
			return err
		}
	}
	var index bytes.Buffer
	fmt.Fprintf(&index, "// Code generated by gen; DO NOT EDIT.\n\npackage catalog\n\n")
	fmt.Fprintf(&index, "// Date is the day of the data, Source where it is from.\nconst (\nDate = %q\nSource = %q\n)\n\n", at.Format(time.DateOnly), "pi-ai "+version)
	fmt.Fprintf(&index, "var index = []Listing{\n")
	total := 0
	for _, p := range providers {
		var b bytes.Buffer
		z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
		if err != nil {
			return err
		}
		list, err := json.Marshal(p.models)
		if err != nil {
			return err
		}
		if _, err := z.Write(list); err != nil {
			return err
		}
		if err := z.Close(); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join("data", p.id+".json.gz"), b.Bytes(), 0o644); err != nil {
			return err
		}
		fmt.Fprintf(&index, "{%q, %q, %q, %d},\n", p.id, p.name, p.first, len(p.models))
		total += b.Len()
	}
	fmt.Fprintf(&index, "}\n")
	src, err := format.Source(index.Bytes())
	if err != nil {
		return err
	}
	if err := os.WriteFile("index.go", src, 0o644); err != nil {
		return err
	}
	log.Printf("%d providers, %d bytes", len(providers), total)
	return os.WriteFile("NOTICE", []byte(fmt.Sprintf(notice, version, at.Format(time.DateOnly))), 0o644)
}

const notice = `The files in data are made from the model lists of the npm package
@earendil-works/pi-ai, version %s, as of %s (https://github.com/earendil-works/pi),
which is published under this licence:

MIT License

Copyright (c) Mario Zechner

Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.
`
