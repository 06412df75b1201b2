package replicated

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"testing"

	"github.com/hashicorp/raft"
	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/desk"
)

// feed gives entries to a machine, one after the other.
type feed struct {
	*machine
	index  uint64
	opened SessionID // of the last session; sessions are numbered from 1
}

func newFeed(t require.TestingT, c Config) *feed {
	x, err := newMachine(&c)
	require.NoError(t, err)
	return &feed{machine: x}
}

// log returns the next entry of a log.
func (f *feed) log(e entry) *raft.Log {
	f.index++
	for i := range e.calls {
		c := &e.calls[i]
		if c.op == openSession && c.session == 0 {
			f.opened++
			c.session = f.opened
		}
	}
	return &raft.Log{Index: f.index, Term: 1, Type: raft.LogCommand, Data: e.append(nil)}
}

// give makes the machine carry an entry out, and returns the answers.
func (f *feed) give(t require.TestingT, e entry) []answer {
	got := f.Apply(f.log(e))
	answers, ok := got.([]answer)
	require.True(t, ok, "%v", got)
	require.Len(t, answers, max(1, len(e.calls)))
	return answers
}

// entryOf returns an entry without a clock.
func entryOf(calls ...call) entry {
	return entry{version: Version, now: -1, jump: 100, room: 1 << 14, memory: 1 << 30, calls: calls}
}

func clockAt(now bookahead.Time, calls ...call) entry {
	return entry{version: Version, now: now, jump: 100, room: 1 << 14, memory: 1 << 30, calls: calls}
}

// body returns a command as bytes.
func body(c desk.Command) []byte {
	b, err := desk.MarshalCommand(c)
	if err != nil {
		panic(err)
	}
	return b
}

func once(c desk.Command) call { return call{op: doCommand, body: body(c)} }

func numbered(s SessionID, n uint64, c desk.Command) call {
	return call{op: doCommand, session: s, number: n, body: body(c)}
}

func book(on string, units int64, d bookahead.Duration) desk.Book {
	return desk.Book{Request: desk.Request{Owner: "ann", Shapes: []desk.Shape{{{On: on, Units: units, Duration: d}}}}}
}

var addPool = desk.AddSchedule{Name: "pool", Kind: desk.Pool{Units: 8}}

// sink is a snapshot in memory.
type sink struct {
	bytes.Buffer
	closed, cancelled bool
}

func (s *sink) ID() string    { return "sink" }
func (s *sink) Close() error  { s.closed = true; return nil }
func (s *sink) Cancel() error { s.cancelled = true; return nil }

// snapshotOf returns the bytes of a snapshot.
func snapshotOf(t require.TestingT, x *machine) []byte {
	m, err := x.Snapshot()
	require.NoError(t, err)
	var to sink
	require.NoError(t, m.Persist(&to))
	require.True(t, to.closed)
	m.Release()
	return to.Bytes()
}

// restored returns a machine with the state of a snapshot.
func restored(t require.TestingT, c Config, data []byte) *feed {
	f := newFeed(t, c)
	require.NoError(t, f.Restore(reader(data)))
	f.index = f.applied()
	for s := range f.sessions.all {
		f.opened = max(f.opened, s.id)
	}
	return f
}

// A call that is sent again gets the answer that it had, also behind a snapshot, and books nothing.
func TestRetryIsAnsweredOnce(t *testing.T) {
	f := newFeed(t, Config{})
	f.give(t, entryOf(once(addPool)))
	s := f.give(t, entryOf(call{op: openSession}))[0].session
	require.Equal(t, SessionID(1), s)
	first := f.give(t, entryOf(numbered(s, 1, book("pool", 3, 5))))[0]
	require.NoError(t, first.err)
	again := f.give(t, entryOf(numbered(s, 1, book("pool", 3, 5))))[0]
	require.Equal(t, first, again)

	r := restored(t, Config{}, snapshotOf(t, f.machine))
	again = r.give(t, entryOf(numbered(s, 1, book("pool", 3, 5))))[0]
	require.Equal(t, first.outcome.Booking.ID, again.outcome.Booking.ID)
	require.Equal(t, first.outcome.Booking.String(), again.outcome.Booking.String())
	require.Equal(t, uint64(5), r.view().Applied)
	k, err := r.view().Booking(1)
	require.NoError(t, err)
	require.Equal(t, bookahead.Time(0), k.Start)
	_, err = r.view().Booking(2)
	require.ErrorIs(t, err, bookahead.ErrNotFound)
}

// isOneOf reports whether err is one of list.
func isOneOf(err error, list ...error) bool {
	return slices.ContainsFunc(list, func(one error) bool { return errors.Is(err, one) })
}

func reader(data []byte) io.ReadCloser { return io.NopCloser(bytes.NewReader(data)) }
