package provider

import "github.com/boughdev/bough/message"

// Account fills in the total and the cost of what an answer took. billed is what
// the provider says that it charges, in dollars, or nil if it says nothing.
func (i Info) Account(u *message.Usage, billed *float64) {
	u.TotalTokens = u.Input + u.Output + u.CacheRead + u.CacheWrite
	i.Cost.Charge(u)
	told := billed != nil
	if told {
		u.Cost.Total = *billed
	}
	u.Cost.FromProvider = &told
}
