package mcp

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"net/netip"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/boughdev/bough/internal/config"
	"github.com/boughdev/bough/internal/pifile"
	"github.com/boughdev/bough/internal/rawjson"
)

// Source is whose file a server stands in.
type Source string

const (
	User    Source = "global" // as pi calls it
	Project Source = "project"
)

// Server is an entry of mcp.json (pi's docs/mcp.md). Values are as written.
type Server struct {
	Name   string
	Source Source
	File   string
	Line   int
	Err    string // why the entry cannot be used; "" if it can

	Command string // of a server that is started
	Args    []string
	Env     []Pair
	Cwd     string

	URL     string // of one that is reached by HTTP
	Headers []Pair
	OAuth   OAuth

	Timeout      time.Duration // of a request without a sign of progress
	Disabled     bool
	Description  string
	Exposure     string // "direct", "codemode", "deferred", "hidden"
	ToolExposure []Pair // by name or pattern, in order

	raw []byte // the entry, to tell whether it has changed
}

// Pair is a key with its value.
type Pair struct{ Key, Value string }

// OAuth is how to sign in at a server.
type OAuth struct {
	ClientID, ClientSecret, ClientName, ClientRegistration string
	CallbackPort                                           int
	CallbackURL, Scope, AuthServerMetadataURL              string
}

// defaultTimeout is pi's.
const defaultTimeout = 60 * time.Second

// Exposures are the ways in which tools are offered.
var exposures = []string{"direct", "codemode", "deferred", "hidden"}

// UserFile is the mcp.json of the user, ProjectFile that of a project.
func UserFile(p config.Paths) string { return filepath.Join(p.Agent, "mcp.json") }
func ProjectFile(dir string) string  { return filepath.Join(dir, ".pi", "mcp.json") }

// Load reads the servers of the user and, if the project in dir is trusted, of
// the project, which replace those of the same name. The order is that of the
// files. An entry that cannot be used is among them with the reason in Err, and
// what else is wrong is told as a problem.
func Load(p config.Paths, dir string, trusted bool) ([]Server, []config.Problem) {
	l := loader{}
	l.file(UserFile(p), User)
	if dir != "" && trusted {
		l.file(ProjectFile(dir), Project)
	}
	return l.servers, l.problems
}

type loader struct {
	servers  []Server
	problems []config.Problem
}

func (l *loader) file(path string, source Source) {
	doc, err := pifile.Read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return
	} else if err != nil {
		l.problems = append(l.problems, config.Problem{File: path, Message: err.Error()})
		return
	}
	doc = slices.Clip(bytes.TrimPrefix(doc, []byte("\ufeff")))
	if len(bytes.TrimSpace(doc)) == 0 {
		return
	}
	if !rawjson.Valid(doc) || rawjson.Kind(doc) != '{' {
		l.problems = append(l.problems, config.Problem{File: path, Line: pifile.Fault(doc), Message: "is no JSON object; no server in it is used"})
		return
	}
	all := rawjson.Get(doc, "mcpServers")
	if rawjson.IsNull(all) {
		return
	}
	if rawjson.Kind(all) != '{' {
		l.problems = append(l.problems, config.Problem{File: path, Line: pifile.Line(doc, all), Key: "mcpServers", Message: "is no object; no server is used"})
		return
	}
	for name, v := range rawjson.Members(all) {
		tell := func(key, format string, args ...any) {
			l.problems = append(l.problems, config.Problem{File: path, Line: pifile.Line(doc, v),
				Key: strings.TrimSuffix("mcpServers."+name+"."+key, "."), Message: fmt.Sprintf(format, args...)})
		}
		l.entry(Server{Name: name, Source: source, File: path, Line: pifile.Line(doc, v), raw: v}, tell)
	}
}

// entry adds a server, or lays it over the one of the same name.
func (l *loader) entry(s Server, tell func(key, format string, args ...any)) {
	i := slices.IndexFunc(l.servers, func(have Server) bool { return sameName(have.Name, s.Name) })
	switch {
	case i >= 0 && l.servers[i].Source == s.Source && l.servers[i].Name != s.Name:
		tell("", "is the same name as %s, as - and _ count as one; ignored", l.servers[i].Name)
		return
	case i >= 0 && s.Source == Project && rawjson.Kind(s.raw) == '{' && isOverride(s.raw):
		over := l.servers[i]
		over.read(s.raw, tell, true)
		over.raw = slices.Concat(over.raw, s.raw)
		l.servers[i] = over
		return
	case s.Source == Project && rawjson.Kind(s.raw) == '{' && isOverride(s.raw):
		tell("", "has no command and no url, and the user's mcp.json has no server of that name; ignored")
		return
	}
	s.Timeout, s.Exposure = defaultTimeout, "codemode"
	s.read(s.raw, tell, false)
	if i >= 0 {
		l.servers[i] = s
	} else {
		l.servers = append(l.servers, s)
	}
}

// isOverride reports whether an entry of a project only changes one of the user.
func isOverride(v []byte) bool {
	return rawjson.Get(v, "command") == nil && rawjson.Get(v, "url") == nil && rawjson.Get(v, "type") == nil
}

// sameName: names that differ only in - and _ would give tools of one name.
func sameName(a, b string) bool {
	return strings.ReplaceAll(a, "-", "_") == strings.ReplaceAll(b, "-", "_")
}

// CheckName says what is wrong with the name of a server.
func CheckName(name string) error {
	if name == "" || strings.ContainsFunc(name, func(r rune) bool { return !nameRune(r) && r != '-' }) {
		return fmt.Errorf("a server's name has letters, digits, _ and - only, not %q", name)
	}
	return nil
}

func nameRune(r rune) bool {
	return r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
}

// read takes the fields of an entry. Of an override only the three that it may
// change count.
func (s *Server) read(v []byte, tell func(key, format string, args ...any), override bool) {
	fail := func(key, format string, args ...any) {
		tell(key, format, args...)
		if !override && s.Err == "" {
			s.Err = strings.TrimPrefix(key+" ", " ") + fmt.Sprintf(format, args...)
		}
	}
	if err := CheckName(s.Name); err != nil {
		fail("", "%v; ignored", err)
		return
	}
	if rawjson.Kind(v) != '{' {
		fail("", "is no object; ignored")
		return
	}
	s.exposure(v, tell)
	if e := rawjson.Get(v, "enabled"); e != nil {
		switch rawjson.Kind(e) {
		case 't', 'f':
			s.Disabled = !rawjson.Bool(e)
		default:
			tell("enabled", "wants true or false; ignored")
		}
	}
	if override {
		return
	}
	text := func(key string) string {
		e := rawjson.Get(v, key)
		t, ok := rawjson.String(e)
		if !ok && !rawjson.IsNull(e) {
			fail(key, "wants a text; the server is not used")
		}
		return t
	}
	s.Command, s.URL, s.Cwd, s.Description = text("command"), text("url"), text("cwd"), text("description")
	if e := rawjson.Get(v, "args"); !rawjson.IsNull(e) {
		if rawjson.Kind(e) != '[' {
			fail("args", "wants a list of texts; the server is not used")
		}
		for a := range rawjson.Elements(e) {
			t, ok := rawjson.String(a)
			if !ok {
				fail("args", "wants a list of texts; the server is not used")
				break
			}
			s.Args = append(s.Args, t)
		}
	}
	s.Env, s.Headers = pairs(v, "env", fail), pairs(v, "headers", fail)
	s.timeout(v, tell)
	s.OAuth = readOAuth(rawjson.Get(v, "oauth"), fail)
	s.transport(text("type"), tell, fail)
}

// transport checks that an entry is of one of the two kinds.
func (s *Server) transport(kind string, tell, fail func(key, format string, args ...any)) {
	switch kind {
	case "", "stdio", "http", "streamable-http":
		if s.Err != "" {
			return // what else is wrong may come of that
		}
	case "sse":
		fail("type", "is sse, which is not supported; many such servers also have streamable HTTP, often at /mcp instead of /sse")
		return
	default:
		fail("type", "is %q, which is none of stdio, http, streamable-http; the server is not used", kind)
		return
	}
	switch {
	case s.Command != "" && s.URL != "" && kind == "":
		tell("command", "is not used, as there is a url too") // pi takes the url
		s.Command = ""
	case kind == "stdio" && s.Command == "", kind == "" && s.Command == "" && s.URL == "":
		fail("", "needs a command or a url; the server is not used")
	case (kind == "http" || kind == "streamable-http") && s.URL == "":
		fail("", "needs a url; the server is not used")
	case kind == "stdio":
		s.URL = ""
	case kind != "":
		s.Command = ""
	}
	if s.URL != "" {
		if err := checkURL(s.URL); err != nil {
			fail("url", "%v", err)
		}
	}
}

func checkURL(raw string) error {
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return errors.New("wants an address like https://example.com/mcp")
	}
	return nil
}

// loopback reports whether a host is this machine.
func loopback(host string) bool {
	if host == "localhost" {
		return true
	}
	a, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil && a.IsLoopback()
}

func (s *Server) timeout(v []byte, tell func(key, format string, args ...any)) {
	e := rawjson.Get(v, "timeout")
	if rawjson.IsNull(e) {
		return
	}
	const most = 24 * 3600
	f, ok := rawjson.Number(e)
	switch {
	case !ok || !(f > 0):
		tell("timeout", "wants seconds above 0; 60 are used")
	case f > most:
		tell("timeout", "is too long; a day is used")
		s.Timeout = most * time.Second
	default:
		s.Timeout = max(time.Duration(f*float64(time.Second)), time.Millisecond)
	}
}

func (s *Server) exposure(v []byte, tell func(key, format string, args ...any)) {
	if e := rawjson.Get(v, "exposure"); !rawjson.IsNull(e) {
		if x, ok := readExposure(e); ok {
			s.Exposure = x
		} else {
			tell("exposure", "is none of %s; %s is used", strings.Join(exposures, ", "), s.Exposure)
		}
	}
	e := rawjson.Get(v, "toolExposure")
	if rawjson.IsNull(e) {
		return
	}
	if rawjson.Kind(e) != '{' {
		tell("toolExposure", "wants an object; ignored")
		return
	}
	s.ToolExposure = nil
	for pattern, e := range rawjson.Members(e) {
		if x, ok := readExposure(e); ok {
			s.ToolExposure = append(s.ToolExposure, Pair{pattern, x})
		} else {
			tell("toolExposure."+pattern, "is none of %s; ignored", strings.Join(exposures, ", "))
		}
	}
}

func readExposure(v []byte) (string, bool) {
	x, ok := rawjson.String(v)
	if x == "codemode-deferred" {
		x = "codemode"
	}
	return x, ok && slices.Contains(exposures, x)
}

// ExposureOf is how a tool of the server is offered: a whole name wins over
// patterns, of which the first that fits counts.
func (s Server) ExposureOf(name string) string {
	for _, p := range s.ToolExposure {
		if p.Key == name {
			return p.Value
		}
	}
	for _, p := range s.ToolExposure {
		if fits(p.Key, name) {
			return p.Value
		}
	}
	return s.Exposure
}

// fits reports whether a pattern, in which * stands for anything, is a name.
func fits(pattern, name string) bool {
	parts := strings.Split(pattern, "*")
	if len(parts) == 1 {
		return pattern == name
	}
	rest, ok := strings.CutPrefix(name, parts[0])
	if !ok {
		return false
	}
	for _, p := range parts[1 : len(parts)-1] {
		i := strings.Index(rest, p)
		if i < 0 {
			return false
		}
		rest = rest[i+len(p):]
	}
	return strings.HasSuffix(rest, parts[len(parts)-1])
}

// Target is the command or the address of a server, as written.
func (s Server) Target() string {
	if s.URL != "" {
		return s.URL
	}
	return strings.Join(append([]string{s.Command}, s.Args...), " ")
}

// signsIn reports whether OAuth applies: to HTTP without a header of its own.
func (s Server) signsIn() bool {
	return s.URL != "" && !slices.ContainsFunc(s.Headers, func(p Pair) bool { return strings.EqualFold(p.Key, "Authorization") })
}

func pairs(v []byte, key string, fail func(key, format string, args ...any)) []Pair {
	e := rawjson.Get(v, key)
	if rawjson.IsNull(e) {
		return nil
	}
	if rawjson.Kind(e) != '{' {
		fail(key, "wants an object of texts; the server is not used")
		return nil
	}
	var out []Pair
	for k, e := range rawjson.Members(e) {
		t, ok := rawjson.String(e)
		if !ok {
			fail(key+"."+k, "wants a text; the server is not used")
			continue
		}
		out = slices.DeleteFunc(out, func(p Pair) bool { return p.Key == k })
		out = append(out, Pair{k, t})
	}
	return out
}

func readOAuth(v []byte, fail func(key, format string, args ...any)) (o OAuth) {
	if rawjson.IsNull(v) || rawjson.Kind(v) == 'f' {
		return o
	}
	if rawjson.Kind(v) != '{' {
		fail("oauth", "wants an object; the server is not used")
		return o
	}
	for key, to := range map[string]*string{"clientId": &o.ClientID, "clientSecret": &o.ClientSecret, "clientName": &o.ClientName,
		"clientRegistration": &o.ClientRegistration, "callbackUrl": &o.CallbackURL, "scope": &o.Scope, "authServerMetadataUrl": &o.AuthServerMetadataURL} {
		e := rawjson.Get(v, key)
		t, ok := rawjson.String(e)
		if !ok && !rawjson.IsNull(e) {
			fail("oauth."+key, "wants a text; the server is not used")
		}
		*to = t
	}
	if e := rawjson.Get(v, "callbackPort"); !rawjson.IsNull(e) {
		f, ok := rawjson.Number(e)
		if !ok || f < 1 || f > 65535 || f != float64(int(f)) {
			fail("oauth.callbackPort", "wants a port from 1 to 65535; the server is not used")
		} else {
			o.CallbackPort = int(f)
		}
	}
	switch o.ClientRegistration {
	case "", "auto", "dcr", "cimd":
	default:
		fail("oauth.clientRegistration", "is none of auto, cimd, dcr; the server is not used")
	}
	if u, err := url.Parse(o.CallbackURL); o.CallbackURL != "" && (err != nil || u.Scheme != "http" || !loopback(u.Hostname())) {
		fail("oauth.callbackUrl", "must begin with http:// on localhost, 127.0.0.1 or [::1]; the server is not used")
	}
	if u, err := url.Parse(o.AuthServerMetadataURL); o.AuthServerMetadataURL != "" && (err != nil || u.Host == "" || u.Scheme != "https" && (u.Scheme != "http" || !loopback(u.Hostname()))) {
		fail("oauth.authServerMetadataUrl", "must begin with https://; the server is not used")
	}
	return o
}
