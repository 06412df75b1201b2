package disklog

import (
	"errors"
	"os"
	"path/filepath"
)

// syncer puts bytes and names onto the disk. All other bytes and names are only in the memory of the system: a loss
// of power takes any of them, in any order.
type syncer interface {
	syncFile(f *os.File) error // the bytes of f
	syncDir(path string) error // the names in the folder
}

// system is the syncer of the operating system.
type system struct{}

func (system) syncFile(f *os.File) error { return f.Sync() }
func (system) syncDir(path string) error { return syncDir(path) }

// syncedFile is a file whose Sync is that of a syncer.
type syncedFile struct {
	*os.File
	by syncer
}

func (f syncedFile) Sync() error { return f.by.syncFile(f.File) }

// zeroFile writes zeros over the bytes from from to to, and syncs the file.
func zeroFile(by syncer, f *os.File, from, to int64) error {
	zeros := make([]byte, 64<<10)
	for from < to {
		n := min(to-from, int64(len(zeros)))
		_, err := f.WriteAt(zeros[:n], from)
		if err != nil {
			return err
		}
		from += n
	}
	return by.syncFile(f)
}

// writeFile makes a file with the bytes b in one step.
func writeFile(by syncer, dir, name string, b []byte) error {
	f, err := os.Create(filepath.Join(dir, name+".tmp"))
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	closeErr := f.Close()
	if err != nil {
		return err
	}
	if closeErr != nil {
		return closeErr
	}
	return publish(by, dir, name)
}

// publish syncs the file name.tmp, renames it to name, and syncs the new name.
func publish(by syncer, dir, name string) error {
	path := filepath.Join(dir, name)
	err := syncPath(by, path+".tmp")
	if err != nil {
		return err
	}
	err = os.Rename(path+".tmp", path)
	if err != nil {
		return err
	}
	return by.syncDir(dir)
}

// syncPath syncs the bytes of a file.
func syncPath(by syncer, path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(by.syncFile(f), f.Close())
}
