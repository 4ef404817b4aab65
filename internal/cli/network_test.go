package cli

import (
	"testing"
	"time"

	"github.com/boughdev/bough/internal/config"
	"github.com/boughdev/bough/internal/control"
)

func TestRetrySettings(t *testing.T) {
	d := config.Defaults()
	off, more, any := d.Retry, d.Retry, d.Retry
	off.Enabled = false
	more.ProviderRetries, more.Enabled = 2, false
	any.ProviderMaxDelay = 0
	for _, tt := range []struct {
		in   config.Retry
		want control.Retry
	}{
		{d.Retry, control.Retry{Max: 3, Base: 2 * time.Second, Most: time.Minute, Asked: time.Minute}},
		{off, control.Retry{Base: 2 * time.Second, Most: time.Minute, Asked: time.Minute}},
		{more, control.Retry{Max: 2, Base: 2 * time.Second, Most: time.Minute, Asked: time.Minute}},
		{any, control.Retry{Max: 3, Base: 2 * time.Second, Most: time.Minute, Asked: -1}},
	} {
		if got := retries(tt.in); got != tt.want {
			t.Errorf("%+v: %+v, want %+v", tt.in, got, tt.want)
		}
	}
	none, own := d, d
	none.HTTPIdleTimeout = 0
	own.Retry.ProviderTimeout = time.Second
	for _, tt := range []struct {
		in   config.Settings
		want time.Duration
	}{{d, 5 * time.Minute}, {none, -1}, {own, time.Second}} {
		if got := silence(tt.in); got != tt.want {
			t.Errorf("silence %v, want %v", got, tt.want)
		}
	}
}
