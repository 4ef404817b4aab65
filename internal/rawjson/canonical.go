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
// the order in which they first appear.
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
	val []byte
	pos int
}

// fields returns the members of an object, of repeated keys the last value in
// the place of the first.
func fields(obj []byte) []field {
	var fs []field
	var seen map[string]int
	for k, v := range Members(obj) {
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
		fields []field // of an object
		rest   []byte  // of an array, behind what was written
		obj    bool
		n      int // written so far
	}
	var stack []level
	for {
		switch Kind(v) {
		case '{':
			fs := fields(v)
			slices.SortStableFunc(fs, cmp)
			dst = append(dst, '{')
			stack = append(stack, level{fields: fs, obj: true})
		case '[':
			a := trimLeft(v)
			dst = append(dst, '[')
			stack = append(stack, level{rest: a[1:]})
		case '"':
			s, _ := String(v)
			dst = AppendString(dst, s)
		case '0':
			if f, ok := Number(v); ok {
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
			if top.obj {
				if len(top.fields) > 0 {
					f := top.fields[0]
					top.fields = top.fields[1:]
					if top.n++; top.n > 1 {
						dst = append(dst, ',')
					}
					dst = AppendString(dst, f.key)
					dst = append(dst, ':')
					v = f.val
					break
				}
				dst = append(dst, '}')
				stack = stack[:len(stack)-1]
				continue
			}
			i := skipSpace(top.rest, 0)
			if i < len(top.rest) && top.rest[i] == ',' {
				i = skipSpace(top.rest, i+1)
			}
			if i < len(top.rest) && top.rest[i] != ']' {
				end := skip(top.rest, i)
				v, top.rest = top.rest[i:end], top.rest[end:]
				if top.n++; top.n > 1 {
					dst = append(dst, ',')
				}
				break
			}
			dst = append(dst, ']')
			stack = stack[:len(stack)-1]
		}
	}
}
