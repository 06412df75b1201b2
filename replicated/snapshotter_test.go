package replicated

import (
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hashicorp/raft"
	"github.com/stretchr/testify/require"
)

// brokenSnaps is a store that writes no snapshot while it is broken, and counts the tries.
type brokenSnaps struct {
	raft.SnapshotStore
	broken atomic.Bool
	tries  atomic.Int64
}

func (s *brokenSnaps) Create(v raft.SnapshotVersion, index, term uint64, c raft.Configuration, at uint64, t raft.Transport) (raft.SnapshotSink, error) {
	s.tries.Add(1)
	if s.broken.Load() {
		return nil, errors.New("no room")
	}
	return s.SnapshotStore.Create(v, index, term, c, at, t)
}

// A snapshot that fails is tried again after 1 s, 2 s, 4 s and so on, up to a minute. A snapshot for a caller is
// tried at once. A success ends the waiting.
func TestASnapshotFails(t *testing.T) {
	inBubble(t, 1, Config{SnapshotEvery: 1}, func(t *testing.T, w *world) {
		s := &brokenSnaps{}
		s.broken.Store(true)
		w.disk = func(d *disk) *disk {
			s.SnapshotStore = d.snaps
			d.snaps = s
			return d
		}
		w.start()
		ctx := within(t, 100*time.Hour)
		m := w.leader()
		_, err := m.Do(ctx, line)
		require.NoError(t, err)
		time.Sleep(time.Hour)
		tries := s.tries.Load() // 7 in the first two minutes, and then one each minute
		require.InDelta(t, 65, float64(tries), 3)
		require.Error(t, m.Snapshot(ctx))
		require.Equal(t, tries+1, s.tries.Load())

		s.broken.Store(false)
		require.NoError(t, m.Snapshot(ctx))
		s.broken.Store(true)
		tries = s.tries.Load()
		_, err = m.Do(ctx, booking(""))
		require.NoError(t, err)
		time.Sleep(10 * time.Second)
		require.InDelta(t, 4, float64(s.tries.Load()-tries), 1, "the waiting begins anew")
		s.broken.Store(false)
		time.Sleep(time.Minute)
		require.Zero(t, m.machine.pending())
	})
}
