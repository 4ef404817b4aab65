package slash

import (
	"fmt"
	"strings"

	"github.com/boughdev/bough/internal/lang"
	"github.com/boughdev/bough/protocol"
)

// PermissionText says what tools may do without a question.
func PermissionText(in lang.Language, p protocol.Permissions) []string {
	var lines []string
	for _, m := range p.Modes {
		mark := " "
		if m.ID == p.Mode {
			mark = "*"
		}
		lines = append(lines, fmt.Sprintf("%s %-9s  %s", mark, m.ID, in.Said(m.Text)))
	}
	for _, l := range []struct {
		what  string
		rules []string
	}{{"denied", p.Deny}, {"asked about", p.Ask}, {"allowed", p.Allow}, {"allowed for this session", p.Session}} {
		if len(l.rules) > 0 {
			lines = append(lines, in.T(l.what)+": "+strings.Join(l.rules, ", "))
		}
	}
	return lines
}
