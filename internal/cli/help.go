package cli

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/boughdev/bough/docs"
	"github.com/boughdev/bough/internal/frontend/slash"
	"github.com/boughdev/bough/internal/render"
)

// helpText is bough --help.
func helpText() string {
	var b strings.Builder
	b.WriteString(`bough is a coding agent whose conversations are trees.

usage: bough [options] [--] [@FILE ...] [MESSAGE ...]
       bough COMMAND [options]

Without a message bough talks with you line by line. With -p, or in a pipe, it
answers and ends; what comes in on standard input is part of the first message.
In a conversation /help lists what can be done; /branch N goes back to entry N
of /history and starts another branch there, in the same file.

options:
`)
	for _, o := range options() {
		if o.help == "" {
			continue
		}
		left := "--" + o.long
		if o.short != "" {
			left += ", -" + o.short
		}
		row(&b, left+" "+o.arg, o.help)
	}
	b.WriteString("\ncommands (bough COMMAND --help says more):\n")
	for _, c := range commands() {
		row(&b, c.name+" "+c.words, c.help)
	}
	b.WriteString("\nmanual (bough help PAGE):\n")
	for _, t := range docs.Topics() {
		row(&b, t.Name, t.Title)
	}
	b.WriteString(`
models: set a key (ANTHROPIC_API_KEY, OPENAI_API_KEY, OPENROUTER_API_KEY, ...), or
describe a server in models.json of the agent folder (~/.pi/agent, shared with pi).
With neither, bough offers a small offline model so that you can try the tree.

exit codes: 0 done; 1 an error, or an answer that failed or was cut (with --mode json
only the former); 129, 130, 143 after a hang-up, an interrupt, a termination.
`)
	return b.String()
}

// row writes a row of two columns; the right one may have several lines.
func row(b *strings.Builder, left, right string) {
	left = strings.TrimRight(left, " ")
	right = strings.ReplaceAll(right, "\n", "\n"+strings.Repeat(" ", 31))
	if len(left) > 28 {
		fmt.Fprintf(b, "  %s\n  %-28s %s\n", left, "", right)
		return
	}
	fmt.Fprintf(b, "  %-28s %s\n", left, right)
}

// helpText is bough COMMAND --help.
func (c command) helpText() string {
	var b strings.Builder
	fmt.Fprintf(&b, "usage: bough %s", c.name)
	if len(c.options) > 0 {
		b.WriteString(" [options]")
	}
	if c.words != "" {
		b.WriteString(" " + c.words)
	}
	fmt.Fprintf(&b, "\n\n%s%s.\n", strings.ToUpper(c.help[:1]), c.help[1:])
	b.WriteString(c.more)
	if len(c.options) > 0 {
		b.WriteString("\noptions:\n")
	}
	for _, o := range c.options {
		row(&b, o.name+" "+o.arg, o.help)
	}
	return b.String()
}

func helpCommand(_ context.Context, env Env, _ map[string]string, words []string) error {
	text := helpText()
	if len(words) > 0 {
		if instead, ok := missingCommands()[words[0]]; ok {
			return fmt.Errorf("this version has no bough %s yet. %s", words[0], instead)
		}
		if text = topicHelp(words[0]); text == "" {
			return usage{fmt.Errorf("help: there is no command, no option and no page %q", oneLine(words[0], 40)), "bough help"}
		}
	}
	_, err := io.WriteString(env.Stdout, text)
	return err
}

// topicHelp says more of a command, else of an option and a command of a
// conversation of that name, and has the page of the manual of that name. "" if
// there is none.
func topicHelp(topic string) string {
	parts := commandHelp(topic)
	if len(parts) == 0 {
		parts = optionHelp(topic)
	}
	if page, ok := docs.Page(strings.TrimSuffix(topic, ".md")); ok {
		parts = append(parts, page)
	}
	return strings.Join(parts, "\n")
}

func commandHelp(name string) []string {
	for _, c := range commands() {
		if c.name == name {
			return []string{c.helpText()}
		}
	}
	return nil
}

// optionHelp is about an option of the command line and a command of a
// conversation.
func optionHelp(name string) (parts []string) {
	for _, o := range options() {
		if o.help != "" && (name == o.long || name == "--"+o.long || o.short != "" && name == "-"+o.short) {
			parts = append(parts, strings.TrimRight("bough --"+o.long+" "+o.arg, " ")+"\n  "+o.help+"\n")
		}
	}
	if s, ok := slash.Find(strings.TrimPrefix(name, "/")); ok && !s.Later {
		part := "in a conversation: " + s.Usage() + "\n  " + s.Help + "\n"
		if s.More != "" {
			part += render.Wrap("  "+s.More, 80) + "\n"
		}
		parts = append(parts, part)
	}
	return parts
}
