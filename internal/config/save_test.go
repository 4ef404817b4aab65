package config

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// One key is changed; link, mode and all other bytes stay.
func TestSaveChangesOneKey(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs modes and links")
	}
	dir := t.TempDir()
	target, path := filepath.Join(dir, "dotfiles.json"), filepath.Join(dir, "agent", "settings.json")
	before := "\ufeff{ \"b\" : 1.50,\r\n\t\"defaultModel\":\"x\", \"a\":\"\\u00e9\\ud83d\" ,\r\n\"b\":[ ]}\r\n"
	write(t, target, before)
	if err := os.Chmod(target, 0o640); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../dotfiles.json", path); err != nil {
		t.Fatal(err)
	}
	if err := Save(t.Context(), path, Change{[]string{"defaultModel"}, "y"}); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(target)
	if want := strings.Replace(before, `"x"`, `"y"`, 1); err != nil || string(b) != want {
		t.Errorf("%q, %v, want %q", b, err, want)
	}
	if fi, err := os.Stat(target); err != nil || fi.Mode().Perm() != 0o640 {
		t.Errorf("mode %v, %v", fi.Mode(), err)
	}
	if to, err := os.Readlink(path); err != nil || to != "../dotfiles.json" {
		t.Errorf("the link is %q, %v", to, err)
	}
	fresh := filepath.Join(dir, "new", "settings.json")
	if err := Save(t.Context(), fresh, Change{[]string{"a"}, 1}); err != nil {
		t.Fatal(err)
	}
	if fi, err := os.Stat(fresh); err != nil || fi.Mode().Perm() != 0o600 {
		t.Errorf("mode of a new file %v, %v", fi.Mode(), err)
	}
}

// Writers of this and of other processes lose nothing of each other, and nobody
// reads half a file.
func TestSaveAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.json")
	write(t, path, `{"kept":{"x":1}}`)
	var wg sync.WaitGroup
	for w := range 4 {
		wg.Go(func() {
			for i := range 10 {
				if err := Save(context.Background(), path, Change{[]string{"bough", fmt.Sprintf("k%d.%d", w, i)}, i}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	var got struct {
		Kept  map[string]int
		Bough map[string]int
	}
	b, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(b, &got)
	}
	if err != nil || len(got.Bough) != 40 || got.Kept["x"] != 1 {
		t.Errorf("%v: %s", err, b)
	}
}

// pi changes the same file at the same time, and neither loses what the other
// wrote.
func TestSaveBesidePi(t *testing.T) {
	node, dist := os.Getenv("NODE24"), os.Getenv("PI_DIST")
	if node == "" || dist == "" {
		t.Skip("set NODE24 (a node of version 22 or later) and PI_DIST (the dist folder of the installed package)")
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "settings.json")
	write(t, path, `{"kept":{"x":1}}`)
	cmd := exec.CommandContext(t.Context(), node, filepath.Join(dist, "cli.js"), "--mode", "rpc")
	cmd.Dir = t.TempDir()
	cmd.Env = append(os.Environ(), "PI_OFFLINE=1", "PI_CODING_AGENT_DIR="+dir)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	answers := bufio.NewScanner(out)
	say := func(command string) {
		if _, err := fmt.Fprintln(in, command); err != nil {
			t.Error(err)
		}
		if !answers.Scan() || !strings.Contains(answers.Text(), `"success":true`) {
			t.Errorf("pi answers %q, %v", answers.Text(), answers.Err())
		}
	}
	say(`{"type":"set_steering_mode","mode":"all"}`) // it is up
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := range 40 {
			if err := Save(context.Background(), path, Change{[]string{"bough", fmt.Sprintf("k%d", i)}, i}); err != nil {
				t.Error(err)
			}
		}
	})
	for i := range 40 {
		say(fmt.Sprintf(`{"type":"set_follow_up_mode","mode":"%s"}`, []string{"all", "one-at-a-time"}[i%2]))
		say(fmt.Sprintf(`{"type":"set_auto_compaction","enabled":%t}`, i%2 == 0))
	}
	wg.Wait()
	if err := in.Close(); err != nil {
		t.Error(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	var got struct {
		Kept                       map[string]int
		Bough                      map[string]int
		SteeringMode, FollowUpMode string
		Compaction                 struct{ Enabled *bool }
	}
	b, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(b, &got)
	}
	if err != nil || len(got.Bough) != 40 || got.Kept["x"] != 1 || got.SteeringMode != "all" || got.FollowUpMode != "one-at-a-time" ||
		got.Compaction.Enabled == nil || *got.Compaction.Enabled {
		t.Errorf("%v: %s", err, b)
	}
}

func TestEdit(t *testing.T) {
	for _, tt := range []struct{ name, doc, key, value, was, want string }{
		{"a new one", `{"a":1}`, "retry.maxRetries", "5", "", `{"a":1, "retry": {"maxRetries": 5}}`},
		{"one that is there", `{"defaultModel":"x"}`, "defaultModel", "y", `"x"`, `{"defaultModel":"y"}`},
		{"taken away", `{"defaultModel":"x","b":2}`, "defaultModel", "", `"x"`, `{"b":2}`},
		{"one that is not there", `{"b":2}`, "defaultModel", "", "", `{"b":2}`},
		{"under its old name", `{"queueMode":"all","b":2}`, "steeringMode", "one-at-a-time", `"all"`, `{"b":2, "steeringMode": "one-at-a-time"}`},
		{"taken away under its old name", `{"queueMode":"all","b":2}`, "steeringMode", "", `"all"`, `{"b":2}`},
		{"a member", `{"modelThinkingLevels":{"a/b.c":"low","d":"off"}}`, "modelThinkingLevels.a/b.c", "high", `"low"`, `{"modelThinkingLevels":{"a/b.c":"high","d":"off"}}`},
		{"a member of a member", `{"compaction":{"modelOverrides":{"a/b.c":{"reserveTokens":1,"x":2}}}}`, "compaction.modelOverrides.a/b.c.reserveTokens", "", "1",
			`{"compaction":{"modelOverrides":{"a/b.c":{"x":2}}}}`},
		{"skills in their old form", `{"skills":{"customDirectories":["a"],"enableSkillCommands":false},"b":2}`, "skills", "c,d", `["a"]`,
			`{"skills":["c","d"],"b":2, "enableSkillCommands": false}`},
		{"something in the way gives way", `{"retry":7}`, "retry.maxRetries", "5", "", `{"retry":{"maxRetries": 5}}`},
		{"nothing but a mark", "\ufeff", "defaultModel", "m", "", "{\n  \"defaultModel\": \"m\"\n}\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "settings.json")
			write(t, path, tt.doc)
			k, at, err := Find(tt.key)
			var v json.RawMessage
			if tt.value != "" {
				k, at, v, err = Parse(tt.key, tt.value)
			}
			if err != nil {
				t.Fatal(err)
			}
			was, err := Edit(t.Context(), path, k, at, v)
			b, rerr := os.ReadFile(path)
			if err != nil || rerr != nil || string(was) != tt.was || strings.TrimPrefix(string(b), "\ufeff") != tt.want {
				t.Errorf("%v %v: was %s, now %s; want %s, %s", err, rerr, was, b, tt.was, tt.want)
			}
		})
	}
	path := filepath.Join(t.TempDir(), "settings.json")
	write(t, path, "{broken")
	k, at, v, err := Parse("defaultModel", "m")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Edit(t.Context(), path, k, at, v); err == nil {
		t.Error("a broken file was changed")
	}
	if b, err := os.ReadFile(path); err != nil || string(b) != "{broken" {
		t.Errorf("%s, %v", b, err)
	}
}

// What is taken out takes along the objects that have nothing else.
func TestNoEmptyObjectsAreLeft(t *testing.T) {
	for _, tt := range []struct{ name, path, before, want string }{
		{"the only one", "a.b.c", `{"x":1,"a":{"b":{"c":1}}}`, `{"x":1}`},
		{"one of two", "a.b.c", `{"a":{"b":{"c":1},"d":2}}`, `{"a":{"d":2}}`},
		{"one that is not there", "a.b.c", `{"a":{"b":{}}}`, `{"a":{"b":{}}}`},
		{"of what is no object", "a.b", `{"a":"b"}`, `{"a":"b"}`},
		{"behind a mark", "a.b", "\ufeff" + `{"a":{"b":1}}`, "\ufeff{}"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "settings.json")
			write(t, path, tt.before)
			if err := Save(t.Context(), path, Change{Path: strings.Split(tt.path, ".")}); err != nil {
				t.Fatal(err)
			}
			if b, err := os.ReadFile(path); err != nil || string(b) != tt.want {
				t.Errorf("%q, %v; want %q", b, err, tt.want)
			}
		})
	}
}
