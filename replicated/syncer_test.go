package replicated

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// watchedSyncer is told of each folder before its names are synced, and may refuse.
type watchedSyncer struct {
	system
	before func(dir string) error
}

func (w watchedSyncer) syncDir(dir string) error {
	err := w.before(dir)
	if err != nil {
		return err
	}
	return w.system.syncDir(dir)
}

// Members whose folders share a parent that is not there yet may be opened at once: a folder that another one has made meanwhile
// is made, and its name is synced all the same.
func TestTwoMembersMakeTheSameFolder(t *testing.T) {
	root := t.TempDir()
	above := filepath.Join(root, "all")
	dir := filepath.Join(above, "1")
	var synced []string
	by := watchedSyncer{before: func(path string) error {
		synced = append(synced, path)
		if path == root {
			return os.Mkdir(dir, 0o755) // the other member is as far
		}
		return nil
	}}
	require.NoError(t, makeDirs(by, dir))
	require.Equal(t, []string{root, above}, synced)
}

// The folder above that of a member may be one that the member may not read, since somebody else has made its folder.
func TestAFolderAboveThatMayNotBeRead(t *testing.T) {
	above := t.TempDir()
	dir := filepath.Join(above, "1")
	require.NoError(t, os.Mkdir(dir, 0o755))
	open := func(closed string, why error) error {
		s, err := openStoreOf(dir, smallSegment, watchedSyncer{before: func(path string) error {
			if path == closed {
				return &fs.PathError{Op: "open", Path: path, Err: why}
			}
			return nil
		}}, quiet, newRaftLog(quiet))
		if err != nil {
			return err
		}
		return s.close()
	}
	require.NoError(t, open(above, fs.ErrPermission))
	require.ErrorIs(t, open(above, fs.ErrInvalid), fs.ErrInvalid, "any other error counts")
	for _, own := range []string{dir, filepath.Join(dir, logName), filepath.Join(dir, snapsName)} {
		require.ErrorIs(t, open(own, fs.ErrPermission), fs.ErrPermission, own)
	}
}
