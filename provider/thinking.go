package provider

import "slices"

// Levels returns the thinking levels that the model has, least first: only "off"
// without reasoning; "xhigh" and "max" only where the model maps them.
func (i Info) Levels() []string {
	if !i.Reasoning {
		return []string{"off"}
	}
	var out []string
	for _, l := range Levels {
		word, mapped := i.ThinkingLevels[l]
		switch {
		case mapped && word == nil:
		case !mapped && (l == "xhigh" || l == "max"):
		default:
			out = append(out, l)
		}
	}
	return out
}

// Clamp returns the level itself if the model has it, else the next higher one
// that it has, else the next lower. A word that is no level is the lowest.
func (i Info) Clamp(level string) string {
	have := i.Levels()
	at := slices.Index(Levels, level)
	if at < 0 || len(have) == 0 {
		return "off"
	}
	for _, l := range Levels[at:] {
		if slices.Contains(have, l) {
			return l
		}
	}
	for k := at - 1; k >= 0; k-- {
		if slices.Contains(have, Levels[k]) {
			return Levels[k]
		}
	}
	return "off"
}
