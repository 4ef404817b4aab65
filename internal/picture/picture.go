// Package picture makes of the images of a conversation what a terminal can show:
// small ones. What an image says of itself is looked at before it is decoded, since
// a few bytes can claim to be a picture that no memory holds.
package picture

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
	"strings"

	"golang.org/x/image/bmp"
	"golang.org/x/image/draw"
	"golang.org/x/image/webp"
)

const (
	mostBytes  = 32 << 20 // of base64
	mostPixels = 24 << 20 // that are decoded
	mostSide   = 32 << 10 // pixels

	// A column and a row of the terminal, about, in pixels.
	column, row = 14, 28
)

// Info is what an image says of itself.
type Info struct {
	Kind          string // "png"; "" if it is none
	Width, Height int    // pixels; 0 if unknown
}

// Look reads the head of an image in base64.
func Look(data string) Info {
	if len(data) > mostBytes {
		return Info{}
	}
	kind := kindOf(data)
	if kind == "" {
		return Info{}
	}
	c, err := kinds[kind].config(base64.NewDecoder(base64.StdEncoding, strings.NewReader(data)))
	if err != nil || c.Width <= 0 || c.Height <= 0 {
		return Info{Kind: kind}
	}
	return Info{kind, c.Width, c.Height}
}

// Size writes how large an image is, as "640x480"; "" if that is not known.
func (i Info) Size() string {
	if i.Width == 0 {
		return ""
	}
	return fmt.Sprintf("%dx%d", i.Width, i.Height)
}

// Cells is how many columns and rows an image takes within at most so many; 0 if it
// cannot be shown. Small ones stay small.
func (i Info) Cells(cols, rows int) (int, int) {
	if i.Width <= 0 || i.Height <= 0 || i.Width > mostSide || i.Height > mostSide || i.Width*i.Height > mostPixels || cols < 1 || rows < 1 {
		return 0, 0
	}
	w := min(cols, (i.Width+column-1)/column)
	h := (w*column*i.Height + i.Width*row - 1) / (i.Width * row)
	if h > rows {
		h = rows
		w = min(max(h*row*i.Width/(i.Height*column), 1), w)
	}
	return w, max(h, 1)
}

// Whole makes a PNG that fills so many columns and rows, as far as its form allows.
func Whole(data string, cols, rows int) ([]byte, error) {
	img, err := decode(data, cols, rows, false)
	if err != nil {
		return nil, err
	}
	return encode(img, true)
}

// Strips makes an image for each of so many rows.
func Strips(data string, cols, rows int) ([][]byte, error) {
	img, err := decode(data, cols, rows, true)
	if err != nil {
		return nil, err
	}
	var out [][]byte
	for y := range rows {
		r := image.Rect(0, y*row, cols*column, (y+1)*row)
		b, err := encode(img.SubImage(r), !img.Opaque())
		if err != nil {
			return nil, err
		}
		out = append(out, b)
	}
	return out, nil
}

// decode draws an image at the size of so many cells; filled: the rest of them is
// left empty, otherwise it is only as large as its form is.
func decode(data string, cols, rows int, filled bool) (out *image.NRGBA, err error) {
	defer func() {
		if failure := recover(); failure != nil { // a decoder's fault costs the picture, nothing else
			out, err = nil, fmt.Errorf("the image cannot be decoded: %v", failure)
		}
	}()
	info := Look(data)
	if w, _ := info.Cells(cols, rows); w == 0 {
		return nil, errors.New("the image is too large, or none")
	}
	raw, err := base64.StdEncoding.DecodeString(data)
	if err != nil {
		return nil, fmt.Errorf("decode the image: %w", err)
	}
	img, err := kinds[info.Kind].decode(bytes.NewReader(raw))
	if err != nil {
		return nil, fmt.Errorf("decode the image: %w", err)
	}
	b := img.Bounds()
	if b.Empty() {
		return nil, errors.New("the image is empty")
	}
	w, h := cols*column, rows*row
	fit := image.Rect(0, 0, w, max(w*b.Dy()/b.Dx(), 1))
	if fit.Dy() > h {
		fit = image.Rect(0, 0, max(h*b.Dx()/b.Dy(), 1), h)
	}
	if fit.Dx() > b.Dx() && !filled {
		fit = image.Rect(0, 0, b.Dx(), b.Dy())
	}
	area := fit
	if filled {
		area = image.Rect(0, 0, w, h)
	}
	out = image.NewNRGBA(area)
	draw.ApproxBiLinear.Scale(out, fit, img, b, draw.Src, nil)
	return out, nil
}

func encode(img image.Image, exact bool) ([]byte, error) {
	var b bytes.Buffer
	if exact {
		err := (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&b, img)
		return b.Bytes(), err
	}
	err := jpeg.Encode(&b, img, &jpeg.Options{Quality: 85})
	return b.Bytes(), err
}

// form is how images of one kind are read.
type form struct {
	magic  string // a dot stands for any byte
	config func(io.Reader) (image.Config, error)
	decode func(io.Reader) (image.Image, error)
}

var kinds = map[string]form{
	"png":  {"\x89PNG\r\n\x1a\n", png.DecodeConfig, png.Decode},
	"jpeg": {"\xff\xd8\xff", jpeg.DecodeConfig, jpeg.Decode},
	"gif":  {"GIF8", gifConfig, gif.Decode},
	"webp": {"RIFF....WEBP", webp.DecodeConfig, webp.Decode},
	"bmp":  {"BM", bmp.DecodeConfig, bmp.Decode},
}

// gifConfig leaves out what the decoder reads of a GIF beyond its size.
func gifConfig(r io.Reader) (image.Config, error) {
	var head [10]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return image.Config{}, err
	}
	return image.Config{ColorModel: color.NRGBAModel, Width: int(head[6]) | int(head[7])<<8, Height: int(head[8]) | int(head[9])<<8}, nil
}

func kindOf(data string) string {
	var head [12]byte
	n, _ := base64.StdEncoding.Decode(head[:], []byte(data[:min(len(data), 16)])) // what is damaged is no image
	for _, name := range []string{"png", "jpeg", "gif", "webp", "bmp"} {
		magic := kinds[name].magic
		if n < len(magic) {
			continue
		}
		same := true
		for i := range len(magic) {
			same = same && (magic[i] == '.' || magic[i] == head[i])
		}
		if same {
			return name
		}
	}
	return ""
}
