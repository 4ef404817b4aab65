package message

import "github.com/boughdev/bough/internal/rawjson"

// Usage is what an answer took, in tokens. Input excludes what came from or went
// to the cache; Reasoning is part of Output, CacheWrite1h of CacheWrite.
type Usage struct {
	Input, Output         int64
	CacheRead, CacheWrite int64
	CacheWrite1h          int64 // kept for an hour; 0 if not told
	Reasoning             *int64
	TotalTokens           int64
	Cost                  Cost
}

// Cost is in US dollars.
type Cost struct {
	Input, Output         float64
	CacheRead, CacheWrite float64
	Total                 float64
	FromProvider          *bool // whether Total is the provider's own figure; nil if not told
}

// DecodeUsage reads a usage object. Numbers that are missing are 0; nil if v is
// no object.
func DecodeUsage(v Value) *Usage {
	if rawjson.Kind(v) != '{' {
		return nil
	}
	u := &Usage{}
	for key, f := range rawjson.Members(v) {
		switch key {
		case "input":
			u.Input = integer(f)
		case "output":
			u.Output = integer(f)
		case "cacheRead":
			u.CacheRead = integer(f)
		case "cacheWrite":
			u.CacheWrite = integer(f)
		case "cacheWrite1h":
			u.CacheWrite1h = integer(f)
		case "reasoning":
			n := integer(f)
			u.Reasoning = &n
		case "totalTokens":
			u.TotalTokens = integer(f)
		case "cost":
			u.Cost = decodeCost(f)
		}
	}
	return u
}

func decodeCost(v Value) Cost {
	var c Cost
	for key, f := range rawjson.Members(v) {
		n, _ := rawjson.Number(f)
		switch key {
		case "input":
			c.Input = n
		case "output":
			c.Output = n
		case "cacheRead":
			c.CacheRead = n
		case "cacheWrite":
			c.CacheWrite = n
		case "total":
			c.Total = n
		case "totalFromProvider":
			b := rawjson.Bool(f)
			c.FromProvider = &b
		}
	}
	return c
}

// JSON returns the usage with all numbers that pi needs.
func (u Usage) JSON() Value {
	o := newObject()
	o.num("input", u.Input)
	o.num("output", u.Output)
	o.num("cacheRead", u.CacheRead)
	o.num("cacheWrite", u.CacheWrite)
	if u.CacheWrite1h != 0 {
		o.num("cacheWrite1h", u.CacheWrite1h)
	}
	o.optionalNum("reasoning", u.Reasoning)
	o.num("totalTokens", u.TotalTokens)
	c := newObject()
	c.float("input", u.Cost.Input)
	c.float("output", u.Cost.Output)
	c.float("cacheRead", u.Cost.CacheRead)
	c.float("cacheWrite", u.Cost.CacheWrite)
	c.float("total", u.Cost.Total)
	if u.Cost.FromProvider != nil {
		c.bool("totalFromProvider", *u.Cost.FromProvider)
	}
	o.raw("cost", c.done())
	return o.done()
}

// MarshalJSON is [Usage.JSON].
func (u Usage) MarshalJSON() ([]byte, error) { return u.JSON(), nil }

// ContextTokens returns how many tokens the model had before it when it had
// answered: the total, or the sum of the parts where that is missing.
func (u *Usage) ContextTokens() int64 {
	if u == nil {
		return 0
	}
	if u.TotalTokens != 0 {
		return u.TotalTokens
	}
	return u.Input + u.Output + u.CacheRead + u.CacheWrite
}

// Plus returns the sum of two usages; nil is none.
func (u *Usage) Plus(v *Usage) *Usage {
	if u == nil || v == nil {
		if u == nil {
			return v
		}
		return u
	}
	sum := *u
	sum.Input += v.Input
	sum.Output += v.Output
	sum.CacheRead += v.CacheRead
	sum.CacheWrite += v.CacheWrite
	sum.CacheWrite1h += v.CacheWrite1h
	sum.TotalTokens += v.TotalTokens
	if u.Reasoning != nil && v.Reasoning != nil {
		n := *u.Reasoning + *v.Reasoning
		sum.Reasoning = &n
	} else if u.Reasoning == nil {
		sum.Reasoning = v.Reasoning
	}
	sum.Cost.Input += v.Cost.Input
	sum.Cost.Output += v.Cost.Output
	sum.Cost.CacheRead += v.Cost.CacheRead
	sum.Cost.CacheWrite += v.Cost.CacheWrite
	sum.Cost.Total += v.Cost.Total
	if of := v.Cost.FromProvider; of == nil || !*of {
		sum.Cost.FromProvider = of // a sum is the provider's own if all of it is
	}
	return &sum
}
