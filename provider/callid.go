package provider

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/message"
)

// SafeCallID is a [PrepareOptions.CallID] for APIs that take letters, digits, _
// and - only, at most 64 of them.
func SafeCallID(id string, _ message.Message) string { return SafeID(id, 64) }

// SafeID replaces each UTF-16 unit outside A-Z a-z 0-9 _ - by _ and cuts behind
// the first max.
func SafeID(id string, max int) string {
	safe := len(id) <= max
	for i := 0; i < len(id) && safe; i++ {
		safe = idByte(id[i])
	}
	if safe {
		return id
	}
	var b strings.Builder
	for i := 0; i < len(id) && b.Len() < max; {
		if idByte(id[i]) {
			b.WriteByte(id[i])
			i++
			continue
		}
		n := 1
		for i+n < len(id) && id[i+n]&0xC0 == 0x80 {
			n++
		}
		for range rawjson.UTF16Len(id[i : i+n]) {
			if b.Len() < max {
				b.WriteByte('_')
			}
		}
		i += n
	}
	return b.String()
}

// SafeName returns the name of a called tool as all APIs take it. Another model
// may have called what is no name here.
func SafeName(name string) string {
	if name = SafeID(name, 128); name == "" {
		return "unknown"
	}
	return name
}

func idByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c == '-'
}

// ShortHash returns 8 hex digits that tell s from other texts.
func ShortHash(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:4])
}

// inventedID returns an id for the n-th use of a call id.
func inventedID(id string, n int) string { return "call_" + ShortHash(id+"#"+strconv.Itoa(n)) }
