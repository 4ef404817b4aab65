package message

// An Identity tells messages apart without looking into them: with the same one
// they say the same, since what a message was read from does not change. The
// zero value is that of messages that were not read, and says nothing.
type Identity struct {
	raw          *byte
	size, blocks int
	content      *Block
}

// Identity returns the identity of a message.
func (m *Message) Identity() Identity {
	if len(m.raw) == 0 {
		return Identity{}
	}
	id := Identity{raw: &m.raw[0], size: len(m.raw), blocks: len(m.Content)}
	if id.blocks > 0 {
		id.content = &m.Content[0]
	}
	return id
}
