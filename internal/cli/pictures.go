package cli

import (
	"context"
	"os/exec"
	"strings"
	"time"

	"github.com/boughdev/bough/internal/config"
	"github.com/boughdev/bough/internal/term"
)

// pictures says how the terminal shows images; nil: not at all.
func (r *runner) pictures(s config.Screen) func(context.Context) term.Pictures {
	if !s.ShowImages || r.args.ascii || s.Images == "false" {
		return nil
	}
	return func(ctx context.Context) term.Pictures {
		tmux := r.env.Getenv("TMUX") != ""
		switch {
		case s.Images == "kitty" && tmux:
			return term.KittyBehind
		case s.Images == "kitty":
			return term.KittyPictures
		case s.Images == "iterm2":
			return term.ITermPictures
		case tmux:
			return behindTmux(ctx)
		}
		return term.PicturesOf(r.env.Getenv)
	}
}

// behindTmux asks tmux which terminal it is shown on and what it lets pass.
func behindTmux(ctx context.Context) term.Pictures {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, "tmux", "display-message", "-p", "#{client_termname} #{allow-passthrough}").Output()
	if err != nil { // an old tmux, or none to be asked
		return term.NoPictures
	}
	name, pass, _ := strings.Cut(strings.TrimSpace(string(out)), " ")
	return term.PicturesBehind(name, pass)
}
