package tui_test

import (
	"bytes"
	"context"
	"image"
	"image/png"
	"strings"
	"testing"

	"github.com/boughdev/bough/internal/frontend/tui"
	"github.com/boughdev/bough/internal/frontend/tui/tuitest"
	"github.com/boughdev/bough/internal/styled"
	"github.com/boughdev/bough/internal/term"
	"github.com/boughdev/bough/message"
)

func imageOf(t *testing.T, width, height int) message.Block {
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, width, height))); err != nil {
		t.Fatal(err)
	}
	return message.Image(b.Bytes(), "image/png")
}

func withPictures(t *testing.T, kind term.Pictures) func(*tui.Options) {
	block := imageOf(t, 280, 280)
	return func(o *tui.Options) {
		o.Pictures = func(context.Context) term.Pictures { return kind }
		o.Image = func(context.Context, string) (*message.Block, error) { return &block, nil }
	}
}

// dots counts the cells of pictures on a screen.
func dots(screen string) int { return strings.Count(screen, string(styled.PictureCell)) }

func TestPicturesAreShown(t *testing.T) {
	for name, regular := range map[string]bool{"on the whole screen": false, "below the terminal's own": true} {
		t.Run(name, func(t *testing.T) {
			w := tuitest.New(t, "")
			s := w.Start(80, 24, withPictures(t, term.KittyPictures), func(o *tui.Options) { o.Regular = regular })
			s.Paste("/tmp/a.png")
			s.Shows("[image #1 280x280]")
			s.Type("look", "enter")
			s.Shows("Echo: look")
			s.Until("the picture", func(screen string) bool { return dots(screen) == 20*10 })
			if n := strings.Count(s.Raw(), "\x1b_Ga=T,"); n != 1 {
				t.Errorf("it was sent %d times", n)
			}
			// It scrolls and is cut like any rows.
			s.Resize(80, 14)
			if !regular {
				s.Until("a part of it", func(screen string) bool { n := dots(screen); return n > 0 && n < 200 && n%20 == 0 })
			}
		})
	}
}

func TestPicturesInStrips(t *testing.T) {
	w := tuitest.New(t, "")
	s := w.Start(80, 24, withPictures(t, term.ITermPictures))
	s.Paste("/tmp/a.png")
	s.Shows("[image #1 280x280]")
	s.Type("look", "enter")
	s.Until("a strip for each row", func(string) bool { return strings.Count(s.Raw(), "]1337;File=inline=1;") >= 10 })
}

func TestPicturesAreNamedElsewhere(t *testing.T) {
	w := tuitest.New(t, "")
	s := w.Start(80, 24, withPictures(t, term.NoPictures))
	s.Paste("/tmp/a.png")
	s.Shows("[image #1 280x280]")
	s.Type("look", "enter")
	s.Shows("Echo: look", "[image png 280x280]")
}
