package provider

import (
	"net/url"
	"regexp"
	"strings"

	"charm.land/catwalk/pkg/catwalk"
	"charm.land/catwalk/pkg/embedded"

	"github.com/understudy-eval/understudy/shadow/llm"
)

// Catalogue knows what the models of public providers cost. Its list is compiled in
// and as old as the module that brings it (charm.land/catwalk); nothing is called.
type Catalogue struct {
	vendors map[string]*shelf // by host
	others  map[string]*shelf // by host and path
}

// shelf is the list of one provider.
type shelf struct {
	byID   map[string][]Price
	byName map[string][]Price // of all ids that differ in their date only
	sees   map[string]bool    // by id, and by name without its date: it takes images
}

// vendorHosts are where the catalogue's first-party lists hold; it names no address
// for them. Regional hosts (eu.api.openai.com) end in them.
var vendorHosts = map[catwalk.InferenceProvider]string{
	catwalk.InferenceProviderOpenAI:    "api.openai.com",
	catwalk.InferenceProviderAnthropic: "api.anthropic.com",
	catwalk.InferenceProviderGemini:    "generativelanguage.googleapis.com",
}

// LoadCatalogue reads the compiled-in list, which takes some milliseconds.
func LoadCatalogue() *Catalogue {
	c := &Catalogue{vendors: map[string]*shelf{}, others: map[string]*shelf{}}
	for _, p := range embedded.GetAll() {
		if host, ok := vendorHosts[p.ID]; ok {
			put(c.vendors, host, p.Models)
		} else if u, err := url.Parse(p.APIEndpoint); err == nil && u.Host != "" {
			put(c.others, place(u), p.Models)
		}
	}
	return c
}

func put(shelves map[string]*shelf, at string, models []catwalk.Model) {
	s := shelves[at]
	if s == nil {
		s = &shelf{byID: map[string][]Price{}, byName: map[string][]Price{}, sees: map[string]bool{}}
		shelves[at] = s
	}
	for _, m := range models {
		name, _ := undated(m.ID)
		if m.SupportsImages {
			s.sees[m.ID], s.sees[name] = true, true
		}
		if p, ok := priceOf(m); ok {
			s.byID[m.ID] = append(s.byID[m.ID], p)
			s.byName[name] = append(s.byName[name], p)
		}
	}
}

// priceOf reads an entry. A price of 0 in the catalogue says that nobody entered one
// (models of subscriptions are listed like that). Its two prices for cached tokens
// have changed their places over time: the one below the price of plain tokens is
// that of reading, the other that of writing; where both are below it, neither is taken.
func priceOf(m catwalk.Model) (Price, bool) {
	if m.CostPer1MIn <= 0 || m.CostPer1MOut <= 0 {
		return Price{}, false
	}
	p := Flat(m.CostPer1MIn, m.CostPer1MOut)
	a, b := m.CostPer1MInCached, m.CostPer1MOutCached
	discount := func(v float64) bool { return v > 0 && v < p.In }
	switch {
	case discount(a) && discount(b) && a != b:
	case discount(a):
		p.CachedIn = a
	case discount(b):
		p.CachedIn = b
		if a > p.In { // "cached" of the way in is what writing costs
			p.CacheWrite = a
		}
	}
	return p, true
}

// Has says whether an address is one of the catalogue's providers.
func (c *Catalogue) Has(address string) bool { return c.shelfAt(address) != nil }

// PriceOf looks a model up at the provider that an address belongs to. It does not
// guess: false is unknown, for an address that no provider of the catalogue has (a
// server of your own, a gateway), for a model that it does not list there, and
// where several prices could be meant. A model is found by
//
//   - its id, with or without models/ before it;
//   - its id without the date (gpt-5-2026-08-07 as gpt-5), if that is listed and no
//     snapshot of it has another price;
//   - the ids with a date (claude-haiku-4-5 as claude-haiku-4-5-20251001), if it has
//     none itself and all of them have one price.
//
// A fine-tune (ft:…) has prices of its own and is never found by its base.
func (c *Catalogue) PriceOf(address, model string) (Price, bool) {
	s := c.shelfAt(address)
	if s == nil {
		return Price{}, false
	}
	id := strings.TrimPrefix(model, "models/")
	if listed := s.byID[id]; len(listed) > 0 {
		return same(listed)
	}
	name, dated := undated(id)
	if dated && len(s.byID[name]) == 0 {
		return Price{}, false // only other snapshots are listed
	}
	return same(s.byName[name])
}

// Sees says whether the catalogue lists a model as one that takes images, by its id or by
// its name without the date. false is not, or not known.
func (c *Catalogue) Sees(address, model string) bool {
	s := c.shelfAt(address)
	if s == nil {
		return false
	}
	id := strings.TrimPrefix(model, "models/")
	name, _ := undated(id)
	return s.sees[id] || s.sees[name]
}

// same is the price that all of them are.
func same(all []Price) (Price, bool) {
	if len(all) == 0 {
		return Price{}, false
	}
	for _, p := range all[1:] {
		if p != all[0] {
			return Price{}, false
		}
	}
	return all[0], true
}

func (c *Catalogue) shelfAt(address string) *shelf {
	u, err := url.Parse(address)
	if err != nil || u.Port() != "" && u.Port() != "443" {
		return nil
	}
	host := strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
	for vendor, s := range c.vendors {
		if host == vendor || strings.HasSuffix(host, "."+vendor) {
			return s
		}
	}
	return c.others[place(u)]
}

// place is an address as a key: without the version at its end, which some write and
// others leave to the client.
func place(u *url.URL) string {
	host := strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
	return host + strings.TrimSuffix(strings.TrimRight(u.Path, "/"), "/v1")
}

var atEnd = regexp.MustCompile(`[-@](?:[0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]{8})$`)

// undated is an id without the date at its end, and whether it had one.
func undated(id string) (name string, dated bool) {
	at := atEnd.FindStringIndex(id)
	if at == nil || !llm.Dated(id) {
		return id, false
	}
	return id[:at[0]], true
}
