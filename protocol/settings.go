package protocol

// Settings of the program.
type (
	// GetSettings asks for settings and where they come from: the one with that
	// name, or all that something but the default is said of, or all.
	GetSettings struct {
		Key string
		All bool
	}

	// Settings is what GetSettings found, and what is odd about the files.
	Settings struct {
		Settings []Setting
		Hints    []string
		Unknown  []UnknownSetting // if all are asked for
	}

	// UnknownSetting is a name in a file that bough does not go by. It stays there.
	UnknownSetting struct {
		Key  string
		From string // as of a SettingSource
	}

	// Setting is one of them.
	Setting struct {
		Key     string
		Section string // of the list of all
		Help    string
		Allowed string   // "one of all, one-at-a-time"
		Kind    string   // "text", "flag", "word", "number", "list", "object", "any"
		Words   []string // that a word may be, and a number besides
		Default string   // JSON; "" if there is none
		Unused  string   // why bough does not go by it; ""

		// Sources are the places that say something of it, the default included.
		// The first that is not ignored counts.
		Sources []SettingSource
	}

	// SettingSource is what one place says.
	SettingSource struct {
		Value   string // JSON; ""
		From    string // "user, /home/u/.pi/agent/settings.json:3"
		Ignored string // why it does not count; ""
	}

	// SetSetting sets a setting for this run, or takes that back, or changes it in
	// the user's file.
	SetSetting struct {
		Key   string `json:"key,required"`
		Value string // as a person writes it
		Unset bool
		Save  bool
	}

	// SettingSet says what came of it.
	SettingSet struct {
		Setting Setting
		Effect  string // "at once", "from the next start on"
		Undo    string // the command line that sets it back; "" if nothing was saved
	}
)

// Force is the source that counts.
func (s Setting) Force() SettingSource {
	for _, f := range s.Sources {
		if f.Ignored == "" {
			return f
		}
	}
	return SettingSource{}
}

func (GetSettings) Name() string { return "get_settings" }
func (SetSetting) Name() string  { return "set_setting" }

func (GetSettings) answers(Settings)  {}
func (SetSetting) answers(SettingSet) {}
