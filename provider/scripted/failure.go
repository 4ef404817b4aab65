package scripted

import (
	"bytes"
	"io"
	"net/http"

	"github.com/boughdev/bough/internal/script"
	"github.com/boughdev/bough/provider"
)

// refused is the error of a request that got this failure as its HTTP answer, as
// a codec would read it.
func refused(r *script.Reply, f *script.Failure) error {
	body := f.Body
	if body == nil {
		body = f.JSON(r.API, r.N)
	}
	h := http.Header{}
	for _, pair := range f.Headers {
		h.Set(pair[0], pair[1])
	}
	return provider.StatusError(&http.Response{StatusCode: f.Status, Header: h, Body: io.NopCloser(bytes.NewReader(body))})
}

// brokenOff is the error of an answer in whose middle this failure came.
func brokenOff(r *script.Reply, f *script.Failure) error {
	return provider.StreamError(f.JSON(r.API, r.N), "")
}
