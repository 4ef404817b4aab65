package rpc

import (
	"context"
	"errors"

	"github.com/boughdev/bough/protocol"
)

// Codes of failures that only this front end has.
const (
	UnknownView protocol.Code = "unknown_view"
)

// codeOf is the machine's word for a failure.
func codeOf(err error) protocol.Code {
	if code := protocol.CodeOf(err); code != "" {
		return code
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, protocol.ErrClosed) { // the view was closed meanwhile
		return protocol.Cancelled
	}
	return ""
}

// ourNames are the commands that only bough has, as get_capabilities lists them.
func ourNames() []string {
	return []string{
		"get_capabilities", "open_view", "attach_view", "close_view", "list_views", "subscribe", "unsubscribe", "sync",
		"navigate", "go_back", "go_forward", "append_message", "run_turn", "prompt_at", "set_label", "hide_entry", "unhide_entry", "edit_entry",
		"take_entries", "edit_summary",
		"get_path", "get_context", "get_leaves", "get_entry",
		"get_queue", "drop_queued", "edit_queued", "send_queue", "answer", "get_permissions", "set_permissions",
		"list_sessions", "search_sessions", "rename_session", "trash_session", "restore_session", "check_session",
		"get_stats", "get_cost", "get_policy", "make_title", "get_tools", "set_tools", "get_mcp_servers", "reconnect_mcp_server",
		"get_system_prompt", "reload", "get_settings", "set_setting", "export",
	}
}

// Fields that several commands have.
var (
	ofEntry   = field{name: "entryId"}
	ofExact   = field{name: "exact", kind: flag, optional: true}
	ofLimit   = field{name: "limit", kind: count, optional: true}
	ofSession = field{name: "session"}
)

// findOurs returns the command that only bough has of a name.
func findOurs(name string) (command, bool) {
	switch name {
	case "get_capabilities":
		return command{does: getCapabilities, views: true}, true
	case "open_view":
		return command{fields: []field{{name: "sessionPath", optional: true}, {name: "sessionId", optional: true}, {name: "entryId", kind: place, optional: true}, ofExact,
			{name: "cwd", optional: true}, {name: "name", optional: true}, {name: "attach", kind: flag, optional: true}, {name: "create", kind: flag, optional: true},
			{name: "join", kind: flag, optional: true}}, does: openView, slow: true, soon: true, views: true,
			waits: func(c call) bool { return !c.flag("attach") }}, true // the commands behind it mean that view
	case "attach_view":
		return command{fields: []field{{name: "view"}}, does: attachView, views: true}, true
	case "close_view":
		return command{fields: []field{{name: "view"}, {name: "abort", kind: flag, optional: true}}, does: closeView, slow: true, soon: true, views: true}, true
	case "list_views":
		return command{does: listViews, views: true}, true
	case "subscribe":
		return command{fields: []field{{name: "views", kind: either}, {name: "level", optional: true, words: []string{"pi", "full"}},
			{name: "snapshot", kind: flag, optional: true}}, does: subscribe, views: true}, true
	case "unsubscribe":
		return command{fields: []field{{name: "views", kind: either}}, does: unsubscribe, views: true}, true
	case "sync":
		return command{does: func(context.Context, *window, call) (reply, error) { return nil, nil }}, true

	case "navigate":
		return command{fields: []field{{name: "entryId", kind: place}, {name: "position", optional: true, words: []string{"auto", "at"}}, ofExact,
			{name: "summarize", kind: flag, optional: true}, {name: "customInstructions", optional: true}, {name: "replaceInstructions", kind: flag, optional: true},
			{name: "label", optional: true}, {name: "persist", kind: flag, optional: true}}, does: navigate, slow: true, waits: func(c call) bool { return c.flag("summarize") }, lag: summaryLag}, true
	case "go_back":
		return command{does: stepping(protocol.Back{})}, true
	case "go_forward":
		return command{does: stepping(protocol.Forward{})}, true
	case "append_message":
		return command{fields: []field{{name: "parentId", kind: place, optional: true}, {name: "role", words: []string{"user", "assistant", "custom"}},
			{name: "content", kind: content}, {name: "images", kind: images, optional: true}, {name: "customType", optional: true},
			{name: "display", kind: flag, optional: true}, {name: "details", kind: anything, optional: true}, {name: "api", optional: true},
			{name: "provider", optional: true}, {name: "model", optional: true}, {name: "usage", kind: entity, optional: true},
			{name: "stopReason", optional: true, words: []string{"stop", "length", "error", "aborted"}},
			{name: "timestamp", kind: moment, optional: true}, {name: "moveLeaf", kind: flag, optional: true}}, does: appendMessage}, true
	case "run_turn":
		return command{fields: []field{{name: "entryId", kind: place, optional: true}, ofExact}, begins: runTurn}, true
	case "prompt_at":
		return command{fields: []field{{name: "parentId", kind: place}, {name: "message"}, {name: "images", kind: images, optional: true}, ofExact}, begins: promptAt}, true
	case "set_label":
		return command{fields: []field{ofEntry, {name: "label", optional: true}}, does: setLabel}, true
	case "hide_entry":
		return command{fields: []field{ofEntry}, does: hide}, true
	case "unhide_entry":
		return command{fields: []field{{name: "entryId", optional: true}}, does: unhide}, true
	case "edit_entry":
		return command{fields: []field{ofEntry, {name: "text"}}, does: editEntry}, true
	case "take_entries":
		return command{fields: []field{{name: "what", words: []string{"answer", "summary", "entries"}}, {name: "entryIds", kind: texts},
			{name: "toEntryId", optional: true}, {name: "customInstructions", optional: true}}, does: takeEntries, slow: true,
			waits: func(c call) bool { return c.text("what") == "summary" }, lag: summaryLag}, true
	case "edit_summary":
		return command{fields: []field{ofEntry, {name: "text"}}, does: editSummary}, true

	case "get_path":
		return command{fields: []field{{name: "entryId", kind: place, optional: true}, {name: "from", optional: true}}, does: getPath}, true
	case "get_context":
		return command{fields: []field{{name: "entryId", kind: place, optional: true}}, does: getContext}, true
	case "get_leaves":
		return command{fields: []field{ofLimit}, does: getLeaves}, true
	case "get_entry":
		return command{fields: []field{ofEntry}, does: getEntry}, true
	}
	return findWork(name)
}

// findWork returns the commands about what waits, what a session works with, and
// about sessions as a whole.
func findWork(name string) (command, bool) {
	scope := []field{{name: "scope", optional: true, words: []string{"cwd", "all"}}, {name: "cwd", optional: true}, ofLimit}
	switch name {
	case "get_queue":
		return command{does: queueOf(func(call) protocol.Command[protocol.Queue] { return protocol.GetQueue{} })}, true
	case "drop_queued":
		return command{fields: []field{{name: "entryId"}}, does: queueOf(dropQueued)}, true
	case "edit_queued":
		return command{fields: []field{{name: "entryId"}, {name: "message"}}, does: queueOf(editQueued)}, true
	case "send_queue":
		return command{begins: sendQueue}, true
	case "answer":
		return command{fields: []field{{name: "question"}, {name: "choice"}, {name: "text", optional: true}}, does: answerTo}, true
	case "get_permissions":
		return command{does: getPermissions}, true
	case "set_permissions":
		return command{fields: []field{{name: "mode", optional: true}, {name: "forget", kind: flag, optional: true}}, does: setPermissions}, true

	case "list_sessions":
		return command{fields: append(scope, field{name: "query", optional: true}, field{name: "cursor", optional: true}), does: listSessions, slow: true, soon: true}, true
	case "search_sessions":
		return command{fields: append(scope, field{name: "query"}), does: searchSessions, slow: true, soon: true}, true
	case "rename_session":
		return command{fields: []field{ofSession, {name: "name"}}, does: renameSession, slow: true, soon: true}, true
	case "trash_session":
		return command{fields: []field{ofSession}, does: trashSession, slow: true, soon: true}, true
	case "restore_session":
		return command{fields: []field{ofSession}, does: restoreSession, slow: true, soon: true}, true
	case "check_session":
		return command{fields: []field{{name: "session", optional: true}}, does: checkSession, slow: true, soon: true}, true

	case "get_stats":
		return command{does: getAllStats}, true
	case "get_cost":
		return command{fields: []field{{name: "others", kind: flag, optional: true}, {name: "nextOnly", kind: flag, optional: true}}, does: getCost, slow: true, soon: true}, true
	case "get_policy":
		return command{does: getPolicy}, true
	case "make_title":
		return command{does: makeTitle, slow: true, soon: true}, true
	case "get_tools":
		return command{does: getTools}, true
	case "set_tools":
		return command{fields: []field{{name: "on", kind: texts, optional: true}, {name: "off", kind: texts, optional: true}}, does: setTools}, true
	case "get_mcp_servers":
		return command{does: getServers}, true
	case "reconnect_mcp_server":
		return command{fields: []field{{name: "server"}}, does: reconnect, slow: true, soon: true}, true
	case "get_system_prompt":
		return command{does: getSystemPrompt}, true
	case "reload":
		return command{does: reload, slow: true, soon: true}, true
	case "get_settings":
		return command{fields: []field{{name: "key", optional: true}, {name: "all", kind: flag, optional: true}}, does: getSettings}, true
	case "set_setting":
		return command{fields: []field{{name: "key"}, {name: "value", kind: anything, optional: true}, {name: "unset", kind: flag, optional: true},
			{name: "save", kind: flag, optional: true}}, does: setSetting}, true
	case "export":
		return command{fields: []field{{name: "path", optional: true}, {name: "whole", kind: flag, optional: true}, {name: "static", kind: flag, optional: true},
			{name: "redact", kind: flag, optional: true}, {name: "page", kind: flag, optional: true}, {name: "force", kind: flag, optional: true}}, does: export, slow: true, soon: true}, true
	}
	return command{}, false
}

// getCapabilities says what there is beyond pi.
func getCapabilities(_ context.Context, w *window, _ call) (reply, error) {
	return done(newObject().str("server", "bough").str("version", w.s.o.Version).num("protocol", 1).str("pi", "1.6.0").
		texts("commands", ourNames()).texts("events", eventNames()).
		raw("limits", newObject().num("waitingBytes", maxWaiting).flag("views", w.s.o.Door != nil).done())), nil
}
