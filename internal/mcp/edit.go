package mcp

import (
	"bytes"
	"context"
	"fmt"

	"github.com/boughdev/bough/internal/pifile"
	"github.com/boughdev/bough/internal/rawjson"
)

// Put adds a server to an mcp.json, or replaces the one of that name; all else in
// the file stays to the byte. old is the entry that was there, nil if none was.
func Put(ctx context.Context, file string, s Server) (old []byte, err error) {
	if err := CheckName(s.Name); err != nil {
		return nil, err
	}
	entry, err := s.entry()
	if err != nil {
		return nil, err
	}
	err = change(ctx, file, func(doc []byte) ([]byte, error) {
		for name, v := range rawjson.Members(rawjson.Get(plain(doc), "mcpServers")) {
			switch {
			case name == s.Name:
				old = bytes.Clone(v)
			case sameName(name, s.Name):
				return nil, fmt.Errorf("there is already a server %s, and - and _ count as one: choose another name, or bough mcp remove %s", name, name)
			}
		}
		return pifile.Set(doc, []string{"mcpServers", s.Name}, entry)
	})
	return old, err
}

// Remove takes a server out of an mcp.json and returns its entry, nil if there
// was none.
func Remove(ctx context.Context, file, name string) (old []byte, err error) {
	err = change(ctx, file, func(doc []byte) ([]byte, error) {
		if old = bytes.Clone(rawjson.Get(rawjson.Get(plain(doc), "mcpServers"), name)); old == nil {
			return doc, nil
		}
		return pifile.Set(doc, []string{"mcpServers", name}, nil)
	})
	return old, err
}

// SetEnabled switches a server on or off in the file that it stands in.
func SetEnabled(ctx context.Context, s Server, on bool) error {
	v := []byte("false")
	if on {
		v = nil // it is the default
	}
	return change(ctx, s.File, func(doc []byte) ([]byte, error) {
		if rawjson.Kind(rawjson.Get(rawjson.Get(plain(doc), "mcpServers"), s.Name)) != '{' {
			return nil, fmt.Errorf("there is no server %s any more", s.Name)
		}
		return pifile.Set(doc, []string{"mcpServers", s.Name, "enabled"}, v)
	})
}

func plain(doc []byte) []byte { return bytes.Clone(bytes.TrimPrefix(doc, []byte("\ufeff"))) }

func change(ctx context.Context, file string, f func([]byte) ([]byte, error)) error {
	err := pifile.Update(ctx, file, 0o600, pifile.LockOptions{}, func(doc []byte) ([]byte, error) {
		if d := plain(doc); len(bytes.TrimSpace(d)) > 0 {
			if !rawjson.Valid(d) || rawjson.Kind(d) != '{' {
				return nil, fmt.Errorf("it is no JSON object (line %d); correct it first", max(1, pifile.Fault(d)))
			}
			if all := rawjson.Get(d, "mcpServers"); !rawjson.IsNull(all) && rawjson.Kind(all) != '{' {
				return nil, fmt.Errorf("mcpServers is no object (line %d); correct it first", pifile.Line(d, all))
			}
		}
		out, err := f(doc)
		if out == nil && err == nil {
			return []byte("{}\n"), nil
		}
		return out, err
	})
	if err != nil {
		return fmt.Errorf("change %s: %w", file, err)
	}
	return nil
}

// object is a map with an order.
type object []Pair

func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, p := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(rawjson.Quote(p.Key))
		b.WriteByte(':')
		b.Write(rawjson.Quote(p.Value))
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// entry is a server as it is written, in pi's order.
func (s Server) entry() ([]byte, error) {
	type oauth struct {
		ID           string `json:"clientId,omitempty"`
		Secret       string `json:"clientSecret,omitempty"`
		Port         int    `json:"callbackPort,omitempty"`
		Name         string `json:"clientName,omitempty"`
		Registration string `json:"clientRegistration,omitempty"`
	}
	e := struct {
		Command     string   `json:"command,omitempty"`
		Args        []string `json:"args,omitempty"`
		Env         object   `json:"env,omitempty"`
		Cwd         string   `json:"cwd,omitempty"`
		URL         string   `json:"url,omitempty"`
		Headers     object   `json:"headers,omitempty"`
		OAuth       *oauth   `json:"oauth,omitempty"`
		Exposure    string   `json:"exposure,omitempty"`
		Description string   `json:"description,omitempty"`
	}{s.Command, s.Args, s.Env, s.Cwd, s.URL, s.Headers, nil, s.Exposure, s.Description}
	if s.OAuth != (OAuth{}) {
		e.OAuth = &oauth{s.OAuth.ClientID, s.OAuth.ClientSecret, s.OAuth.CallbackPort, s.OAuth.ClientName, s.OAuth.ClientRegistration}
	}
	entry, err := rawjson.Encode(e)
	if err != nil {
		return nil, err
	}
	var faults []string
	check := Server{Name: s.Name, Exposure: "codemode"}
	check.read(entry, func(key, format string, args ...any) {
		faults = append(faults, fmt.Sprintf("%s %s", key, fmt.Sprintf(format, args...)))
	}, false)
	if len(faults) > 0 {
		return nil, fmt.Errorf("this would be no server: %s", faults[0])
	}
	return entry, nil
}
