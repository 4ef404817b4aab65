package cli

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/boughdev/bough/internal/frontend/tui"
	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/internal/trust"
)

// aroundTrust says how it stands with what a folder brings along.
func (r *runner) aroundTrust(dir string) (tui.Trust, error) {
	d := r.setup.Trusts(dir)
	return shownTrust(dir, d), d.Problem
}

func shownTrust(dir string, d trust.Decision) tui.Trust {
	t := tui.Trust{Dir: dir, Parent: filepath.Dir(trust.Real(dir)), Trusted: d.Trusted, Why: d.Why}
	for n, c := range d.Changed {
		if n == 20 {
			t.Changed = append(t.Changed, fmt.Sprintf("and %d more", len(d.Changed)-n))
			break
		}
		t.Changed = append(t.Changed, c.What+" "+render.Below(c.Path, dir))
	}
	const files, lines = 30, 8
	n := 0
	for _, i := range d.Items {
		item := tui.TrustItem{Path: render.Below(i.Path, dir), Files: len(i.Files), More: i.More, Size: i.Size(), Notes: i.Notes}
		for _, f := range i.Files {
			if n++; n > files {
				break
			}
			if len(i.Files) > 1 {
				item.Begins = append(item.Begins, render.Below(f.Path, dir)+":")
			}
			item.Begins = append(item.Begins, trust.FirstLines(f.Path, lines)...)
		}
		t.Items = append(t.Items, item)
	}
	return t
}

// askOnScreen puts the question of trust on a screen of its own.
func (r *runner) askOnScreen(ctx context.Context, dir string, d trust.Decision) bool {
	answer, err := tui.AskTrust(ctx, r.screen(), shownTrust(dir, d))
	if err != nil {
		return false // the start comes to the same trouble
	}
	yes, err := r.setTrust(ctx, dir, answer)
	if err != nil {
		r.tell(err.Error())
	}
	return yes
}

// setTrust keeps what somebody said to a project, and reports whether it is trusted.
func (r *runner) setTrust(ctx context.Context, dir string, answer tui.TrustAnswer) (yes bool, err error) {
	switch answer {
	case tui.TrustAlways:
		return true, trust.Remember(ctx, r.setup.Places(), dir, true)
	case tui.TrustParent:
		if err = trust.Remember(ctx, r.setup.Places(), filepath.Dir(trust.Real(dir)), true); err == nil {
			err = trust.Accept(r.setup.Places(), dir)
		}
		return true, err
	case tui.TrustOnce:
		return true, nil
	case tui.TrustNever:
		return false, trust.Remember(ctx, r.setup.Places(), dir, false)
	case tui.TrustForget:
		return false, trust.Forget(ctx, r.setup.Places(), dir)
	}
	return false, nil
}
