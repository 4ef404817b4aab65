package auth

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestSaveKey(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs modes and links")
	}
	for _, tt := range []struct{ name, before, key, want string }{
		{"a new key keeps what is beside it", `{"a":{"type":"api_key","key":"old","env":{"X":"1"},"more":[1.50]},"b":{"type":"oauth","access":"t","x":9007199254740993}}`, "new",
			`{"a":{"type":"api_key","key":"new","env":{"X":"1", "Y": "2"},"more":[1.50]},"b":{"type":"oauth","access":"t","x":9007199254740993}}`},
		{"a sign-in is replaced", `{"a":{"type":"oauth","access":"t","refresh":"r"}}`, "new", `{"a":{"type":"api_key", "key": "new", "env": {"Y": "2"}}}`},
		{"so is what is no entry", `{"a":7}`, "n", `{"a":{"type":"api_key", "key": "n", "env": {"Y": "2"}}}`},
		{"an env that is none", `{"a":{"type":"api_key","env":"x"}}`, "n", `{"a":{"type":"api_key","env":{"Y": "2"}, "key": "n"}}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			target, path := filepath.Join(dir, "secrets.json"), filepath.Join(dir, "auth.json")
			if err := os.WriteFile(target, []byte(tt.before), 0o644); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink("secrets.json", path); err != nil {
				t.Fatal(err)
			}
			if err := SaveKey(t.Context(), path, "a", tt.key, map[string]string{"Y": "2"}); err != nil {
				t.Fatal(err)
			}
			got, err := os.ReadFile(target)
			if err != nil || string(got) != tt.want {
				t.Errorf("%s, %v\nwant %s", got, err, tt.want)
			}
			if fi, err := os.Stat(target); err != nil || fi.Mode().Perm() != 0o600 {
				t.Errorf("mode %v, %v", fi.Mode(), err)
			}
			if _, err := os.Readlink(path); err != nil {
				t.Errorf("the link is gone: %v", err)
			}
		})
	}
}

func TestLiteral(t *testing.T) {
	env := func(string) string { return "VALUE" }
	for _, key := range []string{"sk-1", "!sk", "$HOME", "a$b$$c", "!$!", "$", "!", "${X}", "$!x"} {
		literal := Literal(key)
		if _, command := isCommand(literal); command {
			t.Errorf("%s would run", literal)
		}
		if got, ok := expand(literal, env); got != key || !ok {
			t.Errorf("%s stands for %s, want %s", literal, got, key)
		}
	}
}

// The token of a sign-in counts where it is a key like any other, and as long as
// it does.
func TestSignIns(t *testing.T) {
	k := New(func(string) string { return "" }, Credentials{
		"openrouter": {Type: "oauth", Access: "token", Expires: time.Now().Add(time.Hour)},
		"anthropic":  {Type: "oauth", Access: "token"},
	})
	if got, err := k.Key(t.Context(), "openrouter", ""); got != "token" || err != nil || k.Find("openrouter", "").Place != File {
		t.Errorf("%q, %v", got, err)
	}
	if got, err := k.Key(t.Context(), "anthropic", ""); got != "" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	k = New(func(string) string { return "" }, Credentials{"openrouter": {Type: "oauth", Access: "token", Expires: time.Now().Add(-time.Hour)}})
	if err := k.Missing("openrouter"); k.Find("openrouter", "").Place != Nowhere || !strings.Contains(err.Error(), "has expired; sign in again: bough auth login openrouter") {
		t.Error(err)
	}
	c := Credential{Access: "t", Expires: time.Now().Add(time.Minute)}
	if !c.Valid(0) || c.Valid(time.Hour) || (Credential{}).Valid(0) {
		t.Error("how long a token counts")
	}
}

// Who signs in beside a running conversation is heard of in it.
func TestRefresh(t *testing.T) {
	path := filepath.Join(t.TempDir(), "auth.json")
	k, warnings := Open(func(string) string { return "" }, path)
	if warnings != nil || k.Refresh() != 0 {
		t.Error(warnings)
	}
	if err := SaveKey(t.Context(), path, "a", "key", nil); err != nil {
		t.Fatal(err)
	}
	if k.Find("a", "").Place != Nowhere || k.Refresh() != 1 || k.Refresh() != 1 || k.Find("a", "").Place != File {
		t.Error("the key is not there")
	}
	if err := os.WriteFile(path, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if k.Refresh() != 2 || k.Find("a", "").Place != Nowhere {
		t.Error("a broken file has keys")
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for i := range 20 {
				if err := os.WriteFile(path+strconv.Itoa(i%2), []byte("{}"), 0o600); err != nil {
					t.Error(err)
				}
				k.Refresh()
				k.Find("a", "")
				k.Use("b", "c")
			}
		})
	}
	wg.Wait()
}

// A writer that is killed leaves the old file or the new one.
func TestKilled(t *testing.T) {
	if path := os.Getenv("BOUGH_TEST_WRITER"); path != "" {
		for i := 0; ; i++ {
			if err := SaveKey(context.Background(), path, "p"+strconv.Itoa(i%50), strings.Repeat("k", 2000), nil); err != nil {
				fmt.Println(err)
				return
			}
			fmt.Println(i % 50)
		}
	}
	path := filepath.Join(t.TempDir(), "auth.json")
	r := rand.New(rand.NewPCG(1, 2))
	for range 8 {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestKilled$")
		cmd.Env = append(os.Environ(), "BOUGH_TEST_WRITER="+path)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		// Somewhere within the writes: after so many that were told.
		told := make([]byte, 2+r.IntN(60))
		n, _ := out.Read(told)
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait() // it was killed
		if n == 0 {
			t.Fatal("nothing was written")
		}
		raw, err := os.ReadFile(path)
		if err != nil || !json.Valid(raw) {
			t.Fatalf("%d bytes, %v", len(raw), err)
		}
		creds, warnings := Load(path)
		if warnings != nil || len(creds) == 0 {
			t.Fatalf("%d keys, %q", len(creds), warnings)
		}
		for p, c := range creds {
			if len(c.Key) != 2000 {
				t.Errorf("%s has a key of %d bytes", p, len(c.Key))
			}
		}
		// Its lock is left over after a while.
		old := time.Now().Add(-time.Minute)
		_ = os.Chtimes(path+".lock", old, old) // there may be none
	}
}

// pi forgets keys while bough stores others, and neither loses what the other did.
func TestBesidePi(t *testing.T) {
	node, dist := os.Getenv("NODE24"), os.Getenv("PI_DIST")
	if node == "" || dist == "" {
		t.Skip("set NODE24 (a node of version 22 or later) and PI_DIST (the dist folder of the installed package)")
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "auth.json")
	forget := []string{"anthropic", "openai", "groq", "mistral", "xai"}
	for _, p := range forget {
		if err := SaveKey(t.Context(), path, p, "key", nil); err != nil {
			t.Fatal(err)
		}
	}
	var wg sync.WaitGroup
	over := make(chan struct{})
	stored := 0
	wg.Go(func() {
		for {
			select {
			case <-over:
				return
			case <-time.After(20 * time.Millisecond): // pi tries now and then only
			}
			if err := SaveKey(context.Background(), path, fmt.Sprintf("mine%d", stored), "key", nil); err != nil {
				t.Error(err)
				return
			}
			stored++
		}
	})
	var pis sync.WaitGroup
	for _, p := range forget {
		pis.Go(func() {
			cmd := exec.CommandContext(t.Context(), node, filepath.Join(dist, "cli.js"), "auth", "logout", p)
			cmd.Env = append(os.Environ(), "PI_OFFLINE=1", "PI_CODING_AGENT_DIR="+dir)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	pis.Wait()
	close(over)
	wg.Wait()
	creds, warnings := Load(path)
	for _, p := range forget {
		if _, ok := creds[p]; ok {
			t.Errorf("%s is still there", p)
		}
	}
	if len(creds) != stored || stored < 5 || warnings != nil {
		t.Errorf("%d keys of %d, %q", len(creds), stored, warnings)
	}
}
