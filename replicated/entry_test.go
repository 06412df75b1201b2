package replicated

import (
	"encoding/binary"
	"hash/crc32"
	"math"
	"testing"

	"github.com/hashicorp/raft"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/desk"
)

func anyEntry(t *rapid.T) entry {
	e := entry{
		version: rapid.Uint32().Draw(t, "version"),
		now:     bookahead.Time(rapid.Int64Min(-1).Draw(t, "now")),
		jump:    bookahead.Duration(rapid.Int64Min(-1).Draw(t, "jump")),
		room:    rapid.Uint64().Draw(t, "room"),
		memory:  rapid.Uint64().Draw(t, "memory"),
	}
	for range rapid.IntRange(0, 4).Draw(t, "calls") {
		e.calls = append(e.calls, call{
			op:      op(rapid.IntRange(0, math.MaxInt8).Draw(t, "op")),
			session: SessionID(rapid.Uint64().Draw(t, "session")),
			number:  rapid.Uint64().Draw(t, "number"),
			body:    append([]byte{}, rapid.SliceOfN(rapid.Byte(), 0, 20).Draw(t, "body")...),
		})
	}
	return e
}

func TestEntryRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := anyEntry(t)
		data := e.append([]byte("before"))[len("before"):]
		read, err := readEntry(data, nil)
		require.NoError(t, err)
		require.Equal(t, e, read)
	})
}

// sumAnew replaces the sum of an entry by the right one, as a forger would.
func sumAnew(data []byte) []byte {
	body := data[:max(0, len(data)-crc32.Size)]
	return binary.LittleEndian.AppendUint32(append([]byte{}, body...), crc32.Checksum(body, castagnoli))
}

func fullEntry() entry {
	return entry{version: Version, now: 3, jump: 100, room: 9, memory: 1 << 20, calls: []call{
		once(addPool), {op: openSession}, numbered(1, 1, book("pool", 3, 5)), {op: mark}, {op: report, body: make([]byte, 41)},
	}}
}

// An entry that is cut anywhere, or has another byte anywhere, is not carried out. The machine carries out nothing
// more.
func TestDamagedEntryFailsTheMachine(t *testing.T) {
	good := fullEntry()
	data := good.append(nil)
	fails := func(bad []byte, what string, at int) {
		f := newFeed(t, Config{})
		f.give(t, entryOf(once(addPool)))
		before := snapshotOf(t, f.machine)
		got, ok := f.Apply(&raft.Log{Index: 2, Type: raft.LogCommand, Data: bad}).(error)
		require.True(t, ok, "%s at %d", what, at)
		require.ErrorIs(t, got, ErrDamaged, "%s at %d", what, at)
		require.ErrorContains(t, got, "log: entry 2")
		<-f.failed()
		require.Equal(t, got, f.err())
		require.Equal(t, got, f.Apply(&raft.Log{Index: 2, Type: raft.LogCommand, Data: data}), "later entries are not carried out")
		require.Equal(t, uint64(1), f.applied())
		_, err := f.Snapshot()
		require.ErrorIs(t, err, ErrDamaged)
		require.Equal(t, before, mustImage(t, f.machine))
	}
	for i := range data {
		fails(data[:i], "cut", i)
		for _, bit := range []byte{1, 0x80} {
			bad := append([]byte{}, data...)
			bad[i] ^= bit
			fails(bad, "flipped", i)
		}
	}
	fails(append(append([]byte{}, data...), 0), "longer", len(data))
}

// mustImage returns the bytes of the state, also of a machine that has failed.
func mustImage(t testing.TB, x *machine) []byte {
	var to sink
	_, err := x.image().write(&to, true)
	require.NoError(t, err)
	return to.Bytes()
}

// Without the sum, most entries with a flipped byte would be carried out as other entries, and the test above would
// fail.
func TestSumIsNeeded(t *testing.T) {
	good := fullEntry()
	data := good.append(nil)
	accepted := 0
	for i := range data[:len(data)-crc32.Size] {
		bad := append([]byte{}, data...)
		bad[i] ^= 1
		_, err := readEntry(sumAnew(bad), nil)
		if err == nil {
			accepted++
		}
	}
	require.Greater(t, accepted, len(data)/2)
}

// Raft hands out each entry once and in order. Any other entry shows a damaged log.
func TestEntriesComeInOrder(t *testing.T) {
	for _, index := range []uint64{1, 5} {
		f := newFeed(t, Config{})
		e := entryOf(once(addPool))
		f.Apply(&raft.Log{Index: 5, Type: raft.LogCommand, Data: e.append(nil)})
		require.NoError(t, f.err())
		f.Apply(&raft.Log{Index: index, Type: raft.LogCommand, Data: e.append(nil)})
		require.ErrorIs(t, f.err(), ErrDamaged)
		require.Equal(t, uint64(5), f.applied())
	}
}

// A call that no member would make is refused, and the next call is carried out.
func TestForgedCalls(t *testing.T) {
	f := newFeed(t, Config{})
	got := f.give(t, entryOf(call{op: 0}, call{op: 99}, call{op: doCommand}, call{op: doCommand, body: []byte{1, 200}}, call{op: report, body: make([]byte, 40)}, once(addPool)))
	for _, a := range got[:5] {
		require.ErrorIs(t, a.err, bookahead.ErrInvalid)
	}
	require.NoError(t, got[5].err)
}

// FuzzEntry carries out all bytes that are an entry. Nothing panics, and an accepted entry is written again
// unchanged.
func FuzzEntry(f *testing.F) {
	good := fullEntry()
	f.Add(good.append(nil))
	old := entry{version: 0, now: -1, jump: -1, calls: []call{{op: unseal}}}
	f.Add(old.append(nil))
	for seed := range uint64(3) {
		for _, l := range history(f, seed, 20) {
			f.Add(l.Data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		data = sumAnew(append(data, 0, 0, 0, 0))
		e, err := readEntry(data, nil)
		if err != nil {
			require.True(t, isOneOf(err, ErrDamaged, ErrVersion), err)
			return
		}
		require.Equal(t, data, e.append(nil))
		require.LessOrEqual(t, 4*len(e.calls), len(data))
		x := newFeed(t, historyConfig)
		x.give(t, entryOf(once(addPool), call{op: openSession}, once(desk.AddSchedule{Name: "lab", Kind: desk.Servers{Count: 4}})))
		got := x.Apply(&raft.Log{Index: 2, Type: raft.LogCommand, Data: data})
		answers, ok := got.([]answer)
		if !ok {
			require.Error(t, x.err())
			return
		}
		for _, a := range answers {
			_, err := a.outcome.MarshalBinary()
			require.NoError(t, err)
		}
		again := snapshotOf(t, x.machine)
		require.Equal(t, again, snapshotOf(t, restored(t, historyConfig, again).machine))
		x.close()
	})
}
