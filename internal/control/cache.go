package control

import (
	"fmt"
	"time"

	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/session"
)

// leastMissed is how many tokens must be read anew, of a prompt that the provider
// had in its cache, to be worth a word.
const leastMissed = 4096

// missed tells when a provider that caches has read most of a prompt anew that it
// knew from the answer before. Owner's.
func (s *Session) missed(m message.Message) {
	if !s.opts.CacheNotices || m.Usage == nil {
		return
	}
	before := s.answerBefore()
	if before == nil || before.Usage == nil || before.Provider != m.Provider || before.Model != m.Model {
		return
	}
	u := before.Usage
	known := u.Input + u.CacheRead + u.CacheWrite
	anew := known - m.Usage.CacheRead
	if u.CacheRead+u.CacheWrite == 0 || anew < leastMissed || 2*anew < known {
		return
	}
	text := fmt.Sprintf("The provider had lost its cache: %dk tokens were read anew", (anew+500)/1000)
	if idle := time.Duration(m.Timestamp-before.Timestamp) * time.Millisecond; idle >= time.Minute {
		text += fmt.Sprintf(", %s after the answer before", idle.Round(time.Minute))
	}
	s.note("info", "%s. Caches live for some minutes; PI_CACHE_RETENTION=long asks for more where there is more.", text)
}

// answerBefore returns the last answer but one of the path, unless what the model
// sees has been changed since. Owner's.
func (s *Session) answerBefore() *message.Message {
	path := s.branch.Path()
	answers := 0
	for i := len(path) - 1; i >= 0; i-- {
		e := path[i]
		switch {
		case e.Type == session.TypeCompaction, e.Type == session.TypeContextEdit, e.Role == message.System:
			return nil
		case e.Role != message.Assistant:
			continue
		}
		if answers++; answers < 2 {
			continue
		}
		body, err := e.Body()
		if err != nil {
			return nil
		}
		if b, ok := body.(session.Message); ok {
			return &b.Message
		}
		return nil
	}
	return nil
}
