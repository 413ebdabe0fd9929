package sinks

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
)

// tempFile is what a file is written through; tests put one in that fails.
type tempFile interface {
	io.Writer
	Sync() error
	Close() error
	Name() string
}

func createTemp(folder string) (tempFile, error) { return os.CreateTemp(folder, ".*"+tempSuffix) }

// putTries is how often a file is written when its temporary file vanishes: a
// process that starts on the same folder takes it for a leftover, once.
const putTries = 3

// put writes rows as one proven file in the folder of a day and gives its path
// relative to the sink's folder. If a file with the same bytes is there already,
// it is proven and kept.
func put[R any](ctx context.Context, w *Writer, t table[R], day string, rs []R) (string, error) {
	folder := dateFolder(t.set, day)
	fail := func(err error) error {
		return fmt.Errorf("write %d %s into %s: %w", len(rs), t.set, filepath.Join(w.dir, folder), err)
	}
	data, err := t.encode(rs, groupRows)
	if err != nil {
		return "", fail(err)
	}
	for try := 1; ; try++ {
		if err := context.Cause(ctx); err != nil {
			return "", fail(err)
		}
		name, err := putOnce(w, t, folder, data, rs)
		if err == nil {
			return name, nil
		}
		if try == putTries || !isNotExist(err) {
			return "", fail(err)
		}
		w.forget(folder) // somebody may have removed the folder, not the file
	}
}

func putOnce[R any](w *Writer, t table[R], folder string, data []byte, rs []R) (string, error) {
	if err := w.folder(folder); err != nil {
		return "", err
	}
	sum := sumOf(data)
	name, err := w.find(folder, sum)
	if err != nil {
		return "", err
	}
	if name == "" {
		name = path.Join(folder, fileName(w.now(), sum))
	} else if err := prove(t, w.path(name), sum, rs); err == nil {
		// It may have been renamed by a writer that was killed before it synced.
		return name, errors.Join(syncPath(w.path(name)), syncPath(w.path(folder)))
	} else if !errors.Is(err, ErrDamaged) {
		return "", err
	} else {
		w.options.Log.Warn("damaged file is replaced by its own content", "file", w.path(name), "error", err)
	}
	temp, err := w.writeTemp(folder, data)
	if err == nil {
		err = prove(t, temp, sum, rs)
	}
	if err == nil {
		err = os.Rename(temp, w.path(name))
	}
	if err != nil {
		if temp != "" {
			_ = os.Remove(temp) // what stays is a leftover, removed at the next start
		}
		return "", err
	}
	return name, syncPath(w.path(folder))
}

// writeTemp writes bytes to a temporary file in a folder, down to the disk. The
// first error counts; the path is given back with it once there is a file.
func (w *Writer) writeTemp(folder string, data []byte) (string, error) {
	f, err := w.create(w.path(folder))
	if err != nil {
		return "", err
	}
	n, err := f.Write(data)
	if err == nil && n != len(data) {
		err = io.ErrShortWrite
	}
	if err == nil {
		err = f.Sync()
	}
	if closing := f.Close(); err == nil {
		err = closing
	}
	return f.Name(), err
}

// prove reads a file back and compares the hash of its bytes and every decoded row
// with what was to be written.
func prove[R any](t table[R], file, sum string, rs []R) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if got := sumOf(data); got != sum {
		return fmt.Errorf("read back: %w: SHA-256 is %s, %s was written", ErrDamaged, got, sum)
	}
	d, err := t.decode(data)
	if err != nil {
		return fmt.Errorf("read back: %w", err)
	}
	batch := make([]R, batchRows)
	for at := 0; ; {
		n, err := d.next(batch)
		if err != nil {
			return fmt.Errorf("read back: %w", err)
		}
		if n == 0 && at == len(rs) {
			return nil
		}
		if n == 0 || at+n > len(rs) {
			return fmt.Errorf("read back: %d rows were written, %d read", len(rs), at+n)
		}
		for i := range batch[:n] {
			if column := t.differs(&batch[i], &rs[at+i]); column != "" {
				return fmt.Errorf("read back: row %d differs in column %s", at+i, column)
			}
		}
		at += n
	}
}
