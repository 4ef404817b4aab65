package builtin

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"

	"golang.org/x/image/bmp"
	"golang.org/x/image/draw"
	"golang.org/x/image/webp"

	"github.com/boughdev/bough/message"
)

// ImageLimits are what an image must keep to that is shown to a model.
type ImageLimits struct {
	MaxSide   int // pixels; 0 means 2000
	MaxBase64 int // bytes of base64; 0 means 4.5 MiB

	// KeepSize shows images as they are, and none that is over MaxBase64.
	KeepSize bool
}

const (
	maxImageFile   = 64 << 20 // bytes
	maxImagePixels = 100 << 20
)

func (l ImageLimits) side() int {
	if l.MaxSide > 0 {
		return l.MaxSide
	}
	return 2000
}

func (l ImageLimits) fits(data []byte) bool {
	most := l.MaxBase64
	if most <= 0 {
		most = 4608 << 10
	}
	return base64.StdEncoding.EncodedLen(len(data)) <= most
}

// readImage makes the result of reading an image file.
func (s *set) readImage(name, kind string, r io.Reader, length int64) message.Output {
	if length > maxImageFile {
		return message.TextOutput(fmt.Sprintf("%s is an image (%s) of %s, too large to be shown.", name, kind, size(int(length))))
	}
	data, err := io.ReadAll(io.LimitReader(r, maxImageFile))
	if err != nil {
		return trouble("read", name, err)
	}
	p, err := fitImage(kind, data, s.o.Images)
	if err != nil {
		return message.TextOutput(fmt.Sprintf("%s is an image (%s) that cannot be shown: %v.", name, kind, err))
	}
	out := message.Output{Content: []message.Block{message.Text(p.describe()), message.Image(p.data, p.kind)}}
	if s.o.NoImages != nil {
		if model := s.o.NoImages(); model != "" {
			o := newObject()
			o.str("imageUnsupportedByModel", model)
			out.Details = o.done()
		}
	}
	return out
}

// picture is an image as a model gets it.
type picture struct {
	data          []byte
	kind          string
	width, height int

	// What it was made of.
	from                string
	oldWidth, oldHeight int // turned as the new ones are
	first               bool
}

func (p picture) describe() string {
	text := fmt.Sprintf("Image, %s, %dx%d", p.kind, p.width, p.height)
	if p.first {
		text += ", the first picture of an animation"
	}
	if p.from != p.kind {
		text += ", converted from " + p.from
	}
	if p.oldWidth != p.width {
		text += fmt.Sprintf(", scaled down from %dx%d: multiply coordinates by %.2f", p.oldWidth, p.oldHeight, float64(p.oldWidth)/float64(p.width))
	}
	return text + "."
}

// fitImage makes an image keep to the limits. Images that keep to them stay as
// they are, if they can be decoded: what a provider cannot decode makes it
// refuse every later request.
func fitImage(kind string, data []byte, l ImageLimits) (picture, error) {
	c, err := imageConfig(kind, data)
	if err != nil {
		return picture{}, errors.New("it is damaged or of a form that is not supported")
	}
	p := picture{data: data, kind: kind, width: c.Width, height: c.Height, from: kind, oldWidth: c.Width, oldHeight: c.Height}
	turn, moving := orientation(kind, data), animated(kind, data)
	asIs := l.fits(data) && (l.KeepSize || max(c.Width, c.Height) <= l.side())
	if kind == "image/webp" && moving {
		if asIs { // it cannot be decoded here, elsewhere it can
			return p, nil
		}
		return picture{}, errors.New("it is animated and too large")
	}
	if c.Width <= 0 || c.Height <= 0 || c.Width*c.Height > maxImagePixels {
		return picture{}, fmt.Errorf("it has %dx%d pixels", c.Width, c.Height)
	}
	img, err := decodeImage(kind, data)
	if err != nil {
		return picture{}, errors.New("it is damaged")
	}
	if asIs && turn == 1 && kind != "image/bmp" && (kind != "image/png" || !moving) {
		return p, nil
	}
	if turn >= 5 {
		p.oldWidth, p.oldHeight = p.oldHeight, p.oldWidth
	}
	p.first = moving || kind == "image/gif" && moreThanOne(data)
	side := l.side()
	if l.KeepSize {
		side = max(c.Width, c.Height)
	}
	for side = min(side, max(c.Width, c.Height)); side > 0; side = side * 3 / 4 {
		small := turned(scaled(img, side), turn)
		if p.data, p.kind = encodeImage(small, kind, l); p.data != nil {
			p.width, p.height = small.Bounds().Dx(), small.Bounds().Dy()
			return p, nil
		}
		if l.KeepSize {
			break
		}
	}
	return picture{}, errors.New("it is too large")
}

func imageConfig(kind string, data []byte) (image.Config, error) {
	r := bytes.NewReader(data)
	switch kind {
	case "image/png":
		return png.DecodeConfig(r)
	case "image/jpeg":
		return jpeg.DecodeConfig(r)
	case "image/gif":
		return gif.DecodeConfig(r)
	case "image/webp":
		return webp.DecodeConfig(r)
	}
	return bmp.DecodeConfig(r)
}

func decodeImage(kind string, data []byte) (image.Image, error) {
	r := bytes.NewReader(data)
	switch kind {
	case "image/png":
		return png.Decode(r)
	case "image/jpeg":
		return jpeg.Decode(r)
	case "image/gif":
		return gif.Decode(r)
	case "image/webp":
		return webp.Decode(r)
	}
	return bmp.Decode(r)
}

// scaled returns img with its longer side no longer than side.
func scaled(img image.Image, side int) image.Image {
	b := img.Bounds()
	w, h := b.Dx(), b.Dy()
	if max(w, h) <= side {
		return img
	}
	if w >= h {
		w, h = side, max(1, h*side/w)
	} else {
		w, h = max(1, w*side/h), side
	}
	dst := image.NewNRGBA(image.Rect(0, 0, w, h))
	draw.BiLinear.Scale(dst, dst.Bounds(), img, b, draw.Src, nil)
	return dst
}

// turned applies an Exif orientation.
func turned(img image.Image, orientation int) image.Image {
	if orientation == 1 {
		return img
	}
	b := img.Bounds()
	w, h := b.Dx(), b.Dy()
	src := image.NewNRGBA(image.Rect(0, 0, w, h))
	draw.Draw(src, src.Bounds(), img, b.Min, draw.Src)
	size := image.Rect(0, 0, w, h)
	if orientation >= 5 {
		size = image.Rect(0, 0, h, w)
	}
	dst := image.NewNRGBA(size)
	for y := range size.Dy() {
		for x := range size.Dx() {
			sx, sy := x, y
			switch orientation {
			case 2:
				sx = w - 1 - x
			case 3:
				sx, sy = w-1-x, h-1-y
			case 4:
				sy = h - 1 - y
			case 5:
				sx, sy = y, x
			case 6:
				sx, sy = y, h-1-x
			case 7:
				sx, sy = w-1-y, h-1-x
			case 8:
				sx, sy = w-1-y, x
			}
			copy(dst.Pix[dst.PixOffset(x, y):][:4], src.Pix[src.PixOffset(sx, sy):][:4])
		}
	}
	return dst
}

// encodeImage writes an image in the first form that keeps to the limit, or
// returns nil. Drawn pictures are better as PNG, photographs as JPEG.
func encodeImage(img image.Image, from string, l ImageLimits) ([]byte, string) {
	var b bytes.Buffer
	photo := from == "image/jpeg" || from == "image/webp" && opaque(img)
	if !photo && png.Encode(&b, img) == nil && l.fits(b.Bytes()) {
		return b.Bytes(), "image/png"
	}
	if !opaque(img) { // JPEG knows no transparency
		on := image.NewNRGBA(img.Bounds())
		draw.Draw(on, on.Bounds(), image.NewUniform(color.White), image.Point{}, draw.Src)
		draw.Draw(on, on.Bounds(), img, img.Bounds().Min, draw.Over)
		img = on
	}
	for _, quality := range []int{80, 70, 55, 40} {
		b.Reset()
		if jpeg.Encode(&b, img, &jpeg.Options{Quality: quality}) == nil && l.fits(b.Bytes()) {
			return b.Bytes(), "image/jpeg"
		}
	}
	return nil, ""
}

func opaque(img image.Image) bool {
	o, ok := img.(interface{ Opaque() bool })
	return ok && o.Opaque()
}
