package tap_test

import (
	"fmt"
	"io"
	"math"
	"net/http"
	"strings"
	"testing"
	"time"
)

// model answers at once, and under /stream with events every 5 ms that say when they
// were sent.
func model(since time.Time) http.Handler {
	whole := answering(200, largeJSON())
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.URL.Path, "/stream") {
			whole(w, r)
			return
		}
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		for range eventsPerStream {
			_, _ = fmt.Fprintf(w, "data: %d\n\n", time.Since(since))
			_ = http.NewResponseController(w).Flush()
			time.Sleep(5 * time.Millisecond)
		}
	})
}

const (
	rounds      = 10
	perRound    = 500 // at 1,000 a second
	connections = 64
)

// sayRatio reports a/b, or says why there is none.
func sayRatio(b *testing.B, name string, a, d float64) {
	b.Helper()
	if !(d > 0) || math.IsNaN(a) {
		b.Logf("%s is undefined: %.4g over %.4g", name, a, d)
		return
	}
	b.ReportMetric(a/d, name)
}

func sound(b *testing.B, all ...*target) {
	b.Helper()
	for _, g := range all {
		if n := g.errors.Load(); n > 0 {
			b.Errorf("%s: %d errors", g.name, n)
		}
	}
}

// The tap as a sidecar against plain nginx before the same service, each a process on
// the same core, in turns: 1,000 requests a second with 1 % sampled for a slow bus,
// streams of an event each 5 ms, and as many requests as there is time for. Delays
// are what a proxy adds to the service without one; CPU and requests a core come
// from the time that each process ran.
func BenchmarkSidecar(b *testing.B) {
	since := time.Now()
	upstream := serve(b, model(since))
	direct := &target{name: "none", address: upstream.Listener.Addr().String()}
	plain := nginx(b, upstream.URL)
	ours := spawn(b, "tap", "proxy slow", upstream.URL)
	all := []*target{direct, plain, ours}
	var full [3]target
	for range max(1, b.N) * rounds {
		for i, g := range all {
			g.load(perRound, connections, 1000)
			g.streams(20, since)
			full[i].address, full[i].pid = g.address, g.pid
			full[i].load(perRound, connections, 0)
		}
	}
	http.DefaultClient.CloseIdleConnections()
	sound(b, direct, plain, ours, &full[1], &full[2])
	for _, g := range all {
		b.Logf("%-5s n %d: p50 %.3f ms, p99 %.3f ms; %d events: p50 %.3f ms, p99 %.3f ms; CPU %.1f µs a request", g.name, len(g.took),
			quantile(g.took, 0.5), quantile(g.took, 0.99), len(g.delays), quantile(g.delays, 0.5), quantile(g.delays, 0.99),
			g.cpu.Seconds()*1e6/float64(g.requests))
	}
	added := func(of func(*target) []time.Duration, p float64) (tap, nginx float64) {
		base := quantile(of(direct), p)
		return quantile(of(ours), p) - base, quantile(of(plain), p) - base
	}
	took, delays := func(g *target) []time.Duration { return g.took }, func(g *target) []time.Duration { return g.delays }
	tapAdds, nginxAdds := added(took, 0.99)
	sayRatio(b, "x-p99-added", tapAdds, nginxAdds)
	tapAdds, nginxAdds = added(took, 0.5)
	sayRatio(b, "x-p50-added", tapAdds, nginxAdds)
	tapAdds, nginxAdds = added(delays, 0.5)
	sayRatio(b, "x-event-added", tapAdds, nginxAdds)
	sayRatio(b, "x-event-p99", quantile(ours.delays, 0.99), quantile(plain.delays, 0.99))
	perRequest := func(g *target) float64 { return g.cpu.Seconds() / float64(g.requests) }
	sayRatio(b, "x-cpu", perRequest(ours), perRequest(plain))
	sayRatio(b, "x-requests/core", perRequest(&full[1]), perRequest(&full[2]))
	own, resident := resident(ours.pid)
	b.ReportMetric(own, "MiB-own")
	b.ReportMetric(resident, "MiB-resident")
	b.ReportMetric(0, "ns/op")
}

// A served program with the tap inside, in turns with the same without it.
func BenchmarkServed(b *testing.B) {
	bare, tapped := spawn(b, "bare", "service", ""), spawn(b, "tap", "service well", "")
	var full [2]target
	for range max(1, b.N) * rounds {
		for i, g := range []*target{bare, tapped} {
			g.load(perRound, connections, 1000)
			full[i].address, full[i].pid = g.address, g.pid
			full[i].load(20*perRound, connections, 0)
		}
	}
	sound(b, bare, tapped, &full[0], &full[1])
	b.Logf("p99 of %d: bare %.3f ms, tap %.3f ms", len(bare.took), quantile(bare.took, 0.99), quantile(tapped.took, 0.99))
	sayRatio(b, "x-p99", quantile(tapped.took, 0.99), quantile(bare.took, 0.99))
	sayRatio(b, "x-requests/core", float64(full[1].requests)/full[1].cpu.Seconds(), float64(full[0].requests)/full[0].cpu.Seconds())
	b.ReportMetric(0, "ns/op")
}

// The same sidecar with a bus that is well, slow, refuses, or takes everything and never answers.
func BenchmarkIsolation(b *testing.B) {
	upstream := serve(b, model(time.Now()))
	var all []*target
	for _, kind := range []string{"well", "slow", "refusing", "black hole"} {
		all = append(all, spawn(b, kind, "proxy "+kind, upstream.URL))
	}
	for range max(1, b.N) * rounds {
		for _, g := range all {
			g.load(perRound, connections, 1000)
		}
	}
	sound(b, all...)
	for _, g := range all[1:] {
		sayRatio(b, "x-p99-"+strings.ReplaceAll(g.name, " ", "-"), quantile(g.took, 0.99), quantile(all[0].took, 0.99))
	}
	b.Logf("p99 with a bus that is well: %.3f ms, n %d", quantile(all[0].took, 0.99), len(all[0].took))
	b.ReportMetric(0, "ns/op")
}
