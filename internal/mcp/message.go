package mcp

import "github.com/boughdev/bough/internal/rawjson"

// isMessage reports whether a line is a message of JSON-RPC, or several in a list.
func isMessage(line []byte) bool {
	if len(line) == 0 || line[0] != '{' && line[0] != '[' || !rawjson.Valid(line) {
		return false
	}
	if line[0] == '{' {
		return isCall(line)
	}
	n := 0
	for e := range rawjson.Elements(line) {
		n++
		if !isCall(e) {
			return false
		}
	}
	return n > 0
}

func isCall(v []byte) bool {
	version, _ := rawjson.GetString(v, "jsonrpc")
	return version == "2.0" && (rawjson.Get(v, "method") != nil || rawjson.Get(v, "id") != nil)
}
