package tui_test

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/boughdev/bough/internal/frontend/tui"
	"github.com/boughdev/bough/internal/lang"
	"github.com/boughdev/bough/protocol"
)

// english finds what may be a word of English.
var english = regexp.MustCompile(`[A-Za-z]{3,}`)

// named are what stays as it is in Chinese: commands, settings, options, paths, keys.
var named = regexp.MustCompile(`(^|[\s("（：、；，。])(/|--|-|\+|@|!|\$ |~)[\w./~+-]*|[\w-]+(\.[\w-]+)+|\b(ctrl|alt|shift|esc|enter|tab|space|home|end|pgup|pgdn|up|down|left|right|backspace|delete)\b|\bbough( [a-z-]+)*\b`)

// names are words of screens that are names, and what the fixtures say beside the
// conversation.
var names = map[string]string{
	"":             "stub large low shell Word counter token bash edit",
	"start":        "last here hours ago",
	"streaming":    "What they want half list ans",
	"failed":       "key not valid disk almost full has",
	"retry":        "overloaded try again while",
	"question":     "build Allow once Always allow Refuse and say why wants run",
	"permissions":  "ask asks before what changes something all nothing forget test",
	"session_info": "puppet",
	"history":      "hook",
	"everything":   "hook", "everything_up": "hook", "everything_open": "hook", "thinking_hidden": "hook",
	"tools": "query", "tools_open": "query",
	"context":      "hook",
	"tool_running": "line of the output test",
	"queue":        "and then count the lines too in all files that there are below this folder commit",
	"queue_list":   "and then count the lines too commit",
	"paste":        "pasted",
	"long_draft":   "draft that long enough broken every width there and has lines",
}

// theirs says whether words of a scene are looked at elsewhere.
func theirs(name string) bool {
	return slices.ContainsFunc([]string{"tree", "compare", "sessions", "fork", "models", "scoped_models", "levels", "settings", "tool_list", "servers", "prompt", "help", "hotkeys", "login", "trust", "complete_command", "question_edit", "first"},
		func(s string) bool { return strings.HasPrefix(name, s) })
}

// content are the words that the conversation of a scene has.
func content(sc scene) string {
	var all strings.Builder
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case string:
			all.WriteString(v + " ")
		case []any:
			for _, x := range v {
				walk(x)
			}
		case map[string]any:
			for k, x := range v {
				switch k {
				case "type", "role", "customType", "stopReason", "api":
				default:
					walk(x)
				}
			}
		}
	}
	for _, ev := range sc.session() {
		raw, err := ev.(protocol.Appended).Entry.Raw()
		if err != nil {
			panic(err)
		}
		var v any
		if json.Unmarshal(raw, &v) == nil {
			walk(v)
		}
	}
	return all.String()
}

// In Chinese no English is left on a screen but names and what was said in it.
func TestScreensInChinese(t *testing.T) {
	for _, sc := range scenes {
		if theirs(sc.name) {
			continue
		}
		t.Run(sc.name, func(t *testing.T) {
			t.Parallel()
			known := english.FindAllString(content(sc)+" "+strings.Join(sc.keys, " ")+" "+names[""]+" "+names[sc.name], -1)
			onStage(t, sc, 120, 44, beyond, func(s *stage) {
				for _, size := range [][2]int{{120, 44}, {40, 20}, {200, 60}} {
					s.size(size[0], size[1], beyond)
					s.check(t, sc, size[0], size[1])
					shows := s.String()
					left := slices.DeleteFunc(english.FindAllString(named.ReplaceAllString(shows, " "), -1), func(w string) bool {
						return slices.ContainsFunc(known, func(k string) bool { return strings.Contains(k, w) })
					})
					if len(left) > 0 {
						t.Errorf("English is left at %dx%d: %s\n%s", size[0], size[1], strings.Join(left, " "), shows)
					}
				}
			}, func(o *tui.Options) { o.Lang = lang.Chinese })
		})
	}
}
