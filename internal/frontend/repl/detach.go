package repl

// detach leaves the session to the process that it runs in.
func (r *repl) detach() {
	if r.o.Detach == nil {
		r.say("This session ends with this front end, so it cannot be left running.")
		return
	}
	if err := r.o.Detach(); err != nil {
		r.say("%s", sentence(err))
		return
	}
	r.note("(left; the session goes on)")
	r.quit = true
}
