package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/boughdev/bough/internal/fakellm"
	"github.com/boughdev/bough/internal/script"
)

// meaning is what a request says, whatever the API and the words.
type meaning struct {
	Model, Thinking string
	MaxTokens       string
	Sections        []string          // of the system prompt, but our help section
	Tools           map[string]string // parameters without their descriptions, by name
	Listed          []string          // tools that the system prompt lists
	Context         []string          // context files: path and text
	Skills          []string          // name, description, path
	Preamble        string            // if it was given
	Addendum, Cwd   string
	Said            []string // role and text of the conversation
	Images          int
}

// The same prompt in the same folder makes pi 1.6.0 and bough ask the same.
//
//	bash benchmarks/compare-requests.sh
func TestRequestsAsPi(t *testing.T) {
	node, dist := os.Getenv("NODE24"), os.Getenv("PI_DIST")
	if node == "" || dist == "" {
		t.Skip("set NODE24 (a node of version 22 or later) and PI_DIST (the dist folder of the installed package), or run benchmarks/compare-requests.sh")
	}
	for _, at := range wires {
		server := fakellm.Start(t, fakellm.Options{})
		h := newHome(t, server.URL)
		h.env = append(h.env, "PI_CODING_AGENT_DIR="+filepath.Join(h.dir, "agent"), "PI_OFFLINE=1", "HTTP_PROXY=")
		h.tree(map[string]string{
			"agent/AGENTS.md":                        "Answer in short sentences.\n",
			"agent/skills/pdf/SKILL.md":              "---\nname: pdf\ndescription: Reads PDF & <other> files.\n---\nUse pdftotext.\n",
			"agent/skills/quiet/SKILL.md":            "---\nname: quiet\ndescription: Not for the model.\ndisable-model-invocation: true\n---\nHush.\n",
			"agent/prompts/greet.md":                 "---\ndescription: greets\nargument-hint: NAME\n---\nSay hello to $1 ($ARGUMENTS).\n",
			"project/AGENTS.md":                      "Use tabs.\n",
			"project/.pi/skills/deploy/SKILL.md":     "---\nname: deploy\ndescription: Deploys the shop.\n---\nRun make deploy.\n",
			"project/.pi/prompts/ship.md":            "Ship ${1:-it} now.\n",
			"project/.agents/skills/review/SKILL.md": "---\nname: review\ndescription: Reviews a change.\n---\nLook twice.\n",
			"project/note.txt":                       "a note\n",
		})
		run := func(t *testing.T, program, args []string) meaning {
			t.Helper()
			server.Reset()
			cmd := exec.CommandContext(t.Context(), program[0], slices.Concat(program[1:], []string{"-p", "--model", at}, args)...)
			cmd.Dir, cmd.Env = filepath.Join(h.dir, "project"), h.env
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v %v: %v\n%s", program, args, err, out)
			}
			requests := server.Requests()
			return read(t, requests[len(requests)-1])
		}
		pi, bough := []string{node, filepath.Join(dist, "cli.js")}, []string{"bough"}
		cases := [][]string{
			{"hello there"},
			{"--approve", "hello there"},
			{"--no-approve", "hello there"},
			{"--approve", "--no-skills", "hello"},
			{"--approve", "--no-context-files", "hello"},
			{"--no-tools", "--approve", "hello"},
			{"--tools", "read,grep,find,ls", "hello"},
			{"--tools", "write", "--approve", "hello"},
			{"--system-prompt", "You are a poet.", "--approve", "hello"},
			{"--append-system-prompt", "Speak French.", "--append-system-prompt", "Rhyme.", "hello"},
			{"--thinking", "high", "hello"},
			{"--thinking", "off", "hello"},
			{"/greet Ada Lovelace"},
			{"--approve", "/ship"},
			{"--approve", "/ship the boat"},
			{"--no-prompt-templates", "/greet Ada"},
			{"/nosuch thing"},
			{"@note.txt", "what is it"},
			{"first", "second"},
		}
		if at != wires[0] {
			cases = [][]string{cases[1], {"--tools", "read,grep", "hello"}, {"--thinking", "high", "hello"}}
		}
		for _, args := range cases {
			t.Run(at+" "+strings.Join(args, " "), func(t *testing.T) {
				theirs, ours := run(t, pi, args), run(t, bough, args)
				for _, d := range theirs.differences(ours) {
					t.Error(d)
				}
			})
		}
		t.Run(at+" goes on with the other's session", func(t *testing.T) {
			var want []string
			for i, order := range [][2][]string{{pi, pi}, {pi, bough}, {bough, pi}, {bough, bough}} {
				file := filepath.Join(h.dir, fmt.Sprintf("s%d.jsonl", i))
				run(t, order[0], []string{"--session", file, "read note.txt"})
				got := run(t, order[1], []string{"--session", file, "and then"}).Said
				if i == 0 {
					want = got
				}
				if len(want) < 5 || encode(got) != encode(want) {
					t.Errorf("%v then %v say %q, pi alone says %q", order[0], order[1], got, want)
				}
			}
		})
	}
}

// tree writes files below the home.
func (h *home) tree(files map[string]string) {
	h.t.Helper()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		path := filepath.Join(h.dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			h.t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(files[name]), 0o600); err != nil {
			h.t.Fatal(err)
		}
	}
}

// differences tells in lines how another request differs in meaning.
func (m meaning) differences(o meaning) (lines []string) {
	differ := func(what string, pi, bough any) {
		if a, b := encode(pi), encode(bough); a != b {
			lines = append(lines, fmt.Sprintf("%s\n  pi    %s\n  bough %s", what, a, b))
		}
	}
	differ("model", m.Model, o.Model)
	differ("thinking", m.Thinking, o.Thinking)
	differ("output limit", m.MaxTokens, o.MaxTokens)
	differ("tools", m.Tools, o.Tools)
	if len(m.Tools)+len(o.Tools) == 0 {
		m.Sections = slices.DeleteFunc(m.Sections, func(s string) bool { return s == "tools" }) // pi says that there are none
	}
	differ("sections", m.Sections, o.Sections)
	differ("tools listed in the prompt", m.Listed, o.Listed)
	differ("context files", m.Context, o.Context)
	differ("skills", m.Skills, o.Skills)
	differ("given preamble", m.Preamble, o.Preamble)
	differ("addendum", m.Addendum, o.Addendum)
	differ("folder", m.Cwd, o.Cwd)
	differ("conversation", trimmed(m.Said), trimmed(o.Said))
	differ("images", m.Images, o.Images)
	return lines
}

// trimmed leaves out line ends: pi sends that of a template's file.
func trimmed(said []string) []string {
	out := make([]string, len(said))
	for i, s := range said {
		out[i] = strings.TrimSpace(s)
	}
	return out
}

func encode(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

// read takes the meaning out of a request of any of the three APIs.
func read(t *testing.T, r fakellm.Request) (m meaning) {
	t.Helper()
	var q struct {
		Model     string
		Messages  []map[string]any
		Input     []map[string]any
		System    any
		Tools     []map[string]any
		Thinking  any
		Reasoning any
		Effort    any `json:"reasoning_effort"`
		Contents  []map[string]any
		Prompt    map[string]any `json:"systemInstruction"`
		Config    map[string]any `json:"generationConfig"`
		Max       any            `json:"max_tokens"`
		MaxChat   any            `json:"max_completion_tokens"`
		MaxResp   any            `json:"max_output_tokens"`
	}
	if err := json.Unmarshal(r.Body, &q); err != nil {
		t.Fatal(err)
	}
	m.Model = q.Model
	m.Thinking = encode([]any{q.Thinking, q.Reasoning, q.Effort, q.Config["thinkingConfig"]})
	m.MaxTokens = encode([]any{q.Max, q.MaxChat, q.MaxResp, q.Config["maxOutputTokens"]})
	m.Tools = map[string]string{}
	for i := 0; i < len(q.Tools); i++ {
		tool := q.Tools[i]
		if list, ok := tool["functionDeclarations"].([]any); ok {
			for _, f := range list {
				q.Tools = append(q.Tools, f.(map[string]any))
			}
			continue
		}
		if f, ok := tool["function"].(map[string]any); ok {
			tool = f
		}
		schema := tool["parameters"]
		for _, key := range []string{"input_schema", "parametersJsonSchema"} {
			if s, ok := tool[key]; ok {
				schema = s
			}
		}
		m.Tools[fmt.Sprint(tool["name"])] = encode(bare(schema))
	}
	system := textOf(q.System) + textOf(q.Prompt["parts"])
	for _, c := range q.Contents {
		m.sayGoogle(c)
	}
	for _, msg := range append(q.Messages, q.Input...) {
		role, _ := msg["role"].(string)
		if role == "" {
			role, _ = msg["type"].(string)
		}
		switch role {
		case "system", "developer":
			system += textOf(msg["content"])
		default:
			m.say(r.API, role, msg)
		}
	}
	m.readSystem(system)
	return m
}

// say notes a message: a result of a tool is a message of its own, wherever the
// API has it.
func (m *meaning) say(api script.API, role string, msg map[string]any) {
	switch role {
	case "function_call":
		m.Said = append(m.Said, "assistant ")
		return
	case "function_call_output":
		m.Said = append(m.Said, "tool "+textOf(msg["output"]))
		return
	}
	blocks, _ := msg["content"].([]any)
	for _, b := range blocks {
		switch b := b.(map[string]any); b["type"] {
		case "image", "image_url", "input_image":
			m.Images++
		case "tool_result":
			m.Said = append(m.Said, "tool "+textOf(b["content"]))
			role = ""
		}
	}
	if role != "" {
		m.Said = append(m.Said, role+" "+strings.ReplaceAll(textOf(msg["content"]), "\n\n", "\n"))
	}
}

// sayGoogle is say for Google's form.
func (m *meaning) sayGoogle(c map[string]any) {
	parts, _ := c["parts"].([]any)
	for _, p := range parts {
		p, _ := p.(map[string]any)
		if r, ok := p["functionResponse"].(map[string]any); ok {
			m.Said = append(m.Said, "tool "+encode(r["response"]))
			return
		}
	}
	role, _ := c["role"].(string)
	m.Said = append(m.Said, role+" "+textOf(parts))
}

func textOf(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case []any:
		s := ""
		for _, b := range v {
			if b, ok := b.(map[string]any); ok {
				text, _ := b["text"].(string)
				s += text
			}
		}
		return s
	}
	return ""
}

var (
	section  = regexp.MustCompile(`(?s)\n?\n?<([a-z_]+)>\n(.*?)\n</([a-z_]+)>`)
	listed   = regexp.MustCompile(`(?m)^- ([a-z_]+):`)
	instruct = regexp.MustCompile(`(?s)<project_instructions path="(.*?)">\n(.*?)\n</project_instructions>`)
	skill    = regexp.MustCompile(`(?s)<skill>\s*<name>(.*?)</name>\s*<description>(.*?)</description>\s*<(?:location|path)>(.*?)</`)
)

func (m *meaning) readSystem(s string) {
	if at := strings.Index(s, "\n\n<"); at >= 0 {
		m.Preamble, s = s[:at], s[at:]
	} else {
		m.Preamble, s = s, ""
	}
	for s != "" {
		found := section.FindStringSubmatch(s)
		if found == nil {
			break
		}
		name := found[1]
		end := strings.Index(s, "\n</"+name+">")
		if end < 0 {
			break
		}
		begin := strings.Index(s, "<"+name+">\n") + len(name) + 3
		text := ""
		if begin <= end {
			text = s[begin:end]
		}
		s = s[end+len(name)+4:]
		if name != "docs" {
			m.Sections = append(m.Sections, name)
		}
		switch name {
		case "tools":
			for _, l := range listed.FindAllStringSubmatch(text, -1) {
				m.Listed = append(m.Listed, l[1])
			}
		case "project_context":
			for _, f := range instruct.FindAllStringSubmatch(text, -1) {
				m.Context = append(m.Context, f[1]+": "+strings.TrimSpace(f[2]))
			}
		case "skills":
			for _, f := range skill.FindAllStringSubmatch(text, -1) {
				m.Skills = append(m.Skills, strings.Join(f[1:], " | "))
			}
		case "addendum":
			m.Addendum = text
		case "cwd":
			m.Cwd = text
		}
	}
	if slices.Contains(m.Sections, "rules") {
		m.Preamble = "" // each program's own words
	}
}

// bare takes descriptions out of a schema, and, as pi writes it for some models,
// that all properties are required and may be null.
func bare(v any) any {
	switch v := v.(type) {
	case map[string]any:
		if v["additionalProperties"] == false {
			return bare(loose(v))
		}
		out := map[string]any{}
		for k, e := range v {
			if _, isText := e.(string); k == "description" && isText {
				continue
			}
			out[k] = bare(e)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = bare(e)
		}
		return out
	}
	return v
}

// loose undoes the strict form of a schema: what may be null is not required.
func loose(schema map[string]any) map[string]any {
	out := maps.Clone(schema)
	delete(out, "additionalProperties")
	properties, _ := schema["properties"].(map[string]any)
	required, _ := schema["required"].([]any)
	plain := map[string]any{}
	for name, p := range properties {
		plain[name] = p
		p, _ := p.(map[string]any)
		if either, ok := p["anyOf"].([]any); ok && len(either) == 2 && encode(either[1]) == `{"type":"null"}` {
			plain[name] = either[0]
			required = slices.DeleteFunc(slices.Clone(required), func(r any) bool { return r == name })
		}
	}
	out["properties"] = plain
	if out["required"] = required; len(required) == 0 {
		delete(out, "required")
	}
	return out
}
