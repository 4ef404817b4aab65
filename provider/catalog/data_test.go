package catalog

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/boughdev/bough/internal/auth"
)

func newer(date string, providers ...string) []byte {
	return []byte(fmt.Sprintf(`{"date":%q,"source":"test","providers":[%s]}`, date, strings.Join(providers, ",")))
}

func oneProvider(id string, models ...string) string {
	var list []string
	for _, m := range models {
		list = append(list, fmt.Sprintf(`{"id":%q,"name":%q,"api":"anthropic-messages","provider":%q,"baseUrl":"https://x","reasoning":false,"input":["text"],"cost":{"input":1,"output":2,"cacheRead":0,"cacheWrite":0},"contextWindow":1000,"maxTokens":100}`, m, m, id))
	}
	return fmt.Sprintf(`{"id":%q,"name":"N","first":%q,"models":[%s]}`, id, models[0], strings.Join(list, ","))
}

func TestInstall(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "models")
	if d, err := OpenData(dir); err != nil || d.Date != Date || d.Dir != "" {
		t.Fatalf("%+v, %v", d, err)
	}
	if had, err := Reset(dir); had || err != nil {
		t.Error(had, err)
	}
	d, err := Install(dir, append([]byte("\ufeff"), newer("2999-01-02", oneProvider("anthropic", "new", "other"), oneProvider("fresh.one", "m"))...))
	if err != nil || d.Date != "2999-01-02" || d.Source != "test" {
		t.Fatalf("%+v, %v", d, err)
	}
	env := envOf([]string{"ANTHROPIC_API_KEY", "k", "GROQ_API_KEY", "k"})
	r, _ := New(Options{Keys: auth.New(env, auth.Credentials{"fresh.one": {Type: "api_key", Key: "k"}}), Data: d})
	var names []string
	for _, c := range r.Available() {
		if c.Info.Provider != "groq" {
			names = append(names, c.Name())
		}
	}
	if got := strings.Join(names, " "); got != "anthropic/new anthropic/other fresh.one/m" {
		t.Errorf("available %s", got)
	}
	if _, ok := r.Find("groq", "openai/gpt-oss-120b"); !ok {
		t.Error("what the newer list has not is lost")
	}
	// A second one takes the place of the first.
	if _, err := Install(dir, newer("2999-02-02", oneProvider("anthropic", "newest"))); err != nil {
		t.Fatal(err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 2 {
		t.Errorf("%v, %v", entries, err)
	}
	if d, err := OpenData(dir); err != nil || d.Date != "2999-02-02" || d.Providers()[2].First != "newest" {
		t.Errorf("%+v, %v", d, err)
	}
	if had, err := Reset(dir); !had || err != nil {
		t.Error(had, err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 0 {
		t.Errorf("%v, %v", entries, err)
	}
}

// What is broken costs what it must and no more, and is named.
func TestBrokenData(t *testing.T) {
	for name, raw := range map[string][]byte{
		"is no list of models":                     []byte("<html>"),
		"cannot be unpacked":                       {0x1f, 0x8b, 0, 1},
		`date is "tomorrow"`:                       newer("tomorrow", oneProvider("a", "m")),
		"the program's own list is newer":          newer("2001-01-01", oneProvider("a", "m")),
		"it has no providers":                      newer("2999-01-01"),
		`providers[1]: a is there twice`:           newer("2999-01-01", oneProvider("a", "m"), oneProvider("a", "m")),
		`"../a" cannot be the id`:                  newer("2999-01-01", oneProvider("../a", "m")),
		`providers[0].models[1]: m is there twice`: newer("2999-01-01", oneProvider("a", "m", "m")),
		`.models[0]: m is of the provider "b"`:     []byte(strings.Replace(string(newer("2999-01-01", oneProvider("a", "m"))), `"provider":"a"`, `"provider":"b"`, 1)),
		`lacks contextWindow`:                      []byte(strings.Replace(string(newer("2999-01-01", oneProvider("a", "m"))), `"contextWindow":1000`, `"contextWindow":0`, 1)),
		`.models[0]: json`:                         []byte(strings.Replace(string(newer("2999-01-01", oneProvider("a", "m"))), `"contextWindow":1000`, `"contextWindow":"x"`, 1)),
		`there is no model z`:                      []byte(strings.Replace(string(newer("2999-01-01", oneProvider("a", "m"))), `"first":"m"`, `"first":"z"`, 1)),
	} {
		dir := t.TempDir()
		if _, err := Install(dir, raw); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%v, want %s", err, name)
		}
		if entries, _ := os.ReadDir(dir); len(entries) > 0 {
			t.Errorf("%s: something is left: %v", name, entries)
		}
	}

	dir := t.TempDir()
	d, err := Install(dir, newer("2999-01-01", oneProvider("anthropic", "new")))
	if err != nil {
		t.Fatal(err)
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*", "anthropic.json.gz"))
	if err := os.WriteFile(files[0], []byte("torn"), 0o600); err != nil {
		t.Fatal(err)
	}
	var told []string
	r, _ := New(Options{Keys: auth.New(noEnv, nil), Data: d, Warn: func(s string) { told = append(told, s) }})
	if _, ok := r.Find("anthropic", "claude-opus-5-5"); !ok || len(told) != 1 || !strings.Contains(told[0], "bough models reset") {
		t.Errorf("%v, told %q", ok, told)
	}
	for _, index := range []string{"", "{}", `{"date":"2999-01-01","folder":"../../etc"}`, `{"date":"2999-01-01","folder":"f","providers":[{"id":"../x"}]}`} {
		if err := os.WriteFile(filepath.Join(dir, "index.json"), []byte(index), 0o600); err != nil {
			t.Fatal(err)
		}
		if d, err := OpenData(dir); err == nil || d.Date != Date {
			t.Errorf("%q: %+v, %v", index, d, err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "index.json"), []byte(`{"date":"2001-01-01","folder":"f"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if d, err := OpenData(dir); err != nil || d.Date != Date {
		t.Errorf("an old one: %+v, %v", d, err)
	}
}

// The program's own list as a file is the same list.
func TestBundle(t *testing.T) {
	packed, err := BuiltIn().Bundle()
	if err != nil {
		t.Fatal(err)
	}
	date, source, providers, models, err := ReadBundle(packed)
	if err != nil || date != Date || source != Source || providers != len(index) || models != BuiltIn().Count() {
		t.Errorf("%s %s %d %d, %v", date, source, providers, models, err)
	}
	d, err := Install(t.TempDir(), packed)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range Providers() {
		want, got := l.Models(), []Model(nil)
		if got, err = d.Models(l.ID); err != nil || len(got) != len(want) {
			t.Fatalf("%s: %d, %v", l.ID, len(got), err)
		}
		a, _ := json.Marshal(want)
		if b, _ := json.Marshal(got); string(a) != string(b) {
			t.Errorf("%s differs", l.ID)
		}
	}
}
