package filestore_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/session"
	"github.com/boughdev/bough/session/filestore"
)

// piWriter appends to a session with pi's own code, and prints the id of each
// entry once it is written.
const piWriter = `
const { SessionManager } = await import(process.env.PI_DIST + "/core/session-manager.js");
const sm = SessionManager.open(process.argv[2]);
const end = Date.now() + Number(process.argv[3]);
for (let i = 0; Date.now() < end; i++) {
  console.log(sm.appendMessage({ role: "user", content: [{ type: "text", text: "pi " + i + " " + "x".repeat(i % 5000) }], timestamp: Date.now() }));
  if (i % 7 == 0) await new Promise(r => setTimeout(r, 1));
}`

// TestMain lets the test program be one of several writers.
func TestMain(m *testing.M) {
	if path := os.Getenv("BOUGH_TEST_WRITER"); path != "" {
		if err := writer(path, os.Getenv("BOUGH_TEST_FOR")); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func writer(path, ms string) error {
	n, err := strconv.Atoi(ms)
	if err != nil {
		return err
	}
	ctx := context.Background()
	s, err := session.Open(ctx, filestore.Store{}, path)
	if err != nil {
		return err
	}
	defer s.Close()
	b := s.Main()
	end := time.Now().Add(time.Duration(n) * time.Millisecond)
	for i := 0; time.Now().Before(end); i++ {
		m := message.Message{Role: message.User, Timestamp: 1, Content: []message.Block{message.Text(fmt.Sprint("bough ", i, " ", strings.Repeat("x", i%5000)))}}
		e, err := b.Append(ctx, session.Message{Message: m})
		if err != nil {
			return err
		}
		fmt.Println(e.ID)
		if i%7 == 0 {
			time.Sleep(time.Millisecond)
		}
	}
	return nil
}

// Several programs append to one file at once, pi among them where it is
// installed: no line is lost or torn, and each writer's branch is whole. With
// BOUGH_LONG=60 they do so for a minute.
func TestSeveralWritersOfOneFile(t *testing.T) {
	seconds := 2
	if n, err := strconv.Atoi(os.Getenv("BOUGH_LONG")); err == nil {
		seconds = n
	}
	st := filestore.Store{Flat: t.TempDir(), Sync: filestore.SyncOff}
	one := begin(t, st)
	root := say(t, one.Main(), "root")
	path := st.FilePath(one.Header())

	ms := strconv.Itoa(seconds * 1000)
	writers := map[string]*exec.Cmd{}
	for _, name := range []string{"bough 1", "bough 2"} {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "BOUGH_TEST_WRITER="+path, "BOUGH_TEST_FOR="+ms)
		writers[name] = cmd
	}
	if node, dist := os.Getenv("NODE24"), os.Getenv("PI_DIST"); node != "" && dist != "" {
		script := filepath.Join(t.TempDir(), "pi.mjs")
		if err := os.WriteFile(script, []byte(piWriter), 0o600); err != nil {
			t.Fatal(err)
		}
		writers["pi"] = exec.Command(node, script, path, ms)
	} else {
		t.Log("without pi: set NODE24 (a node of version 22 or later) and PI_DIST (the dist folder of the installed package)")
	}
	out := map[string]*bytes.Buffer{}
	for name, cmd := range writers {
		out[name] = &bytes.Buffer{}
		cmd.Stdout, cmd.Stderr = out[name], os.Stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
	}
	// This process reads along and writes too.
	foreign := 0
	one.Foreign = func(es []*session.Entry) { foreign += len(es) }
	mine := one.Branch(root.ID)
	n := 0
	for end := time.Now().Add(time.Duration(seconds) * time.Second); time.Now().Before(end); n++ {
		say(t, mine, fmt.Sprint("mine ", n))
		time.Sleep(5 * time.Millisecond)
	}
	for name, cmd := range writers {
		if err := cmd.Wait(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := one.CatchUp(t.Context()); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	_, entries, err := session.Load(data)
	if err != nil {
		t.Fatal(err)
	}
	// An append that saw half of a line of pi's begins a line of its own, which
	// leaves a blank one when that half was complete after all.
	lines := 0
	for line := range bytes.Lines(data) {
		if !session.Blank(line) {
			lines++
		}
	}
	if lines != len(entries)+1 {
		t.Errorf("%d lines, %d entries: a line is torn", lines, len(entries))
	}
	fresh := session.NewTree()
	type link struct{ id, parent session.ID }
	written := map[link]bool{}
	var again []session.ID
	for _, e := range entries {
		if fresh.Has(e.ID) {
			again = append(again, e.ID)
		}
		fresh.Add(e)
		written[link{e.ID, e.Parent}] = true
	}
	total := n + 1
	pis := map[session.ID]bool{}
	for name, buf := range out {
		var ids []session.ID
		for s := bufio.NewScanner(buf); s.Scan(); {
			ids = append(ids, session.ID(s.Text()))
		}
		total += len(ids)
		for i, id := range ids {
			if name == "pi" {
				pis[id] = true
			}
			if !fresh.Has(id) {
				t.Fatalf("%s: entry %d of %d is lost", name, i, len(ids))
			}
			if i > 0 && !written[link{id, ids[i-1]}] {
				t.Fatalf("%s: its branch is broken at entry %d", name, i)
			}
		}
		t.Logf("%s: %d entries", name, len(ids))
	}
	// pi takes 32 random bits without a look at what others wrote meanwhile, so
	// that among some hundred thousand entries it meets an id that is taken. A
	// bough never does.
	for _, id := range again {
		if !pis[id] {
			t.Errorf("a bough used the id %s twice", id)
		}
		t.Logf("pi wrote an entry with the id %s, which was taken", id)
	}
	if len(entries) != total {
		t.Errorf("the file has %d entries, want %d", len(entries), total)
	}
	if fresh.Len() != one.Tree().Len() || fresh.Len() != total-len(again) {
		t.Errorf("a tree of %d entries, and one of %d, want %d", fresh.Len(), one.Tree().Len(), total-len(again))
	}
	if foreign != total-n-1 {
		t.Errorf("told of %d foreign entries, want %d", foreign, total-n-1)
	}
}
