package rawjson

import (
	"slices"
	"strconv"
)

// AppendCanonical appends v in canonical form: RFC 8785, with half surrogate
// pairs as escapes, the last of repeated keys, and null for numbers beyond the
// range of a double.
func AppendCanonical(dst, v []byte) []byte {
	return appendValue(dst, v, func(a, b field) int { return CompareUTF16(a.key, b.key) })
}

// AppendStringify appends v as JSON.stringify(JSON.parse(v)) gives it: without
// white space, keys that are array indexes first and in order, the others in
// the order in which they first appear. What it appends is valid JSON even if v
// is not.
func AppendStringify(dst, v []byte) []byte {
	return appendValue(dst, v, func(a, b field) int {
		ai, aok := arrayIndex(a.key)
		bi, bok := arrayIndex(b.key)
		switch {
		case aok && bok:
			return int(ai) - int(bi)
		case aok:
			return -1
		case bok:
			return 1
		}
		return a.pos - b.pos
	})
}

func arrayIndex(s string) (int64, bool) {
	if s == "" || len(s) > 10 || s[0] == '0' && s != "0" {
		return 0, false
	}
	n, err := strconv.ParseUint(s, 10, 64)
	return int64(n), err == nil && n < 1<<32-1
}

type field struct {
	key string
	val int // where the value begins
	pos int // among the members
}

// fields returns the members of the object that begins at v[i], of repeated keys
// the last value in the place of the first.
func (x *extents) fields(i int) []field {
	var fs []field
	var seen map[string]int
	for m := range membersFrom(x.v, i, x.end) {
		k, v := m.name(x.v), m.val
		at := -1
		if len(fs) < 16 {
			at = slices.IndexFunc(fs, func(f field) bool { return f.key == k })
		} else {
			if seen == nil {
				seen = make(map[string]int, 2*len(fs))
				for i, f := range fs {
					seen[f.key] = i
				}
			}
			if i, ok := seen[k]; ok {
				at = i
			}
		}
		if at >= 0 {
			fs[at].val = v
			continue
		}
		if seen != nil {
			seen[k] = len(fs)
		}
		fs = append(fs, field{k, v, len(fs)})
	}
	return fs
}

// appendValue writes v with the members of objects sorted by cmp. Open arrays
// and objects are kept on a stack of its own, so that depth costs memory only.
func appendValue(dst, v []byte, cmp func(a, b field) int) []byte {
	type level struct {
		fields []field // of an object, those that are left
		obj    bool
		first  bool // nothing has been written yet
		next   int  // of an array: the place behind what was written
	}
	x := &extents{v: v}
	var stack []level
	i := skipSpace(v, 0)
	for {
		switch Kind(v[i:]) {
		case '{':
			fs := x.fields(i)
			slices.SortStableFunc(fs, cmp)
			dst = append(dst, '{')
			stack = append(stack, level{fields: fs, obj: true, first: true})
		case '[':
			dst = append(dst, '[')
			stack = append(stack, level{first: true, next: i + 1})
		case '"':
			s, _ := String(v[i:])
			dst = AppendString(dst, s)
		case '0':
			if f, ok := Number(v[i:skip(v, i)]); ok {
				dst = AppendNumber(dst, f)
			} else {
				dst = append(dst, "null"...)
			}
		case 't':
			dst = append(dst, "true"...)
		case 'f':
			dst = append(dst, "false"...)
		default:
			dst = append(dst, "null"...)
		}
		// Go on with the next value of the innermost level that has one.
		for {
			if len(stack) == 0 {
				return dst
			}
			top := &stack[len(stack)-1]
			if top.obj && len(top.fields) > 0 {
				f := top.fields[0]
				top.fields = top.fields[1:]
				if !top.first {
					dst = append(dst, ',')
				}
				top.first = false
				dst = AppendString(dst, f.key)
				dst = append(dst, ':')
				i = f.val
				break
			}
			if !top.obj {
				if i = skipSpace(v, top.next); i < len(v) && v[i] == ',' {
					i = skipSpace(v, i+1)
				}
				if end := x.end(i); end > i && v[i] != ']' { // nothing begins at a stray colon
					top.next = end
					if !top.first {
						dst = append(dst, ',')
					}
					top.first = false
					break
				}
			}
			if top.obj {
				dst = append(dst, '}')
			} else {
				dst = append(dst, ']')
			}
			stack = stack[:len(stack)-1]
		}
	}
}

// extents tells where the values within v end. It looks through v once; to look
// for the end of each value anew would take as many times as v is deep.
type extents struct {
	v      []byte
	starts []int // of arrays and objects, ascending
	ends   []int
	done   bool
}

// shallow is the length up to which a value is simply looked through.
const shallow = 256

// end returns the index behind the value that begins at v[i].
func (x *extents) end(i int) int {
	if i >= len(x.v) || x.v[i] != '{' && x.v[i] != '[' || len(x.v) <= shallow {
		return skip(x.v, i)
	}
	if !x.done {
		x.scan()
	}
	if k, ok := slices.BinarySearch(x.starts, i); ok {
		return x.ends[k]
	}
	return skip(x.v, i)
}

func (x *extents) scan() {
	x.done = true
	var open []int // to starts
	for i := 0; i < len(x.v); {
		switch x.v[i] {
		case '"':
			i = skipString(x.v, i)
			continue
		case '{', '[':
			open = append(open, len(x.starts))
			x.starts, x.ends = append(x.starts, i), append(x.ends, len(x.v))
		case '}', ']':
			if n := len(open); n > 0 {
				x.ends[open[n-1]] = i + 1
				open = open[:n-1]
			}
		}
		i++
	}
}
