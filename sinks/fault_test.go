package sinks_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-eval/understudy/sinks"
)

// tree lists all files below a folder.
func tree(t *testing.T, dir string) []string {
	t.Helper()
	var names []string
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			names = append(names, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func TestWriteFaults(t *testing.T) {
	full := syscall.ENOSPC
	for _, c := range []struct {
		name, why string
		fault     sinks.Fault
		want      error
	}{
		{"full disk", "the first write fails", sinks.Fault{Write: func(*os.File, []byte) (int, error) { return 0, full }}, full},
		{"full half-way", "a part is written", sinks.Fault{Write: func(f *os.File, p []byte) (int, error) {
			n, _ := f.Write(p[:len(p)/2])
			return n, full
		}}, full},
		{"short write", "fewer bytes, no error", sinks.Fault{Write: func(f *os.File, p []byte) (int, error) { return f.Write(p[:len(p)-1]) }}, nil},
		{"lost bytes", "the device says that all is well", sinks.Fault{Write: func(f *os.File, p []byte) (int, error) {
			_, err := f.Write(p[:len(p)-1])
			return len(p), err
		}}, sinks.ErrDamaged},
		{"flipped bit", "the device says that all is well", sinks.Fault{Write: func(f *os.File, p []byte) (int, error) {
			q := append([]byte(nil), p...)
			q[len(q)/2] ^= 4
			return f.Write(q)
		}}, sinks.ErrDamaged},
		{"sync", "not on disk", sinks.Fault{Sync: syscall.EIO}, syscall.EIO},
		{"close", "not on disk", sinks.Fault{Close: syscall.EIO}, syscall.EIO},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			w := openIn(t, dir, sinks.Options{KeepText: true})
			w.Break(c.fault)
			err := w.Write(context.Background(), many(3))
			if err == nil || (c.want != nil && !errors.Is(err, c.want)) {
				t.Fatalf("%s: error %v, want %v", c.why, err, c.want)
			}
			if !strings.Contains(err.Error(), dir) {
				t.Errorf("error does not name the folder: %v", err)
			}
			if names := tree(t, dir); len(names) != 0 {
				t.Errorf("files were left: %v", names)
			}
			w.Mend()
			if err := w.Write(context.Background(), many(3)); err != nil {
				t.Fatalf("the same batch again: %v", err)
			}
			if diff := cmp.Diff(rowsOf(many(3)), collect(t, sinks.Scan(os.DirFS(dir)))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestWriteToFullDevice(t *testing.T) {
	device, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skipf("this system has no /dev/full: %v", err)
	}
	defer device.Close()
	dir := t.TempDir()
	w := openIn(t, dir, sinks.Options{})
	w.Break(sinks.Fault{Write: func(_ *os.File, p []byte) (int, error) { return device.Write(p) }})
	if err := w.Write(context.Background(), many(1)); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("error %v, want that no space is left", err)
	}
	if names := tree(t, dir); len(names) != 0 {
		t.Errorf("files were left: %v", names)
	}
}

func TestOpenRefuses(t *testing.T) {
	t.Run("below a file", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		dir := filepath.Join(file, "rows")
		if _, err := sinks.Open(dir, sinks.Options{}); err == nil || !strings.Contains(err.Error(), dir) {
			t.Errorf("error %v does not name %s", err, dir)
		}
	})
	t.Run("read-only", func(t *testing.T) {
		if os.Geteuid() == 0 {
			t.Skip("root may write into a folder of mode 0500")
		}
		dir := t.TempDir()
		if err := os.Chmod(dir, 0o500); err != nil {
			t.Fatal(err)
		}
		if _, err := sinks.Open(dir, sinks.Options{}); !errors.Is(err, fs.ErrPermission) || !strings.Contains(err.Error(), dir) {
			t.Errorf("error %v: want that %s may not be written", err, dir)
		}
	})
}

// A writer was killed 1,000 times; half of its temporary files are empty.
func TestLeftovers(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, many(5))
	want := collect(t, sinks.Scan(os.DirFS(dir)))
	folder := filepath.Dir(filesIn(t, dir, "rows/*/*.parquet")[0])
	for i := range 1000 {
		f, err := os.CreateTemp(folder, ".*.tmp")
		if err != nil {
			t.Fatal(err)
		}
		if i%2 == 1 {
			_, err = f.WriteString("PAR1 and then killed")
		}
		if err := errors.Join(err, f.Close()); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(want, collect(t, sinks.Scan(os.DirFS(dir)))); diff != "" {
		t.Errorf("readers see leftovers\n%s", diff)
	}
	if n := openIn(t, dir, sinks.Options{}).Leftovers(); n != 1000 {
		t.Errorf("%d leftovers removed, want 1000", n)
	}
	if n := openIn(t, dir, sinks.Options{}).Leftovers(); n != 0 {
		t.Errorf("%d leftovers at the second start", n)
	}
	if diff := cmp.Diff(want, collect(t, sinks.Scan(os.DirFS(dir)))); diff != "" {
		t.Error(diff)
	}
}

// Another process starts on the same folder and takes our temporary file for a leftover.
func TestTemporaryFileVanishes(t *testing.T) {
	dir := t.TempDir()
	w := openIn(t, dir, sinks.Options{})
	times := 0
	w.Break(sinks.Fault{Write: func(f *os.File, p []byte) (int, error) {
		if times++; times == 1 {
			openIn(t, dir, sinks.Options{})
		}
		return f.Write(p)
	}})
	if err := w.Write(context.Background(), many(2)); err != nil {
		t.Fatal(err)
	}
	if n := len(collect(t, sinks.Scan(os.DirFS(dir)))); n != 8 {
		t.Errorf("%d rows, want 8", n)
	}
}

func TestWriteCancelled(t *testing.T) {
	dir := t.TempDir()
	ctx, cancel := context.WithCancelCause(context.Background())
	cause := errors.New("shutting down")
	cancel(cause)
	if err := openIn(t, dir, sinks.Options{}).Write(ctx, many(1)); !errors.Is(err, cause) {
		t.Errorf("error %v, want %v", err, cause)
	}
	if names := tree(t, dir); len(names) != 0 {
		t.Errorf("files were left: %v", names)
	}
}
