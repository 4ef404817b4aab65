package cli

import (
	"cmp"
	"time"

	"github.com/boughdev/bough/internal/config"
	"github.com/boughdev/bough/internal/control"
	"github.com/boughdev/bough/provider"
)

// retries says how failures of a provider are met, as the settings want it.
// Tries that pi makes below the agent are tries like all others.
func retries(s config.Retry) control.Retry {
	r := control.Retry{Max: int(s.ProviderRetries), Base: s.BaseDelay, Most: s.MaxDelay, Asked: s.ProviderMaxDelay}
	if s.Enabled {
		r.Max += int(s.MaxRetries)
	}
	if r.Asked == 0 {
		r.Asked = -1 // any
	}
	return r
}

// silence is how long a provider may say nothing; less than 0: for ever.
func silence(s config.Settings) time.Duration {
	if d := cmp.Or(s.Retry.ProviderTimeout, s.HTTPIdleTimeout); d > 0 {
		return d
	}
	return -1
}

// configure makes an endpoint as the settings want it.
func configure(ep *provider.Endpoint, s config.Settings) {
	ep.Idle = silence(s)
	ep.Info.Budgets = s.ThinkingBudgets
	if s.Images.Block {
		ep.Info.Input = []string{"text"}
	}
}
