package cli

import (
	"strings"
	"testing"
)

func TestWhatIsMeant(t *testing.T) {
	p := newPlace(t)
	p.write("project/s.jsonl", "")
	p.write("project/dcotor", "")
	for line, want := range map[string]string{
		"sesions list":                 "sessions list",
		"sesions":                      "sessions",
		"sessoins --json":              "sessions --json",
		"sesions about cats":           "",
		"login":                        "auth login",
		"logout openai":                "auth logout openai",
		"login to the server":          "",
		"tere s.jsonl":                 "tree s.jsonl",
		"treee 0195ab":                 "tree 0195ab",
		"trees of the wood":            "",
		"shows s.jsonl":                "show s.jsonl",
		"shows main.go":                "",
		"explain this":                 "",
		"lists all files":              "",
		"modles":                       "models",
		"modles --nosuch":              "",
		"dcotor":                       "", // there is such a file
		"docter":                       "doctor",
		"cofnig retry.maxRetries":      "config retry.maxRetries",
		"confg set steeringMode all":   "config set steeringMode all",
		"hepl branch":                  "help branch",
		"hepl me":                      "",
		"last":                         "",
		"lint":                         "",
		"state":                        "",
		"hello":                        "",
		"Sesions list":                 "",
		"sesions.":                     "",
		"s":                            "",
		"":                             "",
		"тree":                         "",
		strings.Repeat("sessions", 99): "",
	} {
		env := p.env()
		env.Args = strings.Split(line, " ")
		if got := strings.Join(meant(env), " "); got != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
}

// A person says whether it was meant; who cannot be asked is told.
func TestMistyped(t *testing.T) {
	p := newPlace(t)
	p.vars["BOUGH_OFFLINE"] = "1"
	for _, tt := range []struct {
		typed, want string
		terminal    bool
	}{
		{"", `there is no command "sesions"; did you mean bough sessions list? To say the words to a model: bough -- sesions list`, false},
		{"y\n", "There are no sessions of this folder yet", true},
	} {
		p.stdin, p.terminal = tt.typed, tt.terminal
		env := p.env()
		env.Args = []string{"sesions", "list"}
		if found, err := commandOf(t.Context(), env); !found || (err == nil) != tt.terminal || err != nil && err.Error() != tt.want {
			t.Errorf("%v: found %v, error %v", tt, found, err)
		}
		if tt.terminal {
			p.told(tt.want)
		}
	}
	p.stdin = "n\n"
	env := p.env()
	env.Args = []string{"sesions", "list"}
	if found, err := commandOf(t.Context(), env); found || err != nil {
		t.Errorf("what is for the model was taken for a command: %v", err)
	}
}

func TestHelpAboutOptions(t *testing.T) {
	p := newPlace(t)
	for topic, want := range map[string]string{"--mode": "bough --mode MODE", "-p": "bough --print", "tree": "usage: bough tree"} {
		var out strings.Builder
		env := p.env()
		env.Args, env.Stdout = []string{"help", topic}, &out
		if found, err := commandOf(t.Context(), env); !found || err != nil || !strings.HasPrefix(out.String(), want) {
			t.Errorf("help %s: %v, %s", topic, err, out.String())
		}
	}
	env := p.env()
	env.Args = []string{"help", "--nosuch"}
	if _, err := commandOf(t.Context(), env); err == nil || !strings.Contains(err.Error(), `no page "--nosuch"`) {
		t.Errorf("%v", err)
	}
}
