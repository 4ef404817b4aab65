package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"unicode/utf8"

	"github.com/boughdev/bough/internal/prompt"
	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/internal/workspace"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/tool/builtin"
)

// maxFileArg is how much text an @file may hold, in bytes.
const maxFileArg = 2 << 20

// fileArg reads one @file: text as an element with the path, an image as a block
// and an element with what was done to it (docs/spec/frontends.md ).
func (r *runner) fileArg(ctx context.Context, name string) (text string, image *message.Block, err error) {
	ws := workspace.NewLocal(r.env.Dir)
	path, info, err := workspace.Find(ctx, ws, r.env.abs(name))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", nil, fmt.Errorf("@%s: there is no file %s", name, r.env.abs(name))
	case err != nil:
		return "", nil, fmt.Errorf("@%s cannot be read: %w", name, err)
	case info.IsDir():
		return "", nil, fmt.Errorf("@%s: %s is a folder. Name it in the message instead, and the model can look into it", name, path)
	case !info.Mode().IsRegular():
		return "", nil, fmt.Errorf("@%s: %s is neither a file nor a folder", name, path)
	}
	f, err := os.Open(path)
	if err != nil {
		return "", nil, fmt.Errorf("@%s cannot be read: %w", name, err)
	}
	defer f.Close()
	head, err := io.ReadAll(io.LimitReader(f, 4<<10))
	if err != nil {
		return "", nil, fmt.Errorf("@%s cannot be read: %w", name, err)
	}
	if len(head) == 0 {
		r.say("@%s is empty and left out.", name)
		return "", nil, nil
	}
	if builtin.ImageKind(head, info.Size()) != "" {
		note, image, err := r.imageArg(ctx, ws, path)
		if err == nil && image == nil {
			r.say("@%s: %s", name, note)
		}
		return prompt.FileElement(filepath.ToSlash(path), note), image, err
	}
	limit := r.maxFileArg()
	rest, err := io.ReadAll(io.LimitReader(f, max(0, limit+1-int64(len(head)))))
	if err != nil {
		return "", nil, fmt.Errorf("@%s cannot be read: %w", name, err)
	}
	data := append(head, rest...)
	if int64(len(data)) > limit {
		return "", nil, fmt.Errorf("@%s: %s has more than %d bytes of text. Name it in the message instead, and the model can read parts of it; or raise BOUGH_MAX_FILE_ARG", name, path, limit)
	}
	if !utf8.Valid(data) {
		r.say("@%s is not all UTF-8 text: what is not was replaced.", name)
	}
	return prompt.FileElement(filepath.ToSlash(path), "\n"+decoded(data)+"\n"), nil, nil
}

func (r *runner) maxFileArg() int64 {
	if n, err := strconv.ParseInt(r.env.Getenv("BOUGH_MAX_FILE_ARG"), 10, 64); err == nil && n > 0 {
		return n
	}
	return maxFileArg
}

// imageArg makes of an image file what the read tool would: scaled, turned, with
// hints. The block is nil if it cannot be shown to a model, and note says why.
func (r *runner) imageArg(ctx context.Context, ws workspace.Workspace, path string) (note string, image *message.Block, err error) {
	if r.settings.Images.Block {
		return "The image is left out: the setting images.blockImages keeps all images back.", nil, nil
	}
	read := builtin.Tools(ws, builtin.Options{Images: builtin.ImageLimits{KeepSize: !r.settings.Images.AutoResize}})[0]
	out, err := read.Run(ctx, append(append([]byte(`{"path":`), rawjson.Quote(path)...), '}'), nil)
	if err != nil {
		return "", nil, err
	}
	for _, c := range out.Content {
		switch c.Type {
		case message.ImageBlock:
			image = &c
		case message.TextBlock:
			note += c.Text
		}
	}
	if image == nil {
		note += " It is left out."
	}
	return note, image, nil
}
