package mcp

import (
	"encoding/json"
	"fmt"
	"mime"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/message"
)

// Limits of what a model gets of one result.
const (
	maxText   = 20 << 10 // bytes, as in pi
	maxImages = 10
)

// gather collects the parts of a result.
type gather struct {
	m      *Manager
	server string
	blocks []message.Block // images among texts
	texts  []string        // that are not in blocks yet
	images int
}

// output makes of a result what a model reads.
func (m *Manager) output(s *server, name string, r *mcp.CallToolResult) message.Output {
	g := gather{m: m, server: s.Name}
	hasText := false
	for _, c := range r.Content {
		if t, ok := c.(*mcp.TextContent); ok && t.Text != "" {
			hasText = true
		}
		g.add(c)
	}
	if r.StructuredContent != nil && !hasText {
		if b, err := json.Marshal(r.StructuredContent); err == nil {
			g.text(string(b))
		}
	}
	return message.Output{Content: g.done(), IsError: r.IsError, Details: details(s.Name, name)}
}

func details(server, name string) message.Value {
	return message.Value(fmt.Sprintf(`{"server":%s,"tool":%s}`, rawjson.Quote(server), rawjson.Quote(name)))
}

func (g *gather) text(s string) { g.texts = append(g.texts, strings.ToValidUTF8(s, "\ufffd")) }

func (g *gather) add(c mcp.Content) {
	switch c := c.(type) {
	case *mcp.TextContent:
		if c.Text != "" {
			g.text(c.Text)
		}
	case *mcp.ImageContent:
		g.binary("image", c.Data, c.MIMEType)
	case *mcp.AudioContent:
		g.binary("audio", c.Data, c.MIMEType)
	case *mcp.ResourceLink:
		g.text(g.link(c))
	case *mcp.EmbeddedResource:
		if c.Resource != nil {
			g.resource(c.Resource)
		}
	default:
		if b, err := json.Marshal(c); err == nil {
			g.text(string(b))
		}
	}
}

func (g *gather) link(c *mcp.ResourceLink) string {
	s := fmt.Sprintf("[Resource %s", c.URI)
	if c.Name != "" && c.Name != c.URI {
		s += " (" + c.Name + ")"
	}
	if c.Description != "" {
		s += ": " + oneLine(c.Description)
	}
	return cutText(s, 1000) + fmt.Sprintf("; %s reads it from server %s]", readResource, g.server)
}

func (g *gather) resource(r *mcp.ResourceContents) {
	if r.Blob == nil {
		g.text(fmt.Sprintf("[Resource %s]\n%s", cutText(r.URI, 500), r.Text))
		return
	}
	kind, _, _ := strings.Cut(r.MIMEType, "/")
	g.binary(kind, r.Blob, r.MIMEType)
}

// binary takes an image as an image; anything else goes to a file.
func (g *gather) binary(kind string, data []byte, mimeType string) {
	if mimeType, _, _ = mime.ParseMediaType(mimeType); kind == "image" && shown(mimeType) && len(data) > 0 {
		if g.images == maxImages {
			g.file(fmt.Sprintf("Image that is not shown, as there are more than %d", maxImages), data, mimeType)
			return
		}
		b, note, ok := message.Image(data, mimeType), "", true
		if g.m.o.Image != nil {
			b, note, ok = g.m.o.Image(data, mimeType)
		}
		if note != "" {
			g.text(note)
		}
		if ok {
			g.images++
			g.flush()
			g.blocks = append(g.blocks, b)
		}
		return
	}
	what := "Data"
	switch kind {
	case "image":
		what = "Image that cannot be shown"
	case "audio":
		what = "Sound"
	}
	g.file(what, data, mimeType)
}

func shown(mimeType string) bool {
	switch mimeType {
	case "image/png", "image/jpeg", "image/gif", "image/webp":
		return true
	}
	return false
}

func (g *gather) file(what string, data []byte, mimeType string) {
	path, err := g.m.keep(data, extension(mimeType))
	if err != nil {
		g.text(fmt.Sprintf("[%s: %s, %d bytes. It could not be kept: %v]", what, mimeType, len(data), err))
		return
	}
	g.text(fmt.Sprintf("[%s: %s, %d bytes, in the file %s]", what, mimeType, len(data), path))
}

func extension(mimeType string) string {
	switch mimeType {
	case "image/jpeg":
		return ".jpg"
	case "audio/mpeg":
		return ".mp3"
	case "audio/wav", "audio/x-wav":
		return ".wav"
	case "application/pdf":
		return ".pdf"
	}
	if kind, sub, _ := strings.Cut(mimeType, "/"); kind == "image" && sub != "" && !strings.ContainsFunc(sub, func(r rune) bool { return !nameRune(r) }) {
		return "." + sub
	}
	return ".bin"
}

// keep writes a file that the model, or the user, can look into.
func (m *Manager) keep(data []byte, ext string) (string, error) {
	f, err := os.CreateTemp(m.o.TempDir, "bough-mcp-*"+ext)
	if err != nil {
		return "", err
	}
	_, err = f.Write(data)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	return f.Name(), err
}

// flush makes a block of the texts so far.
func (g *gather) flush() {
	if len(g.texts) > 0 {
		g.blocks = append(g.blocks, message.Text(strings.Join(g.texts, "\n")))
		g.texts = nil
	}
}

// done cuts what is too long and returns the blocks.
func (g *gather) done() []message.Block {
	g.flush()
	var all []string
	total := 0
	for _, b := range g.blocks {
		if b.Type == message.TextBlock {
			total += len(b.Text)
			all = append(all, b.Text)
		}
	}
	if total > maxText {
		full := strings.Join(all, "\n")
		var images []message.Block
		for _, b := range g.blocks {
			if b.Type != message.TextBlock {
				images = append(images, b)
			}
		}
		text := middleOut(full, maxText)
		if path, err := g.m.keep([]byte(full), ".txt"); err == nil {
			text += fmt.Sprintf("\n\n[The middle of %d bytes of text is left out. Full output: %s]", len(full), path)
		} else {
			text += fmt.Sprintf("\n\n[The middle of %d bytes of text is left out. The full output could not be kept: %v]", len(full), err)
		}
		g.blocks = append([]message.Block{message.Text(text)}, images...)
	}
	if len(g.blocks) == 0 {
		g.blocks = []message.Block{message.Text("The tool returned nothing.")}
	}
	return g.blocks
}

// middleOut keeps the beginning and the end of a text, cut at characters.
func middleOut(s string, most int) string {
	head, tail := s[:most/2], s[len(s)-most/2:]
	for len(head) > 0 && !utf8.RuneStart(s[len(head)]) {
		head = head[:len(head)-1]
	}
	for len(tail) > 0 && !utf8.RuneStart(tail[0]) {
		tail = tail[1:]
	}
	left := utf8.RuneCountInString(s[len(head) : len(s)-len(tail)])
	return fmt.Sprintf("%s\n…%d chars truncated…\n%s", head, left, tail)
}
