// Package e2e has the tests that need a real browser. They are a module of their
// own, so that the browser's driver is no part of bough.
package e2e

import (
	"context"
	"encoding/base64"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// bough is the program under test.
var bough string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "bough-e2e")
	if err != nil {
		panic(err)
	}
	bough = filepath.Join(dir, "bough")
	build := exec.Command("go", "build", "-o", bough, "./cmd/bough")
	build.Dir = ".."
	if out, err := build.CombinedOutput(); err != nil {
		panic(string(out))
	}
	code := m.Run()
	os.RemoveAll(dir) // a temporary folder that stays is no failure
	os.Exit(code)
}

// run runs bough in a folder of its own.
func run(t *testing.T, dir string, args ...string) string {
	t.Helper()
	c := exec.Command(bough, args...)
	c.Dir = dir
	c.Env = append(os.Environ(), "HOME="+dir, "BOUGH_AGENT_DIR="+filepath.Join(dir, "agent"), "XDG_CACHE_HOME="+filepath.Join(dir, "cache"))
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("bough %v: %v\n%s", args, err, out)
	}
	return string(out)
}

// A tab is a page in the browser, and what it did that a page of ours must not do.
type tab struct {
	t   *testing.T
	ctx context.Context

	mu   sync.Mutex
	sins []string // guarded by mu
}

// open shows a file in a browser, or skips the test where there is none.
func open(t *testing.T, url string, width, height int64) *tab {
	t.Helper()
	found := false
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "chrome"} {
		if _, err := exec.LookPath(name); err == nil {
			found = true
		}
	}
	if !found {
		t.Skip("no Chromium on this machine: apt-get install chromium")
	}
	opts := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.NoSandbox, chromedp.DisableGPU)
	ctx, cancel := chromedp.NewExecAllocator(t.Context(), opts...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	ctx, cancel = context.WithTimeout(ctx, 3*time.Minute)
	t.Cleanup(cancel)
	b := &tab{t: t, ctx: ctx}
	if err := chromedp.Do(ctx, chromedp.EmulateViewport(width, height)); err != nil {
		t.Fatal(err)
	}
	err := chromedp.Listen(ctx, func(ev any) {
		switch e := ev.(type) {
		case *page.EventJavascriptDialogOpening:
			b.sin("a dialog: " + e.Message)
		case *runtime.EventExceptionThrown:
			b.sin("an exception: " + e.ExceptionDetails.Text)
		case *network.EventRequestWillBeSent:
			if u := e.Request.URL; !strings.HasPrefix(u, "file:") && !strings.HasPrefix(u, "data:") && !strings.HasPrefix(u, "blob:") {
				b.sin("a request for " + u)
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := chromedp.Do(ctx, chromedp.Navigate(url)); err != nil {
		t.Fatal(err)
	}
	b.true("document.documentElement.dataset.ready === 'true'")
	return b
}

func (b *tab) sin(what string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.sins = append(b.sins, what)
}

// innocent fails the test if the page did what it must not do.
func (b *tab) innocent() {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, s := range b.sins {
		b.t.Error(s)
	}
}

func eval[T any](b *tab, js string) T {
	b.t.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](js, chromedp.EvalAwaitPromise))
	if err != nil {
		b.t.Fatalf("%.200s: %v", js, err)
	}
	return v
}

// true waits until an expression holds.
func (b *tab) true(js string) {
	b.t.Helper()
	eval[bool](b, `new Promise((yes, no) => { const end = Date.now() + 20000; const look = () => {
		if (`+js+`) yes(true); else if (Date.now() > end) no(new Error("never")); else setTimeout(look, 10); }; look(); })`)
}

func (b *tab) key(keys string) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, chromedp.KeyEvent(keys)); err != nil {
		b.t.Fatal(err)
	}
}

// shot keeps a picture of the page where BOUGH_SHOTS says so, for people to look at.
func (b *tab) shot(name string) {
	b.t.Helper()
	dir := os.Getenv("BOUGH_SHOTS")
	if dir == "" {
		return
	}
	png, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, name+".png"), png, 0o600)
	}
	if err != nil {
		b.t.Fatal(err)
	}
}

func write(t *testing.T, path string, data string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
		t.Fatal(err)
	}
}

func unbase64(t *testing.T, s string) string {
	t.Helper()
	b, err := base64.StdEncoding.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
