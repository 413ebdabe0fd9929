package config

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"
)

// maxLimits bounds how many latency limits a table may have.
const maxLimits = 20

func (r *draft) report() reader {
	p := &r.Report
	return section(fields{
		"limits": limits(&p.Limits),
		"level":  parsed(&p.Level, parseShare, func(v float64) bool { return v > 0.5 && v < 1 }, "a level of confidence such as 95%, above 50% and below 100%"),
	})
}

func limits(dst *[]time.Duration) reader {
	const want = "a list of durations such as [3s, 6s, 10s]"
	return func(d *decoder, path string, n *node) {
		if n.kind != isList || len(n.items) == 0 || len(n.items) > maxLimits {
			d.fail(n.pos, path, describe(n)+" is no list of 1 to 20 limits", want)
			return
		}
		out := []time.Duration{}
		for i, item := range n.items {
			sub := fmt.Sprintf("%s[%d]", path, i)
			d.places[sub] = item.pos
			var v time.Duration
			duration(&v)(d, sub, item)
			if v > 0 && slices.Contains(out, v) {
				d.fail(item.pos, sub, fmt.Sprintf("the limit %s is given twice", v), "each limit once")
			}
			out = append(out, v)
		}
		slices.Sort(out)
		*dst = out
	}
}

func (r *draft) gate() reader {
	g := &r.Gate
	return section(fields{
		"margin":        grades(&g.Margin),
		"alpha":         parsed(&g.Alpha, parseShare, func(v float64) bool { return v > 0 && v <= 0.5 }, wantShare+", above 0% and at most 50%"),
		"planned_pairs": count(&g.PlannedPairs, 2),
		"burn_in":       section(fields{"pairs": count(&g.BurnIn.Pairs, 2), "sessions": count(&g.BurnIn.Sessions, 2)}),
		"latency": orNone(func() { g.Over, g.FirstTokenOver, g.P95Increase = nil, nil, nil }, section(fields{
			"over":         shareLimits(&g.Over),
			"p95_increase": increase(&g.P95Increase, duration),
			"first_token": orNone(func() { g.FirstTokenOver = nil }, section(fields{
				"over": shareLimits(&g.FirstTokenOver),
			})),
		})),
		"failures": orNone(func() { g.FailuresIncrease = nil }, section(fields{"increase": increase(&g.FailuresIncrease, part)})),
		"problems": orNone(func() { g.Problems = nil }, problems(&g.Problems)),
		"cost_increase": func(d *decoder, path string, n *node) {
			increase(&g.CostIncrease, multiple)(d, path, n)
			g.CostGiven = g.CostIncrease != nil
		},
	})
}

// orNone switches a guard off where the file says none.
func orNone(clear func(), read reader) reader {
	return func(d *decoder, path string, n *node) {
		switch {
		case n.kind == isText && n.text == "none":
			clear()
		case n.kind == isText && (n.text == "off" || n.text == "no"), n.kind == isBool && n.text == "false":
			d.fail(n.pos, path, describe(n)+" does not switch a guard off", "none")
		default:
			read(d, path, n)
		}
	}
}

// increase reads a limit that none switches off.
func increase[T any](dst **T, read func(*T) reader) reader {
	v := new(T)
	return orNone(func() { *dst = nil }, func(d *decoder, path string, n *node) {
		before := len(d.faults)
		if read(v)(d, path, n); len(d.faults) == before {
			*dst = v
		}
	})
}

// multiple reads a relative increase above 0, which may be more than 100 %.
func multiple(dst *float64) reader {
	const most = 100
	return parsed(dst, parseShare, func(v float64) bool { return v > 0 && v <= most }, "an increase such as 50%, above 0% and at most 10000%")
}

// grades reads a difference of grades on the scale 1 to 6.
func grades(dst *float64) reader {
	const want = "a number of grades such as 0.10, above 0 and below 5"
	return func(d *decoder, path string, n *node) {
		v, err := strconv.ParseFloat(n.text, 64)
		switch {
		case n.kind != isInt && n.kind != isFloat && !(n.kind == isText && number.MatchString(n.text)), err != nil:
			d.fail(n.pos, path, describe(n)+" is no number of grades", want)
		case math.IsNaN(v) || v <= 0 || v >= 5:
			d.fail(n.pos, path, quote(n.text)+" is out of range", want)
		default:
			*dst = v
		}
	}
}

// shareLimits reads {3s: 5%, 10s: 1%}; what is given replaces the default limits.
func shareLimits(dst *[]ShareLimit) reader {
	return orNone(func() { *dst = nil }, func(d *decoder, path string, n *node) {
		if n.kind == isNull {
			d.fail(n.pos, path, "nothing where limits belong", "limits such as {3s: 5%, 10s: 1%}, or none")
			return
		}
		out := []ShareLimit{}
		d.entries(path, n, func(key, sub string, p pair) {
			limit, err := parseDuration(key)
			if err != nil || limit <= 0 {
				d.fail(p.pos, sub, quote(key)+" is no time limit", wantDuration+", above 0")
				return
			}
			if slices.ContainsFunc(out, func(l ShareLimit) bool { return l.Limit == limit }) {
				d.fail(p.pos, sub, fmt.Sprintf("the limit %s is given twice", limit), "each limit once")
				return
			}
			d.places[path+"."+limit.String()] = d.places[sub] // however it is spelled
			l := ShareLimit{Limit: limit}
			part(&l.Share)(d, sub, p.value)
			out = append(out, l)
		})
		if len(out) > maxLimits {
			d.fail(n.pos, path, fmt.Sprintf("%d limits", len(out)), fmt.Sprintf("at most %d", maxLimits))
		}
		slices.SortFunc(out, func(a, b ShareLimit) int { return cmp.Compare(a.Limit, b.Limit) })
		*dst = out
	})
}

// problems reads {unsafe: {increase: 0.5%}}.
func problems(dst *[]ProblemLimit) reader {
	return func(d *decoder, path string, n *node) {
		out := []ProblemLimit{}
		d.entries(path, n, func(key, sub string, p pair) {
			l := ProblemLimit{Problem: key}
			if key == "none" || !goodName(key, true) {
				d.fail(p.pos, sub, quote(key)+" is no problem", "the id of a problem of the rubric")
			}
			section(fields{"increase": part(&l.Increase)})(d, sub, p.value)
			if !d.has(sub + ".increase") {
				d.fail(p.pos, sub, "increase is missing", "{increase: 0.5%}")
			}
			out = append(out, l)
		})
		slices.SortFunc(out, func(a, b ProblemLimit) int { return cmp.Compare(a.Problem, b.Problem) })
		*dst = out
	}
}
