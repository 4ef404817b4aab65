package config

// Environment returns the settings that variables make. Some only stand in for
// what no file says.
func Environment(env Env) []Override {
	var out []Override
	add := func(level Level, key string, value func(string) any, names ...string) {
		for _, n := range names {
			if v := env(n); v != "" {
				if x := value(v); x != nil {
					out = append(out, Override{level, key, x, n})
				}
				return
			}
		}
	}
	as := func(s string) any { return s }
	isOn := func(s string) any {
		if s == "1" {
			return true
		}
		return nil
	}
	among := func(words map[string]any) func(string) any { return func(s string) any { return words[s] } }
	auto := among(map[string]any{"1": true, "0": false, "auto": "auto"})

	add(ByFallback, "externalEditor", as, "VISUAL", "EDITOR")
	add(ByFallback, "terminal.clearOnShrink", isOn, "BOUGH_CLEAR_ON_SHRINK", "PI_CLEAR_ON_SHRINK")
	add(ByEnvironment, "sessionDir", as, "BOUGH_SESSION_DIR", "PI_CODING_AGENT_SESSION_DIR")
	add(ByEnvironment, "httpProxy", as, ProxyVariables()...)
	add(ByEnvironment, "showHardwareCursor", isOn, "BOUGH_HARDWARE_CURSOR", "PI_HARDWARE_CURSOR")
	add(ByEnvironment, "terminal.hyperlinks", auto, "BOUGH_HYPERLINKS", "PI_HYPERLINKS")
	add(ByEnvironment, "terminal.trueColor", auto, "BOUGH_TRUE_COLOR", "PI_TRUE_COLOR")
	add(ByEnvironment, "terminal.images", among(map[string]any{"kitty": "kitty", "iterm2": "iterm2", "none": false, "auto": "auto"}),
		"BOUGH_IMAGE_PROTOCOL", "PI_IMAGE_PROTOCOL")
	return out
}

// ProxyVariables are those that name a proxy, and so win over httpProxy.
func ProxyVariables() []string {
	return []string{"HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy"}
}
