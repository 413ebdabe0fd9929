package config

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// check applies the rules that join several keys. Values that were refused by
// themselves are left alone, so that one mistake gives one message.
func (r *draft) check() {
	if r.failed("") {
		return // no sections at all
	}
	r.checkRequired()
	r.checkDates()
	r.checkRoom()
	for _, m := range r.Models {
		r.checkNotTap(under("models", m.Name)+".base_url", m)
	}
	r.checkPolicies()
	r.checkIngest()
	r.checkCandidates()
	r.checkServed()
	r.checkJudge("primary", r.Judge.Primary)
	r.checkJudge("reserve", r.Judge.Reserve)
	r.checkReserve()
	r.checkSpend()
	r.checkTimeouts()
	r.checkTLS()
	r.checkBurnIn()
}

func (r *draft) checkRequired() {
	for _, k := range []struct{ key, want string }{
		{"models", "models: with a model for the judge at least"},
		{"tap.upstream", wantUpstream},
		{"judge.primary", "judge: {primary: NAME}, the name of a pinned model"},
	} {
		section, _, _ := strings.Cut(k.key, ".")
		if !r.has(k.key) && !r.faulty(section) {
			r.failAt(k.key, "is missing", k.want)
		}
	}
	if r.has("models") && len(r.Models) == 0 && !r.failed("models") {
		r.failAt("models", "there are no models", "a model for the judge at least")
	}
}

// failed says whether a key, or one below it, has a fault already.
func (d *decoder) failed(key string) bool {
	return slices.ContainsFunc(d.faults, func(e *Error) bool {
		return e.Key == key || key != "" && (strings.HasPrefix(e.Key, key+".") || strings.HasPrefix(e.Key, key+"["))
	})
}

// faulty says whether a key itself has a fault, whatever is below it.
func (d *decoder) faulty(key string) bool {
	return slices.ContainsFunc(d.faults, func(e *Error) bool { return e.Key == key })
}

func (r *draft) checkDates() {
	e := r.Experiment
	if !e.Start.IsZero() && !e.Stop.IsZero() && !e.Stop.After(e.Start) {
		r.failAt("experiment.stop", "is not after experiment.start", "the day after the last one (stop is exclusive)")
	}
}

// checkRoom refuses bounds that no sample could pass.
func (r *draft) checkRoom() {
	switch {
	case r.Tap.QueueBytes < r.Tap.MaxBody:
		key := "tap.queue.bytes"
		if !r.has(key) {
			key = "tap.max_body"
		}
		r.failAt(key, "the queue has less room than one body of tap.max_body", "tap.queue.bytes well above tap.max_body")
	case r.Bus.Embedded() && r.Bus.MaxPayload <= r.Tap.MaxBody:
		key := "bus.max_payload"
		if !r.has(key) {
			key = "tap.max_body"
		}
		r.failAt(key, "a message has less room than one body of tap.max_body", "bus.max_payload at least four times tap.max_body")
	case r.Bus.Embedded() && r.Bus.MaxPayload > maxPayload:
		r.failAt("bus.max_payload", "a NATS server takes no larger messages than 64MiB", "at most 64MiB")
	}
}

// maxPayload is the limit of the NATS server itself.
const maxPayload = 64 << 20

// checkNotTap refuses a model that is asked through the tap: its calls would be
// sampled in turn. The upstream must not be the tap either: it would call itself.
func (r *draft) checkNotTap(key string, m Model) {
	if m.BaseURL != "" && isTap(r.Tap.Listen, m.BaseURL) {
		r.failAt(key, toTap(r.Tap.Listen), wantServer)
	}
}

const wantServer = "the address of the model's own server"

func toTap(listen string) string { return "leads to the tap itself, which listens at " + listen }

// lookup finds a model that a key names, and reports why it cannot be used.
func (r *draft) lookup(key, name string) (Model, bool) {
	if name == "" || r.faulty("models") {
		return Model{}, false
	}
	m, ok := r.Model(name)
	_, policy := r.Policy(name)
	switch {
	case policy && !ok:
		r.failAt(key, printable(name)+" is a policy, and a judge is one pinned model", "the name of a model")
	case !ok:
		r.failAt(key, "no model is named "+printable(name), suggest(name, r.named()))
	}
	return m, ok && !r.broken[name]
}

// checkIngest refuses ways in that nobody can use.
func (r *draft) checkIngest() {
	in := r.Tap.Ingest
	if in.NATS && r.Bus.Embedded() {
		r.failAt("tap.ingest.nats", "the embedded bus is in this process alone, so nobody could send there", "a NATS server as bus.url, or tap.ingest.listen")
	}
	if in.Listen != "" && isTap(r.Tap.Listen, "http://"+in.Listen) {
		r.failAt("tap.ingest.listen", toTap(r.Tap.Listen), "another port")
	}
}

// checkAsked reports a name that is no model's and no policy's.
func (r *draft) checkAsked(key, name string) {
	_, policy := r.Policy(name)
	_, model := r.Model(name)
	if name != "" && !r.faulty("models") && !policy && !model {
		r.failAt(key, "no model or policy is named "+printable(name), suggest(name, r.askable()))
	}
}

func (r *draft) checkCandidates() {
	if r.Tap.Upstream != "" && isTap(r.Tap.Listen, r.Tap.Upstream) {
		r.failAt("tap.upstream", toTap(r.Tap.Listen), wantUpstream)
	}
	control := ""
	for _, c := range r.Candidates {
		key := under("candidates", c.Name)
		r.checkAsked(key+".model", c.Model)
		if c.Control && control != "" {
			r.failAt(key+".control", "is a second control arm beside "+printable(control), "one control arm")
		}
		if c.Control {
			control = c.Name
		}
	}
}

// checkTimeouts wants every candidate to be measured beyond the largest limit:
// what was cut off below it could not be told from what was in time.
func (r *draft) checkTimeouts() {
	largest, from := r.largestLimit()
	for _, c := range r.Candidates {
		key := under("candidates", c.Name) + ".timeout"
		if c.Timeout <= largest && !r.failed(key) && !r.failed(from) {
			r.failAt(key, fmt.Sprintf("a timeout of %s does not reach above the largest latency limit, %s (%s)", c.Timeout, largest, from), fmt.Sprintf("more than %s", largest))
		}
	}
}

func (r *draft) largestLimit() (largest time.Duration, from string) {
	all := map[string][]time.Duration{"report.limits": r.Report.Limits}
	for key, limits := range map[string][]ShareLimit{"gate.latency.over": r.Gate.Over, "gate.latency.first_token.over": r.Gate.FirstTokenOver} {
		for _, l := range limits {
			all[key] = append(all[key], l.Limit)
		}
	}
	for _, key := range []string{"report.limits", "gate.latency.over", "gate.latency.first_token.over"} {
		for _, limit := range all[key] {
			if limit > largest {
				largest, from = limit, key
			}
		}
	}
	return largest, from
}

func (r *draft) checkTLS() {
	t := r.Bus.TLS
	if (t.Cert == "") != t.Key.IsZero() && !r.failed("bus.tls") {
		r.failAt("bus.tls", "cert and key belong together", "both, or neither")
	}
	if r.Bus.Embedded() && !r.failed("bus") && (!t.IsZero() || !r.Bus.Creds.IsZero()) {
		r.failAt("bus", "creds and tls are for an external server, and url is embedded", "url: nats://host:4222, or neither creds nor tls")
	}
}

func (r *draft) checkBurnIn() {
	g := r.Gate
	if g.BurnIn.Pairs > g.PlannedPairs {
		key := "gate.burn_in.pairs"
		if !r.has(key) {
			key = "gate.planned_pairs"
		}
		r.failAt(key, fmt.Sprintf("a burn-in of %d pairs is more than the %d planned", g.BurnIn.Pairs, g.PlannedPairs), "a burn-in below planned_pairs")
	}
}
