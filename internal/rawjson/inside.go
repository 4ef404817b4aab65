package rawjson

// Inside returns the value of the last member with that key, as [Get] does, and
// visits its members on the way if it is an object, so that all is gone over only
// once. A key that is repeated is visited each time, after a visit of nothing.
func Inside(obj []byte, key string, visit func(name string, v []byte)) []byte {
	var value []byte
	i := skipSpace(obj, 0)
	if i >= len(obj) || obj[i] != '{' {
		return nil
	}
	i = skipSpace(obj, i+1)
	for i < len(obj) && obj[i] == '"' {
		m := member{key: i}
		m.keyEnd = skipString(obj, i)
		i = skipSpace(obj, m.keyEnd)
		if i >= len(obj) || obj[i] != ':' {
			return value
		}
		m.val = skipSpace(obj, i+1)
		if m.is(obj, key) {
			visit("", nil)
			m.end = visitObject(obj, m.val, visit)
			value = obj[m.val:m.end]
		} else {
			m.end = skip(obj, m.val)
		}
		i = skipSpace(obj, m.end)
		if i >= len(obj) || obj[i] != ',' {
			return value
		}
		i = skipSpace(obj, i+1)
	}
	return value
}

// visitObject visits the members of the value at b[i] and returns where it ends.
func visitObject(b []byte, i int, visit func(name string, v []byte)) int {
	if i >= len(b) || b[i] != '{' {
		return skip(b, i)
	}
	end := i + 1
	for m := range membersFrom(b, i, func(at int) int { return skip(b, at) }) {
		visit(m.name(b), b[m.val:m.end])
		end = m.end
	}
	if end = skipSpace(b, end); end < len(b) && b[end] == '}' {
		return end + 1
	}
	return skip(b, i) // not what it seemed
}
