package slash

import (
	"errors"
	"fmt"
	"strings"

	"github.com/boughdev/bough/protocol"
)

// SettingChange reads what changes a setting: "KEY VALUE" for this run, "unset KEY"
// takes that back, "save KEY VALUE" writes it to the user's file. It returns false if
// words only ask for one, or for all.
func SettingChange(words string) (c protocol.SetSetting, ok bool, err error) {
	first, rest, _ := strings.Cut(words, " ")
	rest = strings.TrimSpace(rest)
	switch {
	case first == "unset":
		return protocol.SetSetting{Key: rest, Unset: true}, true, nil
	case first == "save":
		key, v, ok := strings.Cut(rest, " ")
		if !ok {
			return c, false, errors.New("/settings save takes a key and a value: /settings save retry.maxRetries 5")
		}
		return protocol.SetSetting{Key: key, Value: strings.TrimSpace(v), Save: true}, true, nil
	case rest == "":
		return c, false, nil
	}
	return protocol.SetSetting{Key: first, Value: rest}, true, nil
}

// SettingRow says on one line what a setting is and who says so. Folders of the
// user begin with ~ if home is theirs.
func SettingRow(s protocol.Setting, home string) string {
	now := s.Force()
	row := fmt.Sprintf("%s = %s (%s)", s.Key, value(now.Value), From(now.From, home))
	if s.Sources[0].Ignored != "" {
		row += fmt.Sprintf("; %s, says %s: %s", From(s.Sources[0].From, home), value(s.Sources[0].Value), s.Sources[0].Ignored)
	}
	if s.Unused != "" {
		row += "; " + s.Unused
	}
	return row
}

// SettingText says all there is to say of a setting.
func SettingText(s protocol.Setting, home string) []string {
	now := s.Force()
	lines := []string{s.Key + " = " + value(now.Value)}
	add := func(name, format string, args ...any) {
		lines = append(lines, fmt.Sprintf("  %-8s %s", name, fmt.Sprintf(format, args...)))
	}
	seen := false
	for _, f := range s.Sources {
		from := From(f.From, home)
		switch {
		case f.Ignored != "":
			add("ignored", "%s: %s (%s)", from, value(f.Value), f.Ignored)
		case !seen:
			add("from", "%s", from)
			seen = true
		default:
			add("beneath", "%s: %s", from, value(f.Value))
		}
	}
	add("meaning", "%s", s.Help)
	add("allowed", "%s", s.Allowed)
	if s.Unused != "" {
		add("note", "%s", s.Unused)
	}
	return lines
}

func value(v string) string {
	if v == "" {
		return "(not set)"
	}
	return v
}

// From says where a setting comes from, with ~ for the folder of the user.
func From(from, home string) string {
	level, where, ok := strings.Cut(from, ", ")
	if !ok {
		return from
	}
	return level + ", " + Home(where, home)
}

// Home writes a path below the user's home with ~.
func Home(path, home string) string {
	if rest, ok := strings.CutPrefix(path, strings.TrimRight(home, "/")+"/"); ok && len(home) > 1 {
		return "~/" + rest
	}
	return path
}
