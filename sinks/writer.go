package sinks

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/understudy-eval/understudy/judge"
	"github.com/understudy-eval/understudy/shadow"
)

// Options are what a [Writer] may be told; the zero value keeps no texts, knows no
// costs and logs nothing.
type Options struct {
	// KeepText also writes the data set of texts, see [Text].
	KeepText bool
	Costs    Costs
	Log      *slog.Logger
}

// Writer writes rows, books and texts below one folder. Its methods may be called
// at the same time, and several processes may write below one folder.
type Writer struct {
	dir       string
	options   Options
	leftovers int
	create    func(folder string) (tempFile, error)

	mu     sync.Mutex
	last   time.Time       // of the last file's name
	synced map[string]bool // folders that are known to be durable
}

// Open prepares a folder (with its parents, mode 0700) for writing and removes the
// temporary files of writers that were killed, see [Writer.Leftovers]. It fails
// with the folder's path when nothing can be created or made durable in it.
//
// A temporary file of another process that is alive is removed too; that process
// notices and writes the file again.
func Open(dir string, o Options) (*Writer, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	w := &Writer{dir: dir, options: o, create: createTemp, synced: map[string]bool{}}
	sets := []Set{SetRows, SetBooks}
	if o.KeepText {
		sets = append(sets, SetTexts)
	}
	for _, s := range sets {
		if err := w.tryFolder(string(s)); err != nil {
			return nil, fmt.Errorf("open sink folder %s: %w", dir, err)
		}
	}
	n, err := removeLeftovers(dir)
	if err != nil {
		return nil, fmt.Errorf("open sink folder %s: %w", dir, err)
	}
	if w.leftovers = n; n > 0 {
		o.Log.Warn("temporary files of a killed writer removed", "dir", dir, "files", n)
	}
	return w, nil
}

// tryFolder makes a folder and proves that a file in it can be written.
func (w *Writer) tryFolder(folder string) error {
	if err := w.folder(folder); err != nil {
		return err
	}
	f, err := w.create(filepath.Join(w.dir, folder))
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write([]byte("x"))
	if closing := f.Close(); err == nil {
		err = closing
	}
	return err
}

// Leftovers is how many temporary files of killed writers Open removed.
func (w *Writer) Leftovers() int { return w.leftovers }

// Write turns graded trials into rows and writes them, one file for each day on
// which their samples were seen (more when a day has over 1,048,576 rows). It returns
// nil only when every file is proven: written under a temporary name, synced, read
// back from there, its bytes' hash and every decoded row compared with what was to
// be written, renamed to a name with that hash, the folder synced, and booked, see
// [Verify]. So nil may be followed by an acknowledgement.
//
// After an error nothing is acknowledged, and the whole batch may be written again:
// a file that is there already is proven again and not written twice. ctx is looked
// at between files.
func (w *Writer) Write(ctx context.Context, gs []judge.Graded) error {
	if w.options.KeepText {
		if err := w.writeTexts(ctx, gs); err != nil {
			return err
		}
	}
	days := map[string][]Row{}
	for _, g := range gs {
		d := day(g.Trial.Sample.Seen)
		days[d] = append(days[d], w.options.Costs.rows(g)...)
	}
	for _, d := range slices.Sorted(maps.Keys(days)) {
		for rows := range slices.Chunk(days[d], maxFileRows) {
			name, err := put(ctx, w, rowTable(), d, rows)
			if err != nil {
				return err
			}
			entry := []bookRow{fileRow(FileEntry{Path: name, Rows: int64(len(rows))})}
			if _, err := put(ctx, w, bookTable(), d, entry); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w *Writer) writeTexts(ctx context.Context, gs []judge.Graded) error {
	days := map[string][]Text{}
	for _, g := range gs {
		d := day(g.Trial.Sample.Seen)
		days[d] = append(days[d], Texts(g)...)
	}
	for _, d := range slices.Sorted(maps.Keys(days)) {
		for rest := days[d]; len(rest) > 0; {
			n := fitting(rest)
			if _, err := put(ctx, w, textTable(), d, rest[:n]); err != nil {
				return err
			}
			rest = rest[n:]
		}
	}
	return nil
}

// fitting is how many texts go into one file; at least one.
func fitting(ts []Text) int {
	size := 0
	for i := range ts {
		size += ts[i].size()
		if i > 0 && (size > maxFileBytes || i == maxFileRows) {
			return i
		}
	}
	return len(ts)
}

// WriteBooks writes entries of the books as [Writer.Write] writes rows, one file
// for each day on which their counting ended. Times are cut to microseconds.
func (w *Writer) WriteBooks(ctx context.Context, bs []shadow.Books) error {
	days := map[string][]bookRow{}
	for _, b := range bs {
		ended := b.To
		if ended.IsZero() {
			ended = b.From
		}
		d := day(ended)
		days[d] = append(days[d], bookRows(b)...)
	}
	for _, d := range slices.Sorted(maps.Keys(days)) {
		if _, err := put(ctx, w, bookTable(), d, days[d]); err != nil {
			return err
		}
	}
	return nil
}

// now is a time for a file's name: later than that of any other file of this writer.
func (w *Writer) now() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	t := time.Now().UTC().Truncate(time.Microsecond)
	if !t.After(w.last) {
		t = w.last.Add(time.Microsecond)
	}
	w.last = t
	return t
}
