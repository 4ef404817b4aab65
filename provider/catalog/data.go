package catalog

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/boughdev/bough/internal/pifile"
)

// Data is a list of models: that of the program, or a newer one of a file, which
// may be packed with gzip:
//
//	{"date":"2026-12-01","source":"…","providers":[
//	  {"id":"anthropic","name":"Anthropic","first":"claude-…","models":[{pi's Model}, …]}, …]}
//
// [Install] takes such a file apart, so that only what is asked for is read later:
//
//	DIR/index.json              date, source, the folder, the providers
//	DIR/FOLDER/PROVIDER.json.gz models
//
// A provider that a newer list does not have stays as it is in the program.
type Data struct {
	Date, Source string
	Dir          string // where it is from; "" is the program

	listings []Listing
	folder   string
}

// BuiltIn is the list of the program.
func BuiltIn() Data { return Data{Date: Date, Source: Source, listings: index} }

// maxData is how large a list of models may be, unpacked.
const maxData = 64 << 20

// bundle is a file with a list; in index.json the models are elsewhere.
type bundle struct {
	Date      string           `json:"date"`
	Source    string           `json:"source"`
	Folder    string           `json:"folder,omitempty"`
	Providers []bundleProvider `json:"providers"`
}

type bundleProvider struct {
	ID     string            `json:"id"`
	Name   string            `json:"name"`
	First  string            `json:"first,omitempty"`
	Count  int               `json:"count,omitempty"`
	Models []json.RawMessage `json:"models,omitempty"`
}

// OpenData returns the list of a folder, or that of the program if it has none
// or one that is older. An error says what is wrong with the folder's; the list of
// the program counts then.
func OpenData(dir string) (Data, error) {
	path := filepath.Join(dir, "index.json")
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return BuiltIn(), nil
	} else if err != nil {
		return BuiltIn(), err
	}
	var b bundle
	if json.Unmarshal(raw, &b) != nil || !isDate(b.Date) || b.Folder == "" || b.Folder != filepath.Base(b.Folder) {
		return BuiltIn(), fmt.Errorf("%s is broken", path)
	}
	if b.Date < Date {
		return BuiltIn(), nil
	}
	d := Data{Date: b.Date, Source: b.Source, Dir: dir, folder: filepath.Join(dir, b.Folder)}
	has := map[string]bool{}
	for _, p := range b.Providers {
		if !isName(p.ID) {
			return BuiltIn(), fmt.Errorf("%s is broken: it names a provider %q", path, p.ID)
		}
		has[p.ID] = true
	}
	for _, l := range index { // the order in which they are tried stays
		if i := slices.IndexFunc(b.Providers, func(p bundleProvider) bool { return p.ID == l.ID }); i >= 0 {
			l = b.Providers[i].listing()
		}
		d.listings = append(d.listings, l)
		delete(has, l.ID)
	}
	for _, p := range b.Providers {
		if has[p.ID] {
			d.listings = append(d.listings, p.listing())
		}
	}
	return d, nil
}

func (p bundleProvider) listing() Listing {
	l := Listing{ID: p.ID, Name: p.Name, First: p.First, Count: p.Count}
	if l.Name == "" {
		l.Name = p.ID
	}
	return l
}

func isDate(s string) bool {
	_, err := time.Parse(time.DateOnly, s)
	return err == nil
}

// isName reports whether a provider's id can be the name of a file anywhere.
func isName(s string) bool {
	return s != "" && s[0] != '.' && len(s) <= 100 && !strings.ContainsFunc(s, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' || r == '.')
	})
}

// Providers returns the providers of the list, in the order in which they are
// tried.
func (d Data) Providers() []Listing { return slices.Clone(d.listings) }

// Count is the number of models of the list.
func (d Data) Count() int {
	n := 0
	for _, l := range d.listings {
		n += l.Count
	}
	return n
}

// Models decodes the models of a provider, by id.
func (d Data) Models(id string) ([]Model, error) {
	if d.folder != "" {
		packed, err := os.ReadFile(filepath.Join(d.folder, id+".json.gz"))
		if err == nil {
			return unpack(packed)
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		if _, ok := Provider(id); !ok {
			return nil, fmt.Errorf("%s has lost the models of %s", d.Dir, id)
		}
	}
	return decode(id)
}

// ReadBundle reads a file with a list and checks it: nothing of it is used if
// anything is wrong.
func ReadBundle(raw []byte) (date, source string, providers int, models int, err error) {
	b, err := parseBundle(raw)
	if err != nil {
		return "", "", 0, 0, err
	}
	for _, p := range b.Providers {
		models += len(p.Models)
	}
	return b.Date, b.Source, len(b.Providers), models, nil
}

func parseBundle(raw []byte) (bundle, error) {
	var b bundle
	if bytes.HasPrefix(raw, []byte{0x1f, 0x8b}) {
		z, err := gzip.NewReader(bytes.NewReader(raw))
		if err == nil {
			raw, err = io.ReadAll(io.LimitReader(z, maxData+1))
		}
		if err != nil {
			return b, fmt.Errorf("it cannot be unpacked: %w", err)
		}
	}
	if len(raw) > maxData {
		return b, fmt.Errorf("it is larger than %d MB", maxData>>20)
	}
	raw = bytes.TrimPrefix(raw, []byte("\ufeff"))
	if err := json.Unmarshal(raw, &b); err != nil {
		return b, fmt.Errorf("it is no list of models: %w", err)
	}
	switch {
	case !isDate(b.Date):
		return b, fmt.Errorf("date is %q, not a day such as 2026-12-01", b.Date)
	case len(b.Providers) == 0:
		return b, errors.New("it has no providers")
	}
	seen := map[string]bool{}
	for i, p := range b.Providers {
		at := fmt.Sprintf("providers[%d]", i)
		switch {
		case !isName(p.ID):
			return b, fmt.Errorf("%s: %q cannot be the id of a provider", at, p.ID)
		case seen[p.ID]:
			return b, fmt.Errorf("%s: %s is there twice", at, p.ID)
		case len(p.Models) == 0:
			return b, fmt.Errorf("%s: %s has no models", at, p.ID)
		}
		seen[p.ID] = true
		if err := checkModels(p); err != nil {
			return b, fmt.Errorf("%s%w", at, err)
		}
	}
	return b, nil
}

func checkModels(p bundleProvider) error {
	ids := map[string]bool{}
	for i, raw := range p.Models {
		var m Model
		at := fmt.Sprintf(".models[%d]", i)
		err := json.Unmarshal(raw, &m)
		switch {
		case err != nil:
			return fmt.Errorf("%s: %w", at, err)
		case m.ID == "" || m.API == "":
			return fmt.Errorf("%s: it has no id or no api", at)
		case m.Provider != p.ID:
			return fmt.Errorf("%s: %s is of the provider %q, not %s", at, m.ID, m.Provider, p.ID)
		case ids[m.ID]:
			return fmt.Errorf("%s: %s is there twice", at, m.ID)
		case m.ContextWindow <= 0 || m.MaxTokens <= 0 || len(m.Input) == 0:
			return fmt.Errorf("%s: %s lacks contextWindow, maxTokens or input", at, m.ID)
		}
		ids[m.ID] = true
	}
	if p.First != "" && !ids[p.First] {
		return fmt.Errorf(".first: there is no model %s", p.First)
	}
	return nil
}

// Install makes the list of a file the one that counts, if it is not older than
// that of the program. What was installed before goes.
func Install(dir string, raw []byte) (Data, error) {
	b, err := parseBundle(raw)
	if err != nil {
		return Data{}, err
	}
	if b.Date < Date {
		return Data{}, fmt.Errorf("it is of %s, and the program's own list is newer: %s", b.Date, Date)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return Data{}, err
	}
	folder, err := os.MkdirTemp(dir, b.Date+"-")
	if err != nil {
		return Data{}, err
	}
	fail := func(err error) (Data, error) { return Data{}, errors.Join(err, os.RemoveAll(folder)) }
	b.Folder = filepath.Base(folder)
	for i := range b.Providers {
		p := &b.Providers[i]
		packed, err := pack(p.Models)
		if err == nil {
			err = os.WriteFile(filepath.Join(folder, p.ID+".json.gz"), packed, 0o600)
		}
		if err != nil {
			return fail(err)
		}
		p.Count, p.Models = len(p.Models), nil
	}
	list, err := json.Marshal(b)
	if err == nil {
		err = pifile.Write(filepath.Join(dir, "index.json"), append(list, '\n'), 0o600)
	}
	if err != nil {
		return fail(err)
	}
	if err := tidy(dir, b.Folder); err != nil {
		return Data{}, err
	}
	return OpenData(dir)
}

// Reset takes away what was installed, and reports whether there was anything.
func Reset(dir string) (bool, error) {
	err := os.Remove(filepath.Join(dir, "index.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	} else if err != nil {
		return false, err
	}
	return true, tidy(dir, "")
}

// tidy removes all folders of lists but one.
func tidy(dir, keep string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.IsDir() && e.Name() != keep && len(e.Name()) > 11 && isDate(e.Name()[:10]) {
			err = errors.Join(err, os.RemoveAll(filepath.Join(dir, e.Name())))
		}
	}
	return err
}

// Bundle writes the list as a file that [Install] takes.
func (d Data) Bundle() ([]byte, error) {
	b := bundle{Date: d.Date, Source: d.Source}
	for _, l := range d.listings {
		models, err := d.Models(l.ID)
		if err != nil {
			return nil, err
		}
		p := bundleProvider{ID: l.ID, Name: l.Name, First: l.First}
		for _, m := range models {
			p.Models = append(p.Models, m.Raw)
		}
		b.Providers = append(b.Providers, p)
	}
	return pack(b)
}

func pack(v any) ([]byte, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := z.Write(text); err != nil {
		return nil, err
	}
	err = z.Close()
	return b.Bytes(), err
}
