//go:build !darwin && !dragonfly && !freebsd && !linux && !netbsd && !openbsd && !windows

package disklog

import (
	"errors"
	"os"
)

// lockFile fails: there is no lock for this system.
func lockFile(string) (*os.File, error) { return nil, errors.ErrUnsupported }

func syncDir(string) error { return nil }
