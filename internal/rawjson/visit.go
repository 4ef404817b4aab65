package rawjson

import "bytes"

// visitDepth is how many objects deep a [Visitor] tells of members.
const visitDepth = 4

// A Visitor checks objects and tells what is in them on the way, so that all is gone
// over only once. It may be used again and again, by one goroutine.
type Visitor struct {
	// See is told each member and, down to four objects deep, the members of members
	// that are objects. path is the keys down to the value; a value is told after
	// what is in it, and what is in lists is not. Keys are as they stand between
	// their quotes; one with an escape is nil. Both are good until See returns.
	See func(path [][]byte, v []byte)

	odd   bool
	depth int // of objects around, those in a list not counted
	lists int // brackets since the first list around
	path  [visitDepth][]byte
	begin [visitDepth]int // of the values at path
}

// Visit is [Valid] for an object. odd tells that there are keys with escapes. If ok is
// false, what See was told counts for nothing.
func (v *Visitor) Visit(b []byte) (odd, ok bool) {
	i := skipSpace(b, 0)
	if i >= len(b) || b[i] != '{' {
		return false, false
	}
	v.odd, v.depth, v.lists = false, 0, 0
	end, ok := scan(b, i, v)
	return v.odd, ok && skipSpace(b, end) == len(b)
}

// The rest follows a scan; a visitor that is nil does nothing.

func (v *Visitor) opened(list bool) {
	switch {
	case v == nil:
	case list || v.lists > 0:
		v.lists++
	default:
		v.depth++
	}
}

func (v *Visitor) closed() {
	switch {
	case v == nil:
	case v.lists > 0:
		v.lists--
	default:
		v.depth--
	}
}

// key takes up the key that stands at i and where its value begins.
func (v *Visitor) key(b []byte, i, begin int) {
	if v == nil || v.lists > 0 || v.depth > visitDepth {
		return
	}
	end := begin - 1
	for b[end] != '"' { // the colon and white space
		end--
	}
	k := b[i+1 : end]
	if bytes.IndexByte(k, '\\') >= 0 {
		v.odd, k = true, nil
	}
	v.path[v.depth-1], v.begin[v.depth-1] = k, begin
}

// value tells of the member that ends at end, if what ends there is one.
func (v *Visitor) value(b []byte, end int) {
	if v != nil && v.lists == 0 && v.depth <= visitDepth {
		v.See(v.path[:v.depth], b[v.begin[v.depth-1]:end])
	}
}
