package sinks

import "os"

// Fault says how a file that is written goes wrong.
type Fault struct {
	Write func(f *os.File, p []byte) (int, error)
	Sync  error
	Close error
}

type faulty struct {
	*os.File
	fault Fault
}

func (f faulty) Write(p []byte) (int, error) {
	if f.fault.Write != nil {
		return f.fault.Write(f.File, p)
	}
	return f.File.Write(p)
}

func (f faulty) Sync() error {
	if f.fault.Sync != nil {
		return f.fault.Sync
	}
	return f.File.Sync()
}

func (f faulty) Close() error {
	err := f.File.Close()
	if f.fault.Close != nil {
		return f.fault.Close
	}
	return err
}

// Break has every file go wrong from now on.
func (w *Writer) Break(fault Fault) {
	w.create = func(folder string) (tempFile, error) {
		f, err := os.CreateTemp(folder, ".*"+tempSuffix)
		return faulty{f, fault}, err
	}
}

// Mend has files written normally again.
func (w *Writer) Mend() { w.create = createTemp }

// CountIn is the walk over levels and indices that every page passes.
func CountIn(data []byte, width, n int, want uint64) (int, bool) {
	return countIn(data, width, n, want)
}

// Encode is a file of rows with so many rows in a row group.
func Encode(rows []Row, group int) ([]byte, error) { return rowTable().encode(rows, group) }

// DecodeAtOnce has so many rows decoded at a time, until restore is called.
func DecodeAtOnce(rows int) (restore func()) {
	old := windowRows
	windowRows = rows
	return func() { windowRows = old }
}
