package protocol

// What tools may do without a question.
type (
	// GetPermissions asks for what is in force.
	GetPermissions struct{}

	// SetPermissions changes the mode for this run of the session, or takes back
	// what was allowed in it.
	SetPermissions struct {
		Mode   string // one of Permissions.Modes; "": as it is
		Forget bool   // what was allowed for this session
	}

	// Permissions is what is in force.
	Permissions struct {
		Mode  string
		Modes []PermissionMode

		// Rules of the settings, "bash(git status*)", and those that people have
		// allowed for this session.
		Allow, Ask, Deny []string
		Session          []string
	}

	// PermissionMode is one that there is.
	PermissionMode struct{ ID, Text string }

	// PermissionsChanged says that another mode is in force, or other rules.
	PermissionsChanged struct {
		Permissions
		By string // the front end that changed it, see Open.Who; ""
	}
)

func (GetPermissions) Name() string { return "get_permissions" }
func (SetPermissions) Name() string { return "set_permissions" }

func (GetPermissions) answers(Permissions) {}
func (SetPermissions) answers(Permissions) {}

func (PermissionsChanged) event() {}
