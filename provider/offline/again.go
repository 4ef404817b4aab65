package offline

import "slices"

// looksAgain reports whether somebody wants to see something once more that was
// named before: "Look again, please."
func looksAgain(request string) bool {
	return len(request) <= 200 && table().again.MatchString(request)
}

// lookAgain reads the files once more that the user named last.
func (c conversation) lookAgain() [][]task {
	for _, s := range slices.Backward(c.before) {
		words, _ := withoutFiles(s)
		words, _ = material(words)
		if len(words) > longest {
			continue
		}
		var step []task
		for _, f := range filesIn(words, table().reads.MatchString(words)) {
			step = append(step, named(f))
		}
		if len(step) > 0 {
			return [][]task{step[:min(len(step), most)]}
		}
	}
	return nil
}
