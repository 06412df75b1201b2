package replicated

import (
	"errors"
	"os"
	"syscall"
)

// syncData puts the bytes of a file onto the disk, and its length. Times of changes may be older after a crash, which
// saves a write to the journal of the file system for each batch.
func syncData(f *os.File) error {
	for {
		err := syscall.Fdatasync(int(f.Fd()))
		if !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}
