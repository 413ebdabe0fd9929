package main

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/shadow/bus"
	"github.com/understudy-eval/understudy/shadow/bus/embedded"
	"github.com/understudy-eval/understudy/shadow/llm/llmfake"
)

// impatient has the bus deliver again after two seconds what nobody answered for, where
// 30 are usual: a message on its way while the server ends is known to be lost only then.
func impatient(t *testing.T, url string) {
	t.Helper()
	b, err := bus.Connect(t.Context(), bus.Options{URL: url, Experiment: "pipeline", AckWait: 2 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	ctx, end := context.WithCancel(t.Context())
	var all sync.WaitGroup
	all.Go(func() { _ = b.EachSample(ctx, func(context.Context, shadow.Sample) error { return nil }) })
	all.Go(func() { _ = b.EachTrial(ctx, func(context.Context, shadow.Trial) error { return nil }) })
	all.Go(func() { _ = b.EachGraded(ctx, func(context.Context, [][]byte) error { return nil }) })
	all.Go(func() { _ = b.EachBooks(ctx, func(context.Context, []shadow.Books) error { return nil }) })
	nc, err := nats.Connect(url)
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{"sample", "trial", "graded", "books"} {
		for err = jetstream.ErrConsumerNotFound; err != nil; time.Sleep(time.Millisecond) {
			_, err = js.Consumer(t.Context(), "understudy_"+kind, kind+"-pipeline")
		}
	}
	end()
	all.Wait()
}

// The bus goes away in the middle of the traffic and comes back: the users notice
// nothing, what was sampled meanwhile is counted as lost, and all else arrives once.
func TestBusOutage(t *testing.T) {
	o := embedded.Options{Dir: t.TempDir(), Listen: "127.0.0.1:0", Sync: 10 * time.Second}
	server, err := embedded.Start(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Shutdown() })
	o.Listen = strings.TrimPrefix(server.URL(), "nats://")
	impatient(t, server.URL())
	live, _ := fake(t, liveScript)
	cand, _ := fake(t, func(c llmfake.Call) llmfake.Answer {
		a := candScript(c)
		a.Took = 50 * time.Millisecond
		return a
	})
	judges, _ := fake(t, judgeScript)
	s := start(t, t.TempDir(), fmt.Sprintf(pipelineConfiguration, live, cand, judges, "url: "+server.URL()))
	base := s.tapURL()
	sent := 0
	ask := func(n int) {
		var users sync.WaitGroup
		for i := range n {
			users.Go(func() {
				said := fmt.Sprintf("hello %d", sent+i)
				if status, body := post(t, base, said); status != http.StatusOK || !strings.Contains(body, "live: "+said) {
					t.Errorf("%s: the user got status %d, %.80s", said, status, body)
				}
			})
		}
		users.Wait()
		sent += n
	}
	ask(30)
	s.awaitBooks(30)
	ask(10)
	if err := server.Shutdown(); err != nil {
		t.Fatal(err)
	}
	ask(30)
	s.eventually("the outage is noticed", func() bool { return strings.Contains(s.log.String(), "samples are lost") })
	if server, err = embedded.Start(o); err != nil {
		t.Fatal(err)
	}
	s.eventually("the bus is back", func() bool { return strings.Contains(s.log.String(), "bus reconnected") })
	ask(30)
	r := s.awaitBooks(sent)
	b := r.Report.Books
	if lost := b.Dropped.of("bus_down"); lost == 0 || b.Dropped.sum() != lost || b.Published+lost != sent || b.Dead.sum() != 0 {
		t.Errorf("books %+v: want what came during the outage dropped as bus_down, and all else published", b)
	}
	for _, a := range r.Report.Arms {
		if a.Samples != b.Published+b.Late || a.LeftOut != 0 {
			t.Errorf("arm %+v, want %d samples and %d that arrived though given up", a, b.Published, b.Late)
		}
	}
	if r.Report.Rows.Conflicts != 0 {
		t.Errorf("rows %+v", r.Report.Rows)
	}
	s.stop()
}

// A process that is stopped in the middle of its work and started again on the same
// folder loses nothing and counts nothing twice.
func TestStopAndStartAgain(t *testing.T) {
	t.Parallel()
	var asked sync.Map
	live, _ := fake(t, func(c llmfake.Call) llmfake.Answer {
		a := liveScript(c)
		asked.Store(c.LastUser(), true)
		if strings.HasPrefix(c.LastUser(), "slow") {
			a.Took = 500 * time.Millisecond
		}
		return a
	})
	cand, _ := fake(t, func(c llmfake.Call) llmfake.Answer {
		a := candScript(c)
		a.Took = 200 * time.Millisecond
		return a
	})
	judges, _ := fake(t, func(c llmfake.Call) llmfake.Answer {
		a := judgeScript(c)
		a.Took = 50 * time.Millisecond
		return a
	})
	dir := t.TempDir()
	server, err := embedded.Start(embedded.Options{Dir: filepath.Join(dir, "bus"), Listen: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	impatient(t, server.URL())
	if err := server.Shutdown(); err != nil {
		t.Fatal(err)
	}
	configuration := fmt.Sprintf(pipelineConfiguration, live, cand, judges, "dir: bus, sync: 10s")
	sent := 0
	for round := range 3 {
		s := start(t, dir, configuration)
		base := s.tapURL()
		for i := range 20 {
			if status, _ := post(t, base, fmt.Sprintf("hello %d of round %d", i, round)); status != http.StatusOK {
				t.Errorf("request %d: status %d", i, status)
			}
		}
		last := fmt.Sprintf("slow %d", round)
		var user sync.WaitGroup
		user.Go(func() {
			if status, body := post(t, base, last); status != http.StatusOK || !strings.Contains(body, "live: "+last) {
				t.Errorf("whom the end of the process caught got status %d, %.80s", status, body)
			}
		})
		sent += 21
		s.eventually("the last request is under way", func() bool {
			_, there := asked.Load(last)
			return there && len(s.rows()) > 0
		})
		if round == 2 {
			user.Wait()
			r := s.awaitBooks(sent)
			if b := r.Report.Books; b.Published != sent || b.Dropped.sum() != 0 || b.Dead.sum() != 0 || b.Late != 0 {
				t.Errorf("books %+v, want %d published", b, sent)
			}
			if rows := r.Report.Rows; rows.Used != 4*sent || rows.Conflicts != 0 {
				t.Errorf("rows %+v, want %d used", rows, 4*sent)
			}
		}
		s.stop()
		user.Wait()
	}
}

// Every message of the pipeline comes a second time, under no id that the bus could
// know it by: there is one row for each sample and arm.
func TestEverythingComesTwice(t *testing.T) {
	server, err := embedded.Start(embedded.Options{Dir: t.TempDir(), Listen: "127.0.0.1:0", Sync: 10 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Shutdown() })
	nc, err := nats.Connect(server.URL())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	var mu sync.Mutex
	var all []*nats.Msg
	sub, err := nc.Subscribe("understudy.>", func(m *nats.Msg) {
		mu.Lock()
		defer mu.Unlock()
		all = append(all, &nats.Msg{Subject: m.Subject, Data: m.Data})
	})
	if err != nil {
		t.Fatal(err)
	}
	live, _ := fake(t, liveScript)
	cand, _ := fake(t, candScript)
	var grade int
	judges, _ := fake(t, func(llmfake.Call) llmfake.Answer {
		mu.Lock()
		defer mu.Unlock()
		grade = grade%6 + 1
		return llmfake.Verdict(grade, "incomplete", "another grade every time")
	})
	s := start(t, t.TempDir(), fmt.Sprintf(pipelineConfiguration, live, cand, judges, "url: "+server.URL()))
	base := s.tapURL()
	for i := range 10 {
		post(t, base, fmt.Sprintf("hello %d", i))
	}
	first := s.awaitBooks(10)
	if err := sub.Drain(); err != nil {
		t.Fatal(err)
	}
	s.eventually("no more messages", func() bool { return !sub.IsValid() })
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	mu.Lock()
	again := all
	mu.Unlock()
	kinds := map[string]int{}
	for _, m := range again {
		kinds[strings.Split(m.Subject, ".")[1]]++
		if _, err := js.PublishMsg(t.Context(), m); err != nil {
			t.Fatal(err)
		}
	}
	if kinds["sample"] != 10 || kinds["trial"] != 10 || kinds["graded"] != 10 || kinds["books"] == 0 {
		t.Fatalf("messages seen on the bus: %v", kinds)
	}
	b, err := bus.Connect(t.Context(), bus.Options{URL: server.URL(), Experiment: "pipeline"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	s.eventually("all is worked off", func() bool {
		left, err := b.Backlog(t.Context())
		return err == nil && left.Left() == 0
	})
	s.stop()
	r := s.awaitBooks(10)
	if rows := r.Report.Rows; rows.Used != 40 || rows.Conflicts != 0 {
		t.Errorf("rows %+v, want 40 used and none that says something else", rows)
	}
	if r.Report.Books.Published != 10 || r.Report.Books.Seen != 10 {
		t.Errorf("books %+v", r.Report.Books)
	}
	for i, a := range r.Report.Arms {
		if a.Samples != 10 || a.Graded != first.Report.Arms[i].Graded {
			t.Errorf("arm %+v, before %+v", a, first.Report.Arms[i])
		}
	}
}
