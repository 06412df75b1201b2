package disklog

import (
	"errors"
	"fmt"
)

// Errors that a caller may want to distinguish by errors.Is.
var (
	// ErrDamaged is wrapped, with the file and the byte, if a log or a snapshot is not as it was written.
	ErrDamaged = errors.New("replicated: damaged")
	// ErrInUse is wrapped if another process, or this one, has opened the folder.
	ErrInUse = errors.New("replicated: another member has opened the folder")

	errClosed = errors.New("replicated: the member is closed")
)

// damaged returns an error that wraps ErrDamaged, with the file and the byte.
func damaged(path string, at int64, why string) error {
	return fmt.Errorf("%w: %s, byte %d: %s", ErrDamaged, path, at, why)
}
