package provider

import (
	"fmt"
	"math"
	"strconv"

	"github.com/understudy-eval/understudy/shadow/llm"
)

// Price is what a model costs, in USD per million tokens. All zero is a model that is
// free, which is something else than one whose price nobody knows.
type Price struct {
	In  float64
	Out float64 // of the whole reply, reasoning included
	// CachedIn is for tokens of the request that the provider read from its cache,
	// CacheWrite for those that it wrote there; In where there is no price of their own.
	CachedIn   float64
	CacheWrite float64
}

// Flat is a price without one of its own for cached tokens.
func Flat(in, out float64) Price { return Price{In: in, Out: out, CachedIn: in, CacheWrite: in} }

const nanoPerToken = 1000 // 1 USD per million tokens, in 1e-9 USD per token

// Cost is the price of one answer in whole 1e-9 USD, so that sums do not depend on
// their order:
//
//	round(1000 × (plain·In + cached·CachedIn + written·CacheWrite + out·Out)),  plain = in − cached − written
//
// u counts as [llm.Usage] says: cached and written tokens are part of in, reasoning is
// part of out. Cached or written tokens that the provider does not report are taken for
// 0, so that the cost is then rather too high than too low. It is unknown (false) where
// a count is missing whose price is not 0, where more tokens are cached than there are,
// and beyond what 64 bits hold. Calls of a vendor's other tariffs (batches, service
// tiers, very long requests) are priced like all others.
func (p Price) Cost(u llm.Usage) (nanoUSD int64, known bool) {
	cached, written := orZero(u.Cached), orZero(u.CacheWritten)
	plain := u.In
	if plain != nil {
		rest := *plain - cached - written
		if cached < 0 || written < 0 || rest < 0 {
			return 0, false
		}
		plain = &rest
	}
	total := 0.0
	for _, part := range []struct {
		tokens *int64
		price  float64
	}{{plain, p.In}, {&cached, p.CachedIn}, {&written, p.CacheWrite}, {u.Out, p.Out}} {
		switch {
		case part.price == 0:
		case part.tokens == nil || *part.tokens < 0:
			return 0, false
		default:
			total += float64(nanoPerToken * part.price * float64(*part.tokens)) // converted: no fused rounding
		}
	}
	if total = math.Round(total); !(total < math.MaxInt64) {
		return 0, false
	}
	return int64(total), true
}

func orZero(n *int64) int64 {
	if n == nil {
		return 0
	}
	return *n
}

// String is the price for a reader, e.g. "$0.25 in, $2 out, $0.025 cached in".
func (p Price) String() string {
	if p == (Price{}) {
		return "free"
	}
	usd := func(v float64) string { return "$" + strconv.FormatFloat(v, 'g', 6, 64) }
	text := fmt.Sprintf("%s in, %s out", usd(p.In), usd(p.Out))
	if p.CachedIn != p.In {
		text += fmt.Sprintf(", %s cached in", usd(p.CachedIn))
	}
	if p.CacheWrite != p.In {
		text += fmt.Sprintf(", %s written to the cache", usd(p.CacheWrite))
	}
	return text
}
