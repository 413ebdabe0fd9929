package config

import (
	"math"
	"strconv"
	"strings"
)

// price reads {in: 0.25, out: 2, cached_in: 0.025}, in USD per million tokens.
func price(dst **Price) reader {
	const want = "USD per million tokens: {in: 0.25, out: 2}, {in: 0, out: 0} for a model that is free"
	return func(d *decoder, path string, n *node) {
		var p Price
		before := len(d.faults)
		section(fields{"in": usd(&p.In), "out": usd(&p.Out), "cached_in": usd(&p.CachedIn)})(d, path, n)
		if len(d.faults) > before {
			return
		}
		for _, key := range []string{"in", "out"} {
			if !d.has(path + "." + key) {
				d.failAt(path, key+" is missing", want)
				return
			}
		}
		if !d.has(path + ".cached_in") {
			p.CachedIn = p.In
		}
		*dst = &p
	}
}

// usd reads a sum of money, 0 or more.
func usd(dst *float64) reader {
	const want = "a number of USD per million tokens such as 0.25, or 0"
	return func(d *decoder, path string, n *node) {
		v, err := strconv.ParseFloat(n.text, 64)
		switch {
		case n.kind != isInt && n.kind != isFloat && !(n.kind == isText && number.MatchString(n.text)), err != nil, math.IsNaN(v):
			d.fail(n.pos, path, describe(n)+" is no sum of money", want)
		case v < 0 || math.IsInf(v, 0):
			d.fail(n.pos, path, quote(n.text)+" is out of range", want)
		default:
			*dst = v
		}
	}
}

// LivePrices are the prices that the file gives for a model of the live service: those
// of the models at the same server as tap.upstream that have the id that an answer
// names; where none has, of those that have it without its date. There is more than one
// only if the file gives several.
func (c *Config) LivePrices(named string) []Price {
	var exact, undated []Price
	for _, m := range c.Models {
		switch {
		case m.Price == nil || named == "" || !sameServer(m.BaseURL, c.Tap.Upstream):
		case tag(m) == strings.TrimSuffix(named, ":latest"):
			exact = append(exact, *m.Price)
		case isAliasOf(m.Model, named):
			undated = append(undated, *m.Price)
		}
	}
	if len(exact) > 0 {
		return exact
	}
	return undated
}
