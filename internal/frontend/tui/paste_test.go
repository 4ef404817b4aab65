package tui_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/boughdev/bough/internal/frontend/tui"
	"github.com/boughdev/bough/internal/frontend/tui/tuitest"
	"github.com/boughdev/bough/message"
)

// What terminals paste when files are dropped: images go along, all else is text.
func TestDroppedFiles(t *testing.T) {
	for _, tt := range []struct{ name, pasted, shows, asked string }{
		{"blanks behind backslashes", `/tmp/my\ image.png`, "[image #1 4x4]", "/tmp/my image.png"},
		{"quotes", `'/tmp/my image.png' `, "[image #1 4x4]", "/tmp/my image.png"},
		{"double quotes", `"/tmp/it's.jpg"`, "[image #1 4x4]", "/tmp/it's.jpg"},
		{"neither", `/tmp/my image.png`, "[image #1 4x4]", "/tmp/my image.png"},
		{"an address", `file:///tmp/my%20image.png`, "[image #1 4x4]", "/tmp/my image.png"},
		{"several", `/tmp/a.png '/tmp/b c.gif'`, "[image #1 4x4] [image #2 4x4]", "/tmp/a.png|/tmp/b c.gif"},
		{"a line each", "/tmp/a.png\n/tmp/b.webp\n", "[image #1 4x4] [image #2 4x4]", "/tmp/a.png|/tmp/b.webp"},
		{"an image and a text", `/tmp/a.png /tmp/b.txt`, "[image #1 4x4] /tmp/b.txt", "/tmp/a.png"},
		{"an image that is not there", "/tmp/gone.png", "/tmp/gone.png", "/tmp/gone.png"},
		{"one of two is not there", "/tmp/gone.png /tmp/a.png", "/tmp/gone.png [image #1 4x4]", "/tmp/gone.png|/tmp/a.png"},
		{"a sentence with a path", "see /tmp/a.png", "see /tmp/a.png", ""},
		{"a path with words behind", "/tmp/a.png is wrong", "/tmp/a.png is wrong", ""},
		{"a quote that is not closed", `'/tmp/a.txt`, `'/tmp/a.txt`, ""},
		{"a text file", "/tmp/a.txt", "/tmp/a.txt", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := tuitest.New(t, "")
			asked := make(chan string, 10)
			block := imageOf(t, 4, 4)
			s := w.Start(80, 24, func(o *tui.Options) {
				o.Image = func(_ context.Context, path string) (*message.Block, error) {
					asked <- path
					if strings.Contains(path, "gone") {
						return nil, nil
					}
					return &block, nil
				}
			})
			s.Paste(tt.pasted)
			s.Shows(tt.shows)
			var got []string
			for len(asked) > 0 {
				got = append(got, <-asked)
			}
			if strings.Join(got, "|") != tt.asked {
				t.Errorf("asked for %q, want %q", got, tt.asked)
			}
		})
	}
}

func TestClipboardIsPasted(t *testing.T) {
	w := tuitest.New(t, "")
	clips := make(chan tui.Clip, 1)
	s := w.Start(80, 24, func(o *tui.Options) {
		o.Clipboard = func(context.Context) (tui.Clip, error) {
			select {
			case c := <-clips:
				return c, nil
			default:
				return tui.Clip{}, errors.New("to paste images install xclip")
			}
		}
	})
	clips <- tui.Clip{Images: []message.Block{imageOf(t, 640, 480)}}
	s.Type("what is ", "ctrl+v")
	s.Shows("what is [image #1 640x480]")
	s.Type("backspace")
	s.Hides("[image #1")
	s.Type("ctrl+-")
	s.Shows("what is [image #1 640x480]")
	clips <- tui.Clip{Text: " and this?"}
	s.Type("ctrl+v")
	s.Shows("what is [image #1 640x480] and this?")
	s.Type("ctrl+v")
	s.Shows("Error: To paste images install xclip.")
	s.Type("enter")
	s.Shows("Echo: what is  and this?", "[image png 640x480]")
}
