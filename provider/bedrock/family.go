package bedrock

import (
	"strconv"
	"strings"

	"github.com/boughdev/bough/provider"
)

// family is what the models of a maker want otherwise than others.
type family struct {
	claude   bool
	adaptive bool   // Claude from 4.6: chooses itself how much to think
	binding  bool   // Claude from 4.7: ties thinking to what was said before it
	cache    bool   // takes marks for the cache
	effort   string // the member for how much to think, "" if there is none: "reasoning_effort", "reasoning.effort"
	noReplay bool   // takes no thinking back
}

// familyOf tells by the id of a model, or by its name: the ARN of an inference
// profile of the user's own says nothing.
func familyOf(i provider.Info) family {
	has := func(parts ...string) bool {
		for _, p := range parts {
			if strings.Contains(strings.ToLower(i.ID), p) || strings.Contains(strings.ReplaceAll(strings.ToLower(i.Name), " ", "-"), p) {
				return true
			}
		}
		return false
	}
	switch {
	case has("claude"):
		v := max(claudeVersion(i.ID), claudeVersion(i.Name))
		adaptive := v >= 406
		return family{claude: true, cache: v >= 307 || v == 0 || has("claude-3-5-haiku"), binding: v >= 407,
			adaptive: i.Flag("forceAdaptiveThinking", adaptive)}
	case has("nova-micro", "nova-lite", "nova-pro", "nova-premier"):
		return family{cache: true}
	case has("gpt-oss"):
		return family{effort: "reasoning_effort"}
	case has("openai.gpt-"):
		return family{effort: "reasoning.effort"}
	case has("deepseek.r1", "deepseek-r1"):
		return family{noReplay: true}
	}
	return family{}
}

// claudeVersion reads "claude-sonnet-4-5-20250929-v1:0" as 405 and
// "claude-3-7-sonnet" as 307; 0 if there is no number.
func claudeVersion(name string) int {
	name = strings.NewReplacer(" ", "-", ".", "-").Replace(strings.ToLower(name))
	_, rest, ok := strings.Cut(name, "claude-")
	if !ok {
		return 0
	}
	version, parts := 0, 0
	for _, word := range strings.Split(rest, "-") {
		n, err := strconv.Atoi(word)
		if err != nil || len(word) > 2 {
			if parts > 0 {
				break
			}
			continue
		}
		if parts++; parts == 1 {
			version = n * 100
			continue
		}
		return version + n
	}
	return version
}
