package provider

import (
	"encoding/base64"
	"testing"

	"github.com/boughdev/bough/message"
)

func TestFitImages(t *testing.T) {
	png := base64.StdEncoding.EncodeToString([]byte("\x89PNG\r\n\x1a\n and so on"))
	jpeg := base64.StdEncoding.EncodeToString([]byte("\xff\xd8\xff\xe0 and so on"))
	webp := base64.StdEncoding.EncodeToString([]byte("RIFF1234WEBPVP8 "))
	for _, tt := range []struct{ name, data, mime, wantData, wantMIME string }{
		{"as it should be", png, "image/png", png, "image/png"},
		{"another type than it says", jpeg, "image/png", jpeg, "image/jpeg"},
		{"no type", webp, "", webp, "image/webp"},
		{"a type that is not known", "AAAA", "image/x-odd", "AAAA", "image/x-odd"},
		{"a data URL", "data:image/png;base64," + png, "image/png", png, "image/png"},
		{"line ends", png[:8] + "\r\n" + png[8:] + "\n", "image/png", png, "image/png"},
		{"no padding", "/9j/4AA", "image/jpeg", "/9j/4AA=", "image/jpeg"},
		{"letters of URLs", "_9j_4AAA", "image/jpeg", "/9j/4AAA", "image/jpeg"},
		{"one letter", "A", "image/png", "", ""},
		{"no base64", "sorry, no image!", "image/png", "", ""},
		{"padding only", "====", "image/png", "", ""},
		{"padding in the middle", "AA==AAAA", "image/png", "", ""},
		{"a data URL without data", "data:,", "image/png", "", ""},
		{"nothing", "", "image/png", "", "image/png"},
	} {
		b := message.Image(nil, tt.mime).With("data", []byte(`"`+tt.data+`"`))
		if tt.name == "line ends" {
			b = message.Image(nil, tt.mime).With("data", []byte(`"`+png[:8]+`\r\n`+png[8:]+`\n"`))
		}
		m := message.Message{Role: message.User, Content: []message.Block{message.Text("x"), b}}
		got := Prepare([]message.Message{m}, Info{Input: []string{"text", "image"}}, PrepareOptions{})[0].Content[1]
		if tt.wantMIME == "" {
			if got.Text != imageDamaged {
				t.Errorf("%s: %s", tt.name, got.JSON())
			}
		} else if got.Data != tt.wantData || got.MimeType != tt.wantMIME {
			t.Errorf("%s: %s, want %s of %s", tt.name, got.JSON(), tt.wantData, tt.wantMIME)
		}
	}
}
