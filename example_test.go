package bough_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/boughdev/bough"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/provider"
	"github.com/boughdev/bough/session"
	"github.com/boughdev/bough/tool"
)

// clerk is a provider of one's own: it looks the price up with a tool, and then
// says it.
var clerk = provider.New(provider.Info{Provider: "shop", ID: "clerk"}, func(_ context.Context, req provider.Request) (message.Message, error) {
	last := req.Messages[len(req.Messages)-1]
	if last.Role == message.ToolResult {
		return message.Message{Content: []message.Block{message.Text("That is " + last.Text("") + ".")}}, nil
	}
	words := strings.Fields(last.Text(""))
	args := fmt.Sprintf(`{"item":%q}`, words[len(words)-1])
	return message.Message{Content: []message.Block{message.ToolCall("call1", "price", message.Value(args))}}, nil
})

// An agent with a tool and a provider of one's own.
func Example() {
	price := tool.New(message.ToolSpec{Name: "price", Description: "Says what an item costs.",
		Parameters: []byte(`{"type":"object","properties":{"item":{"type":"string"}},"required":["item"]}`)},
		func(_ context.Context, args struct{ Item string }, _ func(message.Output)) (message.Output, error) {
			return message.TextOutput(map[string]string{"chair": "40 euros", "table": "120 euros"}[args.Item]), nil
		})
	hub := bough.New(bough.Options{Model: clerk, Tools: []tool.Tool{price}})
	defer hub.Close()
	agent, err := hub.Begin(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	answer, err := agent.Ask(context.Background(), "How much is a chair")
	fmt.Println(answer.Text(""), err)
	// Output: That is 40 euros. <nil>
}

// The same question, asked again on a branch of its own.
func ExampleAgent() {
	parrot := provider.New(provider.Info{Provider: "zoo", ID: "parrot"}, func(_ context.Context, req provider.Request) (message.Message, error) {
		var heard []string
		for _, m := range req.Messages {
			if m.Role == message.User {
				heard = append(heard, m.Text(""))
			}
		}
		return message.Message{Content: []message.Block{message.Text(strings.Join(heard, ", "))}}, nil
	})
	ctx := context.Background()
	hub := bough.New(bough.Options{Model: parrot})
	defer hub.Close()
	agent, err := hub.Begin(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	agent.Ask(ctx, "one")
	state, _ := protocol.Call(ctx, agent, protocol.GetState{})
	first := state.Leaf
	for _, word := range []string{"two", "three"} {
		protocol.Call(ctx, agent, protocol.Navigate{Target: first, At: true})
		answer, err := agent.Ask(ctx, word)
		fmt.Println(answer.Text(""), err)
	}
	for ev := range agent.Watch(ctx, 0) {
		if o, ok := ev.(protocol.Opened); ok {
			fmt.Println(len(o.Tree.Children(session.ID(first))), "branches")
			break
		}
	}
	// Output:
	// one, two <nil>
	// one, three <nil>
	// 2 branches
}
