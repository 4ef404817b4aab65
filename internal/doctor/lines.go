package doctor

import (
	"bytes"
	"context"
	"iter"
	"unicode/utf8"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/session"
	"github.com/boughdev/bough/session/filestore"
)

// longLine is how long a line must be for pi to take seconds over it, in bytes.
const longLine = 32 << 20

// lines goes over all lines of the file.
func (c *checker) lines(ctx context.Context) error {
	var err error
	last := byte('\n')
	for at, line := range c.all(ctx, &err) {
		c.number++
		c.starts = append(c.starts, int64(at.Seq)-int64(at.Size))
		c.text, c.place = line, at
		c.bytes(line, at)
		c.salvage.Line(line, at)
		if c.number == 1 {
			line = bytes.TrimPrefix(line, byteOrderMark)
		}
		if e, derr := session.Decode(line, at, session.Bytes(line)); derr == nil {
			c.valued = firstOf(c.valued, c.number)
			c.content(e, line, at)
		}
		if at.Size == len(line) {
			last = 0
		}
	}
	c.Lines = c.number
	if c.crlf > 0 {
		c.add(CRLF, 0, 0, 0, "", "%s end in a carriage return and a line feed, as files from Windows do; both programs read that.", plural(c.crlf, "line", "lines"))
	}
	if last == 0 && c.source.old == nil {
		c.add(NoLineEnd, c.number, c.Size, 0, "", "The file does not end in a line feed; the next entry begins with one.")
	}
	return err
}

// all yields the lines of the file; of an old version, as they are migrated.
func (c *checker) all(ctx context.Context, err *error) iter.Seq2[session.Line, []byte] {
	if c.source.old == nil {
		return filestore.Lines(ctx, c.source.f, 0, session.Seq(c.Size), err)
	}
	for at := range session.Lines(c.data, 0) {
		c.origins = append(c.origins, c.Size-int64(len(c.data))+int64(at.Seq)-int64(at.Size))
	}
	return session.Lines(c.source.old, 0)
}

func firstOf(a, b int) int {
	if a > 0 {
		return a
	}
	return b
}

// bytes looks at a line as bytes.
func (c *checker) bytes(line []byte, at session.Line) {
	if bytes.HasSuffix(line, []byte("\r")) && at.Size > len(line) {
		c.crlf++
	}
	if c.number == 1 && (bytes.HasPrefix(line, []byte("\xff\xfe")) || bytes.HasPrefix(line, []byte("\xfe\xff"))) {
		c.here(UTF16, at, "", "The file is a text in UTF-16. Session files are UTF-8: save it as that.")
	}
	if at.Size > longLine && at.Size <= session.MaxLine {
		c.here(Long, at, "", "A line of %d MB. pi needs seconds to minutes to read it.", at.Size>>20)
	}
	if !utf8.Valid(line) && rawjson.Valid(line) {
		n := 0
		for b := line; len(b) > 0; {
			r, size := utf8.DecodeRune(b)
			if r == utf8.RuneError && size == 1 {
				n++
			}
			b = b[size:]
		}
		c.here(NotUTF8, at, "", "%s in a text are not UTF-8; they are read as the sign for what cannot be read.", plural(n, "byte", "bytes"))
	}
}

// found takes up what a salvage says of the line at hand.
func (c *checker) found(f session.Finding) {
	switch f.Kind {
	case session.FoundMark:
		c.here(OrderMark, f.At, "", "The file begins with a byte order mark, as some editors write. pi refuses it.")
	case session.FoundHeader:
		c.firstHeader(f.At)
	case session.FoundHeaders:
		c.here(MoreHeaders, f.At, "", "Another header; the first one counts. Perhaps two files were joined.")
	case session.FoundTorn:
		c.torn(f)
	case session.FoundGlued:
		c.here(Glued, f.At, f.Entry.ID, "A whole entry, %s, shares its line with something else: what was written before it has no line end. bough reads it, pi does not.", entryWords(f.Entry))
		if line, err := f.Entry.Raw(); err == nil {
			c.content(f.Entry, line, f.At)
		}
	case session.FoundZeros:
		c.here(Zeros, f.At, "", "%s with the value 0, as some file systems leave them after a crash.", plural(f.At.Size, "byte", "bytes"))
	case session.FoundNoObject:
		if rawjson.Truthy(c.text) { // pi passes over the others
			c.valued = firstOf(c.valued, c.number)
		}
		c.here(NoObject, f.At, "", "JSON, but no object. Both programs pass it over; bough leaves it as it is.")
	case session.FoundNoID:
		c.valued = firstOf(c.valued, c.number)
		c.here(NoID, f.At, "", "An entry without an id. bough shows it and lets nothing hang below it; in pi it becomes the end of the conversation, and everything before it is out of sight.")
	case session.FoundTooLong:
		c.here(TooLong, f.At, "", "A line of %d MB, more than can be read into memory. It keeps its place, but says nothing. pi cannot open the file.", f.At.Size>>20)
	}
}

// torn tells of something that cannot be read.
func (c *checker) torn(f session.Finding) {
	d := f.Entry.Damage
	if d.Type == "session" {
		c.valued = firstOf(c.valued, c.number)
		c.here(TornHeader, f.At, "", "The header is cut off or overwritten. pi refuses the file.")
		return
	}
	was := "What it was cannot be told."
	if f.Entry.ID != "" {
		was = "It was " + lostWords(d) + ", id " + string(f.Entry.ID)
		switch {
		case f.Entry.Parent != "":
			was += ", below " + string(f.Entry.Parent) + "."
		case d.Kind&session.Moved != 0:
			was += "; what it stood below cannot be told."
		default:
			was += ", a first entry."
		}
	}
	c.here(Torn, f.At, f.Entry.ID, "%s that cannot be read: cut off, or overwritten. %s", plural(f.At.Size, "byte", "bytes"), was)
}

// firstHeader looks at the first header, which stands at some bytes of the line at
// hand.
func (c *checker) firstHeader(at session.Line) {
	h, err := session.DecodeHeader(bytes.TrimPrefix(c.part(at), byteOrderMark))
	switch {
	case err != nil:
		c.here(NamelessID, at, "", "The header has no id that is a text. pi refuses the file.")
	case c.valued > 0:
		c.here(LateHeader, at, "", "The header stands behind other lines. pi refuses the file.")
	case at != c.place:
		c.here(LateHeader, at, "", "The header shares its line with something else. pi refuses the file.")
	}
	if err == nil {
		c.headed, c.Header, c.whole = c.number, h, true
	}
	c.valued = firstOf(c.valued, c.number)
}

// part returns some bytes of the line at hand.
func (c *checker) part(at session.Line) []byte {
	start := c.place.Seq - session.Seq(c.place.Size)
	from := int(at.Seq) - at.Size - int(start)
	return c.text[from:min(from+at.Size, len(c.text))]
}

// content looks at what an entry says.
func (c *checker) content(e *session.Entry, line []byte, at session.Line) {
	if e.Time.IsZero() {
		c.here(OddTime, at, e.ID, "The time of the entry is missing or cannot be read; its place among others is that in the file.")
	}
	switch e.Type {
	case session.TypeMessage:
		c.message(e, rawjson.Get(line, "message"), at)
	case session.TypeInfo:
		if name := rawjson.Get(line, "name"); name != nil && rawjson.Kind(name) != '"' && rawjson.Truthy(name) {
			c.here(OddName, at, e.ID, "The name of the session is no text. pi fails when it reads it.")
		}
	case session.TypeCompaction:
		first, _ := rawjson.GetString(line, "firstKeptEntryId")
		c.kept[at.Seq] = session.ID(first)
	case session.TypeContextEdit:
		target, _ := rawjson.GetString(line, "targetId")
		c.edits[at.Seq] = session.ID(target)
	case session.TypeModel, session.TypeThinking, session.TypeUsage, session.TypeBranchSummary, session.TypeCustom, session.TypeCustomMessage, session.TypeLabel:
	default:
		c.here(OtherType, at, e.ID, "An entry of the type %q, which this program does not know. It is kept and has its place in the tree.", e.Type)
	}
}

// message looks at the message of an entry.
func (c *checker) message(e *session.Entry, m message.Value, at session.Line) {
	if rawjson.Kind(m) != '{' {
		c.silent[at.Seq] = true
		c.here(NoMessage, at, e.ID, "A message entry without a message. bough passes it over; pi fails when it comes to it.")
		return
	}
	content := rawjson.Get(m, "content")
	switch e.Role {
	case message.System, message.User, message.Assistant, message.ToolResult, message.Bash, message.Custom:
	case "":
		c.here(OtherRole, at, e.ID, "A message without a role, which no model is shown.")
	default:
		c.here(OtherRole, at, e.ID, "A message of the role %q, which no model is shown.", e.Role)
	}
	switch e.Role {
	case message.User, message.Assistant, message.ToolResult:
		if rawjson.IsNull(content) {
			c.here(NoContent, at, e.ID, "A message without content. It counts as empty; pi leaves the whole session out of its lists.")
		}
	}
	switch e.Role {
	case message.Assistant:
		if rawjson.Kind(content) == '"' {
			c.here(TextContent, at, e.ID, "The content of the answer is a text where a list belongs. bough reads it; every request of pi fails.")
		}
		c.usage(e, rawjson.Get(m, "usage"), at)
		var k call
		for b := range rawjson.Elements(content) {
			if t, _ := rawjson.GetString(b, "type"); t == string(message.ToolCallBlock) {
				id, _ := rawjson.GetString(b, "id")
				k.calls = append(k.calls, id)
			}
		}
		stop, _ := rawjson.GetString(m, "stopReason")
		k.failed = stop == string(message.Failed) || stop == string(message.Aborted)
		if len(k.calls) > 0 {
			c.calls[at.Seq] = k
		}
	case message.ToolResult:
		id, _ := rawjson.GetString(m, "toolCallId")
		c.calls[at.Seq] = call{answers: id}
	}
}

func (c *checker) usage(e *session.Entry, u message.Value, at session.Line) {
	if rawjson.Kind(u) != '{' {
		c.here(NoUsage, at, e.ID, "An answer without usage. bough takes it for 0; pi refuses every prompt in this session.")
		return
	}
	for _, key := range []string{"input", "output", "cacheRead", "cacheWrite"} {
		if rawjson.Kind(rawjson.Get(u, key)) != '0' {
			c.here(NoCost, at, e.ID, "The usage of the answer has no number %s. bough takes it for 0; pi adds up wrong.", key)
			return
		}
	}
	if rawjson.Kind(rawjson.Get(rawjson.Get(u, "cost"), "total")) != '0' {
		c.here(NoCost, at, e.ID, "The usage of the answer has no cost. bough takes it for 0; the statistics of pi fail.")
	}
}
