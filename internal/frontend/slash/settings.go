package slash

import (
	"fmt"
	"strings"

	"github.com/boughdev/bough/protocol"
)

// SettingRow says on one line what a setting is and who says so. Folders of the
// user begin with ~ if home is theirs.
func SettingRow(s protocol.Setting, home string) string {
	now := s.Force()
	row := fmt.Sprintf("%s = %s (%s)", s.Key, value(now.Value), short(now.From, home))
	if s.Sources[0].Ignored != "" {
		row += fmt.Sprintf("; %s, says %s: %s", short(s.Sources[0].From, home), value(s.Sources[0].Value), s.Sources[0].Ignored)
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
		from := short(f.From, home)
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

func short(from, home string) string {
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
