package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// mcpServer is a small MCP server for the scripts: it says again what it is told.
func mcpServer() {
	s := mcp.NewServer(&mcp.Implementation{Name: "parrot", Version: "1"}, nil)
	s.AddTool(&mcp.Tool{Name: "say", Description: "Say it again.", InputSchema: json.RawMessage(`{"type":"object","properties":{"words":{"type":"string"}}}`)},
		func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			var a struct{ Words string }
			if err := json.Unmarshal(r.Params.Arguments, &a); err != nil {
				return nil, err
			}
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: os.Getenv("ACCENT") + a.Words}}}, nil
		})
	if err := s.Run(context.Background(), &mcp.StdioTransport{}); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
}
