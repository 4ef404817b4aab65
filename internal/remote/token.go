package remote

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// A Key is a token, and what who has it may do.
type Key struct {
	Token string
	Role  Role
}

// Token reads the token in a file, or makes the file with a new one: 256 bits, for
// its owner alone.
func Token(file string) (string, error) {
	for range 2 {
		token, err := readToken(file)
		if !errors.Is(err, fs.ErrNotExist) {
			return token, err
		}
		if err := makeToken(file); err != nil && !errors.Is(err, fs.ErrExist) {
			return "", fmt.Errorf("make the token file: %w", err)
		}
	}
	return readToken(file)
}

func readToken(file string) (string, error) {
	info, err := os.Stat(file)
	if err != nil {
		return "", fmt.Errorf("read the token: %w", err)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		return "", fmt.Errorf("others can read the token in %s; delete the file, and a new one is made", file)
	}
	b, err := os.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("read the token: %w", err)
	}
	token := strings.TrimSpace(string(b))
	if len(token) < 32 || strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "", fmt.Errorf("%s has no token; delete the file, and a new one is made", file)
	}
	return token, nil
}

// makeToken makes the file at once with all that is in it, unless it is there.
func makeToken(file string) error {
	dir := filepath.Dir(file)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, ".token-*") // 0600
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	var secret [32]byte
	rand.Read(secret[:]) // does not fail
	_, err = f.WriteString(hex.EncodeToString(secret[:]) + "\n")
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return err
	}
	return os.Link(f.Name(), file)
}

// role returns what the sender of a request may do, from its bearer token.
func (s *Server) role(r *http.Request) (Role, bool) {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") || token == "" {
		return 0, false
	}
	is := sha256.Sum256([]byte(strings.TrimSpace(token)))
	role, ok := Role(0), false
	for _, k := range s.Tokens {
		want := sha256.Sum256([]byte(k.Token))
		if subtle.ConstantTimeCompare(is[:], want[:]) == 1 && k.Token != "" {
			role, ok = k.Role, true
		}
	}
	return role, ok
}
