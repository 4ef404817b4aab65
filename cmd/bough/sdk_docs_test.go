package main

import (
	"bytes"
	"os"
	"regexp"
	"testing"
)

// The program of docs/sdk.md is one that builds.
func TestSDKPages(t *testing.T) {
	page, err := os.ReadFile("../../docs/sdk.md")
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile("../../examples/agent/main.go")
	if err != nil {
		t.Fatal(err)
	}
	shown := regexp.MustCompile("(?s)```go\n(.*?)```").FindSubmatch(page)
	if shown == nil || !bytes.HasSuffix(program, shown[1]) {
		t.Error("docs/sdk.md and examples/agent/main.go differ")
	}
}
