package builtin

import (
	"bytes"
	"encoding/binary"
)

// chunks yields the parts of a file that is made of them: what is at the place
// of kind and length is told by the caller's header.
func chunks(b []byte, header func(b []byte) (kind string, start, length, next int)) func(yield func(kind string, data []byte) bool) {
	return func(yield func(string, []byte) bool) {
		for len(b) > 0 {
			kind, start, length, next := header(b)
			if next <= 0 || length < 0 || start+length > len(b) {
				return
			}
			if !yield(kind, b[start:start+length]) || next > len(b) {
				return
			}
			b = b[next:]
		}
	}
}

// pngChunks yields the chunks of a PNG file.
func pngChunks(b []byte) func(func(string, []byte) bool) {
	return chunks(b[8:], func(b []byte) (string, int, int, int) {
		if len(b) < 12 {
			return "", 0, 0, 0
		}
		n := int(binary.BigEndian.Uint32(b))
		return string(b[4:8]), 8, n, n + 12
	})
}

// webpChunks yields the chunks of a WebP file.
func webpChunks(b []byte) func(func(string, []byte) bool) {
	return chunks(b[12:], func(b []byte) (string, int, int, int) {
		if len(b) < 8 {
			return "", 0, 0, 0
		}
		n := int(binary.LittleEndian.Uint32(b[4:]))
		return string(b[:4]), 8, n, 8 + n + n&1
	})
}

// jpegSegments yields the marked segments before the picture of a JPEG file; the
// kind is the byte of the marker.
func jpegSegments(b []byte) func(func(string, []byte) bool) {
	return chunks(b[2:], func(b []byte) (string, int, int, int) {
		if len(b) < 4 || b[0] != 0xFF || b[1] == 0xDA {
			return "", 0, 0, 0
		}
		n := int(binary.BigEndian.Uint16(b[2:]))
		return string(b[1:2]), 4, n - 2, n + 2
	})
}

// animated reports whether an image has more than one picture that only some
// readers show.
func animated(kind string, b []byte) bool {
	switch kind {
	case "image/png":
		for k := range pngChunks(b) {
			if k == "acTL" || k == "IDAT" {
				return k == "acTL"
			}
		}
	case "image/webp":
		for k, data := range webpChunks(b) {
			return k == "VP8X" && len(data) > 0 && data[0]&2 != 0
		}
	}
	return false
}

// moreThanOne reports whether a GIF has more than one picture, without decoding
// them, which takes the memory of all.
func moreThanOne(b []byte) bool {
	if len(b) < 13 {
		return false
	}
	b = b[min(13+colours(b[10]), len(b)):]
	for pictures := 0; len(b) > 0; {
		switch {
		case b[0] == 0x21 && len(b) > 2: // an extension
			b = b[2:]
		case b[0] == 0x2C && len(b) > 10:
			if pictures++; pictures > 1 {
				return true
			}
			skip := 11 + colours(b[9])
			b = b[min(skip, len(b)):]
		default:
			return false
		}
		for len(b) > 0 && b[0] != 0 { // blocks of up to 255 bytes
			b = b[min(1+int(b[0]), len(b)):]
		}
		b = b[min(1, len(b)):]
	}
	return false
}

// colours returns the length of the colour table that flags tell of.
func colours(flags byte) int {
	if flags&0x80 == 0 {
		return 0
	}
	return 3 << (flags&7 + 1)
}

// orientation returns how a picture is to be turned, 1 to 8 as Exif has it; 1
// means that it is as it should be.
func orientation(kind string, b []byte) int {
	switch kind {
	case "image/jpeg":
		for k, data := range jpegSegments(b) {
			if rest, ok := bytes.CutPrefix(data, []byte("Exif\x00\x00")); ok && k == "\xe1" {
				return tiffOrientation(rest)
			}
		}
	case "image/png":
		for k, data := range pngChunks(b) {
			if k == "eXIf" {
				return tiffOrientation(data)
			}
		}
	case "image/webp":
		for k, data := range webpChunks(b) {
			if k == "EXIF" {
				return tiffOrientation(bytes.TrimPrefix(data, []byte("Exif\x00\x00")))
			}
		}
	}
	return 1
}

// tiffOrientation looks through the first directory of a TIFF structure.
func tiffOrientation(b []byte) int {
	if len(b) < 8 {
		return 1
	}
	var order binary.ByteOrder
	switch string(b[:4]) {
	case "II*\x00":
		order = binary.LittleEndian
	case "MM\x00*":
		order = binary.BigEndian
	default:
		return 1
	}
	at := int(order.Uint32(b[4:]))
	if at < 8 || at+2 > len(b) {
		return 1
	}
	n := int(order.Uint16(b[at:]))
	for entry := at + 2; n > 0 && entry+12 <= len(b); entry, n = entry+12, n-1 {
		const tag, short = 0x0112, 3
		if order.Uint16(b[entry:]) == tag && order.Uint16(b[entry+2:]) == short {
			if o := int(order.Uint16(b[entry+8:])); o >= 1 && o <= 8 {
				return o
			}
		}
	}
	return 1
}
