package control_test

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"

	"github.com/boughdev/bough/internal/control"
	"github.com/boughdev/bough/protocol"
)

// sending sends one command.
type sending struct {
	name string // of its type
	do   func(context.Context, protocol.Client) error
}

func send[R any](cmd protocol.Command[R]) sending {
	return sending{strings.TrimPrefix(fmt.Sprintf("%T", cmd), "protocol."), func(ctx context.Context, c protocol.Client) error {
		_, err := protocol.Call(ctx, c, cmd)
		return err
	}}
}

// Every command is known, and one that succeeds is answered with what it promises.
func TestEveryCommandIsKnown(t *testing.T) {
	unsent := map[string]bool{}
	for _, name := range commandTypes(t) {
		unsent[name] = true
	}
	for _, cmd := range []sending{
		send(protocol.Abort{}), send(protocol.AbortBash{}), send(protocol.AbortRetry{}), send(protocol.Answer{}),
		send(protocol.Back{}), send(protocol.Bash{}), send(protocol.ClearQueue{}), send(protocol.Clone{}),
		send(protocol.Compact{}), send(protocol.CycleModel{}), send(protocol.CycleThinking{}), send(protocol.DropQueued{}),
		send(protocol.EditContext{}), send(protocol.EditQueued{}), send(protocol.EditSummary{}), send(protocol.Export{}),
		send(protocol.FollowUp{}), send(protocol.Fork{}), send(protocol.Forward{}), send(protocol.GetCommands{}),
		send(protocol.GetCost{}), send(protocol.GetEntry{}), send(protocol.GetModels{}), send(protocol.GetPolicy{}),
		send(protocol.GetQueue{}), send(protocol.GetServers{}), send(protocol.GetSettings{}), send(protocol.GetState{}),
		send(protocol.GetStats{}), send(protocol.GetSystemPrompt{}), send(protocol.GetTools{}), send(protocol.Hide{}),
		send(protocol.MakeTitle{}), send(protocol.Navigate{}), send(protocol.NewSession{}), send(protocol.Prompt{}),
		send(protocol.Reconnect{}), send(protocol.Reload{}), send(protocol.Retry{}), send(protocol.SendQueue{}),
		send(protocol.SetLabel{}), send(protocol.SetModel{}), send(protocol.SetName{}), send(protocol.SetSetting{}),
		send(protocol.SetThinking{}), send(protocol.SetTools{}), send(protocol.Steer{}), send(protocol.SwitchSession{}),
		send(protocol.Sync{}), send(protocol.Take{}), send(protocol.Unhide{}), send(protocol.PromptAt{}), send(protocol.Append{}),
		send(protocol.ListSessions{}), send(protocol.SearchSessions{}), send(protocol.RenameSession{}), send(protocol.TrashSession{}),
		send(protocol.RestoreSession{}), send(protocol.CheckSession{}), send(protocol.GetPermissions{}), send(protocol.SetPermissions{}),
	} {
		delete(unsent, cmd.name)
		t.Run(cmd.name, func(t *testing.T) {
			f := newWorld(t, readRule).connect(control.Start{})
			f.say("hello")
			if err := cmd.do(t.Context(), f); protocol.CodeOf(err) == protocol.UnknownCommand || err != nil && protocol.CodeOf(err) == "" {
				t.Error(err)
			}
		})
	}
	for name := range unsent {
		t.Errorf("%s is not sent", name)
	}
}

// commandTypes finds the types of the protocol that are commands: those with a
// method answers.
func commandTypes(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("../../protocol/*.go")
	if err != nil || len(files) == 0 {
		t.Fatal("no protocol", err)
	}
	var names []string
	for _, path := range files {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Recv == nil || f.Name.Name != "answers" {
				continue
			}
			if of, ok := f.Recv.List[0].Type.(*ast.Ident); ok {
				names = append(names, of.Name)
			}
		}
	}
	return names
}
