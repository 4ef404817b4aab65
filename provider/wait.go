package provider

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/boughdev/bough/internal/rawjson"
)

// retryAfter reads what the headers of an answer say about when to come again.
func retryAfter(h http.Header) time.Duration {
	if ms, err := strconv.ParseFloat(strings.TrimSpace(h.Get("retry-after-ms")), 64); err == nil {
		return seconds(ms / 1000)
	}
	v := strings.TrimSpace(h.Get("Retry-After"))
	if s, err := strconv.ParseFloat(v, 64); err == nil {
		return seconds(s)
	}
	if at, err := http.ParseTime(v); err == nil {
		return max(0, at.Sub(clock(h)))
	}
	return 0
}

// clock is the time of the server, which may differ from ours.
func clock(h http.Header) time.Time {
	if date, err := http.ParseTime(h.Get("Date")); err == nil {
		return date
	}
	return time.Now()
}

// limitReset reads when the limits come back that are used up:
//
//	x-ratelimit-remaining-requests: 0           x-ratelimit-reset-requests: 6m0s
//	anthropic-ratelimit-tokens-remaining: 0     anthropic-ratelimit-tokens-reset: 2026-11-30T12:00:00Z
//	X-RateLimit-Remaining: 0                    X-RateLimit-Reset: 1764500000000
func limitReset(h http.Header) time.Duration {
	var wait time.Duration
	for name, v := range h {
		low := strings.ToLower(name)
		if !strings.Contains(low, "ratelimit") || !strings.Contains(low, "remaining") || len(v) == 0 || strings.TrimSpace(v[0]) != "0" {
			continue
		}
		if reset := strings.TrimSpace(h.Get(strings.Replace(low, "remaining", "reset", 1))); reset != "" {
			wait = max(wait, until(reset, clock(h)))
		}
	}
	return wait
}

// until reads a time span, or a point in time as a date or in seconds or
// milliseconds since 1970.
func until(s string, now time.Time) time.Duration {
	if n, err := strconv.ParseFloat(s, 64); err == nil {
		switch {
		case n > 1e12:
			return max(0, time.UnixMilli(int64(n)).Sub(now))
		case n > 1e9:
			return max(0, time.Unix(int64(n), 0).Sub(now))
		}
		return seconds(n)
	}
	if at, err := time.Parse(time.RFC3339, s); err == nil {
		return max(0, at.Sub(now))
	}
	d, err := time.ParseDuration(s)
	if err != nil {
		return 0
	}
	return max(0, d)
}

func seconds(s float64) time.Duration {
	if !(s > 0) {
		return 0
	}
	return time.Duration(min(s, 1e9) * float64(time.Second))
}

// delay reads what the body of a failure says about when to come again: a member
// of the error, Google's details, or words in the message.
func (f *failure) delay(at []byte) time.Duration {
	for d := range rawjson.Elements(rawjson.Get(at, "details")) {
		for _, v := range [][]byte{rawjson.Get(d, "retryDelay"), rawjson.Get(rawjson.Get(d, "metadata"), "quotaResetDelay")} {
			if s, ok := rawjson.String(v); ok {
				if wait := until(s, time.Now()); wait > 0 {
					return wait
				}
			}
		}
	}
	for _, key := range []string{"retry_after_ms", "retry_after", "retryAfter", "resets_in_seconds"} {
		if n, ok := rawjson.Number(rawjson.Get(at, key)); ok && n > 0 {
			if key == "retry_after_ms" {
				n /= 1000
			}
			return seconds(n)
		}
	}
	return saidDelay(f.message)
}

// saidDelay finds a time span in what a server says: "try again in 6m0s", "retry
// after 20 seconds", "your quota will reset after 18h31m10s".
func saidDelay(text string) time.Duration {
	m := waitWords().FindStringSubmatch(text)
	if m == nil {
		return 0
	}
	if m[1] != "" {
		return until(strings.ReplaceAll(m[1], " ", ""), time.Now())
	}
	n, err := strconv.ParseFloat(m[2], 64)
	if err != nil {
		return 0
	}
	switch unit := strings.ToLower(m[3]); {
	case strings.HasPrefix(unit, "milli"):
		n /= 1000
	case strings.HasPrefix(unit, "min"):
		n *= 60
	case strings.HasPrefix(unit, "hour"):
		n *= 3600
	case strings.HasPrefix(unit, "day"):
		n *= 86400
	}
	return seconds(n)
}

var waitWords = lazy(`(?i)(?:again|retry|retrying|wait|resets?)(?: available)?(?: in| after| for)? (?:((?:\d+(?:\.\d+)?(?:ms|h|m|s) ?)+)(?:[^a-z]|$)|(\d+(?:\.\d+)?) ?(milliseconds?|seconds?|secs?|minutes?|mins?|hours?|days?))`)
