package replicated

import (
	"errors"
	"os"
	"syscall"
)

const errSharingViolation = syscall.Errno(32)

// lockFile takes a file for this opening alone, until it is closed or the process ends: it shares the file with nobody.
func lockFile(path string) (*os.File, error) {
	name, err := syscall.UTF16PtrFromString(path)
	if err != nil {
		return nil, err
	}
	h, err := syscall.CreateFile(name, syscall.GENERIC_READ|syscall.GENERIC_WRITE, 0, nil, syscall.OPEN_ALWAYS, syscall.FILE_ATTRIBUTE_NORMAL, 0)
	if errors.Is(err, errSharingViolation) {
		return nil, errInUse
	}
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(h), path), nil
}

// syncDir does nothing: Windows writes the names in a folder by itself, and has no call for it.
func syncDir(string) error { return nil }
