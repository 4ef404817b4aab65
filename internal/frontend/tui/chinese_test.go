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
	"first_trust": "nobody was asked shellCommandPrefix skills evil", "trust": "nobody was asked shellCommandPrefix skills evil",
	"first_gone": "Fork into this folder Open here Cancel",
	"first_key":  "Anthropic https keys",
	"first_run":  "Anthropic OpenAI Google OpenRouter ANTHROPIC API KEY None answers now",
	"login":      "Anthropic anthropic Cloud cloud Mine mine Router router Sub sub key https keys auth.json auth",
	"login_key":  "Anthropic https keys", "login_ways": "Router",
	"hotkeys": "tui back shift boug", "help": "send clear reconnect MCP Reviews what was changed pdf Reads PDF files", "prompt": "preamble context",
	"servers":          "MCP docs broken ends once",
	"settings":         "defaultModel small theme system quietStartup false steeringMode usual enabledModels ofPi What does",
	"settings_edit":    "defaultModel What does small",
	"settings_unknown": "odd theme system quietStartup false steeringMode usual enabledModels ofPi defaultModel small their key",
	"tool_list":        "read Reads Runs mcp docs Looks Much more can be said",
	"levels":           "off minimal medium high", "scoped_models": "small local mine", "models": "small local mine Large One off high",
	"sessions": sessionNames, "sessions_all": sessionNames, "sessions_search": sessionNames, "sessions_trash": sessionNames, "sessions_preview": sessionNames,
	"tree_all": "hook hologram", "question_edit": "wants change file Allow once Refuse",
	"":             "main dark pdf stub large low shell Word counter token bash edit",
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

const sessionNames = "second child the grandchild named another fork open elsewhere this very one session folder its gone how many words has"

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
		t.Run(sc.name, func(t *testing.T) {
			t.Parallel()
			known := english.FindAllString(content(sc)+" "+strings.Join(sc.keys, " ")+" "+names[""]+" "+names[sc.name], -1)
			onStage(t, sc, 120, 44, beyond, func(s *stage) {
				for _, size := range [][2]int{{120, 44}, {40, 20}, {200, 60}} {
					s.size(size[0], size[1], beyond)
					s.check(t, sc, size[0], size[1])
					shows := s.String()
					left := slices.DeleteFunc(english.FindAllString(named.ReplaceAllString(shows, " "), -1), func(w string) bool {
						return slices.ContainsFunc(known, func(k string) bool { return strings.HasPrefix(k, w) || strings.HasSuffix(k, w) })
					})
					if len(left) > 0 {
						t.Errorf("English is left at %dx%d: %s\n%s", size[0], size[1], strings.Join(left, " "), shows)
					}
				}
			}, func(o *tui.Options) { o.Lang = lang.Chinese })
		})
	}
}
