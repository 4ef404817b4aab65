package builtin

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/internal/workspace"
	"github.com/boughdev/bough/message"
)

var editSpec = message.ToolSpec{
	Name: "edit",
	Description: "Changes parts of a file. Each oldText must occur exactly once in the file as it is now; " +
		"edits must not overlap.",
	Parameters: message.Value(`{"type":"object","properties":{` +
		`"path":{"type":"string","description":"The file, relative or absolute"},` +
		`"edits":{"type":"array","items":{"type":"object","properties":{` +
		`"oldText":{"type":"string","description":"Text to replace, blanks and line ends included"},` +
		`"newText":{"type":"string","description":"What takes its place"}},` +
		`"required":["oldText","newText"]}}},"required":["path","edits"]}`),
	Prompt: "change parts of a file",
	Rules: []string{
		"Give edit short oldTexts that are just long enough to be unique.",
		"Put all changes of one file into one edit call.",
	},
}

const maxEdited = 256 << 20 // bytes

// edit runs the edit tool.
func (s *set) edit(ctx context.Context, a *arguments, _ func(message.Output)) message.Output {
	name, path := a.path(s, "path")
	edits := a.edits()
	if out, bad := a.refused(); bad {
		return out
	}
	path, _, err := workspace.Find(ctx, s.ws, path)
	if errors.Is(err, fs.ErrNotExist) {
		return s.missing(ctx, "file", name, path)
	} else if err != nil {
		return trouble("edit", name, err)
	}
	var d diff
	err = s.ws.Update(ctx, path, func(old fs.File) ([]byte, error) {
		if old == nil {
			return nil, fs.ErrNotExist
		}
		b, err := io.ReadAll(io.LimitReader(old, maxEdited+1))
		if err != nil {
			return nil, err
		}
		if len(b) > maxEdited {
			return nil, editError("it is larger than " + size(maxEdited))
		}
		was := string(b)
		new, regions, err := applyEdits(was, edits)
		if err != nil {
			return nil, err
		}
		d = diffFiles(was, new, regions)
		return []byte(new), nil
	})
	if e, ok := errors.AsType[editError](err); ok {
		return fail("%s was not changed: %s.", name, string(e))
	} else if err != nil {
		return trouble("edit", name, err)
	}
	out := message.TextOutput(fmt.Sprintf("Made %s in %s.", count(len(edits), "change"), name))
	out.Details = d.details(name)
	return out
}

// editError is what is wrong with the edits, for the model to read.
type editError string

func (e editError) Error() string { return string(e) }

// replacement is one edit as it was asked for.
type replacement struct{ old, new string }

// edits reads the list of edits. Models also give it as JSON text, as one
// object, or as an oldText and newText at the top.
func (a *arguments) edits() []replacement {
	list := rawjson.Get(a.object, "edits")
	if s, ok := rawjson.String(list); ok {
		list = message.Value(s)
		if !rawjson.Valid(list) {
			a.complain("edits is no list")
			return nil
		}
	}
	var edits []replacement
	switch rawjson.Kind(list) {
	case '[':
		for e := range rawjson.Elements(list) {
			edits = append(edits, a.replacement(fmt.Sprintf("edits[%d].", len(edits)), e))
		}
	case '{':
		edits = append(edits, a.replacement("edits.", list))
	case 0, 'n':
	default:
		a.complain("edits is no list")
		return nil
	}
	if !rawjson.IsNull(rawjson.Get(a.object, "oldText")) {
		edits = append(edits, a.replacement("", a.object))
	}
	if len(edits) == 0 {
		a.complain("edits has no element")
	}
	return edits
}

func (a *arguments) replacement(where string, v message.Value) replacement {
	get := func(key string) string {
		f := rawjson.Get(v, key)
		if rawjson.IsNull(f) {
			a.complain("%s%s is missing", where, key)
			return ""
		}
		return a.asText(where+key, f)
	}
	r := replacement{get("oldText"), get("newText")}
	if r.old == "" && len(a.wrong) == 0 {
		a.complain("%soldText is empty", where)
	}
	return r
}

// nth names the text of an edit, with its index if there are several.
func nth(i, of int) string {
	if of == 1 {
		return "oldText"
	}
	return fmt.Sprintf("edits[%d].oldText", i)
}

// applyEdits makes the new file and tells where it differs from the old one.
func applyEdits(file string, edits []replacement) (string, []region, error) {
	mark := ""
	if strings.HasPrefix(file, byteOrderMark) {
		mark = byteOrderMark
	}
	o := newOriginal(file[len(mark):])
	spans := make([]span, len(edits))
	for i, e := range edits {
		s, err := o.find(lineFeeds(e.old), nth(i, len(edits)))
		if err != nil {
			return "", nil, err
		}
		s.new, s.edit = lineFeeds(e.new), i
		spans[i] = s
	}
	if err := sortSpans(spans); err != nil {
		return "", nil, err
	}
	text, regions := o.splice(spans)
	if text == o.raw {
		return "", nil, editError("the new text is the same as the old")
	}
	for i := range regions {
		regions[i].shift(len(mark))
	}
	return mark + text, regions, nil
}

const byteOrderMark = "\uFEFF"
