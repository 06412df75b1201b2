package disklog

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/hashicorp/go-hclog"
	"github.com/stretchr/testify/require"
)

// watchedSyncer notes each folder before its names are synced, and may refuse.
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

// A process may be killed after it has made the folders, and before their names are on the disk. The next process
// finds the folders. It must sync the names all the same: otherwise the first loss of power would take the whole
// member.
func TestFoldersThatAKilledProcessHasMade(t *testing.T) {
	root := t.TempDir()
	dir := filepath.Join(root, "all", "1")
	killed := watchedSyncer{before: func(string) error { return errDisk }}
	_, err := openWith(dir, smallSegment, killed, quiet, hclog.NewNullLogger())
	require.ErrorIs(t, err, errDisk)

	var synced []string
	by := watchedSyncer{before: func(path string) error {
		synced = append(synced, path)
		return nil
	}}
	s, err := openWith(dir, smallSegment, by, quiet, hclog.NewNullLogger())
	require.NoError(t, err)
	require.NoError(t, s.Close())
	require.Subset(t, synced, []string{root, filepath.Dir(dir), dir})
}

// A member may not be allowed to read a folder above its own, since somebody else has made it.
func TestAFolderAboveThatMayNotBeRead(t *testing.T) {
	above := t.TempDir()
	dir := filepath.Join(above, "1")
	require.NoError(t, os.Mkdir(dir, 0o755))
	open := func(closed string, why error) error {
		s, err := openWith(dir, smallSegment, watchedSyncer{before: func(path string) error {
			if path == closed {
				return &fs.PathError{Op: "open", Path: path, Err: why}
			}
			return nil
		}}, quiet, hclog.NewNullLogger())
		if err != nil {
			return err
		}
		return s.Close()
	}
	require.NoError(t, open(above, fs.ErrPermission))
	require.ErrorIs(t, open(above, fs.ErrInvalid), fs.ErrInvalid, "any other error counts")
	for _, own := range []string{dir, filepath.Join(dir, logName), filepath.Join(dir, snapsName)} {
		require.ErrorIs(t, open(own, fs.ErrPermission), fs.ErrPermission, own)
	}
}
