package reports

import (
	"strconv"
	"strings"
)

// number prints a count with commas between thousands: 6,000.
func number[T int | int64](n T) string {
	s := strconv.FormatInt(int64(n), 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// counted prints a count with its noun, which gets an s unless the count is 1.
func counted(n int, noun string) string { return number(n) + " " + noun + ending(n == 1) }

// inPoints prints a limit of shares in percentage points: 1 point, 2 points.
func inPoints(limit float64) string {
	s := limitText(limit)
	return s + " point" + ending(s == "1")
}

func ending(one bool) string {
	if one {
		return ""
	}
	return "s"
}

// joined lists reasons: two in one sentence, more as a list.
func joined(reasons []string) string {
	if len(reasons) > 2 {
		return strings.Join(reasons, "; ")
	}
	return strings.Join(reasons, ", and ")
}
