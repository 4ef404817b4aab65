package compaction

import (
	"context"
	"unicode/utf8"

	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/provider"
	"github.com/boughdev/bough/session"
)

// BranchOptions say how a branch that is left is summed up.
type BranchOptions struct {
	Reserve      int64  // tokens of the model's window that are kept free
	Instructions string // what to look at besides, or instead
	Replace      bool   // Instructions stand instead of the usual ones
}

// usualWindow is taken for the window of a model that tells none.
const usualWindow = 128000

// branchIntro stands before the summary of a branch.
const branchIntro = "The user explored another branch of this conversation and then came back here.\nThis is a summary of what happened there:\n\n"

// branchTask is what the model is asked to do with a branch.
const branchTask = `This is a branch of a conversation that the user is leaving. Write a summary of it for whoever goes on from another place of the conversation and has not seen the branch. Use exactly these sections, in this order:

## Goal
What the user wanted to reach here.

## Constraints & Preferences
What the user asked to be kept to, one point a line; "(none)" if nothing was said.

## Progress
### Done
- [x] what was finished
### In Progress
- [ ] what was begun
### Blocked
What stood in the way, or "(none)".

## Key Decisions
- **Decision**: why

## Next Steps
1. What would have come next.

Be brief. Keep paths of files, names of functions and texts of errors exactly as they are.`

// SumUp asks for the summary of a branch. It returns nil if there is nothing to
// sum up. From is left to the caller. A model whose window turns out to be smaller
// than the estimate said is asked with half as much, three times at most.
func (b *Branch) SumUp(ctx context.Context, a Asker, o BranchOptions) (*session.BranchSummary, error) {
	task := branchTask
	switch {
	case o.Instructions == "":
	case o.Replace:
		task = o.Instructions
	default:
		task += "\n\nLook at this above all: " + o.Instructions
	}
	var used *message.Usage
	for budget, halved := budgetOf(a.Model.Info().ContextWindow, o.Reserve), 0; ; budget, halved = max(budget/2, 1), halved+1 {
		plan := b.Plan(budget)
		talk := Serialise(plan.Items)
		if talk == "" {
			talk = b.newest(budget)
		}
		if talk == "" {
			return nil, nil
		}
		text, took, err := a.Ask(ctx, "<conversation>\n"+talk+"\n</conversation>\n\n"+task)
		used = used.Plus(took)
		switch {
		case err == nil:
			return &session.BranchSummary{Summary: branchIntro + text + plan.Files.Blocks(), Details: plan.Files.Details(), Usage: used}, nil
		case provider.KindOf(err) != provider.Overflow || halved == 3:
			return nil, err
		}
	}
}

// budgetOf is how many tokens of a conversation a model can sum up. Of a window
// that is smaller than the reserve it is half.
func budgetOf(window, reserve int64) int64 {
	if window <= 0 {
		window = usualWindow
	}
	return max(window-reserve, window/2, 1)
}

// newest is the end of a branch whose last message is larger than the budget: as
// much of it as fits, since some of a summary is better than none.
func (b *Branch) newest(budget int64) string {
	for i := len(b.items) - 1; i >= 0; i-- {
		s := Serialise(b.items[i : i+1])
		if s == "" {
			continue
		}
		if most := int(budget) * 2; len(s) > most { // in bytes: never more than the budget
			s = headAndTail(s, most)
		}
		return s
	}
	return ""
}

// headAndTail leaves out the middle of a text of which about so many bytes fit.
func headAndTail(s string, most int) string {
	head, tail := most/2, len(s)-most/2
	for head > 0 && !utf8.RuneStart(s[head]) {
		head--
	}
	for tail < len(s) && !utf8.RuneStart(s[tail]) {
		tail++
	}
	return s[:head] + "\n[...]\n" + s[tail:]
}
