//go:build linux || darwin

package embedded

import (
	"io/fs"
	"path/filepath"
	"syscall"
)

// storeLimit is three quarters of what is free and of what the bus has already. (The
// server's own default forgets the latter: it shrinks at every restart.)
func storeLimit(dir string) int64 {
	var disk syscall.Statfs_t
	if err := syscall.Statfs(dir, &disk); err != nil {
		return fallbackStore
	}
	return (int64(disk.Bavail)*int64(disk.Bsize) + used(dir)) / 4 * 3
}

// used is the size of a folder's files; what cannot be read counts nothing.
func used(dir string) int64 {
	var sum int64
	_ = filepath.WalkDir(dir, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return nil
		}
		if info, err := entry.Info(); err == nil {
			sum += info.Size()
		}
		return nil
	})
	return sum
}

const fallbackStore = 64 << 30
