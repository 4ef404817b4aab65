package repl

import (
	"errors"
	"strconv"
	"strings"

	"github.com/boughdev/bough/internal/frontend/slash"
	"github.com/boughdev/bough/internal/render"
)

// history prints the numbered path to here, or its last entries, or all there is.
func (r *repl) history(c slash.Command) error {
	a, err := c.Args("--all")
	n := -1
	if err == nil && len(a.Words) > 0 {
		if n, err = strconv.Atoi(a.Text()); err != nil || n <= 0 {
			err = errors.New("/history takes a number of entries, or --all")
		}
	}
	if err != nil {
		r.say("%s", sentence(err))
		return nil
	}
	if len(render.Next(r.view.Tree, "")) == 0 {
		r.say("Nothing has been said yet.")
		return nil
	}
	if a.Is["--all"] {
		return r.everything(n)
	}
	chain, err := render.Chain(r.view.Tree, r.view.Leaf)
	if err != nil {
		r.failed(err)
		return nil
	}
	if len(chain) == 0 {
		r.say("You stand before the first message. /history --all and /tree show what there is.")
		return nil
	}
	r.list = r.chain()
	if n > 0 && n < len(chain) {
		chain = chain[len(chain)-n:]
	}
	if r.out.speech {
		r.sayChain(chain)
		return nil
	}
	r.out.line(none, strings.Join(slash.ChainRows(r.view.Tree, chain, r.o.Width), "\n"))
	return nil
}

// everything prints all counted entries in the order of the log.
func (r *repl) everything(last int) error {
	if r.out.speech {
		r.sayAll(last)
		return nil
	}
	r.out.line(none, strings.Join(slash.AllRows(r.view.Tree, r.view.Leaf, last, r.o.Width), "\n"))
	return nil
}
