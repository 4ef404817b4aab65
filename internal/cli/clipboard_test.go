package cli

import (
	"bytes"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/boughdev/bough/internal/config"
)

// Programs of clipboards are played by scripts.
func TestClipboard(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the programs are those of Linux")
	}
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 30, 20))); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, env, program, script string
		image                      bool
		text, fails                string
	}{
		{"an image of Wayland", "WAYLAND_DISPLAY=w", "wl-paste", `[ "$1" = --list-types ] && { echo text/html; echo image/png; exit; }; [ "$2" = image/png ] && cat "$HERE/a.png"`, true, "", ""},
		{"an image of X11", "DISPLAY=:0", "xclip", `case "$*" in *TARGETS*) echo image/png;; *image/png*) cat "$HERE/a.png";; esac`, true, "", ""},
		{"a text", "WAYLAND_DISPLAY=w", "wl-paste", `[ "$1" = --list-types ] && { echo text/plain; exit; }; printf 'some words'`, false, "some words", ""},
		{"nothing", "WAYLAND_DISPLAY=w", "wl-paste", `exit 1`, false, "", "neither an image nor a text"},
		{"an image that is none", "DISPLAY=:0", "xclip", `case "$*" in *TARGETS*) echo image/png;; *) echo rubbish;; esac`, false, "", "cannot be shown"},
		{"no program", "DISPLAY=:0", "", "", false, "", "install xclip"},
		{"no program for Wayland", "WAYLAND_DISPLAY=w", "", "", false, "", "install wl-clipboard"},
		{"over SSH", "SSH_TTY=/dev/pts/1", "", "", false, "", "over SSH"},
		{"no desktop", "", "", "", false, "", "without a desktop"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			t.Setenv("PATH", dir)
			if tt.program != "" {
				script := "#!/bin/sh\nHERE='" + dir + "'\nPATH=/usr/bin:/bin\n" + tt.script + "\n"
				if err := os.WriteFile(filepath.Join(dir, tt.program), []byte(script), 0o700); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.WriteFile(filepath.Join(dir, "a.png"), picture.Bytes(), 0o600); err != nil {
				t.Fatal(err)
			}
			name, value, _ := strings.Cut(tt.env, "=")
			s := config.Settings{}
			s.Images.AutoResize = true
			r := &runner{settings: s, live: &live{now: s}, env: Env{Getenv: func(n string) string {
				if n == name {
					return value
				}
				return ""
			}}}
			clip, err := r.clipboard(t.Context())
			switch {
			case tt.fails != "" && (err == nil || !strings.Contains(err.Error(), tt.fails)):
				t.Fatalf("%v, want %q", err, tt.fails)
			case tt.fails == "" && err != nil:
				t.Fatal(err)
			}
			if got := len(clip.Images) == 1; got != tt.image || clip.Text != tt.text {
				t.Errorf("%d images, text %q", len(clip.Images), clip.Text)
			}
		})
	}
}
