package rawjson

import "bytes"

// visitDepth is how many objects deep [Visit] tells of members.
const visitDepth = 4

// Visit is [Valid] for an object and calls see on the way, so that all is gone
// over only once: for each member and, down to four objects deep, for the members
// of members that are objects. path is the keys down to the value; a value is told
// after what is in it, and what is in lists is not. Keys are as they stand between
// their quotes. One with an escape is nil, and odd is true. If ok is false, what
// was told counts for nothing.
func Visit(b []byte, see func(path [][]byte, v []byte)) (odd, ok bool) {
	i := skipSpace(b, 0)
	if i >= len(b) || b[i] != '{' {
		return false, false
	}
	v := visitor{see: see}
	end, ok := scan(b, i, &v)
	return v.odd, ok && skipSpace(b, end) == len(b)
}

// visitor follows a scan; nil does nothing.
type visitor struct {
	see   func(path [][]byte, v []byte)
	odd   bool
	depth int // of objects around, the innermost in a list not counted
	lists int // brackets since the first list around
	path  [visitDepth][]byte
	begin [visitDepth]int // of the values at path
}

func (v *visitor) opened(list bool) {
	switch {
	case v == nil:
	case list || v.lists > 0:
		v.lists++
	default:
		v.depth++
	}
}

func (v *visitor) closed() {
	switch {
	case v == nil:
	case v.lists > 0:
		v.lists--
	default:
		v.depth--
	}
}

// key takes up the key that stands at i and where its value begins.
func (v *visitor) key(b []byte, i, begin int) {
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
func (v *visitor) value(b []byte, end int) {
	if v != nil && v.lists == 0 && v.depth <= visitDepth {
		v.see(v.path[:v.depth], b[v.begin[v.depth-1]:end])
	}
}
