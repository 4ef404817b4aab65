package provider

import (
	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/message"
)

// Schema returns the parameters of a tool as the JSON Schema of an object, which
// all APIs ask for.
func Schema(t message.ToolSpec) message.Value {
	v := t.Parameters
	if rawjson.Kind(v) != '{' || !rawjson.Valid(v) {
		return message.Value(`{"type":"object","properties":{}}`)
	}
	if typ, _ := rawjson.GetString(v, "type"); typ != "object" {
		v = rawjson.Set(v, "type", message.Value(`"object"`))
	}
	return v
}
