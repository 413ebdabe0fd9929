package config

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
)

const (
	wantDuration = "a duration such as 500ms, 1.5s, 20s, 5m, 24h or 30d"
	wantShare    = "a share such as 1% or 0.01"
	wantSize     = "a size such as 64KiB, 1MiB or 1GiB"
	wantDay      = "a day such as 2026-10-05"
)

// maxDuration bounds durations, so that sums of them cannot overflow.
const maxDuration = 10 * 365 * 24 * time.Hour

var (
	durationPart = regexp.MustCompile(`^([0-9]+(?:\.[0-9]+)?)(ms|s|m|h|d)`)
	number       = regexp.MustCompile(`^[0-9]*\.?[0-9]+(?:[eE][+-]?[0-9]+)?$`)
	plainNumber  = regexp.MustCompile(`^[0-9]*\.?[0-9]+$`)
	sizeText     = regexp.MustCompile(`^([0-9]+(?:\.[0-9]+)?) ?(B|KiB|MiB|GiB|KB|kB|MB|GB)$`)
)

// parseDuration reads 1.5s, 30d, 1h30m: numbers with units ms, s, m, h, d (24 h),
// largest first. A bare 0 needs no unit. The result is 0 or more and at most ten years.
func parseDuration(text string) (time.Duration, error) {
	if text == "0" {
		return 0, nil
	}
	units := map[string]time.Duration{"ms": time.Millisecond, "s": time.Second, "m": time.Minute, "h": time.Hour, "d": 24 * time.Hour}
	rest, total, last := text, 0.0, time.Duration(math.MaxInt64)
	for rest != "" {
		m := durationPart.FindStringSubmatch(rest)
		if m == nil {
			return 0, durationProblem(text)
		}
		unit := units[m[2]]
		n, err := strconv.ParseFloat(m[1], 64)
		if err != nil || unit >= last {
			return 0, fmt.Errorf("%s is no duration", quote(text))
		}
		total, last, rest = total+n*float64(unit), unit, rest[len(m[0]):]
	}
	if text == "" {
		return 0, durationProblem(text)
	}
	if total > float64(maxDuration) {
		return 0, fmt.Errorf("%s is longer than ten years", quote(text))
	}
	return time.Duration(math.Round(total)), nil
}

func durationProblem(text string) error {
	switch {
	case plainNumber.MatchString(text):
		return fmt.Errorf("%s has no unit", quote(text))
	case strings.HasPrefix(text, "-"):
		return fmt.Errorf("%s is negative", quote(text))
	default:
		return fmt.Errorf("%s is no duration", quote(text))
	}
}

// parseShare reads 1% or 0.01. It accepts any number that is not negative; whether
// it is a sensible share is the caller's question. 1 is 100%.
func parseShare(text string) (float64, error) {
	digits, percent := strings.CutSuffix(text, "%")
	digits = strings.TrimSuffix(digits, " ")
	switch {
	case strings.HasPrefix(digits, "-") && number.MatchString(digits[1:]):
		return 0, fmt.Errorf("%s is negative", quote(text))
	case percent && !plainNumber.MatchString(digits), !percent && !number.MatchString(digits):
		return 0, fmt.Errorf("%s is no share", quote(text))
	}
	if percent {
		digits += "e-2" // shifted in the text: 0.3% and 0.003 are the same float64
	}
	v, err := strconv.ParseFloat(digits, 64)
	if err != nil || math.IsInf(v, 0) {
		return 0, fmt.Errorf("%s is no share", quote(text))
	}
	return v, nil
}

// ParseShare reads a share above 0 and up to 1, such as 1% or 0.01.
func ParseShare(text string) (float64, error) {
	v, err := parseShare(text)
	if err != nil {
		return 0, fmt.Errorf("%w; want %s", err, wantShare)
	}
	if !(v > 0 && v <= 1) {
		return 0, fmt.Errorf("%s is out of range; want %s", quote(text), wantShare)
	}
	return v, nil
}

// parseSize reads 1MiB as 1,048,576 and 1MB as 1,000,000 bytes.
func parseSize(text string) (int64, error) {
	m := sizeText.FindStringSubmatch(text)
	if m == nil {
		if plainNumber.MatchString(text) {
			return 0, fmt.Errorf("%s has no unit", quote(text))
		}
		return 0, fmt.Errorf("%s is no size", quote(text))
	}
	units := map[string]float64{"B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "KB": 1e3, "kB": 1e3, "MB": 1e6, "GB": 1e9}
	n, err := strconv.ParseFloat(m[1], 64)
	bytes := n * units[m[2]]
	if err != nil || bytes > 1<<50 || bytes != math.Trunc(bytes) {
		return 0, fmt.Errorf("%s is no size that can be used", quote(text))
	}
	return int64(bytes), nil
}

// parseDay reads 2026-10-05 as midnight UTC.
func parseDay(text string) (time.Time, error) {
	day, err := time.Parse(time.DateOnly, text)
	if err != nil {
		return time.Time{}, fmt.Errorf("%s is no day of the calendar", quote(text))
	}
	return day, nil
}

// quote shows a value of the file in a message: quoted, cut to 60 characters. What
// looks like a key is not shown: it may have slipped into the wrong line.
func quote(text string) string {
	if looksLikeKey(text) {
		return `"…" (not shown, it looks like a key)`
	}
	if r := []rune(text); len(r) > 60 {
		text = string(r[:60]) + "…"
	}
	return strconv.Quote(text)
}
