//go:build !(linux || darwin)

package embedded

// storeLimit is a fixed size where the room on the disk is not looked up.
func storeLimit(string) int64 { return 64 << 30 }
