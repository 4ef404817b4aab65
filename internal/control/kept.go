package control

import (
	"fmt"
	"slices"
	"time"

	"github.com/boughdev/bough/internal/journal"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

// kept is what is kept beside the log for the case that this process dies.
type kept struct {
	answer *journal.Answer // being streamed; nil: none
	timer  *time.Timer     // of its next flush
	queue  *journal.Queue  // nil: there is none yet

	// What is in the session by now, but perhaps not in its file.
	answers []*journal.Answer
	left    []*journal.Left
}

// flushEvery is how long the journal of an answer may lag behind it.
const flushEvery = 200 * time.Millisecond

// takeUp makes answers part of the session that were cut off with a process that
// died, and returns where the conversation stands then. They are written with the
// next append. Before the owner has begun.
func (s *Session) takeUp() session.ID {
	tree := s.live.Tree()
	leaf := tree.Leaf()
	for _, l := range s.opts.Journal.Answers(s.path()) {
		m := cutOff(l.Message)
		if len(m.Content) == 0 || s.recorded(m) {
			if err := l.Remove(); err != nil {
				s.opts.Log.Warn("remove the journal of an answer", "err", err)
			}
			continue
		}
		s.kept.left = append(s.kept.left, l)
		parent, onPath := l.Parent, s.follows(leaf, l.Parent)
		if onPath {
			parent = leaf
		}
		e := s.live.Hold(parent, session.Message{Message: m})
		where := "as another branch, since the conversation went on without it"
		if onPath {
			leaf, where = e.ID, "as far as it had come; /retry asks again"
		}
		s.tellNotice(protocol.Notice{Level: "info", Text: "An answer that was cut off by a crash was recovered, " + where + "."})
	}
	return leaf
}

// follows reports whether nothing was said between an entry and one below it. An
// entry that the session has not is taken for the one below.
func (s *Session) follows(leaf, above session.ID) bool {
	tree := s.live.Tree()
	if above != "" && !tree.Has(above) {
		return true
	}
	for e := tree.Get(leaf); e != nil; e = tree.Parent(e.ID) {
		if e.ID == above {
			return true
		}
		if e.Speaks() {
			return false
		}
	}
	return above == ""
}

// recorded reports whether the session has an answer that began at the same
// moment.
func (s *Session) recorded(m message.Message) bool {
	for e := range s.live.Tree().All() {
		if e.Role != message.Assistant {
			continue
		}
		body, err := e.Body()
		if err != nil {
			continue // it is told of as damage
		}
		if had, ok := body.(session.Message); ok && had.Message.Timestamp == m.Timestamp && had.Message.Provider == m.Provider && had.Message.Model == m.Model {
			return true
		}
	}
	return false
}

// cutOff is an answer as it is recorded that came no further.
func cutOff(m message.Message) message.Message {
	m.StopReason, m.ErrorMessage = message.Aborted, "The answer was cut off by a crash."
	m.Content = slices.DeleteFunc(m.Content, func(b message.Block) bool {
		return b.Type == message.TextBlock && b.Text == "" || b.Type == message.ThinkingBlock && b.Text == "" && b.Signature == ""
	})
	return m
}

// journal keeps what is being streamed. Owner's.
func (s *Session) journal(ev protocol.Event) {
	switch e := ev.(type) {
	case protocol.AnswerStarted:
		s.answered()
		s.kept.answer = s.opts.Journal.Begin(s.savedAt(), s.branch.Leaf(), e.Message)
	case protocol.Delta:
		if s.kept.answer.Add(e.Delta, &e.Usage) {
			s.kept.timer = time.AfterFunc(flushEvery, func() { s.post(s.flushAnswer) })
		}
	case protocol.Appended:
		if e.Entry.Role == message.Assistant && !e.Foreign {
			s.answered()
		}
	}
}

// savedAt is the path of the session's file, "" if it has none.
func (s *Session) savedAt() string {
	if s.live.Log() == nil {
		return ""
	}
	return s.path()
}

// flushAnswer writes what has come of the answer. Owner's.
func (s *Session) flushAnswer() {
	if err := s.kept.answer.Flush(); err != nil {
		s.opts.Log.Warn("keep the answer that is being streamed", "err", err)
	}
}

// answered is called when the answer is in the session. Owner's.
func (s *Session) answered() {
	a := s.kept.answer
	if a == nil {
		return
	}
	if s.kept.timer != nil {
		s.kept.timer.Stop()
	}
	s.kept.answer, s.kept.timer = nil, nil
	if s.live.Unsaved() > 0 {
		s.kept.answers = append(s.kept.answers, a)
		return
	}
	s.removed(a.Remove())
}

func (s *Session) removed(err error) {
	if err != nil {
		s.opts.Log.Warn("remove what was kept beside the session", "err", err)
	}
}

// saved is called when everything that the session has is in its file. Owner's.
func (s *Session) saved() {
	s.wasSaid()
	if s.kept.queue == nil && len(s.steering)+len(s.followUp) > 0 {
		s.keepQueue()
	}
	if s.live.Held() > 0 {
		return
	}
	for _, a := range s.kept.answers {
		s.removed(a.Remove())
	}
	for _, l := range s.kept.left {
		s.removed(l.Remove())
	}
	s.kept.answers, s.kept.left = nil, nil
}

// closeKept leaves what is not in the session's file to whoever opens it next.
// Owner's.
func (s *Session) closeKept() {
	s.answered()
	for _, a := range s.kept.answers {
		a.Flush() // the file is there, if not all of it
		s.removed(a.Close())
	}
	for _, l := range s.kept.left {
		s.removed(l.Close())
	}
	if s.kept.queue != nil {
		s.removed(s.kept.queue.Close())
	}
}

// takeUpQueue takes over the messages that wait since a process that has ended,
// unless another one runs the session. Before the owner has begun.
func (s *Session) takeUpQueue() {
	if s.opts.Journal == "" || s.savedAt() == "" || s.other != nil {
		return
	}
	var items []journal.Item
	s.kept.queue, items = s.opts.Journal.Queue(s.savedAt(), true)
	said := 0
	for _, it := range items {
		if s.live.Tree().Has(it.ID) {
			said++
			continue
		}
		s.restore(it)
	}
	if said > 0 {
		s.keepQueue()
	}
	if n := len(s.steering) + len(s.followUp); n > 0 {
		text := fmt.Sprintf("%d messages wait since last time. /queue shows them, /queue send says them now; else they follow your next message.", n)
		if n == 1 {
			text = "A message waits since last time. /queue shows it, /queue send says it now; else it follows your next message."
		}
		s.tellNotice(protocol.Notice{Level: "info", Text: text})
	}
}

func (s *Session) restore(it journal.Item) {
	q := queued{id: it.ID}
	for _, b := range it.Content {
		if b.Type == message.TextBlock && q.text == "" {
			q.text = b.Text
		} else {
			q.images = append(q.images, b)
		}
	}
	to := &s.steering
	if it.FollowUp {
		to = &s.followUp
	}
	*to = append(*to, q)
}

// keepQueue makes the journal say what waits. Owner's.
func (s *Session) keepQueue() {
	at := s.savedAt()
	if s.opts.Journal == "" || at == "" {
		return
	}
	items := s.waiting()
	if s.kept.queue == nil {
		if len(items) == 0 {
			return
		}
		s.kept.queue, _ = s.opts.Journal.Queue(at, false)
	}
	if err := s.kept.queue.Save(items); err != nil {
		s.opts.Log.Warn("keep the messages that wait", "err", err)
	}
}

// waiting are the messages that are not in the session yet: those that a run has
// taken out of the queue to say them next, then the queues.
func (s *Session) waiting() []journal.Item {
	var items []journal.Item
	add := func(qs []queued, followUp bool) {
		for _, q := range qs {
			if q.id != "" {
				items = append(items, journal.Item{ID: q.id, FollowUp: followUp, Content: userMessage(q).Content})
			}
		}
	}
	add(s.taken, false)
	add(s.steering, false)
	add(s.followUp, true)
	return items
}
