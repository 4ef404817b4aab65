package render

import (
	"strings"
	"testing"

	"github.com/boughdev/bough/session"
)

// A tree shows what cannot be read in its place, and where the place is a guess.
func TestRowsOfADamagedLog(t *testing.T) {
	said := func(id, parent, role string) string {
		return `{"type":"message","id":"` + id + `","parentId":"` + parent + `","timestamp":"2026-03-01T09:00:00.000Z","message":{"role":"` + role + `","content":"` + id + ` says","timestamp":1}}`
	}
	lines := []string{
		said("a", "", "user"),
		said("b", "a", "assistant")[:125],
		said("c", "b", "user"),
		said("d", "c", "user")[:60],
		said("e", "d", "user"),
		`{"type":"label","id":"f","parentId":"e","timestamp":"2026-03-01T09:00:00.000Z","targetId`,
		said("g", "f", "user"),
		"not ours",
		said("h", "gone", "user"),
		strings.Replace(said("", "h", "user"), `"id":"",`, "", 1),
		said("i", "lost", "user"),
	}
	data := strings.Join(lines, "\n") + "\n"
	var s session.Salvage
	for at, line := range session.Lines([]byte(data), 0) {
		s.Line(line, at)
	}
	x, err := s.Index(log(data))
	if err != nil {
		t.Fatal(err)
	}
	tr := session.NewTreeOf(x, log(data))
	l := TreeLines{Tree: tr, Width: 80}
	var got strings.Builder
	for _, row := range TreeRows(tr, tr.Leaf(), TreeOptions{ASCII: true}) {
		got.WriteString(l.Line(row) + "\n")
	}
	want := `
  #0 * user: a says
     * (damaged: answer that cannot be read, line 2)
  #1 * user: c says
     * (damaged: message that cannot be read, line 4)
  #2 * user: e says
  #3 * user: g says
     * (damaged: something that cannot be read, line 8)
  #4 * user: h says
  #5 * user: says (no id)
> #6 * user: i says (parent lost)
`
	if got.String() != want[1:] {
		t.Errorf("got\n%s\nwant\n%s", got.String(), want)
	}
}

type log string

func (l log) Read(at session.Line) ([]byte, error) {
	return []byte(strings.Trim(string(l[int(at.Seq)-at.Size:at.Seq]), "\n")), nil
}
