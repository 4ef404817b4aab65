package builtin

import (
	"bytes"
	"encoding/binary"
	"strings"
)

// sniffLen is how much of a file's beginning tells its kind, in bytes.
const sniffLen = 4096

// ImageKind returns the type of an image by the beginning of its file, of which
// size is the length, or "". Text that happens to begin like one is none.
func ImageKind(b []byte, size int64) string {
	switch {
	case len(b) >= 29 && bytes.HasPrefix(b, []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR")):
		return "image/png"
	case len(b) >= 4 && bytes.HasPrefix(b, []byte("\xff\xd8\xff")) && b[3] >= 0xC0 && b[3] != 0xFF:
		return "image/jpeg"
	case isGIF(b):
		return "image/gif"
	case len(b) >= 16 && string(b[:4]) == "RIFF" && string(b[8:15]) == "WEBPVP8" && strings.IndexByte(" LX", b[15]) >= 0 && !printable(b[:min(len(b), 30)]):
		return "image/webp"
	case isBMP(b, size):
		return "image/bmp"
	}
	return ""
}

// isGIF looks at the screen descriptor and at what follows the colours.
func isGIF(b []byte) bool {
	if len(b) < 14 || !bytes.HasPrefix(b, []byte("GIF87a")) && !bytes.HasPrefix(b, []byte("GIF89a")) {
		return false
	}
	if binary.LittleEndian.Uint16(b[6:]) == 0 || binary.LittleEndian.Uint16(b[8:]) == 0 {
		return false
	}
	block := 13
	if b[10]&0x80 != 0 {
		block += 3 << (b[10]&7 + 1)
	} else if printable(b[6:13]) {
		return false
	}
	return block < len(b) && (b[block] == 0x21 || b[block] == 0x2C)
}

func printable(b []byte) bool {
	for _, c := range b {
		if c < ' ' && c != '\n' && c != '\r' && c != '\t' || c >= 0x7F {
			return false
		}
	}
	return true
}

// isBMP looks at the lengths in the headers.
func isBMP(b []byte, size int64) bool {
	if len(b) < 30 || b[0] != 'B' || b[1] != 'M' || binary.LittleEndian.Uint32(b[6:]) != 0 {
		return false
	}
	pixels, header := int64(binary.LittleEndian.Uint32(b[10:])), binary.LittleEndian.Uint32(b[14:])
	if header < 40 || header > 124 || pixels < 14+int64(header) || pixels >= size {
		return false
	}
	return binary.LittleEndian.Uint16(b[26:]) == 1 // planes
}
