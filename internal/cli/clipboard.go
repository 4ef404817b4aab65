package cli

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"github.com/boughdev/bough/internal/frontend/tui"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/tool/builtin"
)

const (
	clipboardTime = 5 * time.Second
	mostClipboard = 64 << 20 // bytes
)

// errNoClip says that a program of clipboards has nothing of the kind.
var errNoClip = errors.New("the clipboard holds neither an image nor a text")

// clipReader is a program that reads the clipboard.
type clipReader struct {
	name  string
	fits  func(getenv func(string) string) bool
	image func(context.Context) ([]byte, error)
	text  func(context.Context) ([]byte, error)
}

// clipReaders are those of a system, the best first.
func clipReaders(system string) []clipReader {
	always := func(func(string) string) bool { return true }
	has := func(names ...string) func(func(string) string) bool {
		return func(getenv func(string) string) bool {
			for _, n := range names {
				if getenv(n) != "" {
					return true
				}
			}
			return false
		}
	}
	switch system {
	case "darwin":
		return []clipReader{
			{"pngpaste", always, printed("pngpaste", "-"), printed("pbpaste")},
			{"osascript", always, macImage, printed("pbpaste")},
		}
	case "windows":
		return []clipReader{powershell("powershell.exe", always)}
	}
	return []clipReader{
		{"wl-paste", has("WAYLAND_DISPLAY"), typed([]string{"wl-paste", "--list-types"}, "wl-paste", "--type"), printed("wl-paste", "--no-newline", "--type", "text")},
		{"xclip", has("DISPLAY"), typed([]string{"xclip", "-selection", "clipboard", "-t", "TARGETS", "-o"}, "xclip", "-selection", "clipboard", "-o", "-t"),
			printed("xclip", "-selection", "clipboard", "-o")},
		powershell("powershell.exe", has("WSL_DISTRO_NAME", "WSL_INTEROP")),
	}
}

// clipboard reads files, an image or a text from the clipboard of this machine.
func (r *runner) clipboard(ctx context.Context) (tui.Clip, error) {
	ctx, cancel := context.WithTimeout(ctx, clipboardTime)
	defer cancel()
	for _, c := range clipReaders(runtime.GOOS) {
		if !c.fits(r.env.Getenv) {
			continue
		}
		if _, err := exec.LookPath(c.name); err != nil {
			continue
		}
		if runtime.GOOS == "darwin" {
			if clip := r.clipFiles(ctx); len(clip.Images) > 0 {
				return clip, nil
			}
		}
		if data, err := c.image(ctx); err == nil && len(data) > 0 {
			return r.clipImage(data)
		}
		data, err := c.text(ctx)
		if ctx.Err() != nil {
			return tui.Clip{}, fmt.Errorf("%s has not answered for %s; try again", c.name, clipboardTime)
		}
		if err != nil || len(bytes.TrimSpace(data)) == 0 {
			return tui.Clip{}, errNoClip
		}
		return tui.Clip{Text: string(data)}, nil
	}
	return tui.Clip{}, errors.New(noClipboard(runtime.GOOS, r.env.Getenv))
}

// noClipboard says why no clipboard can be read, and what to do.
func noClipboard(system string, getenv func(string) string) string {
	switch {
	case getenv("SSH_CONNECTION") != "" || getenv("SSH_TTY") != "":
		return "over SSH bough cannot read the clipboard of your machine; copy the image to this one and type its path, or paste text with the terminal's own key"
	case system == "windows":
		return "the clipboard cannot be read without powershell.exe; drop the file on the terminal, or type its path"
	case getenv("WAYLAND_DISPLAY") != "":
		return "to paste images install wl-clipboard, or drop the file on the terminal"
	case getenv("DISPLAY") != "":
		return "to paste images install xclip, or drop the file on the terminal"
	}
	return "there is no clipboard without a desktop; drop the file on the terminal, or type its path"
}

// clipImage makes an image fit for models.
func (r *runner) clipImage(data []byte) (tui.Clip, error) {
	if r.current().Images.Block {
		return tui.Clip{}, errors.New("the setting images.blockImages keeps all images back")
	}
	block, note, ok := builtin.ImageLimits{KeepSize: !r.current().Images.AutoResize}.Fit(data, "of the clipboard")
	if !ok {
		return tui.Clip{}, errors.New(strings.TrimSuffix(note, "."))
	}
	return tui.Clip{Images: []message.Block{block}}, nil
}

// clipFiles are the images among files that were copied in the Finder.
func (r *runner) clipFiles(ctx context.Context) (clip tui.Clip) {
	out, err := output(ctx, "osascript", "-e", "POSIX path of (the clipboard as «class furl»)")
	if err != nil {
		return clip
	}
	for path := range strings.Lines(string(out)) {
		if b, err := r.pastedImage(ctx, strings.TrimSpace(path)); err == nil && b != nil {
			clip.Images = append(clip.Images, *b)
		}
	}
	return clip
}

// output returns what a program prints, if that is not too much.
func output(ctx context.Context, name string, args ...string) ([]byte, error) {
	var out capped
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Stdout, cmd.WaitDelay = &out, time.Second
	if err := cmd.Run(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// capped takes so much and no more.
type capped struct{ bytes.Buffer }

func (c *capped) Write(b []byte) (int, error) {
	if c.Len()+len(b) > mostClipboard {
		return 0, errors.New("the clipboard holds too much")
	}
	return c.Buffer.Write(b)
}

func printed(name string, args ...string) func(context.Context) ([]byte, error) {
	return func(ctx context.Context) ([]byte, error) { return output(ctx, name, args...) }
}

// typed asks for the kinds that the clipboard has, and for the best image of them.
func typed(list []string, name string, args ...string) func(context.Context) ([]byte, error) {
	return func(ctx context.Context) ([]byte, error) {
		out, err := output(ctx, list[0], list[1:]...)
		if err != nil {
			return nil, err
		}
		kinds := strings.Fields(string(out))
		for _, want := range []string{"image/png", "image/jpeg", "image/webp", "image/gif", "image/bmp"} {
			for _, k := range kinds {
				if k == want {
					return output(ctx, name, append(args[:len(args):len(args)], want)...)
				}
			}
		}
		return nil, errNoClip
	}
}

// macImage reads the image that AppleScript writes as «data PNGf89504E…».
func macImage(ctx context.Context) ([]byte, error) {
	out, err := output(ctx, "osascript", "-e", "the clipboard as «class PNGf»")
	if err != nil {
		return nil, err
	}
	_, digits, ok := strings.Cut(string(out), "PNGf")
	if !ok {
		return nil, errNoClip
	}
	digits, _, _ = strings.Cut(digits, "»")
	return hex.DecodeString(strings.TrimSpace(digits))
}

func powershell(name string, fits func(func(string) string) bool) clipReader {
	return clipReader{name, fits,
		func(ctx context.Context) ([]byte, error) {
			out, err := output(ctx, name, "-NoProfile", "-NonInteractive", "-STA", "-Command",
				"Add-Type -AssemblyName System.Windows.Forms, System.Drawing; $i = [Windows.Forms.Clipboard]::GetImage(); if ($i) { $m = New-Object IO.MemoryStream; $i.Save($m, [Drawing.Imaging.ImageFormat]::Png); [Convert]::ToBase64String($m.ToArray()) }")
			if err != nil {
				return nil, err
			}
			return base64.StdEncoding.DecodeString(strings.TrimSpace(string(out)))
		},
		printed(name, "-NoProfile", "-NonInteractive", "-Command", "[Console]::OutputEncoding = [Text.Encoding]::UTF8; Get-Clipboard -Raw"),
	}
}
