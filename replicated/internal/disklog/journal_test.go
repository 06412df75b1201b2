package disklog

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/hashicorp/raft"
	"github.com/hashicorp/raft-wal/segment"
	"github.com/stretchr/testify/require"
)

// flaky makes some of the operations of a meta file fail.
type flaky struct {
	metaFile
	fault func(op string) error
}

func (f flaky) WriteAt(b []byte, at int64) (int, error) {
	err := f.fault("write meta")
	if err != nil {
		_, _ = f.metaFile.WriteAt(b[:len(b)/2], at)
		return 0, err
	}
	return f.metaFile.WriteAt(b, at)
}

func (f flaky) Sync() error {
	err := f.fault("sync meta")
	if err != nil {
		return err
	}
	return f.metaFile.Sync()
}

// Each kind of operation of the disk fails now and then. A change that was refused has changed nothing, entries can
// be read all the time, and after a crash all answered entries are there, with at most the one batch that was refused
// last.
func TestTheDiskFails(t *testing.T) {
	for seed := range uint64(6) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 2))
			base := fastDir(t)
			dir := filepath.Join(base, "0")
			s := mustOpen(t, dir)
			var mu sync.Mutex // rotations run in another goroutine
			rate, dice := 0, rand.New(rand.NewPCG(seed, 3))
			fault := func(string) error {
				mu.Lock()
				defer mu.Unlock()
				if rate > 0 && dice.IntN(rate) == 0 {
					return errDisk
				}
				return nil
			}
			fail := func(now int) {
				mu.Lock()
				defer mu.Unlock()
				rate = now
			}
			inject := func() {
				s.journal.disk.fault = fault
				s.meta.f = flaky{s.meta.f, fault}
			}
			inject()
			var model, refused []*raft.Log
			next, refusals, term, snap := uint64(1), 0, uint64(1), uint64(0)
			settle := func() { // waits for a rotation, which must not see the next rate
				fail(0)
				s.journal.write.Lock()
				require.NoError(t, s.journal.wal.DeleteRange(1<<40, 1<<40))
				s.journal.write.Unlock()
			}
			for step := range 300 {
				fail([]int{0, 3, 8, 30}[r.IntN(4)])
				term++
				switch n := r.IntN(10); {
				case n < 7:
					list := someLogs(next, 1+r.IntN(9), term)
					err := s.journal.StoreLogs(list)
					if err != nil {
						require.ErrorIs(t, err, errDisk)
						refused = list
						refusals++
						break
					}
					refused = nil
					model = slices.Concat(model, list)
					next += uint64(len(list))
				case n < 9 && len(model) > 0:
					first, last := model[0].Index, next-1
					at := first + r.Uint64N(last-first+1)
					head := r.IntN(2) == 0
					if at <= snap {
						break
					}
					var err error
					if head {
						takeSnapshot(t, s, at, term, nil)
						snap = at
						err = s.journal.DeleteRange(first, at)
					} else {
						err = s.journal.DeleteRange(at, last)
					}
					switch {
					case err != nil:
						require.ErrorIs(t, err, errDisk)
						refusals++
					case head:
						model = model[at-first+1:]
					default:
						model = model[:at-first]
						next = at
					}
				case n == 9:
					settle()
					crash := filepath.Join(base, fmt.Sprint(step+1))
					copyDir(t, dir, crash)
					_ = s.Close()
					dir = crash
					restored := s.journal.undoList
					var err error
					s, err = openSmall(dir)
					require.NoError(t, err)
					got := allLogs(t, s)
					switch {
					case restored != nil: // a crash may have carried out a deletion that was refused
						model = got
						next = 1
						if len(got) > 0 {
							next = got[len(got)-1].Index + 1
						}
						next = max(next, snap+1)
					case len(got) > len(model):
						model = slices.Concat(model, refused)
						next = model[len(model)-1].Index + 1
					}
					refused = nil
					inject()
				}
				settle()
				sameLogs(t, model, allLogs(t, s))
			}
			require.Greater(t, refusals, 10)
			_ = s.Close()
		})
	}
}

// If the next segment cannot be made, entries that fit into the last one are stored. The log goes on once a segment
// can be made.
func TestTheNextSegmentCannotBeMade(t *testing.T) {
	s := mustOpen(t, filepath.Join(fastDir(t), "m"))
	var works atomic.Bool
	s.journal.disk.fault = func(op string) error {
		if !works.Load() && op == "create" {
			return errDisk
		}
		return nil
	}
	next, refusals := uint64(1), 0
	for range 40 {
		err := s.journal.StoreLogs(someLogs(next, 5, 1))
		if err == nil {
			next += 5
			continue
		}
		require.True(t, errors.Is(err, errDisk), err)
		refusals++
	}
	require.Greater(t, refusals, 20)
	require.Greater(t, next, uint64(1))
	sameLogs(t, someFives(next), allLogs(t, s))
	works.Store(true)
	for range 10 {
		require.NoError(t, s.journal.StoreLogs(someLogs(next, 5, 1)))
		next += 5
	}
	sameLogs(t, someFives(next), allLogs(t, s))
	require.NoError(t, s.Close())
}

// A segment is made, and the disk fails before raft-wal knows. raft-wal would give the same number to the next
// segment. After a crash the mark in the meta file would then speak of the wrong file, and the folder would count as
// damaged.
func TestTheNumberOfASegmentIsNotUsedAgain(t *testing.T) {
	s := mustOpen(t, filepath.Join(fastDir(t), "m"))
	var failed atomic.Bool
	made := s.journal.disk.made
	s.journal.disk.made = func() error {
		first := failed.CompareAndSwap(false, true)
		if first {
			return errDisk
		}
		return made()
	}
	next := uint64(1)
	for !failed.Load() {
		require.NoError(t, s.journal.StoreLogs(someLogs(next, 5, 1)))
		next += 5
		require.NoError(t, s.journal.wal.DeleteRange(1<<40, 1<<40)) // waits for the rotation
	}
	require.NoError(t, s.journal.DeleteRange(next-5, next-1))
	next -= 5
	for _, g := range s.meta.segments().Segments {
		files, err := filepath.Glob(filepath.Join(s.journal.dir, fmt.Sprintf("*-%016x.wal", g.ID)))
		require.NoError(t, err)
		require.Equal(t, []string{filepath.Join(s.journal.dir, segment.FileName(g))}, files)
	}
	sameLogs(t, someFives(next), allLogs(t, s))
	require.NoError(t, s.journal.StoreLogs(someLogs(next, 5, 1)))
	require.NoError(t, s.Close())
}

func someFives(next uint64) []*raft.Log {
	var list []*raft.Log
	for i := uint64(1); i < next; i += 5 {
		list = append(list, someLogs(i, 5, 1)...)
	}
	return list
}
