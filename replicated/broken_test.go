package replicated

import (
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hashicorp/raft"
	"github.com/stretchr/testify/require"
)

// broken makes a disk fail while its fields say so.
type broken struct {
	votes atomic.Bool  // writes of the term and the vote fail
	reads atomic.Int64 // after so many reads of entries all reads fail
}

var errIO = errors.New("input/output error")

func newBroken() *broken {
	b := &broken{}
	b.reads.Store(1 << 40)
	return b
}

// before puts the failures before a disk.
func (b *broken) before(d *disk) *disk {
	d.log, d.stable = brokenLog{d.log, b}, brokenVotes{d.stable, b}
	return d
}

type brokenLog struct {
	raft.LogStore
	b *broken
}

func (l brokenLog) GetLog(index uint64, e *raft.Log) error {
	left := l.b.reads.Add(-1)
	if left < 0 {
		return errIO
	}
	return l.LogStore.GetLog(index, e)
}

type brokenVotes struct {
	raft.StableStore
	b *broken
}

func (v brokenVotes) SetUint64(key []byte, value uint64) error {
	if v.b.votes.Load() {
		return errIO
	}
	return v.StableStore.SetUint64(key, value)
}

// The process goes on if the disk takes no term: the member stops itself, and the others elect another leader.
func TestATermIsNotWritten(t *testing.T) {
	inBubble(t, 3, Config{}, func(t *testing.T, w *world) {
		b := newBroken()
		w.disk = b.before
		w.open("1")
		w.disk = nil
		w.open("2")
		w.open("3")
		ctx := within(t, time.Hour)
		_, err := w.leader().Do(ctx, line)
		require.NoError(t, err)
		m := w.member("1")
		// A member that cannot write down its desk takes no message, and so hears of no term.
		until(t, "member 1 knows its desk", func() bool { return m.Status().Desk != "" })
		b.votes.Store(true)
		_ = w.leader().Transfer(ctx, "") // may fail: the leader may be the member that has just stopped
		until(t, "it stops", func() bool { return m.Status().Err != nil })
		require.ErrorIs(t, m.Status().Err, ErrStopped)
		require.ErrorIs(t, m.Status().Err, errIO)
		_, err = m.Do(ctx, booking("a"))
		require.ErrorIs(t, err, ErrStopped)
		_, err = w.member("2").Do(ctx, booking("a"))
		require.NoError(t, err)
		require.NoError(t, m.Close())
		_, err = w.tryOpen("1") // the disk works again
		require.NoError(t, err)
		w.requireSame()
	})
}

// A member does not start while its disk takes no term.
func TestATermIsNotWrittenAtTheStart(t *testing.T) {
	inBubble(t, 1, Config{}, func(t *testing.T, w *world) {
		w.start()
		ctx := within(t, time.Hour)
		_, err := w.leader().Do(ctx, line)
		require.NoError(t, err)
		w.stop("1")
		b := newBroken()
		b.votes.Store(true)
		w.disk = b.before
		_, err = w.tryOpen("1")
		require.ErrorIs(t, err, errIO)
		b.votes.Store(false)
		_, err = w.open("1").Do(ctx, booking("a"))
		require.NoError(t, err)
	})
}

// If a read of an entry fails, the member stops or does not start, whichever read it is. The process goes on.
func TestAnEntryIsNotRead(t *testing.T) {
	const most = 12 // reads of the first start without a failure
	w := newWorld(t, 1, Config{Election: 20 * time.Millisecond})
	w.start()
	ctx := within(t, time.Minute)
	_, err := w.leader().Do(ctx, line)
	require.NoError(t, err)
	w.stop("1")
	b := newBroken()
	w.disk = b.before
	for n := range int64(most) {
		b.reads.Store(n)
		m, err := w.tryOpen("1")
		if err == nil {
			_, err = m.Do(ctx, booking("a"))
			w.stop("1")
		}
		if err != nil {
			require.ErrorIs(t, err, errIO, "read %d", n)
		}
	}
	b.reads.Store(1 << 40)
	_, err = w.open("1").Do(ctx, booking("b"))
	require.NoError(t, err)
}

// A member that follows stops itself if it cannot read an entry.
func TestAnEntryIsNotReadByAFollower(t *testing.T) {
	inBubble(t, 3, Config{}, func(t *testing.T, w *world) {
		w.start()
		ctx := within(t, time.Hour)
		lead := w.leader()
		for range 3 {
			_, err := lead.Do(ctx, line)
			if err != nil {
				require.NotErrorIs(t, err, ErrUnknown)
			}
		}
		time.Sleep(time.Second)
		id := w.other(lead).config.ID
		w.stop(id)
		b := newBroken()
		w.disk = b.before
		w.cut(id)
		m := w.open(id)
		b.reads.Store(0)
		w.disk = nil
		w.heal()
		until(t, "it stops", func() bool { return m.Status().Err != nil })
		require.ErrorIs(t, m.Status().Err, errIO)
		require.NoError(t, m.Close())
		w.open(id)
		_, err := lead.Do(ctx, booking("a"))
		require.NoError(t, err)
		w.requireSame()
	})
}
