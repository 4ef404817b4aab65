package journal

import (
	"bytes"
	"errors"
	"slices"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/session"
)

// An Item is a message that waits.
type Item struct {
	ID       session.ID // the id that its entry will have
	FollowUp bool
	Content  []message.Block
}

// A Queue is what waits in one session of this process. It is for one goroutine.
type Queue struct {
	dir     Dir
	session string
	file    *file
	kept    []kept  // as the file has it, in order
	old     []*file // taken over, and not yet part of ours
}

type kept struct {
	id      session.ID
	content []byte
}

// Queue returns the queue of the session that lies at that path, and what dead
// processes have left in it. Nothing is written before the first Save.
func (d Dir) Queue(path string, takeOver bool) (*Queue, []Item) {
	q := &Queue{dir: d, session: path}
	if !takeOver {
		return q, nil
	}
	var items []Item
	for _, f := range d.left(path, queues) {
		found, err := f.items()
		if err != nil {
			f.close() // another time, perhaps
			continue
		}
		for _, it := range found {
			if !slices.ContainsFunc(items, func(have Item) bool { return have.ID == it.ID }) {
				items = append(items, it)
			}
		}
		q.old = append(q.old, f)
	}
	return q, items
}

func (f *file) items() ([]Item, error) {
	lines, ok, err := f.lines()
	if !ok || err != nil {
		return nil, err
	}
	var items []Item
	for _, line := range lines[1:] {
		at := func(key string) int {
			id, ok := rawjson.GetString(line, key)
			if !ok {
				return -1
			}
			return slices.IndexFunc(items, func(it Item) bool { return it.ID == session.ID(id) })
		}
		content := message.DecodeContent(slices.Clone(rawjson.Get(line, "content")))
		if id, ok := rawjson.GetString(line, "add"); ok && id != "" && at("add") < 0 {
			items = append(items, Item{session.ID(id), rawjson.Bool(rawjson.Get(line, "followUp")), content})
		} else if i := at("edit"); i >= 0 {
			items[i].Content = content
		} else if i := at("drop"); i >= 0 {
			items = slices.Delete(items, i, i+1)
		}
	}
	return items, nil
}

// Save makes the file say what waits now.
func (q *Queue) Save(items []Item) error {
	if q.dir == "" || q.session == "" {
		return nil
	}
	if len(items) == 0 {
		return q.Clear()
	}
	if q.file == nil {
		f, err := q.dir.create(q.session, queues)
		if err != nil {
			return err
		}
		first := append([]byte(`{"v":1,"session":`), rawjson.Quote(q.session)...)
		if err := f.append(append(first, '}')); err != nil {
			return errors.Join(err, f.remove())
		}
		q.file, q.kept = f, nil
	}
	for _, k := range slices.Clone(q.kept) {
		if !slices.ContainsFunc(items, func(it Item) bool { return it.ID == k.id }) {
			if err := q.write("drop", k.id, nil, false); err != nil {
				return err
			}
			q.kept = slices.DeleteFunc(q.kept, func(have kept) bool { return have.id == k.id })
		}
	}
	for _, it := range items {
		content := message.EncodeContent(it.Content)
		i := slices.IndexFunc(q.kept, func(k kept) bool { return k.id == it.ID })
		switch {
		case i < 0:
			if err := q.write("add", it.ID, content, it.FollowUp); err != nil {
				return err
			}
			q.kept = append(q.kept, kept{it.ID, content})
		case !bytes.Equal(q.kept[i].content, content):
			if err := q.write("edit", it.ID, content, false); err != nil {
				return err
			}
			q.kept[i].content = content
		}
	}
	return q.dropOld()
}

func (q *Queue) write(op string, id session.ID, content []byte, followUp bool) error {
	b := append([]byte(`{"`), op...)
	b = append(append(b, `":`...), rawjson.Quote(string(id))...)
	if followUp {
		b = append(b, `,"followUp":true`...)
	}
	if content != nil {
		b = append(append(b, `,"content":`...), content...)
	}
	return q.file.append(append(b, '}'))
}

// Clear takes all away.
func (q *Queue) Clear() error {
	var err error
	if q.file != nil {
		err = q.file.remove()
		q.file, q.kept = nil, nil
	}
	return errors.Join(err, q.dropOld())
}

// dropOld takes the files away that ours has taken the place of.
func (q *Queue) dropOld() error {
	var err error
	for _, f := range q.old {
		err = errors.Join(err, f.remove())
	}
	q.old = nil
	return err
}

// Close leaves what waits to whoever opens the session next.
func (q *Queue) Close() error {
	var err error
	for _, f := range append(q.old, q.file) {
		if f != nil {
			err = errors.Join(err, f.close())
		}
	}
	q.file, q.kept, q.old = nil, nil, nil
	return err
}
