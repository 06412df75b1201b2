package disklog

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/raft"
	"github.com/stretchr/testify/require"
)

var quiet = slog.New(slog.NewTextHandler(io.Discard, nil))

const (
	smallSegment = 4 << 10
	keyTerm      = "CurrentTerm" // the key by which Raft keeps the term
)

func openSmall(dir string) (*Store, error) {
	return openWith(dir, smallSegment, system{}, quiet, hclog.NewNullLogger())
}

func mustOpen(t testing.TB, dir string) *Store {
	t.Helper()
	s, err := openSmall(dir)
	require.NoError(t, err)
	return s
}

// someLogs returns entries of a few to a few hundred bytes. Index and term decide the bytes.
func someLogs(from uint64, n int, term uint64) []*raft.Log {
	r := rand.New(rand.NewPCG(from, term))
	var list []*raft.Log
	for i := range uint64(n) {
		data := make([]byte, 1+r.IntN(300))
		for k := range data {
			data[k] = byte(r.Uint32())
		}
		list = append(list, &raft.Log{Index: from + i, Term: term, Type: raft.LogCommand, Data: data})
	}
	return list
}

// allLogs returns the entries of a store.
func allLogs(t testing.TB, s *Store) []*raft.Log {
	t.Helper()
	first, err := s.journal.FirstIndex()
	require.NoError(t, err)
	last, err := s.journal.LastIndex()
	require.NoError(t, err)
	var list []*raft.Log
	for i := first; first > 0 && i <= last; i++ {
		var l raft.Log
		require.NoError(t, s.journal.GetLog(i, &l))
		require.Equal(t, i, l.Index)
		list = append(list, &l)
	}
	return list
}

func sameLogs(t testing.TB, want, got []*raft.Log) {
	t.Helper()
	require.Len(t, got, len(want))
	for i, w := range want {
		require.Equal(t, w.Index, got[i].Index)
		require.Equal(t, w.Term, got[i].Term)
		require.True(t, bytes.Equal(w.Data, got[i].Data), "entry %d", w.Index)
	}
}

// takeSnapshot stores a snapshot with a state of some bytes.
func takeSnapshot(t testing.TB, s *Store, index, term uint64, state []byte) {
	t.Helper()
	c := raft.Configuration{Servers: []raft.Server{{ID: "1", Address: "127.0.0.1:7001"}, {ID: "2", Address: "127.0.0.1:7002"}}}
	_, trans := raft.NewInmemTransport("")
	defer trans.Close()
	sink, err := s.snaps.Create(1, index, term, c, 1, trans)
	require.NoError(t, err)
	_, err = sink.Write(state)
	require.NoError(t, err)
	require.NoError(t, sink.Close())
}

// newestSnapshot returns the state and the description of the newest snapshot.
func newestSnapshot(t testing.TB, s *Store) (*raft.SnapshotMeta, []byte) {
	t.Helper()
	list, err := s.snaps.List()
	require.NoError(t, err)
	if len(list) == 0 {
		return nil, nil
	}
	m, r, err := s.snaps.Open(list[0].ID)
	require.NoError(t, err)
	b, err := io.ReadAll(r)
	require.NoError(t, err)
	require.NoError(t, r.Close())
	require.Equal(t, m.Size, int64(len(b)))
	return m, b
}

// copyDir copies a folder, as a crash would leave it.
func copyDir(t testing.TB, from, to string) {
	t.Helper()
	require.NoError(t, os.RemoveAll(to))
	require.NoError(t, os.CopyFS(to, os.DirFS(from)))
}

// segmentsOf returns the files of the log, in order.
func segmentsOf(t testing.TB, dir string) []string {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(dir, logName, "*.wal"))
	require.NoError(t, err)
	slices.Sort(list)
	return list
}

func TestAStoreIsAsItWasLeft(t *testing.T) {
	dir := t.TempDir()
	s := mustOpen(t, dir)
	require.NoError(t, s.Close())
	s = mustOpen(t, dir)

	logs := someLogs(1, 10, 1)
	require.NoError(t, s.journal.StoreLogs(logs))
	require.NoError(t, s.meta.SetUint64([]byte("CurrentTerm"), 3))
	require.NoError(t, s.meta.Set([]byte("LastVoteCand"), []byte("127.0.0.1:7")))
	takeSnapshot(t, s, 5, 1, []byte("state"))
	_, err := openSmall(dir)
	require.ErrorIs(t, err, ErrInUse)
	require.NoError(t, s.Close())

	s = mustOpen(t, dir)
	sameLogs(t, logs, allLogs(t, s))
	term, err := s.meta.GetUint64([]byte("CurrentTerm"))
	require.NoError(t, err)
	require.EqualValues(t, 3, term)
	vote, err := s.meta.Get([]byte("LastVoteCand"))
	require.NoError(t, err)
	require.Equal(t, "127.0.0.1:7", string(vote))
	m, state := newestSnapshot(t, s)
	require.EqualValues(t, 5, m.Index)
	require.Equal(t, "state", string(state))
	require.Len(t, m.Configuration.Servers, 2)
	left, err := s.Free()
	require.NoError(t, err)
	require.Positive(t, left)
	require.NoError(t, s.Close())
}

// The log grows, is cut at both ends, is opened again, and is copied as a crash would leave it, in any order. Its
// entries are always those of a plain list.
func TestALogOfManySegments(t *testing.T) {
	for seed := range uint64(4) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 1))
			base := t.TempDir()
			dir := filepath.Join(base, "0")
			s := mustOpen(t, dir)
			var model []*raft.Log
			next, term, snap := uint64(1), uint64(1), uint64(0)
			for step := range 100 {
				switch n := r.IntN(12); {
				case n < 6:
					list := someLogs(next, 1+r.IntN(12), term)
					require.NoError(t, s.journal.StoreLogs(list))
					model = append(model, list...)
					next += uint64(len(list))
				case n < 7 && len(model) > 0: // the end is replaced, as a new leader would
					from := max(snap+1, model[r.IntN(len(model))].Index)
					if from >= next {
						continue
					}
					require.NoError(t, s.journal.DeleteRange(from, next-1))
					model = model[:len(model)-int(next-from)]
					next = from
					term++
				case n < 8 && len(model) > 0: // a snapshot replaces the beginning
					at := model[r.IntN(len(model))].Index
					if at <= snap {
						continue
					}
					takeSnapshot(t, s, at, term, []byte(fmt.Sprint("state ", at)))
					snap = at
					keep := uint64(r.IntN(30))
					first := model[0].Index
					if at < keep || at-keep < first {
						continue
					}
					require.NoError(t, s.journal.DeleteRange(first, at-keep))
					model = model[at-keep-first+1:]
				case n < 10:
					require.NoError(t, s.Close())
					s = mustOpen(t, dir)
				default:
					require.NoError(t, s.journal.DeleteRange(1<<40, 1<<40)) // waits for a rotation
					crash := filepath.Join(base, fmt.Sprint(step+1))
					copyDir(t, dir, crash)
					require.NoError(t, s.Close())
					dir = crash
					s = mustOpen(t, dir)
				}
				sameLogs(t, model, allLogs(t, s))
			}
			require.NoError(t, s.Close())
		})
	}
}

// A snapshot from the leader is ahead of the log. A crash came before the log was removed.
func TestASnapshotAheadOfTheLog(t *testing.T) {
	dir := t.TempDir()
	s := mustOpen(t, dir)
	require.NoError(t, s.journal.StoreLogs(someLogs(1, 50, 1)))
	takeSnapshot(t, s, 90, 2, []byte("state"))
	require.NoError(t, s.Close())
	s = mustOpen(t, dir)
	require.Empty(t, allLogs(t, s))
	require.NoError(t, s.journal.StoreLogs(someLogs(91, 3, 2)))
	require.NoError(t, s.Close())
	s = mustOpen(t, dir)
	sameLogs(t, someLogs(91, 3, 2), allLogs(t, s))
	require.NoError(t, s.Close())
}

// A crash came between the last batch of a segment and the next segment. After that, raft-wal alone would refuse each
// entry.
func TestARotationThatWasCutShort(t *testing.T) {
	base := t.TempDir()
	dir := filepath.Join(base, "live")
	s := mustOpen(t, dir)
	next := uint64(1)
	cut := 0
	for range 60 {
		before := segmentsOf(t, dir)
		s.meta.mu.Lock() // makes the rotation wait
		require.NoError(t, s.journal.StoreLogs(someLogs(next, 4, 1)))
		next += 4
		crash := filepath.Join(base, "crash")
		copyDir(t, dir, crash)
		s.meta.mu.Unlock()
		c := mustOpen(t, crash)
		if len(segmentsOf(t, crash)) > len(before) {
			cut++
		}
		require.NoError(t, c.journal.StoreLogs(someLogs(next, 3, 1)))
		require.NoError(t, c.Close())
		c = mustOpen(t, crash)
		sameLogs(t, someLogsUpTo(next+2), allLogs(t, c))
		require.NoError(t, c.Close())
		require.NoError(t, s.journal.DeleteRange(1<<40, 1<<40)) // waits for a rotation
	}
	require.Greater(t, cut, 3)
	require.NoError(t, s.Close())
}

// someLogsUpTo returns entries as the test stores them: in fours, and in threes at the end.
func someLogsUpTo(last uint64) []*raft.Log {
	var list []*raft.Log
	for uint64(len(list)) < last {
		n := min(4, last-uint64(len(list)))
		list = append(list, someLogs(uint64(len(list))+1, int(n), 1)...)
	}
	return list
}

func TestAFolderOfAnotherState(t *testing.T) {
	base := t.TempDir()
	dir, other := filepath.Join(base, "a"), filepath.Join(base, "b")
	s := mustOpen(t, dir)
	require.NoError(t, s.journal.StoreLogs(someLogs(1, 5, 1)))
	require.NoError(t, s.meta.SetUint64([]byte("CurrentTerm"), 3))
	old, err := os.ReadFile(filepath.Join(dir, metaName))
	require.NoError(t, err)
	for i := range uint64(10) {
		require.NoError(t, s.journal.StoreLogs(someLogs(6+10*i, 10, 1)))
	}
	require.NoError(t, s.journal.StoreLogs(someLogs(106, 1, 1)))
	takeSnapshot(t, s, 60, 1, []byte("60"))
	takeSnapshot(t, s, 80, 1, []byte("80"))
	require.NoError(t, s.journal.DeleteRange(1, 50))
	require.NoError(t, s.Close())

	refused := map[string]func(){
		"meta is missing":        func() { _ = os.Remove(filepath.Join(other, metaName)) },
		"meta is older":          func() { _ = os.WriteFile(filepath.Join(other, metaName), old, 0o644) },
		"the tail is missing":    func() { _ = os.Remove(slices.Max(segmentsOf(t, other))) },
		"a segment is missing":   func() { _ = os.Remove(slices.Min(segmentsOf(t, other))) },
		"the snapshots are gone": func() { _ = os.RemoveAll(filepath.Join(other, snapsName)) },
		"a file of another name": func() { _ = os.WriteFile(filepath.Join(other, logName, "x.wal"), nil, 0o644) },
		"a log without a meta": func() {
			_ = os.Remove(filepath.Join(other, metaName))
			_ = os.RemoveAll(filepath.Join(other, snapsName))
		},
		"a segment swapped for it": func() { f := segmentsOf(t, other); _ = os.Rename(f[0], f[1]) },
	}
	for _, name := range slices.Sorted(maps.Keys(refused)) {
		t.Run(name, func(t *testing.T) {
			copyDir(t, dir, other)
			refused[name]()
			before := dirBytes(t, other)
			_, err := openSmall(other)
			require.ErrorIs(t, err, ErrDamaged)
			require.ErrorContains(t, err, other)
			require.Equal(t, before, dirBytes(t, other), "nothing is changed")
			t.Log(err)
		})
	}

	// An older snapshot alone is fine if the log goes back to it.
	copyDir(t, dir, other)
	list, err := filepath.Glob(filepath.Join(other, snapsName, "1-80-*"))
	require.NoError(t, err)
	require.Len(t, list, 1)
	require.NoError(t, os.RemoveAll(list[0]))
	s = mustOpen(t, other)
	require.Len(t, allLogs(t, s), 56)
	require.NoError(t, s.Close())
}

// An old copy of the meta file is put back. If it were taken, later votes would be forgotten, and later segments
// would be hidden.
func TestAnOldMetaFileIsPutBack(t *testing.T) {
	dir := filepath.Join(fastDir(t), "m")
	s := mustOpen(t, dir)
	require.NoError(t, s.journal.StoreLogs(someLogs(1, 3, 1)))
	old, err := os.ReadFile(filepath.Join(dir, metaName))
	require.NoError(t, err)
	for i := range uint64(10) {
		require.NoError(t, s.journal.StoreLogs(someLogs(4+5*i, 5, 1)))
	}
	require.NoError(t, s.Close())
	require.NoError(t, os.WriteFile(filepath.Join(dir, metaName), old, 0o644))
	_, err = openSmall(dir)
	require.ErrorIs(t, err, ErrDamaged)
	require.ErrorContains(t, err, "older")
}

// A bad slot is good again once the folder is open.
func TestABadSlotIsMended(t *testing.T) {
	dir := filepath.Join(fastDir(t), "m")
	require.NoError(t, mustOpen(t, dir).Close())
	path := filepath.Join(dir, metaName)
	for _, slot := range []int{0, metaSlot} {
		b, err := os.ReadFile(path)
		require.NoError(t, err)
		b[slot+metaHead] ^= 1
		require.NoError(t, os.WriteFile(path, b, 0o644))
		s := mustOpen(t, dir)
		b, err = os.ReadFile(path)
		require.NoError(t, err)
		m, err := readMeta(b)
		require.NoError(t, err)
		require.False(t, m.slotsDiffer)
		require.NoError(t, s.Close())
	}
}

// dirBytes returns all files of a folder except the lock.
func dirBytes(t testing.TB, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == lockName {
			return err
		}
		b, err := os.ReadFile(path)
		all[path] = string(b)
		return err
	})
	require.NoError(t, err)
	return all
}
