package remote

// Role is what somebody may do (docs/spec/README.md, item 7).
type Role int

// The roles, each with all that those before it may do.
const (
	Viewer   Role = iota // looks on
	Operator             // does everything but change settings, credentials and devices
	Owner
)

func (r Role) String() string { return [...]string{"viewer", "operator", "owner"}[r] }

// needs returns the role that a command needs. One that is not known here needs
// the highest.
func needs(name string) (Role, bool) {
	switch name {
	case "get_queue", "get_entry", "get_state", "get_session_stats", "get_cost", "get_policy", "sync", "get_available_models",
		"get_permissions", "get_commands", "get_tools", "get_mcp_servers", "get_system_prompt", "get_settings",
		"list_sessions", "search_sessions":
		return Viewer, true
	case "prompt", "steer", "follow_up", "run_turn", "send_queue", "prompt_at", "append_message", "abort", "abort_bash", "abort_retry",
		"answer", "clear_queue", "drop_queued", "edit_queued",
		"navigate", "go_back", "go_forward", "set_label", "take_entries", "hide_entry", "unhide_entry", "edit_entry", "compact", "edit_summary",
		"set_session_name", "make_title", "new_session", "switch_session", "fork", "clone", "rename_session", "trash_session",
		"restore_session", "check_session", "export",
		"set_model", "cycle_model", "set_thinking_level", "cycle_thinking_level", "set_tools", "reconnect_mcp_server", "reload", "bash":
		return Operator, true
	case "set_setting", "set_permissions":
		return Owner, true
	}
	return Owner, false
}

// moves reports whether a command goes over to another session, which needs a
// client of one's own.
func moves(name string) bool {
	switch name {
	case "new_session", "switch_session", "fork", "clone":
		return true
	}
	return false
}

// ofLibrary reports whether a command is about the sessions there are, and so needs
// none of its own.
func ofLibrary(name string) bool {
	switch name {
	case "list_sessions", "search_sessions", "rename_session", "trash_session", "restore_session", "check_session":
		return true
	}
	return false
}
