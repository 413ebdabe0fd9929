package sinks

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
	"time"
)

// Names in a sink's folder. A temporary file begins with a dot, so that readers
// which take every .parquet file of a folder do not see it.
const (
	suffix     = ".parquet"
	tempSuffix = ".tmp"
	datePrefix = "date="
	dateForm   = "2006-01-02"
	timeForm   = "20060102T150405.000000Z"
)

// maxFile bounds what is read into memory as one file.
const maxFile = 1 << 30

// dateFolder is where the files of a data set lie for one day in UTC.
func dateFolder(s Set, day string) string { return path.Join(string(s), datePrefix+day) }

func day(t time.Time) string { return t.UTC().Format(dateForm) }

// fileName is <time of writing>-<SHA-256 of the bytes>.parquet: files of a folder
// sort by the order in which they were written.
func fileName(t time.Time, sum string) string { return t.UTC().Format(timeForm) + "-" + sum + suffix }

func sumOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// sumIn takes the hash out of a file's name.
func sumIn(name string) (string, bool) {
	stem, ok := strings.CutSuffix(path.Base(name), suffix)
	i := strings.LastIndexByte(stem, '-')
	if !ok || i < 1 {
		return "", false
	}
	sum := stem[i+1:]
	raw, err := hex.DecodeString(sum)
	if err != nil || len(raw) != sha256.Size || strings.ToLower(sum) != sum {
		return "", false
	}
	return sum, true
}

// isRowPath says whether a path names a file of rows below a sink's folder.
func isRowPath(name string) bool {
	_, ok := sumIn(name)
	return ok && fs.ValidPath(name) && strings.HasPrefix(name, string(SetRows)+"/")
}

// files lists the .parquet files of a data set in the order of their paths. Other
// files, and files and folders whose name begins with a dot, are none of ours. A
// set without a folder has no files, unless it must be there.
func files(fsys fs.FS, s Set, must bool) ([]string, error) {
	if _, err := fs.Stat(fsys, string(s)); err != nil {
		if !must && isNotExist(err) {
			return nil, nil
		}
		return nil, fmt.Errorf("read data set %s: %w", s, err)
	}
	var names []string
	err := fs.WalkDir(fsys, string(s), func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		switch hidden := strings.HasPrefix(d.Name(), "."); {
		case hidden && d.IsDir():
			return fs.SkipDir
		case !hidden && !d.IsDir() && strings.HasSuffix(name, suffix):
			names = append(names, name)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read data set %s: %w", s, err)
	}
	return names, nil
}

// load reads a file whole and compares the hash of its bytes with its name. Not a
// byte is interpreted before that. The bytes are put into buffer if it has room.
func load(fsys fs.FS, name string, buffer []byte) ([]byte, error) {
	want, ok := sumIn(name)
	if !ok {
		return nil, fmt.Errorf("read %s: %w: its name holds no hash", name, ErrForeign)
	}
	f, err := fsys.Open(name)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, bare(err))
	}
	defer f.Close()
	data, err := readAll(f, buffer)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, bare(err))
	}
	if got := sumOf(data); got != want {
		return nil, fmt.Errorf("read %s: %w: the SHA-256 of its %d bytes is %s", name, ErrDamaged, len(data), got)
	}
	return data, nil
}

func readAll(f fs.File, buffer []byte) ([]byte, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%w: not a regular file", ErrForeign)
	}
	if info.Size() > maxFile {
		return nil, fmt.Errorf("%w: %d bytes, more than we write into a file", ErrForeign, info.Size())
	}
	size := int(info.Size())
	if cap(buffer) < size {
		buffer = make([]byte, size+size/8) // the next file may be a little longer
	}
	data := buffer[:size]
	n, err := io.ReadFull(f, data)
	switch err {
	case nil, io.EOF, io.ErrUnexpectedEOF: // shorter than it said: the hash will tell
		return data[:n], nil
	default:
		return nil, err
	}
}
