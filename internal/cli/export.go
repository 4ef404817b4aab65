package cli

import (
	"bufio"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/boughdev/bough/internal/auth"
	"github.com/boughdev/bough/internal/export"
	"github.com/boughdev/bough/internal/frontend/slash"
	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/internal/render"
	"github.com/boughdev/bough/session"
	"github.com/boughdev/bough/session/filestore"
)

// exportSpec is bough export.
func exportSpec() command {
	return command{"export", "FILE|ID [OUT.html|OUT.md|OUT.jsonl]", "write the conversation of a session to a file of its own",
		"It is the way to where the conversation stands: as a page that opens in any browser,\nas Markdown, or as a session file that bough and pi read. Without OUT it is a page in\nthis folder, whose path is printed. OUT may be - for standard output: a session file,\nunless --format says otherwise.\n",
		[]commandOption{
			{"--branch", "ENTRY", "the way to this entry: its id, #N of bough tree, or label"},
			{"--exact", "", "with --branch: also between a call and its results"},
			{"--all-branches", "", "the whole tree; as a session file it is the whole file, byte by byte"},
			{"--subtree", "ENTRY", "the way to this entry and all that follows it (pages and session files)"},
			{"--static", "", "a page without any script, everything open: for sharing"},
			{"--images", "files|inline|none", "of Markdown: as files beside it (the default), inside it, or not at all"},
			{"--redact", "", "without known keys, bearer tokens, private keys, and what looks like a key"},
			{"--labels", "", "session files: with the labels that are set, on whatever branch"},
			{"--format", "html|md|jsonl", "if the name of OUT does not tell it"},
			{"--force", "", "overwrite OUT"},
			jsonOption, dirOption,
		}, exportCommand}
}

// exportOption is bough --export FILE [OUT], as pi has it.
func exportOption(ctx context.Context, env Env, a *args) error {
	if a.export == "" {
		return usage{errors.New("--all-branches belongs to --export FILE"), "bough help export"}
	}
	opts := map[string]string{"--session-dir": a.sessionDir}
	if a.allBranches {
		opts["--all-branches"] = "true"
	}
	return exportCommand(ctx, env, opts, append([]string{a.export}, a.messages...))
}

// exportJob is an export as a command line or a front end asks for it.
type exportJob struct {
	format string // html, md, jsonl
	out    string // a path, or "-"
	static bool
	images string // files, inline, none
	force  bool
	copy   string // the session file to be copied as it is; "" if the tree is exported
	o      export.Options
}

// exportFormat tells a format by the name of a file, or as it is said.
func exportFormat(out, said string) (string, error) {
	word := said
	if word == "" {
		word = strings.TrimPrefix(strings.ToLower(filepath.Ext(out)), ".")
	}
	switch word {
	case "html", "htm":
		return "html", nil
	case "md", "markdown":
		return "md", nil
	case "jsonl":
		return "jsonl", nil
	case "":
		if out == "-" {
			return "jsonl", nil
		}
	}
	if said != "" {
		return "", fmt.Errorf("--format %s: use html, md or jsonl", oneLine(said, 20))
	}
	return "", fmt.Errorf("the file to write must end in .html, .md or .jsonl, not %s", oneLine(out, 60))
}

// exportName is the page of a session where no name is given.
func exportName(path string) string {
	return "bough-session-" + strings.TrimSuffix(filepath.Base(path), ".jsonl") + ".html"
}

// exportCommand writes the conversation of a session to a file of its own.
func exportCommand(ctx context.Context, env Env, opts map[string]string, words []string) error {
	c := command{name: "export"}
	all, below := opts["--all-branches"] != "", opts["--subtree"]
	switch {
	case len(words) == 0 || len(words) > 2:
		return c.usage("give a session, its path or id, and the file to write: OUT.html, OUT.md or OUT.jsonl")
	case all && (opts["--branch"] != "" || below != ""), below != "" && opts["--branch"] != "":
		return c.usage("--branch, --subtree and --all-branches exclude each other")
	case all && opts["--labels"] != "":
		return c.usage("--all-branches has all labels anyway")
	case opts["--exact"] != "" && opts["--branch"] == "":
		return c.usage("--exact needs --branch")
	}
	r, err := newRunner(env, &args{sessionDir: opts["--session-dir"], maxTurns: -1})
	if err != nil {
		return err
	}
	path, err := r.pathOf(ctx, words[0])
	if err != nil {
		return err
	}
	out := exportName(path)
	if len(words) > 1 {
		out = words[1]
	}
	j := exportJob{out: out, static: opts["--static"] != "", images: opts["--images"], force: opts["--force"] != ""}
	if j.format, err = exportFormat(out, opts["--format"]); err != nil {
		return c.usage("%v", err)
	}
	switch {
	case j.static && j.format != "html":
		return c.usage("--static belongs to pages, OUT.html")
	case j.images != "" && j.format != "md":
		return c.usage("--images belongs to Markdown, OUT.md")
	case j.images != "" && j.images != "files" && j.images != "inline" && j.images != "none":
		return c.usage("--images %s: use files, inline or none", oneLine(j.images, 20))
	case j.format == "md" && (all || below != ""):
		return c.usage("Markdown has one branch: leave --all-branches and --subtree out")
	case j.static && below != "":
		return c.usage("--static has one branch or all of them: leave --subtree out")
	case opts["--labels"] != "" && j.format != "jsonl":
		return c.usage("--labels belongs to session files; the others always have labels")
	}
	if out != "-" {
		j.out = env.abs(out)
		if j.same(path) {
			return fmt.Errorf("export: "+overItself, j.out)
		}
	}
	j.o = export.Options{Labels: opts["--labels"] != "", Now: time.Now(), Redact: r.redactor(opts["--redact"] != "")}
	if all && j.format == "jsonl" && j.o.Redact == nil {
		j.copy = path
		rep, err := r.export(ctx, j, session.Header{}, nil)
		return r.exportSaid(j, rep, opts, len(words) > 1, err)
	}
	s, err := session.Open(ctx, r.store, path)
	if err != nil {
		return headerless(path, err)
	}
	defer s.Close()
	switch {
	case all:
	case below != "":
		if j.o.Below, err = slash.Target(s.Tree(), below); err != nil {
			return err
		}
		if s.Tree().Damaged() {
			return fmt.Errorf("the session is damaged, so it is not certain what follows an entry. bough doctor %s --repair makes a whole one first", path)
		}
		if j.o.Stand = s.Tree().Leaf(); s.Tree().CommonAncestor(j.o.Stand, j.o.Below) != j.o.Below {
			j.o.Stand = render.NumbersOf(s.Tree()).Tip(s.Tree(), j.o.Below)
		}
	default:
		if j.o.Leaf, err = r.exported(s.Tree(), path, opts); err != nil {
			return err
		}
	}
	rep, err := r.export(ctx, j, s.Header(), s.Tree())
	if rep.Left > 0 && err == nil {
		r.say("%s on the way could not be read and were left out; bough doctor %s says more.", render.Plural(rep.Left, "line", "lines"), path)
	}
	return r.exportSaid(j, rep, opts, len(words) > 1, err)
}

// exportSaid tells how an export went.
func (r *runner) exportSaid(j exportJob, rep export.Report, opts map[string]string, named bool, err error) error {
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s is there already. --force overwrites it", j.out)
	}
	if err != nil {
		return err
	}
	if j.o.Redact != nil {
		r.say("%s", redactedWords(rep.Redacted))
	}
	switch {
	case j.out == "-":
		return nil
	case opts["--json"] == "" && named:
		return nil
	case opts["--json"] == "":
		_, err := fmt.Fprintln(r.env.Stdout, render.OneLine(j.out))
		return err
	}
	line := []byte(`{"path":`)
	line = rawjson.AppendString(line, j.out)
	line = fmt.Appendf(line, `,"entries":%d,"left":%d`, rep.Entries, rep.Left)
	if j.o.Redact != nil {
		line = append(line, `,"redacted":{`...)
		for i, x := range rep.Redacted {
			if i > 0 {
				line = append(line, ',')
			}
			line = rawjson.AppendString(line, x.What)
			line = fmt.Appendf(line, ":%d", x.Times)
		}
		line = append(line, '}')
	}
	_, err = fmt.Fprintf(r.env.Stdout, "%s}\n", line)
	return err
}

// redactedWords says what was taken out.
func redactedWords(list []export.Redaction) string {
	if len(list) == 0 {
		return "Nothing had to be taken out. What a person would recognise may still be there: look before you share it."
	}
	var parts []string
	for _, x := range list {
		parts = append(parts, fmt.Sprintf("%s (%s)", x.What, render.Plural(x.Times, "time", "times")))
	}
	return "Taken out: " + strings.Join(parts, ", ") + ". Look at the rest before you share it."
}

// redactor knows the secrets of this person: variables whose names say so, and
// the keys in auth.json.
func (r *runner) redactor(wanted bool) *export.Redactor {
	if !wanted {
		return nil
	}
	values := map[string]string{}
	for _, kv := range os.Environ() { // the names only
		name, _, _ := strings.Cut(kv, "=")
		if secretName(name) {
			values[name] = r.env.Getenv(name)
		}
	}
	for _, name := range auth.AllVariables() {
		values[name] = r.env.Getenv(name)
	}
	known, _ := auth.Load(r.paths.AuthFile()) // what cannot be read of it was said at the start
	for provider, c := range known {
		name := "auth.json " + render.OneLine(strings.NewReplacer(`"`, "", `\`, "", "<", "").Replace(provider))
		values[name], values[name+" access"] = c.Key, c.Access
		for k, v := range c.Env {
			if secretName(k) {
				values[name+" "+render.OneLine(strings.NewReplacer(`"`, "", `\`, "", "<", "").Replace(k))] = v
			}
		}
	}
	return export.NewRedactor(values)
}

// secretName reports whether the name of a variable says that it holds a secret.
func secretName(name string) bool {
	name = strings.ToUpper(name)
	for _, end := range []string{"KEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "PASSPHRASE", "CREDENTIAL", "CREDENTIALS"} {
		if strings.HasSuffix(name, end) {
			return true
		}
	}
	return false
}

// export carries out a job. The error for a file that is there already is
// fs.ErrExist.
func (r *runner) export(ctx context.Context, j exportJob, h session.Header, t *session.Tree) (rep export.Report, err error) {
	write := func(w io.Writer) (err error) {
		out := bufio.NewWriterSize(untilDone{ctx, w}, 1<<17)
		switch {
		case j.copy != "":
			err = copyFileTo(out, j.copy)
		case j.format == "jsonl":
			rep, err = export.JSONL(out, h, t, j.o)
		case j.format == "md":
			rep, err = export.Markdown(out, h, t, j.o, j.saveImage())
		case j.static:
			rep, err = export.Static(out, h, t, j.o)
		default:
			rep, err = export.Page(out, h, t, j.o)
		}
		if err != nil {
			return err
		}
		return out.Flush()
	}
	if j.out == "-" {
		err = write(r.env.Stdout)
		return rep, err
	}
	done := r.exportProgress(&j.o)
	defer done()
	err = writeOut(j.out, j.force, write)
	return rep, err
}

// untilDone writes until a context ends.
type untilDone struct {
	ctx context.Context
	w   io.Writer
}

func (u untilDone) Write(b []byte) (int, error) {
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	return u.w.Write(b)
}

// exportProgress shows on a terminal how far a long export is.
func (r *runner) exportProgress(o *export.Options) (done func()) {
	if !r.env.StdoutTerminal || r.args.quiet || o.Progress != nil {
		return func() {}
	}
	shown := false
	next := time.Now().Add(time.Second)
	o.Progress = func(n int64) {
		if now := time.Now(); now.After(next) {
			shown, next = true, now.Add(200*time.Millisecond)
			fmt.Fprintf(r.env.Stderr, "\rbough: %s written ", render.Bytes(n))
		}
	}
	return func() {
		if shown {
			fmt.Fprint(r.env.Stderr, "\r\x1b[K")
		}
	}
}

// saveImage keeps the images of a Markdown file in a folder beside it, by what they
// are: one that comes twice is kept once.
func (j exportJob) saveImage() export.ImageFile {
	switch {
	case j.images == "none":
		return func([]byte, string) (string, error) { return "", nil }
	case j.images == "inline" || j.out == "-":
		return nil
	}
	dir := strings.TrimSuffix(j.out, filepath.Ext(j.out)) + "-images"
	return func(data []byte, ext string) (string, error) {
		name := fmt.Sprintf("%x.%s", sha256.Sum256(data), ext)
		name = name[:12] + name[64:]
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return "", err
		}
		err := os.WriteFile(filepath.Join(dir, name), data, 0o600)
		return (&url.URL{Path: filepath.Base(dir) + "/" + name}).String(), err
	}
}

// exported returns the entry to which the way is exported.
func (r *runner) exported(t *session.Tree, path string, opts map[string]string) (session.ID, error) {
	word := opts["--branch"]
	if word == "" {
		leaf := t.Leaf()
		if leaf == "" {
			return "", errors.New("the conversation stands before its first entry, so there is nothing to export. --branch ENTRY takes another place, --all-branches all")
		}
		return leaf, nil
	}
	at, err := slash.Target(t, word)
	if err != nil && !strings.HasPrefix(word, "#") {
		err = fmt.Errorf("the session has no entry and no label %q. bough tree %s --ids lists them", oneLine(word, 60), path)
	}
	if err != nil || opts["--exact"] != "" {
		return at, err
	}
	end, err := t.TurnEnd(at, t.Leaf())
	if err == nil && end != at {
		r.say("%s stands between a call and its results; the export goes on to the last of them, %s. --exact ends it there.", at, end)
	}
	return end, err
}

func copyFileTo(w io.Writer, path string) error {
	if _, err := filestore.ReadHeader(path); err != nil {
		return headerless(path, fmt.Errorf("export %s: %w", path, err))
	}
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("export: %w", err)
	}
	defer f.Close()
	_, err = io.Copy(w, f)
	return err
}

// writeOut makes a file, whole or not at all, and not in the place of another unless
// that is wanted. Errors name the file that was asked for.
func writeOut(path string, force bool, write func(io.Writer) error) error {
	if info, err := os.Lstat(path); err == nil && info.IsDir() {
		return fmt.Errorf("export: %s is a folder; name a file", path)
	} else if err == nil && !force {
		return fs.ErrExist
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".export-*")
	if err != nil {
		return writeFault(path, err)
	}
	defer os.Remove(f.Name()) // gone already, or of no use
	err = write(f)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	switch {
	case err != nil:
	case force:
		err = os.Rename(f.Name(), path)
	default:
		if err = os.Link(f.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
			err = os.Rename(f.Name(), path) // a file system without hard links
		}
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return writeFault(path, err)
	}
	return err
}

// writeFault says why a file cannot be written, without the name of the one that is
// written first.
func writeFault(path string, err error) error {
	dir := filepath.Dir(path)
	var of *fs.PathError
	var to *os.LinkError
	switch {
	case errors.As(err, &of) && filepath.Dir(of.Path) == dir:
		err = of.Err
	case errors.As(err, &to) && filepath.Dir(to.Old) == dir:
		err = to.Err
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("there is no folder %s", dir)
	}
	return fmt.Errorf("export: cannot write %s: %w", path, err)
}

// same reports whether an export would take the place of the session it is made of,
// whose other branches would then be gone.
func (j exportJob) same(source string) bool {
	out, err := os.Lstat(j.out)
	if err != nil || source == "" {
		return false
	}
	in, err := os.Stat(source)
	return err == nil && os.SameFile(out, in)
}

const overItself = "%s is the session itself; an export over it would lose its other branches. Name another file"
