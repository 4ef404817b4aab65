package session

import (
	"time"

	"github.com/boughdev/bough/internal/rawjson"
)

// maxTime is the last time that ECMAScript knows, in Unix milliseconds.
const maxTime = 8.64e15

// ParseTime reads the time of an entry: ISO 8601 with Z or an offset, a date
// alone (UTC), milliseconds as a number, null as 0. It returns false for
// anything else.
func ParseTime(v []byte) (time.Time, bool) {
	switch rawjson.Kind(v) {
	case '"':
		s, _ := rawjson.String(v)
		return parseISO(s)
	case '0':
		if f, ok := rawjson.Number(v); ok && f <= maxTime && f >= -maxTime {
			return time.UnixMilli(int64(f)).UTC(), true
		}
	case 'n':
		return time.UnixMilli(0).UTC(), true
	}
	return time.Time{}, false
}

// parseISO reads 2026-03-01 or 2026-03-01T09:00, with or without seconds and a
// fraction of them, with Z or an offset like +09:00. As in ECMAScript a month
// may have 31 days and a day may end at 24:00; the fraction is cut to
// milliseconds.
func parseISO(s string) (time.Time, bool) {
	ok := true
	digits := func(n, low, high int) int {
		if len(s) < n {
			ok = false
			return 0
		}
		v := 0
		for _, c := range []byte(s[:n]) {
			ok = ok && c >= '0' && c <= '9'
			v = 10*v + int(c-'0')
		}
		s = s[n:]
		ok = ok && v >= low && v <= high
		return v
	}
	skip := func(c byte) bool {
		if s == "" || s[0] != c {
			return false
		}
		s = s[1:]
		return true
	}
	year := digits(4, 0, 9999)
	ok = ok && skip('-')
	month := digits(2, 1, 12)
	ok = ok && skip('-')
	day := digits(2, 1, 31)
	var hour, minute, sec, ms, offset int
	if ok && s != "" {
		ok = skip('T')
		hour = digits(2, 0, 24)
		ok = ok && skip(':')
		minute = digits(2, 0, 59)
		if skip(':') {
			sec = digits(2, 0, 59)
			if skip('.') {
				n := 0
				for ; n < len(s) && s[n] >= '0' && s[n] <= '9'; n++ {
					if n < 3 {
						ms += int(s[n]-'0') * [3]int{100, 10, 1}[n]
					}
				}
				ok = ok && n > 0
				s = s[n:]
			}
		}
		if hour == 24 && (minute != 0 || sec != 0 || ms != 0) {
			return time.Time{}, false
		}
		if !skip('Z') {
			sign := 1
			if skip('-') {
				sign = -1
			} else {
				ok = ok && skip('+')
			}
			offset = 60 * digits(2, 0, 23)
			ok = ok && skip(':')
			offset = sign * (offset + digits(2, 0, 59))
		}
	}
	if !ok || s != "" {
		return time.Time{}, false
	}
	t := time.Date(year, time.Month(month), day, hour, minute-offset, sec, ms*int(time.Millisecond), time.UTC)
	if t.IsZero() {
		t = t.Add(1) // the zero time is for what cannot be read
	}
	return t, true
}

// FormatTime writes a time as session files have it.
func FormatTime(t time.Time) string { return string(AppendTime(nil, t)) }

// AppendTime is [FormatTime] into a buffer.
func AppendTime(b []byte, t time.Time) []byte {
	t = t.UTC()
	year, month, day := t.Date()
	if year < 0 || year > 9999 {
		return t.AppendFormat(b, "2006-01-02T15:04:05.000Z")
	}
	hour, minute, second := t.Clock()
	digits := func(n, width int) {
		for p := [...]int{1, 10, 100, 1000}[width-1]; p > 0; p /= 10 {
			b = append(b, byte('0'+n/p%10))
		}
	}
	digits(year, 4)
	b = append(b, '-')
	digits(int(month), 2)
	b = append(b, '-')
	digits(day, 2)
	b = append(b, 'T')
	digits(hour, 2)
	b = append(b, ':')
	digits(minute, 2)
	b = append(b, ':')
	digits(second, 2)
	b = append(b, '.')
	digits(t.Nanosecond()/1e6, 3)
	return append(b, 'Z')
}
