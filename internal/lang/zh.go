package lang

import "sync"

// line is a text and what it is in Chinese.
type line struct{ en, zh string }

// tables are all lines, by who says them.
func tables() [][]line {
	return [][]line{zhFrame, zhKeys, zhSlash, zhPreviews, zhBlocks, zhLists, zhAround, zhSettings, zhLive, zhErrors, zhThemes}
}

// chinese is the table; who is spoken to in English never makes it.
var chinese = sync.OnceValue(func() map[string]string {
	m := map[string]string{}
	for _, lines := range tables() {
		for _, l := range lines {
			m[l.en] = l.zh
		}
	}
	return m
})
