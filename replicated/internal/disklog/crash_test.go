//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package disklog

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/raft"
	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead/internal/depth"
)

// crashes uses the folder of a member on a disk that may lose its power before each sync. After each loss the folder
// is opened, and must have all answered changes. Down to some depth, the run then goes on from there and may lose
// power again: an opening after a crash may be cut short, too.
type crashes struct {
	t     testing.TB
	r     *rand.Rand
	depth int
	dir   string // of the member, below the root of the disk
	disk  *power
	by    syncer // the disk; at the greatest depth, the operating system
	s     *Store
	// logs, terms and snaps have the states that the disk may have, the answered state first. They have more than one
	// state only while a change is under way, and after one that has failed.
	logs  [][]*raft.Log
	terms []uint64
	snaps []uint64 // index of the newest snapshot

	left  int // syncs until the first failure; negative: no failure
	fails int // how many syncs fail then
	tried *int
}

// The disk has the root at the start. The folder of the member lies two folders below.
var crashDir = filepath.Join("new", "member")

func TestPowerLoss(t *testing.T) {
	for seed := range uint64(depth.Cases(4)) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { powerLoss(t, seed, 20, 2) })
	}
}

// FuzzPowerLoss has no crash behind a crash. TestPowerLoss has such crashes, a thousand a seed.
func FuzzPowerLoss(f *testing.F) {
	f.Add(uint64(0))
	f.Fuzz(func(t *testing.T, seed uint64) { powerLoss(t, seed, 10, 1) })
}

// powerLoss cuts the power before each sync of a run that the seed draws, and of the runs behind each crash, down to
// some depth.
func powerLoss(t *testing.T, seed uint64, steps, depth int) {
	tried := 0
	c := &crashes{
		t: t, r: rand.New(rand.NewPCG(seed, 6)), depth: depth, tried: &tried,
		logs: [][]*raft.Log{nil}, terms: []uint64{0}, snaps: []uint64{0},
	}
	c.run(fastDir(t), steps)
	t.Log(tried, "crashes")
}

// run makes some steps in a folder.
func (c *crashes) run(root string, steps int) {
	c.dir, c.left = filepath.Join(root, crashDir), -1
	c.disk, c.by = &power{}, system{}
	if c.depth > 0 {
		c.disk = newPower(c.t, root, c.r)
		c.disk.step = c.before
		defer c.disk.close()
		c.by = c.disk
	}
	c.open()
	if c.depth == 0 {
		c.write()
		require.NoError(c.t, c.s.Close())
		return
	}
	for range steps {
		c.step()
		if c.t.Failed() {
			return
		}
	}
	require.NoError(c.t, c.s.Close())
	c.disk.mu.Lock()
	defer c.disk.mu.Unlock()
	c.disk.look()
	c.crash()
}

// before is called before each sync.
func (c *crashes) before() error {
	c.crash()
	c.left--
	if c.t.Failed() || c.left < 0 && c.left >= -c.fails {
		return errDisk
	}
	return nil
}

const forEver = 1 << 30

// failing makes n syncs fail while it runs do, after as many good ones as after says.
func (c *crashes) failing(after, n int, do func()) {
	c.disk.mu.Lock()
	c.left, c.fails = after, n
	c.disk.mu.Unlock()
	do()
	c.disk.mu.Lock()
	c.left, c.fails = 0, 0
	c.disk.mu.Unlock()
}

// crash cuts the power, and checks the folder that is left.
func (c *crashes) crash() {
	if c.depth == 1 && c.r.IntN(4) > 0 {
		return
	}
	*c.tried++
	root := fastDir(c.t)
	c.disk.crash(root)
	next := &crashes{
		t: c.t, r: rand.New(rand.NewPCG(c.r.Uint64(), 6)), depth: c.depth - 1, tried: c.tried,
		logs: slices.Clone(c.logs), terms: slices.Clone(c.terms), snaps: slices.Clone(c.snaps),
	}
	// raft-wal makes segments in a goroutine of its own, and a test must not end there.
	done := make(chan bool)
	go func() {
		defer close(done)
		next.run(root, next.r.IntN(3))
	}()
	<-done
}

// open opens the folder, and checks that it has one of the states that it may have.
func (c *crashes) open() {
	for c.depth > 0 && c.r.IntN(3) == 0 { // the process is killed during the opening
		c.failing(c.r.IntN(12), forEver, func() {
			s, err := c.tryOpen()
			if err == nil {
				err = s.Close()
			}
			if err != nil {
				require.ErrorIs(c.t, err, errDisk)
			}
		})
	}
	s, err := c.tryOpen()
	require.NoError(c.t, err)
	c.s = s
	logs := allLogs(c.t, s)
	at := slices.IndexFunc(c.logs, func(list []*raft.Log) bool { return slices.EqualFunc(list, logs, sameLog) })
	require.GreaterOrEqual(c.t, at, 0, "entries to %d, and answered are those to %d", lastOf(logs), lastOf(c.logs[0]))
	term, err := s.meta.GetUint64([]byte(keyTerm))
	require.NoError(c.t, err)
	require.Contains(c.t, c.terms, term)
	m, state := newestSnapshot(c.t, s)
	snap := uint64(0)
	if m != nil {
		snap = m.Index
		require.Equal(c.t, stateAt(snap), state)
	}
	require.Contains(c.t, c.snaps, snap)
	c.set(logs, term, snap)
}

func (c *crashes) tryOpen() (*Store, error) {
	return openWith(c.dir, smallSegment, c.by, quiet, hclog.NewNullLogger())
}

// set notes that the disk has exactly one state.
func (c *crashes) set(logs []*raft.Log, term, snap uint64) {
	c.disk.mu.Lock()
	defer c.disk.mu.Unlock()
	c.logs, c.terms, c.snaps = [][]*raft.Log{logs}, []uint64{term}, []uint64{snap}
}

func sameLog(a, b *raft.Log) bool {
	return a.Index == b.Index && a.Term == b.Term && bytes.Equal(a.Data, b.Data)
}

func lastOf(logs []*raft.Log) uint64 {
	if len(logs) == 0 {
		return 0
	}
	return logs[len(logs)-1].Index
}

func stateAt(index uint64) []byte { return fmt.Append(nil, "state ", index) }

// change makes a change of one kind. Until the change is answered, and after an error, the disk may have the old
// value or the new one.
func change[E any](c *crashes, have *[]E, next E, do func() error) error {
	c.disk.mu.Lock()
	*have = append(*have, next)
	c.disk.mu.Unlock()
	err := do()
	c.disk.mu.Lock()
	defer c.disk.mu.Unlock()
	if err == nil {
		*have = []E{next}
	} else {
		require.ErrorIs(c.t, err, errDisk)
	}
	return err
}

// step makes a change, a restart or a failure.
func (c *crashes) step() {
	switch c.r.IntN(10) {
	case 0:
		c.failing(c.r.IntN(4), 1, c.write)
		c.write()
	case 1: // the process is killed, but the system keeps its writes in memory
		c.failing(c.r.IntN(6), forEver, func() {
			for range 3 {
				c.write()
			}
			_ = c.s.Close()
		})
		c.open()
	case 2:
		require.NoError(c.t, c.s.Close())
		c.open()
	default:
		c.write()
	}
}

// write makes one change.
func (c *crashes) write() {
	logs, snap := c.logs[0], c.snaps[0]
	last, term := max(lastOf(logs), snap), c.terms[0]
	switch k := c.r.IntN(10); {
	case k < 6:
		list := someLogs(last+1, 1+c.r.IntN(7), term)
		_ = c.store(slices.Concat(logs, list), func() error { return c.s.journal.StoreLogs(list) })
	case k < 7:
		_ = change(c, &c.terms, term+1, func() error { return c.s.meta.SetUint64([]byte(keyTerm), term+1) })
	case k < 8 && lastOf(logs) > snap:
		from := snap + 1 + c.r.Uint64N(last-snap)
		if from <= logs[0].Index {
			return
		}
		_ = c.store(logs[:from-logs[0].Index], func() error { return c.s.journal.DeleteRange(from, last) })
	case lastOf(logs) > snap:
		at := snap + 1 + c.r.Uint64N(last-snap)
		if change(c, &c.snaps, at, func() error { return c.takeSnapshot(at) }) != nil || at == last {
			return
		}
		first := logs[0].Index
		keep := min(at-first+1, c.r.Uint64N(10))
		if at-keep < first {
			return
		}
		_ = c.store(logs[at-keep-first+1:], func() error { return c.s.journal.DeleteRange(first, at-keep) })
	}
}

// store changes the log. It waits for the next segment, which raft-wal makes in the background.
func (c *crashes) store(next []*raft.Log, do func() error) error {
	return change(c, &c.logs, next, func() error {
		err := do()
		if err == nil {
			_ = c.s.journal.DeleteRange(1<<40, 1<<40)
		}
		return err
	})
}

func (c *crashes) takeSnapshot(index uint64) error {
	_, trans := raft.NewInmemTransport("")
	defer trans.Close()
	sink, err := c.s.snaps.Create(1, index, 1, raft.Configuration{}, 1, trans)
	if err != nil {
		return err
	}
	_, err = sink.Write(stateAt(index))
	return errors.Join(err, sink.Close())
}
