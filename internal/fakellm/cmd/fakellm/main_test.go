package main

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestServesUntilStdinCloses(t *testing.T) {
	dir := t.TempDir()
	file, log := filepath.Join(dir, "script.json"), filepath.Join(dir, "log.jsonl")
	if err := os.WriteFile(file, []byte(`[{"reply":{"text":"Hi."}}]`), 0o600); err != nil {
		t.Fatal(err)
	}
	stdin, closeStdin := io.Pipe()
	out, stdout := io.Pipe()
	done := make(chan error)
	go func() {
		done <- run([]string{"--port", "0", "--script", file, "--log", log, "--exit-with-stdin"}, stdin, stdout)
	}()
	port, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.Post("http://127.0.0.1:"+strings.TrimSpace(port)+"/v1/messages", "application/json", strings.NewReader(`{"model":"m"}`))
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(res.Body)
	res.Body.Close()
	if err != nil || !bytes.Contains(body, []byte(`"text":"Hi."`)) {
		t.Errorf("answer %s, %v", body, err)
	}
	closeStdin.Close()
	if err := <-done; err != nil {
		t.Error(err)
	}
	lines, err := os.ReadFile(log)
	if err != nil || bytes.Count(lines, []byte{'\n'}) != 2 || !bytes.Contains(lines, []byte(`"kind":"response","n":1`)) {
		t.Errorf("log %s, %v", lines, err)
	}
}

func TestRefusesBadScripts(t *testing.T) {
	if err := run([]string{"--script", filepath.Join(t.TempDir(), "none.json")}, nil, io.Discard); err == nil {
		t.Error("no error for a script that is not there")
	}
}
