package disklog

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// A disk without room refuses entries. Votes and reads still work, and the log goes on once there is room.
func TestTheDiskIsFull(t *testing.T) {
	dir := t.TempDir()
	err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=2m")
	if err != nil {
		t.Skip("no right to mount a small disk: ", err)
	}
	defer func() { require.NoError(t, syscall.Unmount(dir, 0)) }()
	s := mustOpen(t, filepath.Join(dir, "m"))
	next := uint64(1)
	for range 20 {
		require.NoError(t, s.journal.StoreLogs(someLogs(next, 5, 1)))
		next += 5
	}
	require.NoError(t, s.journal.DeleteRange(1<<40, 1<<40))
	left, err := s.Free()
	require.NoError(t, err)
	require.Less(t, left, int64(2<<20))

	filler := filepath.Join(dir, "filler")
	f, err := os.Create(filler)
	require.NoError(t, err)
	for err == nil {
		_, err = f.Write(make([]byte, 4096))
	}
	require.ErrorIs(t, err, syscall.ENOSPC)
	require.NoError(t, f.Close())
	left, err = s.Free()
	require.NoError(t, err)
	require.Less(t, left, int64(4096))

	refusals := 0
	for i := range uint64(50) {
		err := s.journal.StoreLogs(someLogs(next, 5, 1))
		if err == nil {
			next += 5
		} else {
			require.ErrorIs(t, err, syscall.ENOSPC)
			refusals++
		}
		require.NoError(t, s.meta.SetUint64([]byte("CurrentTerm"), i))
		require.NoError(t, s.meta.Set([]byte("LastVoteCand"), fmt.Append(nil, "candidate ", i)))
		if i%10 == 0 {
			sameLogs(t, someFives(next), allLogs(t, s))
		}
	}
	require.Greater(t, refusals, 30)

	// The store can be closed and opened while the disk is full.
	require.NoError(t, s.Close())
	s, err = openSmall(filepath.Join(dir, "m"))
	if err == nil {
		sameLogs(t, someFives(next), allLogs(t, s))
		require.Error(t, s.journal.StoreLogs(someLogs(next, 40, 1)))
	} else {
		require.ErrorIs(t, err, syscall.ENOSPC)
	}
	t.Log("opened while the disk is full: ", err)
	require.NoError(t, os.Remove(filler))
	if err != nil {
		s = mustOpen(t, filepath.Join(dir, "m"))
	}
	for range 20 {
		require.NoError(t, s.journal.StoreLogs(someLogs(next, 5, 1)))
		next += 5
	}
	sameLogs(t, someFives(next), allLogs(t, s))
	require.NoError(t, s.Close())
}
