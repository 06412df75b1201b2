package disklog

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/hashicorp/raft-wal/types"
	"github.com/stretchr/testify/require"
)

var errDisk = errors.New("the disk has failed")

// fakeDisk is a file on a disk that fails or loses its power. After a loss of power, each sector of an unsynced write
// is there or not.
type fakeDisk struct {
	r     *rand.Rand
	synct []byte // the bytes on the disk
	cache []byte // the bytes that a reader sees
	left  int    // operations until the disk fails; negative: never
	dead  bool   // the power is gone, so all operations fail
}

func (d *fakeDisk) step() error {
	if d.dead {
		return errDisk
	}
	d.left--
	if d.left == -1 {
		d.dead = true
		return errDisk
	}
	return nil
}

func (d *fakeDisk) WriteAt(b []byte, at int64) (int, error) {
	err := d.step()
	n := len(b)
	if err != nil {
		n = d.r.IntN(len(b) + 1)
	}
	copy(d.cache[at:], b[:n])
	return n, err
}

func (d *fakeDisk) Sync() error {
	err := d.step()
	if err != nil {
		return err
	}
	copy(d.synct, d.cache)
	return nil
}

func (d *fakeDisk) Close() error { return nil }

// crash returns the bytes after a loss of power.
func (d *fakeDisk) crash() []byte {
	b := slices.Clone(d.synct)
	for at := 0; at < len(b); at += sector {
		if d.r.IntN(2) == 0 {
			copy(b[at:at+sector], d.cache[at:])
		}
	}
	return b
}

func newFakeMeta(t testing.TB, b []byte, r *rand.Rand) (*meta, *fakeDisk) {
	t.Helper()
	m, err := readMeta(b)
	require.NoError(t, err)
	d := &fakeDisk{r: r, synct: slices.Clone(b), cache: slices.Clone(b), left: -1}
	m.path, m.f = "meta", d
	return m, d
}

func blankMeta(t testing.TB) []byte {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, createMeta(system{}, dir))
	b, err := os.ReadFile(filepath.Join(dir, metaName))
	require.NoError(t, err)
	return b
}

// After each crash a meta file has all changes that were answered, and perhaps one that was not. A flipped byte in
// one slot of a closed file changes nothing.
func TestMetaSurvivesCrashes(t *testing.T) {
	b := blankMeta(t)
	value := uint64(0)
	r := rand.New(rand.NewPCG(5, 6))
	key := []byte("CurrentTerm")
	taken, lost := 0, 0
	for round := range 1500 {
		m, d := newFakeMeta(t, b, r)
		require.NoError(t, m.syncSlots())
		now, err := m.GetUint64(key)
		require.NoError(t, err)
		require.Equal(t, value, now, "round %d", round)
		var answered bool
		for range r.IntN(3) {
			value++
			require.NoError(t, m.SetUint64(key, value))
		}
		pad := make([]byte, r.IntN(3000))
		d.left = r.IntN(5)
		err = m.change(func(s *metaState) {
			s.stable = map[string][]byte{string(key): binary.LittleEndian.AppendUint64(nil, value+1), "pad": pad}
		})
		answered = err == nil
		if d.left == -1 {
			require.ErrorIs(t, err, errDisk)
		}
		b = d.crash()
		after, err := readMeta(b)
		require.NoError(t, err)
		got := uint64(0)
		raw := after.state.stable[string(key)]
		if raw != nil {
			got = binary.LittleEndian.Uint64(raw)
		}
		if answered {
			require.Equal(t, value+1, got)
		} else {
			require.Contains(t, []uint64{value, value + 1}, got)
			taken += int(got - value)
			lost += int(value + 1 - got)
		}
		value = got

		m, d = newFakeMeta(t, b, r)
		require.NoError(t, m.syncSlots())
		rest := slices.Clone(d.synct)
		at := r.IntN(metaHead + 100)
		if r.IntN(2) == 0 {
			at += metaSlot
		}
		rest[at] ^= byte(1 + r.IntN(255))
		after, err = readMeta(rest)
		require.NoError(t, err)
		require.Equal(t, m.state, after.state)
	}
	require.Greater(t, taken, 50)
	require.Greater(t, lost, 50)
}

// A meta file goes on after any number of errors of the disk. Its next change counts, and one slot is always good.
func TestMetaAfterAnError(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	key := []byte("CurrentTerm")
	for range 2000 {
		m, d := newFakeMeta(t, blankOnce(t), r)
		require.NoError(t, m.SetUint64(key, 1))
		tried := []uint64{1}
		for range 1 + r.IntN(5) {
			d.left = r.IntN(4)
			value := 2 + r.Uint64N(50)
			require.Error(t, m.SetUint64(key, value))
			tried = append(tried, value)
			d.dead, d.left = false, -1
			now, err := m.GetUint64(key)
			require.NoError(t, err)
			require.EqualValues(t, 1, now)
			after, err := readMeta(d.crash())
			require.NoError(t, err)
			require.Contains(t, tried, binary.LittleEndian.Uint64(after.state.stable[string(key)]))
		}
		want := uint64(1)
		if r.IntN(2) == 0 {
			want = 1 + r.Uint64N(2)
			require.NoError(t, m.SetUint64(key, want))
		} else {
			require.NoError(t, m.syncSlots())
		}
		after, err := readMeta(d.crash())
		require.NoError(t, err)
		require.False(t, after.slotsDiffer)
		require.Equal(t, want, binary.LittleEndian.Uint64(after.state.stable[string(key)]))
	}
}

var blank []byte

func blankOnce(t testing.TB) []byte {
	t.Helper()
	if blank == nil {
		blank = blankMeta(t)
	}
	return blank
}

func TestMetaThatNoCrashLeaves(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	m, d := newFakeMeta(t, blankMeta(t), r)
	old := slices.Clone(d.synct)
	for i := range uint64(3) {
		require.NoError(t, m.SetUint64([]byte("x"), i+1))
	}
	now := d.synct
	for name, b := range map[string][]byte{
		"both slots bad":   slices.Concat(make([]byte, metaSlot), make([]byte, metaSlot)),
		"an old slot A":    slices.Concat(old[:metaSlot], now[metaSlot:]),
		"an old slot B":    slices.Concat(now[:metaSlot], old[metaSlot:]),
		"shorter":          now[:len(now)-1],
		"longer":           append(slices.Clone(now), 0),
		"empty":            {},
		"same number, but": slices.Concat(now[:metaSlot], other(t, now, r)[metaSlot:]),
	} {
		_, err := readMeta(b)
		require.Error(t, err, name)
		t.Log(err)
	}
}

// other returns a file after the same number of other changes.
func other(t testing.TB, b []byte, r *rand.Rand) []byte {
	t.Helper()
	m, d := newFakeMeta(t, b, r)
	m.gen--
	require.NoError(t, m.SetUint64([]byte("x"), 77))
	return d.synct
}

func TestMetaIsFull(t *testing.T) {
	m, d := newFakeMeta(t, blankMeta(t), rand.New(rand.NewPCG(1, 1)))
	before := slices.Clone(d.synct)
	var s types.PersistentState
	for i := range uint64(metaSlot) / segmentSize {
		s.Segments = append(s.Segments, types.SegmentInfo{ID: i, BaseIndex: i + 1, CreateTime: time.Unix(5, 6)})
		s.NextSegmentID = i + 1
		err := walMeta{m}.CommitState(s)
		if err != nil {
			require.ErrorContains(t, err, "no room")
			require.Greater(t, i, uint64(900))
			require.Equal(t, s.Segments[:i], m.segments().Segments)
			require.NotEqual(t, before, d.synct)
			return
		}
	}
	t.Fatal("a slot has no bound")
}

// FuzzMeta reads slots with right sums, which a fuzzer alone would not find. A slot that is read is written again
// unchanged.
func FuzzMeta(f *testing.F) {
	s := metaState{mark: logMark{true, 4, 99}, stable: map[string][]byte{"a": []byte("b")}}
	s.segs = types.PersistentState{NextSegmentID: 5, Segments: []types.SegmentInfo{{ID: 4, BaseIndex: 7, MinIndex: 7, SizeLimit: 9}}}
	b, err := s.encode(nil)
	require.NoError(f, err)
	f.Add(b, []byte{}, uint64(1), uint64(1))
	f.Add(b[:20], b, uint64(2), uint64(1))
	f.Fuzz(func(t *testing.T, a, b []byte, genA, genB uint64) {
		if len(a) > metaSlot-metaHead || len(b) > metaSlot-metaHead {
			return
		}
		file := make([]byte, 2*metaSlot)
		sealMetaSlot(file[:metaSlot], genA, a)
		sealMetaSlot(file[metaSlot:], genB, b)
		before, err := readMeta(file)
		if err != nil {
			return
		}
		m, d := newFakeMeta(t, file, rand.New(rand.NewPCG(1, 1)))
		require.NoError(t, m.change(func(*metaState) {}))
		again, err := readMeta(d.synct)
		require.NoError(t, err)
		require.False(t, again.slotsDiffer)
		require.Equal(t, before.gen+1, again.gen)
		require.Equal(t, fmt.Sprint(before.state), fmt.Sprint(again.state))
	})
}
