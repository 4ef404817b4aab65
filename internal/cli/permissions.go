package cli

import (
	"fmt"
	"slices"

	"github.com/boughdev/bough/internal/permission"
)

func setPermissionMode(a *args, v string) error {
	if m := permission.Mode(v); !m.Known() {
		return fmt.Errorf("--permission-mode %s: use one of %s", v, permission.ModeNames())
	}
	a.permissionMode = v
	return nil
}

// wantsQuestions reports whether somebody wants to be asked before tools are run, who
// then is there to answer. What a project says does not make a client one that can.
func (r *runner) wantsQuestions() bool {
	s, _ := r.sources("").Settings() // what is odd in them was told
	p := s.Bough.Permissions
	return p.Mode != string(permission.Auto) || len(p.Ask) > 0
}

// canAsk reports whether the front end of a mode has somebody who answers questions:
// always at a terminal, in an editor and where others come in, else where that was
// asked for.
func (l *live) canAsk() bool {
	return l.r.asks || l.mode == modeACP || l.mode == modeServe || slices.Contains([]mode{modeREPL, modeRPC}, l.mode) && l.r.wantsQuestions()
}
