package tui_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/boughdev/bough/session"
)

// wordy is a session whose messages say what they are about far behind their start.
func wordy(n int) *grove {
	g := &grove{}
	last := ""
	for i := range n {
		id := fmt.Sprintf("e%05d", i)
		g.say(id, last, user(fmt.Sprintf("%s and then deepword number %d, among others", strings.Repeat("so it goes on ", 8), i)))
		last = id
	}
	return g
}

// uncursed is what says where the cursor is, which hangs on what was found on the way.
var uncursed = regexp.MustCompile(`> |\(\d+/`)

// What is found letter by letter is what is found at once, whether it is looked for
// among what was found before or everywhere.
func TestLetterByLetterFindsTheSame(t *testing.T) {
	g := &grove{}
	last := ""
	for i, text := range []string{"flag package", "the flagship", "a fla g", "FLAGS", "Größe", "größer als", "ship the flag", "tool: call", `say "flag"`, "fl", "re:flag", "nothing"} {
		id := fmt.Sprintf("m%d", i)
		g.say(id, last, user(text))
		last = id
	}
	g.add("l", last, session.Label{Target: "m9", Text: "flagged"})
	found := regexp.MustCompile(`\d+ found|nothing has it|expression`)
	for _, query := range []string{"flag", "flag ship", "ship flag", "größe", "user", "tool:", `"flag"`, "re:fla", "flagged", "zebra"} {
		s, _ := look(t, 100, 30, g.evs)
		s.Shows("nothing")
		s.Type("/tree", "enter")
		s.Shows("Session tree")
		wait := func() (rows string) {
			s.Until("an end of the search", func(screen string) bool {
				rows = screen
				return !strings.Contains(screen, "searching") && found.MatchString(screen)
			})
			return rows[strings.Index(rows, "search: "):]
		}
		for i, c := range query {
			s.Type(string(c))
			s.Shows("search: " + query[:i+len(string(c))])
			if i%2 == 1 {
				wait()
			}
		}
		s.Shows("search: " + query)
		slowly := wait()
		s.End()
		s, _ = look(t, 100, 30, g.evs)
		s.Shows("nothing")
		s.Type("/tree", "enter")
		s.Shows("Session tree")
		s.Paste(query)
		s.Shows("search: " + query)
		s.Until("the same as letter by letter:\n"+slowly, func(screen string) bool {
			return strings.HasSuffix(uncursed.ReplaceAllString(screen, "  "), uncursed.ReplaceAllString(slowly, "  "))
		})
		s.End()
	}
}

// Of many hits too the rows that are seen show what was found.
func TestManyHitsShowTheirWords(t *testing.T) {
	s, _ := look(t, 100, 24, wordy(1200).evs)
	s.Shows("deepword number 1199")
	s.Type("/tree", "enter")
	s.Shows("(1200/1200)")
	s.Type("deepword")
	s.Shows("1200 found", "deepword number 1199", "deepword number 1190")
	s.Type("home")
	s.Shows("deepword number 0,", "deepword number 7,")
	s.Type(" 77,")
	s.Shows("12 found", "deepword number 77,", "deepword number 1177,")
	s.Type("backspace")
	s.Shows("21 found", "deepword number 770,", "deepword number 777,")
}

// A label that comes while a search is open is found by one letter more.
func TestALabelThatComesIsFound(t *testing.T) {
	g := wordy(30)
	s, p := look(t, 100, 24, g.evs)
	s.Shows("deepword number 29")
	s.Type("/tree", "enter")
	s.Shows("(30/30)")
	s.Type("deepword 29")
	s.Shows("1 found")
	g.add("l", "e00029", session.Label{Target: "e00007", Text: "deepword 29 too"})
	p.tell(g.evs[len(g.evs)-1])
	s.Shows("2 found")
	s.Type(" too")
	s.Shows("1 found", "[deepword 29 too]")
}
