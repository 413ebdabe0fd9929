package sinks

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"
)

// Verify checks that every booked file of rows is there, whole, with the booked
// number of rows. It tells a lost file from answers that are still in flight: a
// file is booked after it was proven and before its messages are acknowledged. A
// file that is not booked is no error: its writer was killed before the booking,
// and its messages come again.
//
// Errors, joined: [*MissingError] with the files that are gone and their rows;
// ErrDamaged, ErrForeign or ErrVersion with each file that is there and bad, in the
// books or in the rows.
func Verify(fsys fs.FS) error {
	booked, errs := bookedFiles(fsys)
	missing := &MissingError{}
	for _, f := range booked {
		err := verifyFile(fsys, f)
		if isNotExist(err) {
			missing.Files = append(missing.Files, f)
		} else if err != nil {
			errs = append(errs, err)
		}
	}
	if len(missing.Files) > 0 {
		errs = append([]error{missing}, errs...)
	}
	return errors.Join(errs...)
}

// bookedFiles lists each booked file once, in the order of paths.
func bookedFiles(fsys fs.FS) ([]FileEntry, []error) {
	var booked []FileEntry
	var errs []error
	for f, err := range ScanFiles(fsys) {
		if err != nil {
			errs = append(errs, err)
			continue
		}
		booked = append(booked, f)
	}
	slices.SortFunc(booked, func(a, b FileEntry) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Rows, b.Rows))
	})
	return slices.Compact(booked), errs
}

func verifyFile(fsys fs.FS, f FileEntry) error {
	d, err := open(fsys, rowTable(), f.Path)
	if err != nil {
		return err
	}
	if d.rows != f.Rows {
		return fmt.Errorf("read %s: %w: it has %d rows, %d are booked: %d are missing",
			f.Path, ErrDamaged, d.rows, f.Rows, f.Rows-d.rows)
	}
	return nil
}
