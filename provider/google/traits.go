package google

import (
	"strings"

	"github.com/boughdev/bough/provider"
)

// traits are what the models behind the API differ in.
type traits struct {
	levels   bool // thinking has levels, not a budget of tokens
	ids      bool // calls and responses carry ids
	pictures bool // a function response may have pictures in it
	signed   bool // the first call of an answer must be signed
	bare     bool // signatures and thoughts cannot go back
	pro      bool // thinking cannot be switched off
	lite     bool
	known    bool // how much it may think
}

// traitsOf knows a model by its name, since the API does not tell: from the third
// generation on Gemini differs from what was before. Models of others that Google
// serves want ids.
func traitsOf(info provider.Info) traits {
	id := strings.ToLower(info.ID[strings.LastIndexByte(info.ID, '/')+1:])
	t := traits{pro: strings.Contains(id, "-pro"), lite: strings.Contains(id, "-lite")}
	for _, word := range info.ThinkingLevels {
		t.levels = t.levels || word != nil && *word != "" && (*word)[0] > '9'
	}
	version, gemini := strings.CutPrefix(id, "gemini-")
	t.known = strings.HasPrefix(version, "2.5")
	switch {
	case strings.HasPrefix(id, "claude-"), strings.HasPrefix(id, "gpt-"):
		t.ids = true
	case !gemini, strings.HasPrefix(version, "1"), strings.HasPrefix(version, "2"):
	default: // gemini-3…, gemini-pro-latest, gemini-robotics-er-2
		t.levels, t.ids, t.pictures, t.signed = true, true, true, true
	}
	return t
}

// prepare says how a conversation is prepared for the model.
func (t traits) prepare() provider.PrepareOptions {
	if t.ids {
		return provider.PrepareOptions{CallID: provider.SafeCallID}
	}
	return provider.PrepareOptions{}
}

// without returns the traits of a model behind a gateway that does not know some
// parameters.
func (t traits) without(params []string) traits {
	for _, p := range params {
		switch p {
		case "id":
			t.ids = false
		case "parts":
			t.pictures = false
		case "thought", "thoughtSignature":
			t.signed, t.bare = false, true
		}
	}
	return t
}
