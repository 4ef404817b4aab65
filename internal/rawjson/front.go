package rawjson

// Front calls visit for the members at the front of an object that was cut off or
// damaged somewhere behind them, in the order they stand. Of the last one visit
// may get only what there is: whole is false, and v goes on to the end of b.
//
// Unlike the other functions it expects nothing of b.
func Front(b []byte, visit func(key string, v []byte, whole bool)) {
	i := skipSpace(b, 0)
	if i >= len(b) || b[i] != '{' {
		return
	}
	i = skipSpace(b, i+1)
	for i < len(b) && b[i] == '"' {
		end, ok := scanString(b, i)
		if !ok {
			return
		}
		key, _ := String(b[i:end])
		i = skipSpace(b, end)
		if i >= len(b) || b[i] != ':' {
			return
		}
		i = skipSpace(b, i+1)
		end, ok = scan(b, i, nil)
		next := skipSpace(b, end)
		// What a value ends with tells that it is whole; a number might go on.
		switch {
		case !ok, next < len(b) && b[next] != ',' && b[next] != '}', end == len(b) && Kind(b[i:]) == '0':
			visit(key, b[i:], false)
			return
		}
		visit(key, b[i:end], true)
		if next >= len(b) || b[next] == '}' {
			return
		}
		i = skipSpace(b, next+1)
	}
}
