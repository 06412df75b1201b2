package replicated

import (
	"bytes"
	"io"
	"testing"

	"github.com/hashicorp/raft"
	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/desk"
)

// versionOf returns an entry of a version.
func versionOf(v uint32, calls ...call) entry {
	e := entryOf(calls...)
	e.version = v
	return e
}

// newVersion returns a machine of a version. It has the state of a snapshot, if there is one.
func newVersion(t *testing.T, v uint32, data []byte) *feed {
	f := newFeed(t, Config{})
	f.version = v
	if data != nil {
		require.NoError(t, f.Restore(io.NopCloser(bytes.NewReader(data))))
		f.index = f.applied()
	}
	return f
}

func (f *feed) fails(t *testing.T, e entry, text string) {
	t.Helper()
	before := f.applied()
	got, ok := f.Apply(f.log(e)).(error)
	require.True(t, ok)
	require.ErrorIs(t, got, ErrVersion)
	require.ErrorContains(t, got, text)
	require.ErrorIs(t, f.err(), ErrVersion)
	require.Equal(t, before, f.applied())
}

func TestOtherVersionsFail(t *testing.T) {
	newVersion(t, 1, nil).fails(t, versionOf(2, once(addPool)), "this binary is too old")
	newVersion(t, 2, nil).fails(t, versionOf(1, once(addPool)), "Seal first")

	f := newVersion(t, 1, nil)
	e := entryOf()
	data := e.append(nil)
	data[0] = entryLayout + 1
	f.Apply(&raft.Log{Index: 1, Type: raft.LogCommand, Data: sumAnew(data)})
	require.ErrorIs(t, f.err(), ErrVersion)
	require.ErrorContains(t, f.err(), "this binary is too old")
}

// sealedByOne returns a snapshot that version 1 has sealed, and the snapshot before.
func sealedByOne(t *testing.T) (unsealed, sealed []byte) {
	f := newVersion(t, 1, nil)
	f.give(t, entryOf(once(addPool), call{op: openSession}))
	f.give(t, entryOf(numbered(1, 1, book("pool", 1, 9))))
	unsealed = snapshotOf(t, f.machine)
	f.give(t, entryOf(call{op: seal}))
	return unsealed, snapshotOf(t, f.machine)
}

// A new version goes on where the old version was sealed. Entries of the old version behind the seal were refused,
// and are skipped.
func TestNewVersionTakesOver(t *testing.T) {
	_, sealed := sealedByOne(t)
	f := newVersion(t, 2, sealed)
	require.False(t, f.sealed())
	got := f.give(t, versionOf(1, once(book("pool", 1, 1)), call{op: seal}))
	require.ErrorIs(t, got[0].err, ErrSealed)
	got = f.give(t, versionOf(2, numbered(1, 1, book("pool", 1, 9)), once(book("pool", 1, 1))))
	require.Equal(t, desk.BookingID(1), got[0].outcome.Booking.ID, "the answer of the old version")
	require.Equal(t, desk.BookingID(2), got[1].outcome.Booking.ID)

	// A leader of the old version had sent these entries before it stopped. A member that restarts skips them, too.
	for range 2 {
		got = f.give(t, versionOf(1, once(book("pool", 1, 1)), call{op: unseal}))
		require.ErrorIs(t, got[0].err, ErrSealed)
		f = newVersion(t, 2, snapshotOf(t, f.machine))
	}
	require.NoError(t, f.give(t, versionOf(2, once(book("pool", 1, 1))))[0].err)
	newVersion(t, 3, snapshotOf(t, f.machine)).fails(t, versionOf(2), "Seal first")
	newVersion(t, 3, snapshotOf(t, f.machine)).fails(t, versionOf(1), "Seal first")
}

// A snapshot was sealed, and the state unsealed later. A new version that started from the snapshot would lose the
// commands behind it.
func TestUnsealBehindTheSnapshot(t *testing.T) {
	unsealed, sealed := sealedByOne(t)
	newVersion(t, 2, sealed).fails(t, versionOf(1, call{op: unseal}), "Seal first")
	newVersion(t, 2, unsealed).fails(t, versionOf(1, call{op: seal}), "Seal first")
	require.NoError(t, newVersion(t, 2, unsealed).give(t, versionOf(2, call{op: openSession, session: 9}))[0].err, "no entry of the old one is behind it")
}

func TestSnapshotOfANewerVersion(t *testing.T) {
	f := newVersion(t, 2, nil)
	f.give(t, versionOf(2, once(addPool)))
	data := snapshotOf(t, f.machine)
	for _, forge := range []func([]byte) []byte{
		func(b []byte) []byte { return b },
		func(b []byte) []byte { b[len(imageMagic)]++; return b },
	} {
		old := newFeed(t, Config{})
		err := old.Restore(io.NopCloser(bytes.NewReader(forge(append([]byte{}, data...)))))
		require.ErrorIs(t, err, ErrVersion)
		require.ErrorContains(t, err, "this binary is too old")
		require.ErrorIs(t, old.err(), ErrVersion)
	}
}

// A snapshot of an earlier seal is none of this one, not even while the entry of this one is carried out.
func TestASnapshotOfAnEarlierSeal(t *testing.T) {
	m := &Member{}
	var has []bool
	f := newFeed(t, Config{Applied: func(uint64, desk.Command, desk.Outcome) { has = append(has, m.snapshotter.hasSealed(m)) }})
	m.machine = f.machine
	f.give(t, clockAt(3, once(addPool), call{op: seal}))
	m.snapshotter.saved.Store(f.sealedAt.Load())
	require.True(t, m.snapshotter.hasSealed(m))
	f.give(t, clockAt(4, call{op: unseal}))
	require.False(t, m.snapshotter.hasSealed(m))
	f.give(t, clockAt(4, once(book("pool", 1, 9)), call{op: seal}))
	require.NotEmpty(t, has)
	require.NotContains(t, has, true)
	require.True(t, f.sealed())
	require.False(t, m.snapshotter.hasSealed(m))
}

// Only an unseal changes a sealed state: no command, session, clock or bound does, not even in the entry of the
// unseal.
func TestSealedStateStays(t *testing.T) {
	f := newFeed(t, Config{})
	var sealedAt []uint64
	f.on.sealed = func() { sealedAt = append(sealedAt, f.sealedAt.Load()) }
	f.give(t, clockAt(3, once(addPool), call{op: openSession}, call{op: openSession}))
	f.give(t, clockAt(3, numbered(1, 1, book("pool", 1, 9)), numbered(2, 1, book("pool", 1, 9))))
	got := f.give(t, clockAt(4, once(book("pool", 1, 9)), call{op: seal}, once(book("pool", 1, 9))))
	require.NoError(t, got[0].err)
	require.NoError(t, got[1].err)
	require.ErrorIs(t, got[2].err, ErrSealed, "it comes behind the seal")
	require.True(t, f.sealed())
	require.Equal(t, []uint64{3}, sealedAt)

	state := func() []byte { // without the index, which grows
		m := f.image()
		m.index = 0
		var to sink
		_, err := m.write(&to, true)
		require.NoError(t, err)
		return to.Bytes()
	}
	before := state()
	e := clockAt(9, once(book("pool", 1, 1)), call{op: openSession}, numbered(1, 1, book("pool", 1, 9)), numbered(1, 2, addPool), numbered(2, 0, addPool), call{op: mark})
	e.room = 1
	got = f.give(t, e)
	require.ErrorIs(t, got[0].err, ErrSealed)
	require.ErrorIs(t, got[1].err, ErrSealed)
	require.Equal(t, desk.BookingID(1), got[2].outcome.Booking.ID, "who asks again has the answer")
	require.ErrorIs(t, got[3].err, ErrSealed)
	require.ErrorIs(t, got[4].err, bookahead.ErrInvalid)
	require.ErrorIs(t, f.give(t, clockAt(10))[0].err, ErrSealed)
	require.Equal(t, before, state())

	r := restored(t, Config{}, snapshotOf(t, f.machine))
	require.True(t, r.sealed(), "the same version stays sealed")

	got = f.give(t, clockAt(500, once(book("pool", 1, 1)), call{op: unseal}, once(book("pool", 1, 1))))
	require.ErrorIs(t, got[0].err, ErrSealed)
	require.NoError(t, got[1].err)
	require.ErrorIs(t, got[2].err, ErrSealed, "the clock of the entry was not looked at")
	require.False(t, f.sealed())
	require.ErrorIs(t, f.give(t, clockAt(500, once(book("pool", 1, 1))))[0].err, ErrJump)
	require.NoError(t, f.give(t, clockAt(11, numbered(1, 2, book("pool", 1, 1))))[0].err)
	f.close()
}
