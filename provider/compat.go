package provider

import "strings"

// Flag returns a switch of i.Compat, or what applies where it is not set.
func (i Info) Flag(key string, otherwise bool) bool {
	if v, ok := i.Compat[key].(bool); ok {
		return v
	}
	return otherwise
}

// Word returns a setting of i.Compat that is a text, or what applies where it is
// not set.
func (i Info) Word(key, otherwise string) string {
	if v, ok := i.Compat[key].(string); ok {
		return v
	}
	return otherwise
}

// At reports whether the model is at one of some places: each is the id of a
// provider, or, with a dot, part of the base URL.
func (i Info) At(places ...string) bool {
	base := strings.ToLower(i.BaseURL)
	for _, p := range places {
		if p == i.Provider || strings.Contains(p, ".") && strings.Contains(base, p) {
			return true
		}
	}
	return false
}

// ThinkingWord returns what the model's provider calls a level, and false if the
// model has none such; see [Info.Clamp] for one that it has. Without a word of
// the provider's it is the level's own name.
func (i Info) ThinkingWord(level string) (string, bool) {
	word, mapped := i.ThinkingLevels[level]
	if !mapped {
		return level, true
	}
	if word == nil {
		return "", false
	}
	return *word, true
}

// ThinkingBudget returns how many tokens a model may think at a level where the
// provider wants a number: what i.Budgets says, else the usual. What is over stays
// for the answer: at least 1024 of the limit, which is for both.
func (i Info) ThinkingBudget(level string, limit int64) int64 {
	budget, own := i.Budgets[level]
	if level == "off" || level == "" || !own {
		return ThinkingBudget(level, limit)
	}
	if limit > 0 {
		budget = min(budget, limit-1024)
	}
	return max(0, budget)
}

// ThinkingBudget is the usual one.
func ThinkingBudget(level string, limit int64) int64 {
	budget := int64(16384)
	switch level {
	case "off", "":
		return 0
	case "minimal":
		budget = 1024
	case "low":
		budget = 2048
	case "medium":
		budget = 8192
	}
	if limit > 0 {
		budget = min(budget, limit-1024)
	}
	return max(0, budget)
}
