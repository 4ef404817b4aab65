package tui

import (
	"context"

	"github.com/boughdev/bough/session"
)

// Around is what lies around a session on this machine: files and accounts that no
// command of the protocol leads to. What is nil is not there. Functions may be called
// from any goroutine.
type Around struct {
	// Canonical makes a function that gives paths of sessions the form in which they
	// are compared.
	Canonical func() func(path string) string
	// Repository names the repository that a folder is of, the same for all of its
	// worktrees; "" if it is of none.
	Repository func(dir string) string
	// Branch names the branch of git that is checked out where a folder lies; "" if there
	// is none.
	Branch func(dir string) string
	// Gone reports whether a folder is not there any more.
	Gone func(dir string) bool
	// Read opens a session to be read, as it is kept.
	Read func(ctx context.Context, path string) (*session.Session, error)

	// Import takes a file of elsewhere among the sessions. told says in lines what
	// became of it.
	Import func(ctx context.Context, path string) (id string, told []string, err error)
	// Debug keeps a report where only the user reads it.
	Debug func(report string) (file string, err error)

	Accounts *Accounts

	// Trust says how it stands with what a folder brings along, SetTrust answers.
	Trust    func(dir string) (Trust, error)
	SetTrust func(ctx context.Context, dir string, answer TrustAnswer) error
}

// Accounts are the keys of providers.
type Accounts struct {
	List func(ctx context.Context) ([]Account, error)
	// Store keeps a key, and what else the provider wants. With check it is tried
	// first. It says in a sentence what came of it.
	Store func(ctx context.Context, provider, key string, more map[string]string, check bool) (string, error)
	// SignIn goes the way by the browser: show gets the page, and what is pasted is
	// the address that the browser ended at.
	SignIn func(ctx context.Context, provider string, show func(address, problem string), pasted <-chan string) (string, error)
	Forget func(ctx context.Context, provider string) (string, error)
}

// Account is a provider, and how it stands with its key.
type Account struct {
	ID, Name string
	From     string   // where its key is from; "" if there is none
	Stored   bool     // it can be forgotten
	Ready    bool     // its models can be asked
	Note     string   // why not, or what else there is to know
	Page     string   // where keys are given out; ""
	SignsIn  bool     // by the browser
	NoKey    string   // why a key cannot be typed; ""
	Wants    []string // names of further values
}

// Trust is how it stands with what a project brings along.
type Trust struct {
	Dir, Parent string
	Trusted     bool
	Why         string
	Items       []TrustItem
	Changed     []string // since it was trusted
}

// TrustItem is a file or folder that needs trust.
type TrustItem struct {
	Path   string
	Files  int
	More   bool     // than those files
	Size   int64    // of all of them, in bytes
	Notes  []string // what it does that is not plain to see
	Begins []string // the first lines of its files
}

// TrustAnswer is what somebody says to a project.
type TrustAnswer string

const (
	TrustAlways TrustAnswer = "always"
	TrustParent TrustAnswer = "parent"
	TrustOnce   TrustAnswer = "once"
	TrustNot    TrustAnswer = "not"   // this time
	TrustNever  TrustAnswer = "never" // until somebody says otherwise
	TrustForget TrustAnswer = "forget"
)

// lookAtGit finds out which branch is checked out: commands may have changed it.
func (a *app) lookAtGit() {
	dir, branch := a.view.Header.CWD, a.o.Around.Branch
	if branch == nil {
		return
	}
	a.beside(func() func() {
		b := branch(dir)
		return func() {
			if dir == a.view.Header.CWD {
				a.gitBranch = b
			}
		}
	})
}
