package provider

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/url"
	"strings"
	"syscall"
)

// NetworkError makes an error of what went wrong below HTTP. It says what happened
// and where, and what to look at.
func NetworkError(err error) *Error {
	host := "the server"
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err // without the URL, which may hold a key
		if at, perr := url.Parse(u.URL); perr == nil && at.Host != "" {
			host = at.Host
		}
	}
	e := &Error{Kind: Transient, Message: err.Error(), Err: err}
	_, badCertificate := errors.AsType[*tls.CertificateVerificationError](err)
	_, noTLS := errors.AsType[tls.RecordHeaderError](err)
	dns, noName := errors.AsType[*net.DNSError](err)
	op, dialing := errors.AsType[*net.OpError](err)
	timeout, isNet := errors.AsType[net.Error](err)
	low := strings.ToLower(e.Message)
	say := func(what, then string) { e.Message, e.Advice = what+": "+e.Message, then }
	switch {
	case dialing && op.Op == "proxyconnect", strings.HasPrefix(low, "proxyconnect"), strings.Contains(low, "socks connect"):
		say("The proxy on the way to "+host+" cannot be used", "Check HTTPS_PROXY, HTTP_PROXY or the setting httpProxy.")
	case low == "proxy authentication required":
		e.Kind = Rejected
		say("The proxy on the way to "+host+" wants a name and a password", "Put them into HTTPS_PROXY or the setting httpProxy: http://name:password@proxy:port.")
	case badCertificate:
		e.Kind = Rejected
		say("The certificate of "+host+" is not trusted", "Check the base URL, the clock of this machine, and whether a proxy stands in between.")
	case noTLS, strings.Contains(low, "server gave http response to https client"):
		e.Kind = Rejected
		say(host+" does not speak TLS", "Check whether the base URL should begin with http:// instead of https://.")
	case strings.Contains(low, "unsupported protocol scheme"), strings.Contains(low, "no host in request url"):
		e.Kind = Rejected
		say("The base URL cannot be used", "It must begin with https:// or http://.")
	case strings.Contains(low, "net/http: invalid header field"):
		e.Kind = Rejected
		say("The request cannot be sent", "Look for blanks, line ends and odd signs in the headers in models.json.")
	case noName && dns.IsTimeout, noName && dns.IsTemporary:
		say("The name "+host+" cannot be looked up just now", "Check the network connection and DNS.")
	case noName:
		say("The name "+host+" is not known", "Check the network connection and the base URL.")
	case errors.Is(err, syscall.ECONNREFUSED):
		say("Nothing answers at "+host, "Check whether the server runs, and the base URL.")
	case errors.Is(err, syscall.ENETUNREACH), errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETDOWN):
		say(host+" cannot be reached", "Check the network connection.")
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF), errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE), errors.Is(err, net.ErrClosed),
		strings.Contains(low, "goaway"), strings.Contains(low, "stream error"), strings.Contains(low, "connection lost"), strings.Contains(low, "closed network connection"),
		strings.Contains(low, "server closed"), strings.Contains(low, "malformed chunked"):
		e.Message = "the connection was cut: " + e.Message
	case errors.Is(err, context.DeadlineExceeded), isNet && timeout.Timeout():
		say(host+" did not answer in time", "Check the network connection.")
	}
	return e
}
