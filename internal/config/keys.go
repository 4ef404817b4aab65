package config

import "time"

// key is one setting: where it stands in the file and what it does.
type key struct {
	name     string
	userOnly bool // not in a project's file

	set   func(s *Settings, v []byte, tell teller) // v is not null
	clear func(s, defaults *Settings)              // for null
}

// teller is told what was wrong with a value; sub is the key below the setting's
// own, or "".
type teller func(sub string, at []byte, err error)

// levels are the thinking levels; provider.Levels, which lies above, has the same.
func levels() []string {
	return []string{"off", "minimal", "low", "medium", "high", "xhigh", "max"}
}

// keys are the settings in the order in which they are read. An old name stands
// before the new one, which so wins (docs/spec/frontends.md H-14).
func keys() []key {
	ms := time.Millisecond
	return []key{
		text("defaultProvider", func(s *Settings) *string { return &s.DefaultProvider }),
		text("defaultModel", func(s *Settings) *string { return &s.DefaultModel }),
		word("defaultThinkingLevel", func(s *Settings) *string { return &s.DefaultThinkingLevel }, levels()...),
		table("modelThinkingLevels", func(s *Settings) *map[string]string { return &s.ModelThinkingLevels }, readWord(levels())),
		table("thinkingBudgets", func(s *Settings) *map[string]int64 { return &s.ThinkingBudgets }, readCount),
		list("enabledModels", func(s *Settings) *[]string { return &s.EnabledModels }, replace),
		word("queueMode", func(s *Settings) *string { return &s.SteeringMode }, "all", "one-at-a-time"),
		word("steeringMode", func(s *Settings) *string { return &s.SteeringMode }, "all", "one-at-a-time"),
		word("followUpMode", func(s *Settings) *string { return &s.FollowUpMode }, "all", "one-at-a-time"),
		list("defaultTools", func(s *Settings) *[]string { return &s.DefaultTools }, Tools),
		user(word("defaultProjectTrust", func(s *Settings) *string { return &s.DefaultProjectTrust }, "ask", "always", "never")),
		text("sessionDir", func(s *Settings) *string { return &s.SessionDir }),

		flag("compaction.enabled", func(s *Settings) *bool { return &s.Compaction.Enabled }),
		number("compaction.reserveTokens", func(s *Settings) *int64 { return &s.Compaction.ReserveTokens }),
		number("compaction.keepRecentTokens", func(s *Settings) *int64 { return &s.Compaction.KeepRecentTokens }),
		compactionOverrides(),
		number("branchSummary.reserveTokens", func(s *Settings) *int64 { return &s.BranchSummary.ReserveTokens }),
		flag("branchSummary.skipPrompt", func(s *Settings) *bool { return &s.BranchSummary.SkipPrompt }),

		flag("retry.enabled", func(s *Settings) *bool { return &s.Retry.Enabled }),
		number("retry.maxRetries", func(s *Settings) *int64 { return &s.Retry.MaxRetries }),
		duration("retry.baseDelayMs", ms, func(s *Settings) *time.Duration { return &s.Retry.BaseDelay }),
		duration("retry.maxAgentDelayMs", ms, func(s *Settings) *time.Duration { return &s.Retry.MaxDelay }),
		duration("retry.maxDelayMs", ms, func(s *Settings) *time.Duration { return &s.Retry.ProviderMaxDelay }),
		number("retry.provider.maxRetries", func(s *Settings) *int64 { return &s.Retry.ProviderRetries }),
		duration("retry.provider.timeoutMs", ms, func(s *Settings) *time.Duration { return &s.Retry.ProviderTimeout }),
		duration("retry.provider.maxRetryDelayMs", ms, func(s *Settings) *time.Duration { return &s.Retry.ProviderMaxDelay }),

		text("shellPath", func(s *Settings) *string { return &s.ShellPath }),
		text("shellCommandPrefix", func(s *Settings) *string { return &s.ShellCommandPrefix }),
		user(text("httpProxy", func(s *Settings) *string { return &s.HTTPProxy })),
		duration("httpIdleTimeoutMs", ms, func(s *Settings) *time.Duration { return &s.HTTPIdleTimeout }),
		flag("images.autoResize", func(s *Settings) *bool { return &s.Images.AutoResize }),
		flag("images.blockImages", func(s *Settings) *bool { return &s.Images.Block }),

		duration("bough.bash.defaultTimeout", time.Second, func(s *Settings) *time.Duration { return &s.Bough.BashTimeout }),
		maxTurns(),
		word("bough.sync", func(s *Settings) *string { return &s.Bough.Sync }, "off", "turn", "always"),
		flag("bough.continueOnStart", func(s *Settings) *bool { return &s.Bough.ContinueOnStart }),
		flag("bough.keepForeignPrompt", func(s *Settings) *bool { return &s.Bough.KeepForeignPrompt }),
		user(text("bough.trash", func(s *Settings) *string { return &s.Bough.Trash })),
		word("bough.contextFiles", func(s *Settings) *string { return &s.Bough.ContextFiles }, "always", "ask", "trusted"),
		user(flag("bough.trustRecheck", func(s *Settings) *bool { return &s.Bough.TrustRecheck })),
	}
}

func user(k key) key { k.userOnly = true; return k }

// field makes a key with one value.
func field[T any](name string, at func(*Settings) *T, read func([]byte) (T, error)) key {
	return key{name: name,
		set: func(s *Settings, v []byte, tell teller) {
			x, err := read(v)
			if err != nil {
				tell("", v, err)
			}
			if !isWrong(err) {
				*at(s) = x
			}
		},
		clear: func(s, defaults *Settings) { *at(s) = *at(defaults) },
	}
}

func text(name string, at func(*Settings) *string) key  { return field(name, at, readText) }
func flag(name string, at func(*Settings) *bool) key    { return field(name, at, readFlag) }
func number(name string, at func(*Settings) *int64) key { return field(name, at, readCount) }
func maxTurns() key {
	return field("bough.maxTurns", func(s *Settings) **int64 { return &s.Bough.MaxTurns }, func(v []byte) (*int64, error) {
		n, err := readCount(v)
		return &n, err
	})
}

// duration is a number of units; "disabled" is 0.
func duration(name string, unit time.Duration, at func(*Settings) *time.Duration) key {
	return field(name, at, func(v []byte) (time.Duration, error) { return readDuration(unit, v) })
}

// word is one of several words; any other gives the default.
func word(name string, at func(*Settings) *string, words ...string) key {
	k := field(name, at, readWord(words))
	set := k.set
	k.set = func(s *Settings, v []byte, tell teller) {
		set(s, v, tell)
		if *at(s) == "" {
			d := Defaults()
			k.clear(s, &d)
		}
	}
	return k
}

// list is a list of texts, which is joined to what it inherits.
func list(name string, at func(*Settings) *[]string, join func(inherited, list []string) []string) key {
	k := field(name, at, readList)
	k.set = func(s *Settings, v []byte, tell teller) {
		l, err := readList(v)
		if err != nil {
			tell("", v, err)
		}
		if !isWrong(err) {
			*at(s) = join(*at(s), l)
		}
	}
	return k
}

func replace(_, list []string) []string { return list }

// table is an object whose members are values of one kind.
func table[T any](name string, at func(*Settings) *map[string]T, read func([]byte) (T, error)) key {
	return key{name: name,
		set: func(s *Settings, v []byte, tell teller) {
			each(v, tell, func(k string, v []byte) {
				if isNull(v) {
					delete(*at(s), k)
					return
				}
				x, err := read(v)
				if err != nil {
					tell(k, v, err)
				}
				if isWrong(err) || isWord(err) {
					return
				}
				if *at(s) == nil {
					*at(s) = map[string]T{}
				}
				(*at(s))[k] = x
			})
		},
		clear: func(s, defaults *Settings) { *at(s) = *at(defaults) },
	}
}

func compactionOverrides() key {
	return key{name: "compaction.modelOverrides",
		set: func(s *Settings, v []byte, tell teller) {
			each(v, tell, func(model string, v []byte) {
				if isNull(v) {
					delete(s.Compaction.Models, model)
					return
				}
				own := s.Compaction.Models[model]
				each(v, func(k string, at []byte, err error) { tell(below(model, k), at, err) }, func(k string, v []byte) {
					at := &own.ReserveTokens
					switch k {
					case "reserveTokens":
					case "keepRecentTokens":
						at = &own.KeepRecentTokens
					default:
						return
					}
					if *at = nil; isNull(v) {
						return
					}
					n, err := readCount(v)
					if err != nil {
						tell(below(model, k), v, err)
					}
					if !isWrong(err) {
						*at = &n
					}
				})
				if s.Compaction.Models == nil {
					s.Compaction.Models = map[string]CompactionTokens{}
				}
				s.Compaction.Models[model] = own
			})
		},
		clear: func(s, _ *Settings) { s.Compaction.Models = nil },
	}
}

// below joins the names of keys.
func below(name, sub string) string {
	if name == "" || sub == "" {
		return name + sub
	}
	return name + "." + sub
}
