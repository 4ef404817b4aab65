package prompt

import (
	"slices"
	"strings"
	"testing"

	"github.com/boughdev/bough/message"
)

func tools(names ...string) []message.ToolSpec {
	var out []message.ToolSpec
	for _, n := range names {
		out = append(out, message.ToolSpec{Name: n, Description: "The tool " + n + ". It does more.", Prompt: "Use " + n,
			Rules: []string{"A rule of " + n + ".", "Be brief."}, Parameters: []byte(`{"type":"object","properties":{"path":{"type":"string"}}}`)})
	}
	return out
}

func section(s State, name string) string {
	for _, sec := range s.Sections {
		if sec.Name == name {
			return sec.Text
		}
	}
	return ""
}

func names(s State) []string {
	var out []string
	for _, sec := range s.Sections {
		out = append(out, sec.Name)
	}
	return out
}

func TestBuild(t *testing.T) {
	skills := []Skill{{Name: "pdf", Description: "Reads <PDF> & more", Path: "/s/pdf/SKILL.md"}, {Name: "secret", Path: "/s/x", Hidden: true}}
	files := []File{{"/a/AGENTS.md", "be nice\n"}, {`/b"/AGENTS.md`, "be quick"}}
	for _, tt := range []struct {
		name string
		opts Options
		want []string
	}{
		{"all sections in their order",
			Options{Dir: "/p", Tools: tools("read", "bash"), Addendum: Text{"more", ""}, Context: files, Skills: skills},
			[]string{Preamble, Tools, Rules, Docs, Addendum, ProjectContext, Skills, Cwd}},
		{"what has no content is left out", Options{Dir: "/p"}, []string{Preamble, Rules, Docs, Cwd}},
		{"a custom preamble stands without our words", Options{Dir: "/p", Preamble: Text{"You are a poet.", "/SYSTEM.md"}, Tools: tools("read")},
			[]string{Preamble, Cwd}},
		{"skills need a tool that reads", Options{Dir: "/p", Tools: tools("write"), Skills: skills}, []string{Preamble, Tools, Rules, Docs, Cwd}},
		{"hidden skills are none", Options{Dir: "/p", Tools: tools("read"), Skills: skills[1:]}, []string{Preamble, Tools, Rules, Docs, Cwd}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := Build(tt.opts)
			if got := names(s); !slices.Equal(got, tt.want) {
				t.Errorf("sections %q, want %q", got, tt.want)
			}
			for _, sec := range s.Sections[1:] {
				if !strings.HasPrefix(sec.Text, "<"+sec.Name+">\n") || !strings.HasSuffix(sec.Text, "\n</"+sec.Name+">") {
					t.Errorf("section %s stands in no element of its name: %q", sec.Name, sec.Text)
				}
			}
			if a, b := s.Message().JSON(), Build(tt.opts).Message().JSON(); string(a) != string(b) {
				t.Errorf("two builds differ:\n%s\n%s", a, b)
			}
		})
	}
}

func TestBuildTexts(t *testing.T) {
	s := Build(Options{Dir: `/p`, Tools: tools("read", "bash"), Rules: []string{"A rule of read.", "Speak French."},
		Context: []File{{"/a/AGENTS.md", "be nice\n"}, {`/b"/AGENTS.md`, "be quick"}},
		Skills:  []Skill{{Name: "pdf", Description: "Reads <PDF> & more", Path: "/s/pdf/SKILL.md"}}})
	for _, tt := range []struct{ name, section, want string }{
		{"tools have a line each", Tools, "<tools>\n- read: Use read\n- bash: Use bash\n\n" + more + "\n</tools>"},
		{"rules come once and in order", Rules, "<rules>\n- List and search files with bash (ls, rg, find).\n- A rule of read.\n- Be brief.\n" +
			"- A rule of bash.\n- Speak French.\n- Name files by their paths.\n</rules>"},
		{"context files keep their order and end their last line", ProjectContext, "<project_context>\n" + contextIntro +
			"\n\n<project_instructions path=\"/a/AGENTS.md\">\nbe nice\n</project_instructions>" +
			"\n\n<project_instructions path=\"/b&quot;/AGENTS.md\">\nbe quick\n</project_instructions>\n</project_context>"},
		{"skills are escaped", Skills, "<skills>\n" + skillsIntro + "\n\n<skill>\n<name>pdf</name>\n" +
			"<description>Reads &lt;PDF&gt; &amp; more</description>\n<path>/s/pdf/SKILL.md</path>\n</skill>\n</skills>"},
		{"the directory is last", Cwd, "<cwd>\n/p\n</cwd>"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := section(s, tt.section); got != tt.want {
				t.Errorf("%s is\n%s\nwant\n%s", tt.section, got, tt.want)
			}
		})
	}
}

// What bough says by itself leaves room for tool declarations of some 3 KB below
// the 5.4 KB of pi's first request.
func TestOurOwnWordsAreFew(t *testing.T) {
	m := Build(Options{Dir: "/home/someone/some/project", Tools: tools("read", "bash", "edit", "write")}).Message()
	if n := len(m.Prompt()); n > 1000 {
		t.Errorf("%d bytes of prompt:\n%s", n, m.Prompt())
	}
}

func TestToolLines(t *testing.T) {
	long := strings.Repeat("字", 60)
	for _, tt := range []struct {
		name string
		tool message.ToolSpec
		want string
	}{
		{"the tool's own line", message.ToolSpec{Name: "a", Prompt: "Own line", Description: "Other."}, "- a: Own line"},
		{"else the first sentence of its description", message.ToolSpec{Name: "a", Description: "Does it. Then more."}, "- a: Does it"},
		{"which is cut between characters", message.ToolSpec{Name: "a", Description: long}, "- a: " + strings.Repeat("字", 40) + "…"},
		{"a tool without words", message.ToolSpec{Name: "a"}, "- a"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got, _, _ := strings.Cut(toolList([]message.ToolSpec{tt.tool}), "\n"); got != tt.want {
				t.Errorf("line %q, want %q", got, tt.want)
			}
		})
	}
}

func TestLookAround(t *testing.T) {
	for _, tt := range []struct {
		name  string
		tools []string
		want  string
	}{
		{"own tools win over the shell", []string{"bash", "ls", "grep"}, "List and search files with grep, ls rather than bash."},
		{"no shell", []string{"find"}, "List and search files with find."},
		{"another shell", []string{"powershell"}, "List and search files with powershell."},
		{"nothing to look with", []string{"write"}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := lookAround(tools(tt.tools...)); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}
