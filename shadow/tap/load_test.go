package tap_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/shadow/tap"
)

// Servers for the benchmarks of what a user waits run as processes of their own, on one
// core, so that their time and memory can be told from the load's.

const (
	roleVariable     = "UNDERSTUDY_TAP_BENCH"    // what this program serves instead of its tests
	upstreamVariable = "UNDERSTUDY_TAP_UPSTREAM" // for a proxy
	largeAnswer      = 2 << 10
)

// bus is a publisher of a kind: its samples come through, wait long, are refused, or
// never get an answer.
type bus string

func (b bus) PublishSample(ctx context.Context, _ shadow.Sample) error {
	switch b {
	case "slow":
		time.Sleep(200 * time.Millisecond)
	case "refusing":
		return errors.New("connection refused")
	case "black hole":
		<-ctx.Done()
		return ctx.Err()
	}
	return nil
}

func (b bus) PublishBooks(ctx context.Context, _ shadow.Books) error {
	return b.PublishSample(ctx, shadow.Sample{})
}

// serveRole is the program as a server: "service", or "proxy" to an upstream, with a
// space and the kind of bus behind it where it is tapped. It ends with its input.
func serveRole(role string) {
	what, kind, tapped := strings.Cut(role, " ")
	var h http.Handler = answering(200, largeJSON())
	if what == "proxy" {
		u, err := url.Parse(os.Getenv(upstreamVariable))
		if err != nil {
			panic(err)
		}
		h = tap.ReverseProxy(u, tap.ProxyOptions{})
	}
	if tapped {
		t, err := tap.New(tap.Options{Experiment: "bench", Rate: 0.01, Salt: "bench"}, bus(kind))
		if err != nil {
			panic(err)
		}
		go func() { _ = t.Run(context.Background()) }()
		h = t.Middleware(h)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	fmt.Println(l.Addr())
	go func() { _, _ = io.Copy(io.Discard, os.Stdin); os.Exit(0) }()
	panic(http.Serve(l, h))
}

func largeJSON() string {
	return strings.Replace(wholeAnswer, "Gern.", strings.Repeat("word ", largeAnswer/5), 1)
}

// target is a server under load, and what was measured of it.
type target struct {
	name, address string
	pid           int // 0 is this process
	took, delays  []time.Duration
	requests      int
	cpu           time.Duration
	errors        atomic.Int64
}

// spawn starts a role on one core.
func spawn(b *testing.B, name, role, upstream string) *target {
	b.Helper()
	c := exec.CommandContext(b.Context(), os.Args[0])
	c.Env = append(os.Environ(), roleVariable+"="+role, upstreamVariable+"="+upstream, "GOMAXPROCS=1")
	c.Stderr = os.Stderr
	in, err := c.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := c.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { in.Close(); _ = c.Wait() })
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		b.Fatal(err)
	}
	pin(c.Process.Pid)
	return &target{name: name, address: strings.TrimSpace(address), pid: c.Process.Pid}
}

// pin keeps a process on the first core, where that can be asked for.
func pin(pid int) {
	if runtime.NumCPU() > 1 {
		_ = exec.Command("taskset", "-a", "-p", "-c", "0", strconv.Itoa(pid)).Run()
	}
}

// nginx starts a plain nginx of one worker before an upstream; the benchmark is skipped
// where there is none.
func nginx(b *testing.B, upstream string) *target {
	b.Helper()
	program, err := exec.LookPath("nginx")
	if err != nil {
		b.Skip("there is no nginx to compare with (Debian: apt-get install nginx-light)")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	address, dir := l.Addr().String(), b.TempDir()
	l.Close()
	configuration := fmt.Sprintf(`daemon off; master_process off; worker_processes 1; pid %[1]s/pid; error_log %[1]s/error.log;
events { worker_connections 4096; }
http {
  access_log off; keepalive_requests 1000000;
  client_body_temp_path %[1]s/1; proxy_temp_path %[1]s/2; fastcgi_temp_path %[1]s/3; uwsgi_temp_path %[1]s/4; scgi_temp_path %[1]s/5;
  upstream live { server %[2]s; keepalive 256; keepalive_requests 1000000; }
  server {
    listen %[3]s;
    location / { proxy_pass http://live; proxy_http_version 1.1; proxy_set_header Connection ""; }
    location /stream { proxy_pass http://live; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_buffering off; }
  }
}`, dir, strings.TrimPrefix(upstream, "http://"), address)
	path := filepath.Join(dir, "nginx.conf")
	if err := os.WriteFile(path, []byte(configuration), 0o600); err != nil {
		b.Fatal(err)
	}
	c := exec.Command(program, "-c", path, "-e", dir+"/error.log")
	c.Stderr = os.Stderr
	if err := c.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = c.Process.Kill(); _ = c.Wait() })
	for range 1000 {
		if conn, err := net.Dial("tcp", address); err == nil {
			conn.Close()
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	pin(c.Process.Pid)
	return &target{name: "nginx", address: address, pid: c.Process.Pid}
}

// onCPU says how long a process has run so far, all threads together.
func onCPU(pid int) time.Duration {
	files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
	var sum time.Duration
	for _, f := range files {
		text, _ := os.ReadFile(f)
		first, _, _ := strings.Cut(string(text), " ")
		n, _ := strconv.ParseInt(first, 10, 64)
		sum += time.Duration(n)
	}
	return sum
}

// resident gives the memory of a process in MiB: what it holds itself (RssAnon), and
// with the pages of its program (VmRSS).
func resident(pid int) (own, all float64) {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	for line := range strings.Lines(string(text)) {
		f := strings.Fields(line)
		if len(f) < 2 {
			continue
		}
		kib, _ := strconv.ParseFloat(f[1], 64)
		switch f[0] {
		case "VmRSS:":
			all = kib / 1024
		case "RssAnon:":
			own = kib / 1024
		}
	}
	return own, all
}

// load asks a target n times over some connections: at a rate, where a request's time
// counts from when it was due, or, with rate 0, one after the other.
func (g *target) load(n, connections int, rate float64) {
	ask := []byte(fmt.Sprintf("POST %s HTTP/1.1\r\nHost: live\r\nContent-Type: application/json\r\nAuthorization: Bearer sk-test\r\n"+
		"User-Agent: bench\r\nAccept: application/json\r\nX-Session-Id: ", chatPath))
	body := strings.Replace(question, "Hallo", strings.Repeat("x", 1<<10), 1)
	before, began := onCPU(g.pid), time.Now()
	var next atomic.Int64
	var mu sync.Mutex
	var all sync.WaitGroup
	for range connections {
		all.Go(func() {
			var took []time.Duration
			defer func() { mu.Lock(); g.took = append(g.took, took...); mu.Unlock() }()
			conn, err := net.Dial("tcp", g.address)
			if err != nil {
				g.errors.Add(1)
				return
			}
			defer conn.Close()
			answers := bufio.NewReader(conn)
			for i := next.Add(1); i <= int64(n); i = next.Add(1) {
				due := time.Now()
				if rate > 0 {
					due = began.Add(time.Duration(float64(i) / rate * float64(time.Second)))
					time.Sleep(time.Until(due))
				}
				_, err := fmt.Fprintf(conn, "%s%d\r\nContent-Length: %d\r\n\r\n%s", ask, i, len(body), body)
				if err == nil {
					err = wholeAnswerOf(answers)
				}
				if err != nil {
					g.errors.Add(1)
					return
				}
				took = append(took, time.Since(due))
			}
		})
	}
	all.Wait()
	g.cpu += onCPU(g.pid) - before
	g.requests += n
}

func wholeAnswerOf(answers *bufio.Reader) error {
	resp, err := http.ReadResponse(answers, nil)
	if err != nil {
		return err
	}
	n, err := io.Copy(io.Discard, resp.Body)
	if err == nil && (resp.StatusCode != 200 || n < largeAnswer) {
		err = fmt.Errorf("status %d, %d bytes", resp.StatusCode, n)
	}
	return err
}

// streams reads streams whose events say when they were sent, and keeps how long each took.
func (g *target) streams(n int, since time.Time) {
	var mu sync.Mutex
	var all sync.WaitGroup
	for range n {
		all.Go(func() {
			var delays []time.Duration
			defer func() { mu.Lock(); g.delays = append(g.delays, delays...); mu.Unlock() }()
			resp, err := http.Post("http://"+g.address+"/stream"+chatPath, "application/json", strings.NewReader(streamed))
			if err != nil {
				g.errors.Add(1)
				return
			}
			defer resp.Body.Close()
			lines := bufio.NewScanner(resp.Body)
			for lines.Scan() {
				sent, err := strconv.ParseInt(strings.TrimPrefix(lines.Text(), "data: "), 10, 64)
				if err == nil {
					delays = append(delays, time.Since(since)-time.Duration(sent))
				}
			}
			if lines.Err() != nil || len(delays) != eventsPerStream {
				g.errors.Add(1)
			}
		})
	}
	all.Wait()
}

const eventsPerStream = 100

// quantile is the type-7 quantile; NaN of nothing.
func quantile(all []time.Duration, p float64) float64 {
	if len(all) == 0 {
		return math.NaN()
	}
	slices.Sort(all)
	h := float64(len(all)-1) * p
	low := int(h)
	high := min(low+1, len(all)-1)
	return (float64(all[low]) + (h-float64(low))*float64(all[high]-all[low])) / float64(time.Millisecond)
}
