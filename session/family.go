package session

// Families groups a list: sessions are of one family if one was forked or cloned from
// the other, or if they have one id, as an export that was imported again has. Each
// group holds places in the list, in its order. same gives a path the form in which
// paths are compared; nil leaves them as they are.
func Families(list []Summary, same func(path string) string) [][]int {
	// Each session leads to one of its family, in the end to the first.
	head := make([]int, len(list))
	for i := range head {
		head[i] = i
	}
	var find func(i int) int
	find = func(i int) int {
		for head[i] != i {
			head[i] = head[head[i]]
			i = head[i]
		}
		return i
	}
	join := func(i, j int) {
		a, b := find(i), find(j)
		head[max(a, b)] = min(a, b)
	}
	for i, p := range parents(list, same) {
		if p >= 0 {
			join(i, p)
		}
	}
	byID := map[string]int{}
	for i := range list {
		if id := list[i].ID; id != "" {
			if j, ok := byID[id]; ok {
				join(i, j)
			} else {
				byID[id] = i
			}
		}
	}
	var groups [][]int
	at := map[int]int{}
	for i := range list {
		h := find(i)
		if _, ok := at[h]; !ok {
			at[h] = len(groups)
			groups = append(groups, nil)
		}
		groups[at[h]] = append(groups[at[h]], i)
	}
	return groups
}

// A Ledger adds up what the sessions of one family took. Forks and clones have copies
// of entries, with their ids and times; each is counted once, in the session that is
// added first. So the total is that of all distinct model calls, whichever of the
// sessions are added, in whatever order. A family has a ledger of its own, since ids
// are unique only within one.
type Ledger struct {
	counted map[counted]bool
	total   Stats
}

// counted is what tells an entry from all others of a family.
type counted struct {
	id   ID
	time int64 // Unix milliseconds; noTime if it cannot be read
	typ  Type
}

// Add counts the entries of a session that were not counted before, and returns what
// they come to.
func (l *Ledger) Add(t *Tree) (Stats, error) {
	if l.counted == nil {
		l.counted = map[counted]bool{}
	}
	var own Stats
	for e := range t.Log() {
		k := counted{e.ID, noTime, e.Type}
		if !e.Time.IsZero() {
			k.time = e.Time.UnixMilli()
		}
		if l.counted[k] {
			continue
		}
		l.counted[k] = true
		if err := own.count(e); err != nil {
			return own, err
		}
	}
	l.total = l.total.Plus(own)
	return own, nil
}

// Total returns what was counted so far.
func (l *Ledger) Total() Stats { return l.total }

// Plus adds two statistics.
func (s Stats) Plus(o Stats) Stats {
	return Stats{
		Messages: s.Messages + o.Messages, User: s.User + o.User, Assistant: s.Assistant + o.Assistant,
		ToolResults: s.ToolResults + o.ToolResults, ToolCalls: s.ToolCalls + o.ToolCalls,
		Input: s.Input + o.Input, Output: s.Output + o.Output, CacheRead: s.CacheRead + o.CacheRead,
		CacheWrite: s.CacheWrite + o.CacheWrite, Cost: s.Cost + o.Cost,
	}
}
