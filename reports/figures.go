package reports

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// undefined is what a figure that does not exist is called.
const undefined = "undefined"

// decimals is how many a standard error supports: its first digit, or two if that
// is 1 or 2; from 1 to 4.
func decimals(se *float64) int {
	if se == nil || !(*se > 0) {
		return 2
	}
	return min(max(supported(*se), 1), 4)
}

// supported is how many decimals a standard error above 0 supports, without bounds.
func supported(se float64) int {
	exp := math.Floor(math.Log10(se))
	d := -int(exp)
	if se/math.Pow(10, exp) < 2.95 {
		d++
	}
	return d
}

// fixed prints with d decimals, and never "-0.00".
func fixed(v float64, d int) string {
	s := strconv.FormatFloat(v, 'f', d, 64)
	if strings.Trim(s, "-0.") == "" {
		return strings.TrimPrefix(s, "-")
	}
	return s
}

// signed prints a difference: with a sign unless it is 0.
func signed(v float64, d int) string {
	s := fixed(v, d)
	if v > 0 && strings.Trim(s, "0.") != "" {
		return "+" + s
	}
	return s
}

// or prints *v by f, or says that it is undefined.
func or(v *float64, f func(float64) string) string {
	if v == nil {
		return undefined
	}
	return f(*v)
}

// bounds prints an interval; an open side is called so.
func (iv *Interval) text(f func(float64) string) string {
	if iv == nil {
		return undefined
	}
	side := func(v *float64) string {
		if v == nil {
			return "open"
		}
		return f(*v)
	}
	return side(iv.Lower) + " to " + side(iv.Upper)
}

// percent prints a share in percent with one decimal, with more where it would
// read as 0 or 100 and is not.
func percent(share float64) string { return percentNumber(share) + " %" }

func percentNumber(share float64) string {
	p := 100 * share
	for d := 1; d < 9; d++ {
		s := fixed(p, d)
		v, err := strconv.ParseFloat(s, 64)
		if err != nil || ((v == 0) == (p == 0) && (math.Abs(v) == 100) == (math.Abs(p) == 100)) {
			return s
		}
	}
	return fixed(p, 1)
}

// points prints a difference of shares in percentage points, signed.
func points(delta float64) string {
	s := percentNumber(delta)
	if delta > 0 {
		return "+" + s
	}
	return s
}

// limitText prints a limit of shares without trailing zeros: 5 %, 0.5 %.
func limitText(share float64) string {
	return strconv.FormatFloat(math.Round(1e8*share)/1e6, 'f', -1, 64)
}

// took prints a time in seconds with three significant digits.
func took(d time.Duration) string {
	s := d.Seconds()
	if s <= 0 {
		return fixed(s, 2) + " s"
	}
	return fixed(s, min(max(2-int(math.Floor(math.Log10(s))), 0), 6)) + " s"
}

func tookOr(d *time.Duration) string {
	if d == nil {
		return undefined
	}
	return took(*d)
}

// beside prints v with at least d decimals, and as many as it takes to tell it
// from the limit that it stands beside.
func beside(v, limit float64, d int, print func(float64, int) string) string {
	for ; d < 9 && v != limit; d++ {
		if fixed(v, d) != fixed(limit, d) {
			break
		}
	}
	return print(v, d)
}

// about rounds a count up to two digits.
func about(n int) int {
	unit := 1
	for n/unit >= 100 {
		unit *= 10
	}
	return (n + unit - 1) / unit * unit
}

// parse reads what fixed printed.
func parse(s string) float64 {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return math.Inf(1)
	}
	return v
}
