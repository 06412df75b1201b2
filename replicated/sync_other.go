//go:build !linux

package replicated

import "os"

// syncData puts the bytes of a file onto the disk.
func syncData(f *os.File) error { return f.Sync() }
