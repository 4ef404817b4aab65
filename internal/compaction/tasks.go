package compaction

import "fmt"

// layout is what a summary of a conversation looks like.
const layout = `Use exactly these sections, in this order:

## Goal
What the user wants to reach; more than one goal as a list.

## Constraints & Preferences
- what the user asked to be kept to, or "(none)"

## Progress
### Done
- [x] what is finished
### In Progress
- [ ] what was begun
### Blocked
- what stands in the way, or "(none)"

## Key Decisions
- **Decision**: why

## Next Steps
1. What comes next, in order.

## Critical Context
- data, names and findings without which nobody can go on, or "(none)"

Be brief, and write in the language of the user. Keep paths of files, names, numbers and texts of errors exactly as they are.`

// newTask is for a conversation that was never summed up.
const newTask = `This is the older part of a conversation. It is about to be taken away from the assistant, who goes on with the work and will have your summary in its place. Write down all that is needed for that. `

// nextTask is for one that was.
const nextTask = `This is what was said since the summary in <previous-summary> was written. All of it is about to be taken away from the assistant, who goes on with the work and will have your new summary in its place. Write the summary anew: keep what still holds, add what is new, move what was finished from In Progress to Done, and say what comes next now. `

// turnTask is for the beginning of a turn whose end stays.
const turnTask = `# Instructions

This is the beginning of a turn that is too long to be kept. Its end stays in the conversation and follows your summary. Write down what is needed to understand the end. Use exactly these sections, in this order:

## Original Request
What the user asked for in this turn.

## Progress So Far
- what was done and decided at the beginning of the turn

## Context Needed to Continue
- what the end of the turn builds upon

Be brief, and write in the language of the user. Keep paths of files, names, numbers and texts of errors exactly as they are.`

// aside adds what else the summariser is told.
func aside(task, instructions string, words int64) string {
	if words > 0 {
		task += fmt.Sprintf("\n\nThere is little room: write %d words at most.", words)
	}
	if instructions != "" {
		task += "\n\nLook at this above all: " + instructions
	}
	return task
}

// What a summary of a split turn has between its two parts, and in place of the
// first if there is none.
const (
	turnHeading = "\n\n---\n\n**The turn that is going on (its beginning):**\n\n"
	noHistory   = "Nothing was said before this turn."
)
