package builtin

import (
	"fmt"

	"github.com/boughdev/bough/message"
)

// Fit makes of the bytes of an image file what a model can be shown, whatever its
// type is said to be. The note says what it is; without ok, why it cannot be
// shown.
func (l ImageLimits) Fit(data []byte, mimeType string) (b message.Block, note string, ok bool) {
	kind := ImageKind(data, int64(len(data)))
	if kind == "" {
		return message.Block{}, fmt.Sprintf("An image (%s) that cannot be shown: it is none of PNG, JPEG, GIF, WebP and BMP.", mimeType), false
	}
	p, err := fitImage(kind, data, l)
	if err != nil {
		return message.Block{}, fmt.Sprintf("An image (%s) that cannot be shown: %v.", kind, err), false
	}
	return message.Image(p.data, p.kind), p.describe(), true
}
