package render

import (
	"fmt"
	"strconv"
	"time"
)

// Count writes a number of tokens briefly: 880, 1.2k, 13k, 1.2M, 12M.
func Count[N int | int64 | float64](n N) string {
	f := float64(n)
	switch {
	case f < 1000:
		return strconv.FormatFloat(f, 'f', 0, 64)
	case f < 9950:
		return fmt.Sprintf("%.1fk", f/1e3)
	case f < 999500:
		return fmt.Sprintf("%.0fk", f/1e3)
	case f < 9.95e6:
		return fmt.Sprintf("%.1fM", f/1e6)
	}
	return fmt.Sprintf("%.0fM", f/1e6)
}

// Dollars writes a cost: $0.006, $4.10. It returns "" for nothing.
func Dollars(usd float64) string {
	switch {
	case usd <= 0:
		return ""
	case usd < 0.0005:
		return "<$0.001"
	case usd < 0.9995:
		return fmt.Sprintf("$%.3f", usd)
	}
	return fmt.Sprintf("$%.2f", usd)
}

// Age writes how long ago something was: now, 5m, 3h, 2d, 3w, 4mo, 1y. It is
// never negative.
func Age(d time.Duration) string {
	const day = 24 * time.Hour
	n := func(unit time.Duration, name string) string { return strconv.Itoa(int(d/unit)) + name }
	switch {
	case d < time.Minute:
		return "now"
	case d < time.Hour:
		return n(time.Minute, "m")
	case d < day:
		return n(time.Hour, "h")
	case d < 7*day:
		return n(day, "d")
	case d < 30*day:
		return n(7*day, "w")
	case d < 365*day:
		return n(30*day, "mo")
	}
	return n(365*day, "y")
}

// Messages writes how many messages there are, for a list: all of one width.
func Messages(n int) string {
	if n == 1 {
		return fmt.Sprintf("%5d message ", n)
	}
	return fmt.Sprintf("%5d messages", n)
}

// Ago writes how long ago something was, in words: just now, 5m ago.
func Ago(d time.Duration) string {
	age := Age(d)
	if age == "now" {
		return "just now"
	}
	return age + " ago"
}

// Plural returns "1 entry" or "2 entries".
func Plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}
