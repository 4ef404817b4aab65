package provider

import (
	"encoding/base64"
	"strings"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/message"
)

// imageDamaged stands in the place of an image whose data no server could read.
const imageDamaged = "[an image was left out: its data is damaged]"

// fitImages makes images of a message what servers want: base64 with padding and
// nothing else, and the type that their first bytes say. One wrong image would
// make them refuse the whole conversation, for ever.
func fitImages(m message.Message) message.Message {
	var blocks []message.Block
	for i, b := range m.Content {
		if b.Type != message.ImageBlock || b.Data == "" {
			continue
		}
		fit, changed := fitImage(b)
		if !changed {
			continue
		}
		if blocks == nil {
			blocks = append(blocks, m.Content...)
		}
		blocks[i] = fit
	}
	if blocks == nil {
		return m
	}
	return m.WithContent(blocks)
}

func fitImage(b message.Block) (message.Block, bool) {
	data, clean := wellFormed(b.Data)
	if data == "" {
		return message.Text(imageDamaged), true
	}
	changed := false
	if !clean {
		b, changed = b.With("data", rawjson.Quote(data)), true
	}
	if is := imageType(data); is != "" && is != b.MimeType {
		b, changed = b.With("mimeType", rawjson.Quote(is)), true
	}
	return b, changed
}

// wellFormed returns data as base64 should be, "" if it is none, and whether it
// was so already.
func wellFormed(data string) (string, bool) {
	if base64Chars(data) && len(data)%4 == 0 {
		return data, true
	}
	if strings.HasPrefix(data, "data:") {
		_, data, _ = strings.Cut(data, ",")
	}
	data = strings.Map(func(c rune) rune {
		switch c {
		case '-':
			return '+'
		case '_':
			return '/'
		case ' ', '\t', '\r', '\n':
			return -1
		}
		return c
	}, data)
	data = strings.TrimRight(data, "=")
	switch len(data) % 4 {
	case 1:
		return "", false
	case 2:
		data += "=="
	case 3:
		data += "="
	}
	if data == "" || !base64Chars(data) {
		return "", false
	}
	return data, false
}

// base64Chars reports whether s has the letters of base64 only, and = at the end.
func base64Chars(s string) bool {
	body := strings.TrimRight(s, "=")
	if len(s)-len(body) > 2 {
		return false
	}
	for i := 0; i < len(body); i++ {
		c := body[i]
		if !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '+' || c == '/') {
			return false
		}
	}
	return body != ""
}

// imageType tells the type of an image by its first bytes, "" if it is none that
// is known.
func imageType(data string) string {
	head, err := base64.StdEncoding.DecodeString(data[:min(len(data), 16)])
	if err != nil {
		return ""
	}
	switch s := string(head); {
	case strings.HasPrefix(s, "\x89PNG\r\n\x1a\n"):
		return "image/png"
	case strings.HasPrefix(s, "\xff\xd8\xff"):
		return "image/jpeg"
	case strings.HasPrefix(s, "GIF87a"), strings.HasPrefix(s, "GIF89a"):
		return "image/gif"
	case len(s) >= 12 && s[:4] == "RIFF" && s[8:12] == "WEBP":
		return "image/webp"
	}
	return ""
}
