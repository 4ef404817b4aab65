package repl

import (
	"strings"

	"github.com/boughdev/bough/internal/frontend/slash"
	"github.com/boughdev/bough/internal/lang"
	"github.com/boughdev/bough/protocol"
)

// permissions shows what tools may do, changes the mode for this run, or takes back
// what was allowed for this session.
func (r *repl) permissions(word string) error {
	var (
		p   protocol.Permissions
		err error
	)
	switch word {
	case "":
		p, err = protocol.Call(r.ctx, r.c, protocol.GetPermissions{})
	case "forget":
		p, err = protocol.Call(r.ctx, r.c, protocol.SetPermissions{Forget: true})
	default:
		p, err = protocol.Call(r.ctx, r.c, protocol.SetPermissions{Mode: word})
	}
	if err != nil {
		r.failed(err)
		return nil
	}
	if word != "" && word != "forget" {
		for _, m := range p.Modes {
			if m.ID == p.Mode {
				r.say("%s: %s", m.ID, m.Text)
			}
		}
		return nil
	}
	for _, line := range slash.PermissionText(lang.English, p) {
		r.say("%s", line)
	}
	if word == "" {
		names := make([]string, len(p.Modes))
		for i, m := range p.Modes {
			names[i] = m.ID
		}
		r.note("/permissions %s changes it for this run; forget takes back what was allowed for this session.", strings.Join(names, "|"))
	}
	return nil
}
