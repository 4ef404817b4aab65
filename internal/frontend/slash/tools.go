package slash

import (
	"fmt"
	"strings"

	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/protocol"
)

// ToolChange reads which tools are to be on and off: "+grep -bash".
func ToolChange(words string) (c protocol.SetTools, err error) {
	for _, w := range strings.Fields(words) {
		switch {
		case len(w) > 1 && w[0] == '+':
			c.On = append(c.On, w[1:])
		case len(w) > 1 && w[0] == '-':
			c.Off = append(c.Off, w[1:])
		default:
			w = render.OneLine(w)
			return c, fmt.Errorf("/tools takes names with a sign: /tools +%s turns it on, /tools -%s off.", w, w)
		}
	}
	return c, nil
}

// FirstSentence is that of a text, on one line.
func FirstSentence(s string) string {
	s = render.OneLine(s)
	if head, _, ok := strings.Cut(s, ". "); ok {
		return head + "."
	}
	return s
}
