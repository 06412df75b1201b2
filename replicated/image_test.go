package replicated

import (
	"bytes"
	"errors"
	flags "flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
	"testing/iotest"
	"time"

	"github.com/hashicorp/raft"
	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/desk"
)

var update = flags.Bool("update", false, "write the golden files anew")

// sampleMachine is a machine with sessions of all kinds. Refused calls are among the last answers.
func sampleMachine(t testing.TB) *feed {
	f := newFeed(t, historyConfig)
	f.give(t, clockAt(5, once(addPool), call{op: openSession}, call{op: openSession}, call{op: openSession}, call{op: openSession}, call{op: openSession}))
	f.give(t, clockAt(6, numbered(1, 1, book("pool", 3, 5)), numbered(2, 1, book("pool", 9, 5)), numbered(3, 1, desk.Cancel{ID: 9}),
		numbered(4, 1, desk.AddSchedule{Name: "pool", Kind: desk.Pool{Units: 1}})))
	f.give(t, clockAt(7, numbered(1, 2, sampleBatch)))
	return f
}

var sampleBatch = desk.Batch{Commands: []desk.Command{book("pool", 1, 2), desk.Cancel{ID: 1}}}

// All later versions read a snapshot of format 1.
func TestGoldenSnapshot(t *testing.T) {
	file := filepath.Join("testdata", "v1.snapshot")
	sample := sampleMachine(t)
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(file, snapshotOf(t, sample.machine), 0o644))
	}
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	f := restored(t, Config{}, data)
	require.Equal(t, data, snapshotOf(t, f.machine), "the format has changed: raise its number, and go on reading this file")
	// The texts of errors may differ from build to build, and are in the snapshot. All else is as this build writes it.
	require.Equal(t, goldenPrint(t, sample.machine), goldenPrint(t, f.machine), "the state has changed: raise Version")

	require.Equal(t, uint64(3), f.applied())
	require.Equal(t, bookahead.Time(7), f.view().Now())
	got := f.give(t, clockAt(8, numbered(1, 2, sampleBatch), numbered(2, 1, book("pool", 9, 5)), numbered(3, 1, desk.Cancel{ID: 9}),
		numbered(4, 1, desk.AddSchedule{Name: "pool", Kind: desk.Pool{Units: 1}}),
		numbered(5, 1, book("pool", 8, 1)), call{op: openSession}))
	require.NoError(t, got[0].err)
	require.Len(t, got[0].outcome.Batch, 2, "the answer that it had")
	require.Equal(t, bookahead.ErrUnavailable, got[1].err)
	require.Equal(t, bookahead.ErrNotFound, got[2].err)
	var invalid *bookahead.InvalidError
	require.ErrorAs(t, got[3].err, &invalid)
	require.Equal(t, "AddSchedule.Name", invalid.Field)
	require.Equal(t, bookahead.Time(9), got[4].outcome.Booking.Start, "booking 2 is there until then")
	require.Equal(t, SessionID(6), got[5].session)
}

// A snapshot that is cut anywhere, or has another byte anywhere, is refused, with the place.
func TestDamagedSnapshotIsRefused(t *testing.T) {
	data := snapshotOf(t, sampleMachine(t).machine)
	refused := func(bad []byte, what string, at int) {
		f := newFeed(t, historyConfig)
		err := f.Restore(reader(bad))
		require.Error(t, err, "%s at %d", what, at)
		require.True(t, isOneOf(err, ErrDamaged, ErrVersion), "%s at %d: %v", what, at, err)
		if errors.Is(err, ErrDamaged) {
			require.Contains(t, err.Error(), "at byte ", "%s at %d", what, at)
		} else {
			require.Equal(t, len(imageMagic), at, "of the format only, which has no sum")
		}
		require.Equal(t, err, f.err(), "Raft must not go on with an older one")
		require.Zero(t, f.applied())
	}
	for i := range data {
		refused(data[:i], "cut", i)
		for _, bit := range []byte{1, 0x80} {
			bad := append([]byte{}, data...)
			bad[i] ^= bit
			refused(bad, "flipped", i)
		}
	}
	refused(append(append([]byte{}, data...), 0), "longer", len(data))
}

// An error of the reader is no damage, nor are settings that do not match.
func TestSnapshotThatCannotBeRead(t *testing.T) {
	data := snapshotOf(t, sampleMachine(t).machine)
	broken := errors.New("broken")
	f := newFeed(t, historyConfig)
	require.ErrorIs(t, f.Restore(io.NopCloser(io.MultiReader(bytes.NewReader(data[:20]), iotest.ErrReader(broken)))), broken)
	f = newFeed(t, Config{Desk: desk.Config{Keep: 9}})
	err := f.Restore(reader(data))
	require.ErrorIs(t, err, bookahead.ErrInvalid)
	require.ErrorContains(t, err, "Config.Keep")
	require.NotErrorIs(t, err, ErrDamaged)
}

// fullSink is a sink whose disk is full after some bytes.
type fullSink struct {
	sink
	room int
}

func (s *fullSink) Write(b []byte) (int, error) {
	if s.Len()+len(b) > s.room {
		return 0, errors.New("no room")
	}
	return s.sink.Write(b)
}

// A snapshot that cannot be written is cancelled. The bytes of the log still count for the next one.
func TestSnapshotThatCannotBeWritten(t *testing.T) {
	f := sampleMachine(t)
	var wrote []int64
	f.on.wrote = func(bytes int64, took, stopped time.Duration) {
		require.GreaterOrEqual(t, took, time.Duration(0))
		require.GreaterOrEqual(t, stopped, time.Duration(0))
		wrote = append(wrote, bytes)
	}
	logged := f.pending()
	require.Positive(t, logged)
	m, err := f.Snapshot()
	require.NoError(t, err)
	to := fullSink{room: 10}
	require.ErrorContains(t, m.Persist(&to), "no room")
	require.True(t, to.cancelled)
	require.Equal(t, logged, f.pending())
	require.Empty(t, wrote)

	m, err = f.Snapshot()
	require.NoError(t, err)
	f.give(t, entryOf(once(book("pool", 1, 1))))
	later := f.pending() - logged
	require.Positive(t, later)
	var good sink
	require.NoError(t, m.Persist(&good))
	require.Equal(t, []int64{int64(good.Len())}, wrote)
	require.Equal(t, later, f.pending(), "the entry behind the snapshot")
}

// A start decides again which commands use up their steps, so that a few of them make a snapshot due, however short they are.
func TestCommandsThatAreGivenUpMakeASnapshotDue(t *testing.T) {
	f := newFeed(t, meagre())
	f.give(t, entryOf(once(line), once(longHall)))
	before := f.pending()
	answers := f.give(t, entryOf(once(wide())))
	require.ErrorIs(t, answers[0].err, bookahead.ErrStopped)
	require.Greater(t, f.pending(), before+givenUpBytes)
	before = f.pending()
	f.give(t, entryOf(once(book("line", 1, 1))))
	require.Less(t, f.pending(), before+givenUpBytes)
}

// Many sessions need several frames.
func TestManySessions(t *testing.T) {
	f := newFeed(t, historyConfig)
	f.give(t, entryOf(once(addPool)))
	const many = 3000
	for i := range many {
		s := f.give(t, entryOf(call{op: openSession}))[0].session
		f.give(t, entryOf(numbered(s, 1, book("pool", 1, bookahead.Duration(1+i)))))
	}
	data := snapshotOf(t, f.machine)
	r := restored(t, historyConfig, data)
	require.Equal(t, data, snapshotOf(t, r.machine))
	require.Equal(t, many, len(r.sessions.at))
	got := r.give(t, entryOf(numbered(many/2, 1, book("pool", 1, many/2))))[0]
	require.Equal(t, desk.BookingID(many/2), got.outcome.Booking.ID)
}

// FuzzImage reads all bytes that are a snapshot. Nothing panics, the memory is in proportion to the bytes, and an
// accepted snapshot can be used, and is written again unchanged.
func FuzzImage(f *testing.F) {
	f.Add(snapshotOf(f, sampleMachine(f).machine))
	for seed := range uint64(3) {
		x := replayed(f, newFeed(f, historyConfig).machine, history(f, seed, 60), func(n int) int { return n - 1 })
		f.Add(mustImage(f, x))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		data = mendSums(data)
		x := newFeed(t, historyConfig)
		err := x.Restore(reader(data))
		if err != nil {
			require.True(t, isOneOf(err, ErrDamaged, ErrVersion, bookahead.ErrInvalid), err)
			return
		}
		m, err := readImage(bytes.NewReader(data), historyConfig.Desk, Version)
		require.NoError(t, err)
		if m.version == Version { // an image of an older version is written as one of this version
			require.Equal(t, data, mustImage(t, x.machine))
		}
		x.index = x.applied()
		if x.index > 1<<63 {
			return
		}
		e := entry{version: Version, now: x.view().Now() + 1, jump: -1, room: 3, memory: 1 << 20, calls: []call{{op: unseal}, {op: openSession}, {op: mark}}}
		for s := range x.sessions.all {
			e.calls = append(e.calls, numbered(s.id, s.number, addPool), numbered(s.id, s.number+1, book("pool", 1, 1)))
		}
		for range 2 {
			for _, a := range x.give(t, e) {
				_ = fmt.Sprint(a.err)
				_, err := a.outcome.MarshalBinary()
				require.NoError(t, err)
			}
		}
		again := snapshotOf(t, x.machine)
		require.Equal(t, again, snapshotOf(t, restored(t, historyConfig, again).machine))
		x.close()
	})
}

// A restored machine gives answers the same weight as the machine that wrote the snapshot, so both forget the same
// sessions.
func TestASnapshotKeepsTheWeightOfAnswers(t *testing.T) {
	d := newGoldenDraw(t, 77)
	for i := range 600 {
		e := d.entry()
		d.give(t, e)
		if i%20 != 0 {
			continue
		}
		var b bytes.Buffer
		_, err := d.machine.image().write(&b, true)
		require.NoError(t, err)
		m, err := readImage(&b, d.machine.config, d.machine.version)
		require.NoError(t, err)
		require.Equal(t, d.machine.sessions.bytes, m.sessions.bytes, "entry %d", i)
	}
	require.Positive(t, d.machine.sessions.bytes)
}

var _ raft.SnapshotSink = (*fullSink)(nil)
