// Command agent asks an agent with a model of its own: the program of docs/sdk.md.
package main

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/boughdev/bough"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/provider"
)

func main() {
	model := provider.New(provider.Info{Provider: "mine", ID: "loud"},
		func(_ context.Context, req provider.Request) (message.Message, error) {
			said := req.Messages[len(req.Messages)-1].Text("")
			return message.Message{Content: []message.Block{message.Text(strings.ToUpper(said))}}, nil
		})
	hub := bough.New(bough.Options{Model: model, Tools: bough.Tools(".")})
	defer hub.Close()
	ctx := context.Background()
	agent, err := hub.Begin(ctx)
	if err != nil {
		log.Fatal(err)
	}
	answer, err := agent.Ask(ctx, "How much is a chair?")
	fmt.Println(answer.Text(""), err) // HOW MUCH IS A CHAIR? <nil>
}
