package picture

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
	"strings"
	"testing"
)

func gray(w, h int) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for i := range img.Pix {
		img.Pix[i] = 0xFF
	}
	return img
}

func base(b []byte) string { return base64.StdEncoding.EncodeToString(b) }

func pngOf(t *testing.T, img image.Image) string {
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return base(b.Bytes())
}

// claims is a PNG that says it is as large, and holds nothing.
func claims(w, h uint32) string {
	b := []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR")
	b = binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(b, w), h)
	b = append(b, 8, 6, 0, 0, 0)
	return base(binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[12:])))
}

func TestLook(t *testing.T) {
	var jpg, anim bytes.Buffer
	if err := jpeg.Encode(&jpg, gray(30, 20), nil); err != nil {
		t.Fatal(err)
	}
	if err := gif.Encode(&anim, gray(7, 9), nil); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, data, kind, size string
	}{
		{"a PNG", pngOf(t, gray(640, 480)), "png", "640x480"},
		{"a JPEG", base(jpg.Bytes()), "jpeg", "30x20"},
		{"a GIF", base(anim.Bytes()), "gif", "7x9"},
		{"a PNG that is cut off", pngOf(t, gray(640, 480))[:16], "png", ""},
		{"a PNG of no width", claims(0, 10), "png", ""},
		{"a text", base([]byte("hello, I am a text")), "", ""},
		{"no base64", "###", "", ""},
		{"nothing", "", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			i := Look(tt.data)
			if i.Kind != tt.kind || i.Size() != tt.size {
				t.Errorf("%q %q, want %q %q", i.Kind, i.Size(), tt.kind, tt.size)
			}
		})
	}
}

func TestCells(t *testing.T) {
	for _, tt := range []struct {
		name       string
		w, h       int
		cols, rows int
	}{
		{"a wide one has all columns", 1400, 700, 60, 15},
		{"a high one keeps to the rows", 500, 5000, 5, 25},
		{"a small one stays small", 28, 28, 2, 1},
		{"a single dot has a cell", 1, 1, 1, 1},
		{"a line has a row", 20000, 1, 60, 1},
		{"a column has a column", 1, 20000, 1, 25},
		{"one of 100,000 by 100,000 is none", 100_000, 100_000, 0, 0},
		{"nor one that would take a gigabyte", 16_000, 16_000, 0, 0},
		{"nor one without height", 10, 0, 0, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if cols, rows := (Info{"png", tt.w, tt.h}).Cells(60, 25); cols != tt.cols || rows != tt.rows {
				t.Errorf("%d columns, %d rows, want %d and %d", cols, rows, tt.cols, tt.rows)
			}
		})
	}
}

func TestWhatIsShown(t *testing.T) {
	img := gray(280, 280)
	for y := range 140 {
		for x := range 280 {
			img.SetNRGBA(x, y, color.NRGBA{255, 0, 0, 255})
		}
	}
	data := pngOf(t, img)
	cols, rows := Look(data).Cells(10, 25)
	if cols != 10 || rows != 5 {
		t.Fatalf("%d columns, %d rows", cols, rows)
	}
	b, err := Whole(data, cols, rows)
	if err != nil {
		t.Fatal(err)
	}
	if c, err := png.DecodeConfig(bytes.NewReader(b)); err != nil || c.Width != 140 || c.Height != 140 {
		t.Errorf("%+v, %v", c, err)
	}
	strips, err := Strips(data, cols, rows)
	if err != nil || len(strips) != 5 {
		t.Fatalf("%d strips, %v", len(strips), err)
	}
	for i, want := range map[int]color.NRGBA{0: {255, 0, 0, 255}, 4: {255, 255, 255, 255}} {
		strip, _, err := image.Decode(bytes.NewReader(strips[i]))
		if err != nil {
			t.Fatal(err)
		}
		r, g, bl, _ := strip.At(strip.Bounds().Dx()/2, strip.Bounds().Dy()/2).RGBA()
		near := func(v uint32, want uint8) bool { d := int(v>>8) - int(want); return d*d < 400 }
		if !near(r, want.R) || !near(g, want.G) || !near(bl, want.B) {
			t.Errorf("strip %d is %d %d %d", i, r>>8, g>>8, bl>>8)
		}
	}
}

func TestHostile(t *testing.T) {
	for name, data := range map[string]string{
		"a PNG that claims to be enormous": claims(1<<31-1, 1<<31-1),
		"a PNG that claims a gigabyte":     claims(16_000, 16_000),
		"a PNG without its pixels":         claims(100, 100),
		"not base64 behind the head":       pngOf(t, gray(50, 50))[:60] + "####",
		"64 MiB of base64":                 pngOf(t, gray(5, 5)) + strings.Repeat("A", mostBytes),
		"a GIF of nothing":                 base([]byte("GIF89a\xff\xff\xff\xff\x00\x00\x00;")),
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := Whole(data, 60, 25); err == nil {
				t.Error("it is shown")
			}
			if _, err := Strips(data, 60, 25); err == nil {
				t.Error("it is shown in strips")
			}
		})
	}
}

func FuzzWhole(f *testing.F) {
	f.Add([]byte("\x89PNG\r\n\x1a\n"))
	f.Add([]byte("GIF89a\x01\x00\x01\x00\x80\x00\x00"))
	f.Add([]byte("RIFF\x10\x00\x00\x00WEBPVP8 "))
	f.Fuzz(func(t *testing.T, b []byte) {
		data := base(b)
		cols, rows := Look(data).Cells(20, 10)
		if cols > 20 || rows > 10 {
			t.Fatalf("%d columns, %d rows", cols, rows)
		}
		if out, err := Whole(data, 20, 10); err == nil && len(out) == 0 {
			t.Fatal("shown, as nothing")
		}
	})
}
