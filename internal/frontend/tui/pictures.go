package tui

import (
	"hash/maphash"
	"os"
	"strings"

	"github.com/boughdev/bough/internal/picture"
	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/internal/styled"
	"github.com/boughdev/bough/internal/term"
	"github.com/boughdev/bough/message"
)

const (
	pictureRows  = 24 // of one picture, at most
	mostPictures = 64 // that are kept, or as many as are seen
)

// pictures are the images that the terminal shows. What their rows are is known at
// once; what stands in them is made beside the loop, one after the other.
type pictures struct {
	kind    term.Pictures
	asked   bool
	known   bool // what the terminal can
	list    map[pictureKey]*shownPicture
	seed    maphash.Seed
	last    uint32
	paints  int  // to tell what is seen
	full    bool // there are too many
	waiting bool // what has just been drawn is not what it will be
	turn    chan struct{}
}

type pictureKey struct {
	sum        uint64
	cols, rows int
}

type shownPicture struct {
	id     uint32
	ready  bool
	failed bool
	used   int // when it was drawn last
}

// imageName stands for an image that is not shown.
func (a *app) imageName(b message.Block) string {
	info := picture.Look(b.Data)
	kind, size := info.Kind, info.Size()
	if kind == "" {
		kind = render.OneLine(strings.TrimPrefix(b.MimeType, "image/"))
	}
	if size == "" {
		size = render.Bytes(int64(len(b.Data) * 3 / 4))
	}
	return a.t("[image %s %s]", kind, size)
}

// imageRows are the rows of an image: itself where the terminal can, or its name.
func (a *app) imageRows(b message.Block, room int) []styled.Line {
	name := []styled.Line{styled.Of(a.imageName(b), a.theme.accent).Cut(max(room, 1))}
	p := &a.pictures
	if a.o.Pictures == nil || p.known && p.kind == term.NoPictures {
		return name
	}
	cols, rows := picture.Look(b.Data).Cells(min(room, a.o.PictureWidth), min(pictureRows, styled.PictureRows))
	if cols == 0 {
		return name
	}
	if !p.known {
		p.waiting = true
		p.ask(a)
		return name
	}
	if p.list == nil {
		p.list, p.seed, p.turn = map[pictureKey]*shownPicture{}, maphash.MakeSeed(), make(chan struct{}, 1)
	}
	key := pictureKey{maphash.String(p.seed, b.Data), cols, rows}
	s := p.list[key]
	if s == nil {
		s = &shownPicture{}
		p.list[key] = s
		p.load(a, s, b.Data, cols, rows)
	}
	s.used = p.paints
	if s.failed {
		return name
	}
	out := name
	if s.ready {
		out = nil
		for y := range rows {
			out = append(out, styled.PictureRow(s.id, cols, y))
		}
		return out
	}
	p.waiting = true
	for len(out) < rows {
		out = append(out, nil)
	}
	return out
}

// ask finds out what the terminal can.
func (p *pictures) ask(a *app) {
	if p.asked {
		return
	}
	p.asked = true
	a.beside(func() func() {
		kind := a.o.Pictures(a.ctx)
		return func() {
			p.kind, p.known = kind, true
			a.term.SetPictures(kind)
		}
	})
}

// load makes a picture of an image.
func (p *pictures) load(a *app, s *shownPicture, data string, cols, rows int) {
	kind, turn := p.kind, p.turn
	a.beside(func() func() {
		select {
		case turn <- struct{}{}:
			defer func() { <-turn }()
		case <-a.ctx.Done():
			return nil
		}
		made := term.Picture{Cols: cols, Rows: rows}
		var err error
		if kind == term.ITermPictures {
			made.Strips, err = picture.Strips(data, cols, rows)
		} else {
			made.PNG, err = picture.Whole(data, cols, rows)
		}
		return func() {
			if err != nil {
				s.failed = true
				return
			}
			// No other program in this terminal is to have the same numbers.
			p.last++
			made.ID = uint32(os.Getpid()&0x7FFF+1)<<9 | p.last&0x1FF
			s.id, s.ready = made.ID, true
			a.term.Keep(made)
			if len(p.list) > mostPictures {
				p.full, a.look.drawn = true, nil
			}
		}
	})
}

// sweep lets go of what is out of sight, if there is too much.
func (p *pictures) sweep(a *app) {
	if !p.full {
		return
	}
	p.full = false
	for k, s := range p.list {
		if s.ready && s.used < p.paints {
			delete(p.list, k)
			a.term.Forget(s.id)
		}
	}
}
