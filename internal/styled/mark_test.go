package styled

import (
	"math/rand/v2"
	"testing"
)

// The three parts of a row are the row, and nothing of the middle lies outside of it
// by more than a character.
func TestPartLaw(t *testing.T) {
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 3))
		line := Line{{Safe(words(r, r.IntN(15))), Style{}}, {Safe(words(r, r.IntN(15))), Style{Attr: Bold}}}
		from := r.IntN(line.Width() + 2)
		to := from + r.IntN(10)
		before, in, after := line.Part(from, to)
		if got := before.Text() + in.Text() + after.Text(); got != line.Text() {
			t.Fatalf("seed %d: %q of %q", seed, got, line.Text())
		}
		if before.Width() > from || from == to && len(in) > 0 {
			t.Fatalf("seed %d: from %d to %d of %q: %q %q %q", seed, from, to, line.Text(), before.Text(), in.Text(), after.Text())
		}
	}
	_, in, _ := Of("你好世界", Style{}).Part(1, 5)
	if in.Text() != "你好世" {
		t.Errorf("half characters: %q", in.Text())
	}
}

func TestMarks(t *testing.T) {
	rows := Wrap(Of("one two threefour", Style{}), 8, nil, Of("  ", Style{}))
	for i, want := range []Mark{Wrapped, Broken, 0} {
		_, w := rows[i].Has(Wrapped)
		_, b := rows[i].Has(Broken)
		if w != (want == Wrapped) || b != (want == Broken) {
			t.Errorf("row %d, %q: wrapped %v, broken %v", i, rows[i].Text(), w, b)
		}
	}
	if front, ok := rows[0].Has(Wrapped); front != 2 || !ok {
		t.Errorf("front %d", front)
	}
}
