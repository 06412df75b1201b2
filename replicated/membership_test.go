package replicated

import (
	"context"
	"fmt"
	"io"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hashicorp/raft"
	"github.com/stretchr/testify/require"
)

// The term and the first entry are two writes. A crash between them is mended at the next start.
func TestBootstrapIsTorn(t *testing.T) {
	inBubble(t, 1, Config{}, func(t *testing.T, w *world) {
		w.disks["1"] = newMemory()
		require.NoError(t, w.disks["1"].log.SetUint64([]byte(keyTerm), 1))
		w.start()
		_, err := w.leader().Do(within(t, time.Hour), line)
		require.NoError(t, err)
	})
}

// A member that only watches from the start has the state, and never leads.
func TestWatches(t *testing.T) {
	inBubble(t, 3, Config{}, func(t *testing.T, w *world) {
		w.peers[2].Watches = true
		w.start()
		ctx := within(t, time.Hour)
		_, err := w.member("3").Do(ctx, line)
		require.NoError(t, err)
		_, err = w.member("3").Read(ctx, Linearizable)
		require.NoError(t, err)
		w.stop("2")
		short, stop := context.WithTimeout(ctx, time.Minute)
		defer stop()
		_, err = w.member("1").Do(short, booking("a"))
		require.ErrorIs(t, err, context.DeadlineExceeded, "one of two is no majority")
		require.NotEqual(t, "leader", w.member("3").Status().State)
		w.open("2")
		_, err = w.member("3").Do(ctx, booking("b"))
		require.NoError(t, err)
		require.NoError(t, w.member("3").Add(ctx, Peer{ID: "3", Address: "at-3"}), "it may count from now on")
		require.False(t, w.leader().Status().Peers[2].Watches)
	})
}

// A member that was alone has a new address. Once it leads, it tells the others.
func TestNewAddress(t *testing.T) {
	inBubble(t, 1, Config{}, func(t *testing.T, w *world) {
		w.peers = nil
		d := newMemory()
		m, err := openWith(Config{Log: mute}, seam{disk: d.open})
		require.NoError(t, err)
		ctx := within(t, time.Hour)
		_, err = m.Do(ctx, line)
		require.NoError(t, err)
		require.Equal(t, []Peer{{ID: "1", Address: "1"}}, m.Status().Peers)
		require.NoError(t, m.Close())
		w.disks["1"] = d
		m = w.open("1")
		require.Eventually(t, func() bool { return m.Status().Peers[0].Address == "at-1" }, time.Minute, time.Second)
	})
}

// counter is a transport that counts the snapshots that it sends.
type counter struct {
	*raft.InmemTransport
	sent *atomic.Int64
}

func (c *counter) InstallSnapshot(id raft.ServerID, to raft.ServerAddress, q *raft.InstallSnapshotRequest, a *raft.InstallSnapshotResponse, r io.Reader) error {
	c.sent.Add(1)
	return c.InmemTransport.InstallSnapshot(id, to, q, a, r)
}

// A member that was away for less than a minute is sent entries, however many there are. A member that was away for
// longer is sent a snapshot.
func TestAway(t *testing.T) {
	for _, c := range []struct {
		away     time.Duration
		snapshot bool
	}{{40 * time.Second, false}, {10 * time.Minute, true}} {
		inBubble(t, 3, Config{SnapshotEvery: 16 << 10}, func(t *testing.T, w *world) {
			var sent atomic.Int64
			w.wrap = func(_ string, t *raft.InmemTransport) raft.Transport { return &counter{t, &sent} }
			w.start()
			ctx := within(t, time.Hour)
			_, err := w.leader().Do(ctx, line)
			require.NoError(t, err)
			for i := range 2 * leastTrailing {
				_, err = w.leader().Do(ctx, booking(fmt.Sprint(i)))
				require.NoError(t, err)
			}
			time.Sleep(2 * time.Minute)
			away := w.other(w.leader())
			id := away.config.ID
			w.stop(id)
			for i := range 2 * leastTrailing {
				_, err = w.leader().Do(ctx, booking(fmt.Sprint("away ", i)))
				require.NoError(t, err)
				time.Sleep(c.away / (2 * leastTrailing))
			}
			m := w.open(id)
			_, err = m.Read(ctx, Linearizable)
			require.NoError(t, err)
			require.Equal(t, c.snapshot, sent.Load() > 0)
		})
	}
}
