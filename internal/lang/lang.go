// Package lang has the languages that people are spoken to in: English, and
// Simplified Chinese.
//
// The English text is the key; zh.go has a line for each. What is not there stays
// English, and a test names it. A text may have verbs of fmt; the other language has
// the same ones, in another order by their numbers: "%[2]s %[1]d".
package lang

import (
	"fmt"
	"strings"
)

// Language is how people are spoken to; the zero value is English.
type Language string

const (
	English Language = ""
	Chinese Language = "zh-CN"
)

// Parse reads the name of a language: en, zh-CN.
func Parse(name string) (Language, error) {
	switch strings.ToLower(strings.ReplaceAll(name, "_", "-")) {
	case "en":
		return English, nil
	case "zh-cn":
		return Chinese, nil
	}
	return English, fmt.Errorf("the languages are en and zh-CN, not %s", name)
}

// Of returns the language that somebody wants: by a flag, else a setting, else what
// the system says. Of the flag and the setting only names that Parse knows count.
func Of(flag, setting string, getenv func(string) string) Language {
	for _, name := range []string{flag, setting} {
		if l, err := Parse(name); err == nil {
			return l
		}
	}
	for _, name := range []string{"LC_ALL", "LC_MESSAGES", "LANG"} {
		if v := getenv(name); v != "" {
			return ofLocale(v)
		}
	}
	return English
}

// ofLocale reads a locale: zh_CN.UTF-8. Where Chinese is written in another way, or in
// another encoding than ours, it is English.
func ofLocale(s string) Language {
	s, _, _ = strings.Cut(strings.ToLower(s), "@")
	s, charset, _ := strings.Cut(s, ".")
	if charset != "" && charset != "utf-8" && charset != "utf8" {
		return English
	}
	parts := strings.FieldsFunc(s, func(r rune) bool { return r == '_' || r == '-' })
	if len(parts) == 0 || parts[0] != "zh" {
		return English
	}
	for _, p := range parts[1:] {
		switch p {
		case "tw", "hk", "mo", "hant":
			return English
		}
	}
	return Chinese
}

// T says a text, which is a format if there are arguments.
func (l Language) T(text string, args ...any) string {
	text = l.of(text)
	if len(args) == 0 {
		return text
	}
	return fmt.Sprintf(text, args...)
}

// N says how many there are of something: N(n, "%d message", "%d messages"). The text
// for many is the key. More arguments stand behind n.
func (l Language) N(n int, one, many string, more ...any) string {
	text := many
	if n == 1 && l == English {
		text = one
	}
	return fmt.Sprintf(l.of(text), append([]any{n}, more...)...)
}

func (l Language) of(text string) string {
	if l == Chinese {
		if zh, ok := chinese()[text]; ok {
			return zh
		}
	}
	return text
}
