package remote

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/boughdev/bough/internal/rawjson"
	"github.com/boughdev/bough/protocol"
	"github.com/boughdev/bough/session"
)

// A Dialer is the door of a server elsewhere.
type Dialer struct {
	Address string // "127.0.0.1:4711", or with a scheme before it
	Token   string

	// Local opens a session's file that can be read here too, for its entries need
	// not be sent then. It is asked for each Watch that begins without any. Nil:
	// they are sent.
	Local func(ctx context.Context, file string) (*session.Session, error)

	// Patience is how long a server that does not answer is tried again; 0: 5 s.
	Patience time.Duration

	HTTP *http.Client // nil: one that uses no proxy
	Log  *slog.Logger // nil: none
}

var _ protocol.Door = (*Dialer)(nil)

// direct uses no proxy, for what it asks is on this machine or named by people.
var direct = sync.OnceValue(func() *http.Client {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.Proxy, t.DisableCompression, t.MaxIdleConnsPerHost, t.ForceAttemptHTTP2 = nil, true, 16, false
	return &http.Client{Transport: t, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
})

func (d *Dialer) http() *http.Client {
	if d.HTTP != nil {
		return d.HTTP
	}
	return direct()
}

func (d *Dialer) log() *slog.Logger {
	if d.Log != nil {
		return d.Log
	}
	return slog.New(slog.DiscardHandler)
}

func (d *Dialer) patience() time.Duration {
	if d.Patience > 0 {
		return d.Patience
	}
	return 5 * time.Second
}

// Open opens a session there. The function that it returns leaves it.
func (d *Dialer) Open(ctx context.Context, o protocol.Open) (protocol.Client, func(), error) {
	at, err := d.open(ctx, o)
	if err != nil {
		return nil, nil, err
	}
	c := &client{d: d, how: o, at: at}
	c.ctx, c.cancel = context.WithCancel(context.Background())
	return c, c.close, nil
}

func (d *Dialer) open(ctx context.Context, o protocol.Open) (opening, error) {
	body, err := protocol.EncodeOpen(o)
	if err != nil {
		return opening{}, err
	}
	b, err := d.ask(ctx, "POST", "/open", body, "", o.Session != "" && !o.Create)
	if err != nil {
		return opening{}, err
	}
	return decodeOpening(b)
}

// errBroken is an error of the connection, behind which it may be asked again.
type errBroken struct{ error }

func (e errBroken) Unwrap() error { return e.error }

func (d *Dialer) request(ctx context.Context, method, path string, body []byte) (*http.Request, error) {
	base := d.Address
	if !strings.Contains(base, "://") {
		base = "http://" + base
	}
	r, err := http.NewRequestWithContext(ctx, method, strings.TrimSuffix(base, "/")+prefix+path, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("the address %q: %w", d.Address, err)
	}
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	r.Header.Set("Authorization", "Bearer "+d.Token)
	return r, nil
}

// ask sends a request until it is answered, or until patience ends; once only where
// it cannot be told whether it was carried out, and must not be twice.
func (d *Dialer) ask(ctx context.Context, method, path string, body []byte, key string, repeat bool) ([]byte, error) {
	w := d.wait()
	for {
		b, err := d.once(ctx, method, path, body, key)
		if _, broken := errors.AsType[errBroken](err); !broken {
			return b, err
		}
		if !repeat && !refused(err) {
			return nil, fmt.Errorf("%w (%v)", ErrGone, err)
		}
		if err := w.pause(ctx, err); err != nil {
			return nil, err
		}
	}
}

func (d *Dialer) once(ctx context.Context, method, path string, body []byte, key string) ([]byte, error) {
	r, err := d.request(ctx, method, path, body)
	if err != nil {
		return nil, err
	}
	if key != "" {
		r.Header.Set(headerKey, key)
	}
	resp, err := d.http().Do(r)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, errBroken{err}
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, errBroken{err}
	}
	if resp.StatusCode >= 300 {
		return nil, problem(resp.StatusCode, b)
	}
	return b, nil
}

// problem makes an error of an answer that is none.
func problem(status int, b []byte) error {
	text, ok := "", false
	if rawjson.Valid(b) {
		text, ok = rawjson.GetString(b, "error")
	}
	if !ok {
		return fmt.Errorf("the server answers with status %d, and not as bough does", status)
	}
	code, _ := rawjson.GetString(b, "code")
	if protocol.Code(code) == Closed {
		return fmt.Errorf("%w (%s)", ErrGone, text)
	}
	return &protocol.Error{Code: protocol.Code(code), Text: text}
}

// refused reports whether nobody listens at an address, so that nothing was sent.
func refused(err error) bool { return errors.Is(err, syscall.ECONNREFUSED) }

// waiting is how long to wait before the next try, and when to give up.
type waiting struct {
	patience time.Duration
	next     time.Duration
	waited   time.Duration
	refused  int
}

func (d *Dialer) wait() *waiting {
	return &waiting{patience: d.patience(), next: 20 * time.Millisecond}
}

// pause waits for the next try, or returns ErrGone. Where nobody listens, somebody
// else will soon.
func (w *waiting) pause(ctx context.Context, why error) error {
	if refused(why) {
		w.refused++
	}
	if w.waited >= w.patience || w.refused > 3 {
		return fmt.Errorf("%w (%v)", ErrGone, why)
	}
	t := time.NewTimer(w.next)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
		return ctx.Err()
	}
	w.waited += w.next
	w.next = min(2*w.next, time.Second)
	return nil
}
