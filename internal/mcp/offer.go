package mcp

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/boughdev/bough/internal/pifile"
	"github.com/boughdev/bough/internal/rawjson"
)

// offer is what a server has, as it is kept for the next start.
type offer struct {
	Tools        []offered `json:"tools"`
	Instructions string    `json:"instructions,omitempty"`
	Resources    bool      `json:"resources,omitempty"`
}

// offered is a tool of a server, with all that models are told of it.
type offered struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
	ReadOnly    bool            `json:"readOnly,omitempty"`
	Destructive bool            `json:"destructive,omitempty"`
}

// Limits of what a server may tell of itself.
const (
	maxDescription  = 4 << 10
	maxInstructions = 8 << 10
	maxSchema       = 128 << 10
	maxOffered      = 2000 // tools of a server
	maxOfferFile    = 64 << 20
)

func toOffered(t *mcp.Tool) offered {
	o := offered{Name: t.Name, Description: t.Description, Parameters: parameters(t.InputSchema)}
	if a := t.Annotations; a != nil {
		o.ReadOnly = a.ReadOnlyHint
		o.Destructive = !a.ReadOnlyHint && (a.DestructiveHint == nil || *a.DestructiveHint)
		if o.Description == "" {
			o.Description = a.Title
		}
	} else {
		o.Destructive = true
	}
	if strings.TrimSpace(o.Description) == "" {
		o.Description = t.Title
	}
	if strings.TrimSpace(o.Description) == "" {
		o.Description = t.Name
	}
	o.Description = cutText(strings.TrimSpace(o.Description), maxDescription)
	return o
}

// cutText cuts a text at a character and says so by an ellipsis.
func cutText(s string, most int) string {
	s = strings.ToValidUTF8(s, "\ufffd")
	if len(s) <= most {
		return s
	}
	s = s[:most-len("…")]
	for s != "" {
		if r, n := utf8.DecodeLastRuneInString(s); r != utf8.RuneError || n != 1 {
			break
		}
		s = s[:len(s)-1]
	}
	return s + "…"
}

// parameters makes of the schema of a server one that all providers take: an
// object with properties and without alternatives at the top.
func parameters(schema any) json.RawMessage {
	obj, ok := schema.(map[string]any)
	if t, has := obj["type"]; !ok || has && t != "object" {
		obj = map[string]any{}
	}
	obj["type"] = "object"
	props, ok := obj["properties"].(map[string]any)
	if !ok {
		props = map[string]any{}
	}
	for _, word := range []string{"anyOf", "oneOf", "allOf"} {
		branches, _ := obj[word].([]any)
		for _, b := range branches {
			b, _ := b.(map[string]any)
			more, _ := b["properties"].(map[string]any)
			for k, v := range more {
				if _, have := props[k]; !have {
					props[k] = v
				}
			}
			if need, ok := b["required"].([]any); ok && word == "allOf" {
				have, _ := obj["required"].([]any)
				obj["required"] = append(have, need...)
			}
		}
		delete(obj, word)
	}
	obj["properties"] = props
	if need, ok := obj["required"]; ok {
		obj["required"] = known(need, props)
	}
	// Keys come out sorted, so that the bytes are the same every time.
	b, err := rawjson.Encode(obj)
	if err != nil || len(b) > maxSchema {
		return json.RawMessage(`{"properties":{},"type":"object"}`)
	}
	return b
}

// known leaves of the names that are required those that there are, each once.
func known(need any, props map[string]any) []any {
	out := []any{}
	seen := map[string]bool{}
	list, _ := need.([]any)
	for _, n := range list {
		if name, ok := n.(string); ok && !seen[name] && props[name] != nil {
			seen[name] = true
			out = append(out, name)
		}
	}
	return out
}

// cacheFile is where the offer of a server is kept; another command or address
// is another file.
func (s *server) cacheFile() string {
	if s.m.o.Paths.Cache == "" {
		return ""
	}
	h := sha256.New()
	for _, part := range []string{s.Name, string(s.raw), s.m.o.Dir} {
		h.Write([]byte(part + "\x00"))
	}
	return filepath.Join(s.m.o.Paths.Cache, "mcp", hex.EncodeToString(h.Sum(nil)[:12])+".json")
}

// readOffer reads what a server had last time; a file that cannot be used counts
// as none.
func readOffer(path string) (offer, bool) {
	if fi, err := os.Stat(path); path == "" || err != nil || fi.Size() > maxOfferFile {
		return offer{}, false
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return offer{}, false
	}
	var o offer
	if json.Unmarshal(b, &o) != nil {
		return offer{}, false
	}
	for _, t := range o.Tools {
		if t.Name == "" || rawjson.Kind(t.Parameters) != '{' {
			return offer{}, false
		}
	}
	return o, true
}

// write keeps an offer for the next start. Without it that start is only later
// with its tools, so an error is none.
func (o offer) write(path string) {
	if path == "" {
		return
	}
	b, err := rawjson.Encode(o)
	if err != nil || os.MkdirAll(filepath.Dir(path), 0o700) != nil {
		return
	}
	_ = pifile.Write(path, append(b, '\n'), 0o600)
}

// summary is one line of what a server is for.
func (s *server) summary() string {
	line, _, _ := strings.Cut(strings.TrimSpace(s.current().Instructions), "\n")
	if s.Description != "" {
		line, _, _ = strings.Cut(strings.TrimSpace(s.Description), "\n")
	}
	return cutText(strings.TrimSpace(line), 300)
}
