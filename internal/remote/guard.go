package remote

import (
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// guard checks what every request is checked for, before anything is read of it
// (docs/spec/frontends.md G2). Only the token lets somebody in; the rest keeps the
// pages out that a browser on this machine has open.
func (s *Server) guard(next http.Handler) http.Handler {
	cross := http.NewCrossOriginProtection()
	cross.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { refuse(w, foreign) }))
	inner := cross.Handler(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Cache-Control", "no-store")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		switch {
		case len(s.Hosts) == 0 && !fromHere(r):
			refuse(w, failure{http.StatusForbidden, Forbidden, "only this machine is served here"})
		case !s.named(r):
			refuse(w, failure{http.StatusMisdirectedRequest, Forbidden, "nothing of that name is served here"})
		case !ownPage(r):
			refuse(w, foreign)
		default:
			inner.ServeHTTP(w, r)
		}
	})
}

var foreign = failure{http.StatusForbidden, Forbidden, "pages of other sites may not ask here"}

// fromHere reports whether the other end of the connection is on this machine. The
// address is that of the socket, whatever headers say.
func fromHere(r *http.Request) bool {
	at, err := netip.ParseAddrPort(r.RemoteAddr)
	return err != nil || at.Addr().Unmap().IsLoopback() // no address: not over a network
}

// named reports whether the Host header has a name that is ours. Somebody else's
// name may be made to point here. The port may be that of a tunnel.
func (s *Server) named(r *http.Request) bool {
	if slices.Contains(s.Hosts, r.Host) {
		return true
	}
	host, _, err := net.SplitHostPort(r.Host)
	if err != nil {
		host = strings.Trim(r.Host, "[]")
	}
	if strings.EqualFold(host, "localhost") {
		return true
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.Unmap().IsLoopback()
}

// ownPage reports whether a request that a browser makes for a page is made for one
// of ours. Programs say nothing of pages.
func ownPage(r *http.Request) bool {
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "none", "same-origin":
	default:
		return false
	}
	origins := r.Header.Values("Origin")
	scheme := "http://"
	if r.TLS != nil {
		scheme = "https://"
	}
	return len(origins) == 0 || len(origins) == 1 && origins[0] == scheme+r.Host
}
