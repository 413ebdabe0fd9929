package embedded_test

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"go.uber.org/goleak"

	"github.com/understudy-eval/understudy/shadow/bus/embedded"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func start(t *testing.T, o embedded.Options) *embedded.Server {
	t.Helper()
	s, err := embedded.Start(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Shutdown() })
	return s
}

func connect(t *testing.T, url string, opts ...nats.Option) *nats.Conn {
	t.Helper()
	nc, err := nats.Connect(url, opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	return nc
}

// What was acknowledged is there after a restart on the same folder.
func TestDurability(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "deep", "bus")
	for round := range 3 {
		s := start(t, embedded.Options{Dir: dir})
		nc := connect(t, "", nats.InProcessServer(s))
		js, err := jetstream.New(nc)
		if err != nil {
			t.Fatal(err)
		}
		stream, err := js.CreateOrUpdateStream(t.Context(), jetstream.StreamConfig{Name: "s", Subjects: []string{"s"}, MaxBytes: 1 << 20})
		if err != nil {
			t.Fatal(err)
		}
		if got := stream.CachedInfo().State.Msgs; got != uint64(round) {
			t.Errorf("round %d: %d messages kept", round, got)
		}
		if _, err := js.Publish(t.Context(), "s", []byte("x")); err != nil {
			t.Fatal(err)
		}
		nc.Close()
		if err := s.Shutdown(); err != nil {
			t.Error(err)
		}
		if err := s.Shutdown(); err != nil {
			t.Errorf("second shutdown: %v", err)
		}
	}
	info, err := os.Stat(dir)
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("folder mode %v, %v; want 0700", info.Mode(), err)
	}
}

func TestNoPortUnlessAsked(t *testing.T) {
	s := start(t, embedded.Options{Dir: t.TempDir()})
	if s.URL() != "" {
		t.Errorf("address %q without a port", s.URL())
	}
	if got := connect(t, "", nats.InProcessServer(s)).MaxPayload(); got != embedded.DefaultMaxPayload {
		t.Errorf("max payload %d", got)
	}
	open := start(t, embedded.Options{Dir: t.TempDir(), Listen: "localhost:0", MaxPayload: 1 << 20})
	if got := connect(t, open.URL()).MaxPayload(); got != 1<<20 {
		t.Errorf("max payload %d", got)
	}
}

func TestFolderInUse(t *testing.T) {
	dir := t.TempDir()
	s := start(t, embedded.Options{Dir: dir})
	if _, err := embedded.Start(embedded.Options{Dir: dir}); !errors.Is(err, embedded.ErrInUse) || !strings.Contains(err.Error(), dir) {
		t.Errorf("second server on a folder: %v", err)
	}
	s.Shutdown()
	start(t, embedded.Options{Dir: dir})
}

func TestStartRefuses(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, why string
		o         embedded.Options
	}{
		{"no folder", "required", embedded.Options{}},
		{"folder is a file", "cannot hold streams", embedded.Options{Dir: file}},
		{"negative", "no size", embedded.Options{Dir: "x", MaxStore: -1}},
		{"no port", "ambiguous", embedded.Options{Dir: "x", Listen: "127.0.0.1"}},
		{"port text", "no number", embedded.Options{Dir: "x", Listen: "127.0.0.1:nats"}},
		{"port range", "no port", embedded.Options{Dir: "x", Listen: "127.0.0.1:70000"}},
		{"every interface", "asks nobody for a password", embedded.Options{Dir: "x", Listen: ":4222"}},
		{"beyond loopback", "asks nobody for a password", embedded.Options{Dir: "x", Listen: "10.0.0.1:4222"}},
		{"by name", "may resolve to anything", embedded.Options{Dir: "x", Listen: "example.com:4222"}},
		{"port taken", "says so", embedded.Options{Dir: filepath.Join(t.TempDir(), "y"), Listen: taken.Addr().String()}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, err := embedded.Start(tt.o)
			if err == nil {
				s.Shutdown()
				t.Fatalf("started: %s", tt.why)
			}
			t.Log(err)
		})
	}
	if _, err := os.Stat("x"); err == nil {
		t.Error("a refused server left a folder")
	}
}

func TestQuietLog(t *testing.T) {
	var log bytes.Buffer
	s, err := embedded.Start(embedded.Options{
		Dir: t.TempDir(), Sync: time.Minute,
		Log: slog.New(slog.NewTextHandler(&log, nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	s.Shutdown()
	if log.Len() != 0 {
		t.Errorf("an ordinary run logs:\n%s", log.String())
	}
}

func ExampleStart() {
	dir, err := os.MkdirTemp("", "understudy")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	server, err := embedded.Start(embedded.Options{Dir: dir, Listen: "127.0.0.1:0"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(strings.HasPrefix(server.URL(), "nats://127.0.0.1:"))
	fmt.Println(server.Shutdown())
	// Output:
	// true
	// <nil>
}
