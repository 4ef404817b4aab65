package builtin

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"math/rand/v2"
	"strings"
	"testing"

	"golang.org/x/image/bmp"

	"github.com/boughdev/bough/message"
)

// quarters is an image with another colour in each quarter: red, green, blue and
// white, from the upper left on.
func quarters(w, h int) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			img.Set(x, y, quarterColors[2*(2*y/h)+2*x/w])
		}
	}
	return img
}

var quarterColors = [4]color.NRGBA{{255, 0, 0, 255}, {0, 255, 0, 255}, {0, 0, 255, 255}, {255, 255, 255, 255}}

// layout names the colours of the quarters of an image.
func layout(img image.Image) string {
	b := img.Bounds()
	s := ""
	for i := range 4 {
		r, g, bl, _ := img.At(b.Min.X+b.Dx()/4+i%2*b.Dx()/2, b.Min.Y+b.Dy()/4+i/2*b.Dy()/2).RGBA()
		high := func(v uint32) bool { return v > 0x8000 }
		switch {
		case high(r) && high(g) && high(bl):
			s += "w"
		case high(r):
			s += "r"
		case high(g):
			s += "g"
		default:
			s += "b"
		}
	}
	return s
}

func noise(w, h int) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	r := rand.New(rand.NewPCG(1, 0))
	for i := range img.Pix {
		img.Pix[i] = byte(r.Uint32()) | byte(i%4/3*255)
	}
	return img
}

func encoded(t *testing.T, kind string, img image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	var err error
	switch kind {
	case "png":
		err = png.Encode(&b, img)
	case "jpeg":
		err = jpeg.Encode(&b, img, nil)
	case "gif":
		err = gif.Encode(&b, img, nil)
	case "bmp":
		err = bmp.Encode(&b, img)
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// withExif puts an orientation into a JPEG file.
func withExif(data []byte, orientation byte, order string) []byte {
	tiff := []byte("II*\x00\x08\x00\x00\x00\x02\x00" + "\x0f\x01\x02\x00\x01\x00\x00\x00x\x00\x00\x00" + "\x12\x01\x03\x00\x01\x00\x00\x00")
	tiff = append(tiff, orientation, 0, 0, 0, 0, 0, 0, 0)
	if order == "MM" {
		tiff = []byte("MM\x00*\x00\x00\x00\x08\x00\x01" + "\x01\x12\x00\x03\x00\x00\x00\x01\x00")
		tiff = append(tiff, orientation, 0, 0, 0, 0, 0, 0)
	}
	exif := append([]byte("Exif\x00\x00"), tiff...)
	seg := append([]byte{0xFF, 0xE1, 0, byte(len(exif) + 2)}, exif...)
	return append(append(bytes.Clone(data[:2]), seg...), data[2:]...)
}

// withChunk puts a chunk behind the header of a PNG file.
func withChunk(data []byte, kind string, content []byte) []byte {
	const header = 8 + 25
	c := binary.BigEndian.AppendUint32(nil, uint32(len(content)))
	c = append(append(c, kind...), content...)
	c = binary.BigEndian.AppendUint32(c, crc32.ChecksumIEEE(c[4:]))
	return append(append(bytes.Clone(data[:header]), c...), data[header:]...)
}

// A WebP file of 1x1, without loss.
const tinyWebP = "UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA=="

// movingWebP is the header of an animation of 100x50.
const movingWebP = "RIFF\x16\x00\x00\x00WEBPVP8X\x0a\x00\x00\x00\x02\x00\x00\x00\x63\x00\x00\x31\x00\x00"

func shown(t *testing.T, o message.Output) (image.Image, string) {
	t.Helper()
	if len(o.Content) != 2 {
		t.Fatalf("no image: %q", text(o))
	}
	data, err := base64.StdEncoding.DecodeString(o.Content[1].Data)
	if err != nil {
		t.Fatal(err)
	}
	kind := o.Content[1].MimeType
	if kind == "image/webp" {
		return nil, kind
	}
	img, got, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if "image/"+got != kind {
		t.Errorf("declared %s, is %s", kind, got)
	}
	return img, kind
}

func TestReadImage(t *testing.T) {
	small := quarters(64, 48)
	webp, err := base64.StdEncoding.DecodeString(tinyWebP)
	if err != nil {
		t.Fatal(err)
	}
	var moving bytes.Buffer
	frame := image.NewPaletted(image.Rect(0, 0, 8, 8), color.Palette{color.Black, color.White})
	if err := gif.EncodeAll(&moving, &gif.GIF{Image: []*image.Paletted{frame, frame}, Delay: []int{1, 1}}); err != nil {
		t.Fatal(err)
	}
	actl := []byte{0, 0, 0, 1, 0, 0, 0, 0}
	for _, tt := range []struct {
		name   string
		data   []byte
		limits ImageLimits
		text   string
		same   bool   // the image is the file
		w, h   int    // of the image; 0 if none is shown
		layout string // "" if it does not matter
	}{
		{"a PNG", encoded(t, "png", small), ImageLimits{}, "Image, image/png, 64x48.", true, 64, 48, "rgbw"},
		{"a JPEG", encoded(t, "jpeg", small), ImageLimits{}, "Image, image/jpeg, 64x48.", true, 64, 48, "rgbw"},
		{"a GIF", encoded(t, "gif", small), ImageLimits{}, "Image, image/gif, 64x48.", true, 64, 48, "rgbw"},
		{"a GIF that moves", moving.Bytes(), ImageLimits{}, "Image, image/gif, 8x8.", true, 8, 8, ""},
		{"a GIF that moves and is too large", moving.Bytes(), ImageLimits{MaxSide: 4},
			"Image, image/png, 4x4, the first picture of an animation, converted from image/gif, scaled down from 8x8: multiply coordinates by 2.00.", false, 4, 4, ""},
		{"a GIF that is too large", encoded(t, "gif", small), ImageLimits{MaxSide: 32},
			"Image, image/png, 32x24, converted from image/gif, scaled down from 64x48: multiply coordinates by 2.00.", false, 32, 24, "rgbw"},
		{"a WebP", webp, ImageLimits{}, "Image, image/webp, 1x1.", true, 0, 0, ""},
		{"a WebP that moves", []byte(movingWebP), ImageLimits{}, "Image, image/webp, 100x50.", true, 0, 0, ""},
		{"a WebP that moves and is too large", []byte(movingWebP), ImageLimits{MaxSide: 60},
			"x is an image (image/webp) that cannot be shown: it is animated and too large.", false, 0, 0, ""},
		{"a BMP", encoded(t, "bmp", small), ImageLimits{}, "Image, image/png, 64x48, converted from image/bmp.", false, 64, 48, "rgbw"},
		{"a PNG that moves", withChunk(encoded(t, "png", small), "acTL", actl), ImageLimits{},
			"Image, image/png, 64x48, the first picture of an animation.", false, 64, 48, "rgbw"},
		{"one that is too wide", encoded(t, "png", quarters(2400, 1200)), ImageLimits{},
			"Image, image/png, 2000x1000, scaled down from 2400x1200: multiply coordinates by 1.20.", false, 2000, 1000, "rgbw"},
		{"one that is too high for a model", encoded(t, "jpeg", quarters(30, 90)), ImageLimits{MaxSide: 60},
			"Image, image/jpeg, 20x60, scaled down from 30x90: multiply coordinates by 1.50.", false, 20, 60, "rgbw"},
		{"one that stays as large as it is", encoded(t, "png", quarters(90, 30)), ImageLimits{MaxSide: 60, KeepSize: true},
			"Image, image/png, 90x30.", true, 90, 30, "rgbw"},
		{"one of too many bytes, as JPEG", encoded(t, "png", noise(300, 300)), ImageLimits{MaxBase64: 100_000},
			"Image, image/jpeg, 300x300, converted from image/png.", false, 300, 300, ""},
		{"one of far too many bytes, smaller too", encoded(t, "png", noise(300, 300)), ImageLimits{MaxBase64: 12_000},
			"Image, image/jpeg, 168x168, converted from image/png, scaled down from 300x300: multiply coordinates by 1.79.", false, 168, 168, ""},
		{"one that cannot be small enough", encoded(t, "png", noise(300, 300)), ImageLimits{MaxBase64: 50},
			"x is an image (image/png) that cannot be shown: it is too large.", false, 0, 0, ""},
		{"one that must not be scaled", encoded(t, "png", noise(300, 300)), ImageLimits{MaxBase64: 12_000, KeepSize: true},
			"x is an image (image/png) that cannot be shown: it is too large.", false, 0, 0, ""},
		{"one that is cut off", encoded(t, "jpeg", noise(100, 100))[:2000], ImageLimits{},
			"x is an image (image/jpeg) that cannot be shown: it is damaged.", false, 0, 0, ""},
		{"only a header", []byte("\xff\xd8\xff\xe0\x00\x10JFIF"), ImageLimits{},
			"x is an image (image/jpeg) that cannot be shown: it is damaged or of a form that is not supported.", false, 0, 0, ""},
		{"turned to the right", withExif(encoded(t, "jpeg", small), 6, "II"), ImageLimits{}, "Image, image/jpeg, 48x64.", false, 48, 64, "brwg"},
		{"turned round", withExif(encoded(t, "jpeg", small), 3, "MM"), ImageLimits{}, "Image, image/jpeg, 64x48.", false, 64, 48, "wbgr"},
		{"mirrored", withExif(encoded(t, "jpeg", small), 2, "II"), ImageLimits{}, "Image, image/jpeg, 64x48.", false, 64, 48, "grwb"},
		{"upside down", withExif(encoded(t, "jpeg", small), 4, "II"), ImageLimits{}, "Image, image/jpeg, 64x48.", false, 64, 48, "bwrg"},
		{"mirrored along the diagonal", withExif(encoded(t, "jpeg", small), 5, "II"), ImageLimits{}, "Image, image/jpeg, 48x64.", false, 48, 64, "rbgw"},
		{"mirrored along the other", withExif(encoded(t, "jpeg", small), 7, "II"), ImageLimits{}, "Image, image/jpeg, 48x64.", false, 48, 64, "wgbr"},
		{"turned to the left and scaled", withExif(encoded(t, "jpeg", small), 8, "II"), ImageLimits{MaxSide: 32},
			"Image, image/jpeg, 24x32, scaled down from 48x64: multiply coordinates by 2.00.", false, 24, 32, "gwrb"},
		{"an orientation that is none", withExif(encoded(t, "jpeg", small), 9, "II"), ImageLimits{}, "Image, image/jpeg, 64x48.", true, 64, 48, "rgbw"},
		{"a PNG with an orientation", withChunk(encoded(t, "png", small), "eXIf",
			[]byte("MM\x00*\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01\x00\x03\x00\x00\x00\x00\x00\x00")),
			ImageLimits{}, "Image, image/png, 64x48.", false, 64, 48, "wbgr"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newBench(t, map[string]string{"x": string(tt.data)})
			b.o.Images = tt.limits
			out := b.call("read", args{"path": "x"})
			if text(out) != tt.text || out.IsError || out.Details != nil {
				t.Errorf("%q, error %v, details %s; want %q", text(out), out.IsError, out.Details, tt.text)
			}
			if tt.w == 0 && !tt.same {
				if len(out.Content) != 1 {
					t.Errorf("%d blocks", len(out.Content))
				}
				return
			}
			img, _ := shown(t, out)
			if same := out.Content[1].Data == base64.StdEncoding.EncodeToString(tt.data); same != tt.same {
				t.Errorf("the image is the file: %v", same)
			}
			if img == nil {
				return
			}
			if s := img.Bounds().Size(); s.X != tt.w || s.Y != tt.h {
				t.Errorf("size %v", s)
			}
			if got := layout(img); tt.layout != "" && got != tt.layout {
				t.Errorf("layout %s, want %s", got, tt.layout)
			}
		})
	}
}

func TestReadImageForBlindModel(t *testing.T) {
	b := newBench(t, map[string]string{"x": string(encoded(t, "png", quarters(4, 4)))})
	model := "blind-1"
	b.o.NoImages = func() string { return model }
	out := b.call("read", args{"path": "x"})
	if got := string(out.Details); got != `{"imageUnsupportedByModel":"blind-1"}` || len(out.Content) != 2 {
		t.Errorf("details %s, %d blocks", got, len(out.Content))
	}
	model = ""
	if out := b.call("read", args{"path": "x"}); out.Details != nil {
		t.Errorf("details %s", out.Details)
	}
}

func TestImageKind(t *testing.T) {
	for _, tt := range []struct{ name, data, want string }{
		{"a PNG signature alone", "\x89PNG\r\n\x1a\n", ""},
		{"text about JPEG", "\xff\xd8\xff\xff", ""},
		{"a GIF without size", "GIF89a\x00\x00\x00\x00\x00\x00\x00\x21", ""},
		{"text that is nearly a GIF", "GIF89a,looks!!!,,,,", ""},
		{"RIFF with sound", "RIFF\x24\x00\x00\x00WAVEfmt \x10\x00\x00\x00", ""},
		{"BM and zeros", "BM" + strings.Repeat("\x00", 60), ""},
	} {
		if got := ImageKind([]byte(tt.data), int64(len(tt.data))); got != tt.want {
			t.Errorf("%s: %q", tt.name, got)
		}
	}
}

// Text is no image, whatever it begins with, and nothing makes the look at GIFs
// fall over.
func FuzzImageKind(f *testing.F) {
	f.Add([]byte("GIF89a is what it begins with!,"), int64(31))
	f.Add([]byte("BM is a text of some length, longer than a header, and a line.\n"), int64(1<<20))
	f.Add([]byte("GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff!\xf9\x04\x00\x00\x00\x00\x00,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;"), int64(43))
	f.Add([]byte("RIFF\x1a\x00\x00\x00WEBPVP8 "), int64(34))
	f.Fuzz(func(t *testing.T, data []byte, size int64) {
		moreThanOne(data)
		kind := ImageKind(data, size)
		if kind != "" && printable(data) {
			t.Errorf("%q is taken for %s", data, kind)
		}
	})
}

// What a camera or a bad file says of itself cannot make us fall over.
func FuzzFitImage(f *testing.F) {
	img := quarters(8, 8)
	for _, kind := range []string{"png", "jpeg", "gif", "bmp"} {
		var b bytes.Buffer
		switch kind {
		case "png":
			_ = png.Encode(&b, img)
		case "jpeg":
			_ = jpeg.Encode(&b, img, nil)
			f.Add(withExif(b.Bytes(), 6, "MM"))
		case "gif":
			_ = gif.Encode(&b, img, nil)
		case "bmp":
			_ = bmp.Encode(&b, img)
		}
		f.Add(b.Bytes())
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		kind := ImageKind(data, int64(len(data)))
		if kind == "" {
			return
		}
		if c, err := imageConfig(kind, data); err != nil || c.Width*c.Height > 1<<16 {
			return
		}
		p, err := fitImage(kind, data, ImageLimits{MaxSide: 6})
		if err == nil && max(p.width, p.height) > 6 {
			t.Errorf("%dx%d", p.width, p.height)
		}
	})
}
