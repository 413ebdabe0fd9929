package sinks

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// path is where a name relative to the sink's folder lies.
func (w *Writer) path(name string) string { return filepath.Join(w.dir, filepath.FromSlash(name)) }

// folder makes a folder below the sink's, with its parents, and makes it durable:
// all folders up to the sink's own are synced, those above it as far as that is
// allowed. Whether a killed writer that made one of them got as far as syncing it
// is not known, so that is done once per folder and process.
func (w *Writer) folder(name string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.synced[name] {
		return nil
	}
	if err := os.MkdirAll(w.path(name), 0o700); err != nil {
		return err
	}
	own := len(filepath.Clean(w.dir))
	for step := w.path(name); ; step = filepath.Dir(step) {
		if err := syncPath(step); err != nil && len(step) >= own {
			return err
		}
		if step == filepath.Dir(step) {
			break
		}
	}
	w.synced[name] = true
	return nil
}

// forget has a folder made and synced anew.
func (w *Writer) forget(name string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.synced, name)
}

// find looks for a file with a hash in a folder.
func (w *Writer) find(folder, sum string) (string, error) {
	entries, err := os.ReadDir(w.path(folder))
	if err != nil {
		return "", err
	}
	for _, e := range entries {
		if got, ok := sumIn(e.Name()); ok && got == sum {
			return path.Join(folder, e.Name()), nil
		}
	}
	return "", nil
}

// syncPath makes a file, or the entries of a folder, durable.
func syncPath(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// removeLeftovers removes temporary files in the folders of the data sets.
func removeLeftovers(dir string) (int, error) {
	removed := 0
	for _, s := range []Set{SetRows, SetBooks, SetTexts} {
		err := filepath.WalkDir(filepath.Join(dir, string(s)), func(name string, d fs.DirEntry, err error) error {
			if isNotExist(err) { // a set that is not kept, or somebody was faster
				return nil
			}
			if err != nil || !d.Type().IsRegular() || !strings.HasSuffix(name, tempSuffix) {
				return err
			}
			if err := os.Remove(name); err != nil && !isNotExist(err) {
				return err
			}
			removed++
			return nil
		})
		if err != nil {
			return removed, err
		}
	}
	return removed, nil
}
