package rawjson

import (
	"bytes"
	"encoding/json"
)

// Encode is the JSON of a value on one line, as pi writes it: without the escapes
// that are for pages.
func Encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
