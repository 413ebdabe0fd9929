package sinks

import (
	"errors"
	"fmt"
	"io/fs"
	"iter"

	"github.com/understudy-eval/understudy/shadow"
)

// Scan reads the rows under a sink's folder (the one that holds rows/), file after
// file in the order of their paths: by day, within a day by the time of writing;
// within a file as they were written. Temporary files and files that do not end in
// .parquet are passed over.
//
// Rows come as they are stored, redelivered ones too: see [Once]. Each file's hash
// is compared with its name before a byte is decoded. A file that is damaged, cut
// or not ours gives an error that names it (ErrDamaged, ErrForeign, ErrVersion);
// who goes on after it gets the rows of the files behind it. A folder without rows/
// is an error too; one without a file in it gives nothing.
func Scan(fsys fs.FS) iter.Seq2[Row, error] { return scan(fsys, rowTable(), true) }

// ScanTexts reads the texts under a sink's folder as [Scan] reads rows. Without
// the data set it gives nothing.
func ScanTexts(fsys fs.FS) iter.Seq2[Text, error] { return scan(fsys, textTable(), false) }

// ScanBooks reads the entries of the books under a sink's folder as they are
// stored, redelivered ones too, in the order of paths. Without the data set it
// gives nothing. Errors are those of [Scan].
func ScanBooks(fsys fs.FS) iter.Seq2[shadow.Books, error] {
	return func(yield func(shadow.Books, error) bool) {
		var entry *shadow.Books
		flush := func() bool {
			if entry == nil {
				return true
			}
			b := *entry
			entry = nil
			return yield(b, nil)
		}
		for r, err := range scan(fsys, bookTable(), false) {
			if err != nil {
				if !flush() || !yield(shadow.Books{}, err) {
					return
				}
				continue
			}
			if r.file != "" {
				continue
			}
			if r.starts() || entry == nil {
				if !flush() {
					return
				}
				b := r.books()
				entry = &b
			}
			if r.line != nil {
				entry.Lines = append(entry.Lines, r.bookLine())
			}
		}
		flush()
	}
}

// ScanFiles reads which files of rows were booked, as they are stored: a file that
// was booked again after a redelivery comes twice. Errors are those of [Scan].
func ScanFiles(fsys fs.FS) iter.Seq2[FileEntry, error] {
	return func(yield func(FileEntry, error) bool) {
		for r, err := range scan(fsys, bookTable(), false) {
			if err == nil && r.file == "" {
				continue
			}
			f := FileEntry{Path: r.file}
			if r.count != nil {
				f.Rows = *r.count
			}
			if !yield(f, err) {
				return
			}
		}
	}
}

func scan[R any](fsys fs.FS, t table[R], must bool) iter.Seq2[R, error] {
	return func(yield func(R, error) bool) {
		var none R
		names, err := files(fsys, t.set, must)
		if err != nil {
			yield(none, err)
			return
		}
		batch := make([]R, batchRows)
		for _, name := range names {
			if !scanFile(fsys, t, name, batch, yield) {
				return
			}
		}
	}
}

// scanFile yields the rows of one file, or its error; false when the reader has had enough.
func scanFile[R any](fsys fs.FS, t table[R], name string, batch []R, yield func(R, error) bool) bool {
	var none R
	d, err := open(fsys, t, name)
	if err != nil {
		return yield(none, err)
	}
	for {
		n, err := d.next(batch)
		if err != nil {
			return yield(none, fmt.Errorf("read %s: %w", name, err))
		}
		if n == 0 {
			return true
		}
		for _, r := range batch[:n] {
			if !yield(r, nil) {
				return false
			}
		}
	}
}

// open loads a file and opens its footer.
func open[R any](fsys fs.FS, t table[R], name string) (*decoder[R], error) {
	data, err := load(fsys, name, nil)
	if err != nil {
		return nil, err
	}
	d, err := t.decode(data)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	return d, nil
}

func isNotExist(err error) bool { return errors.Is(err, fs.ErrNotExist) }

// bare takes the path off an error of a file system: ours is in front of it already.
func bare(err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err
	}
	return err
}
