package replicated

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/desk"
)

// Readers, snapshots and fingerprints run beside entries. Each view is the state behind the entry that it names.
func TestReadersBesideEntries(t *testing.T) {
	const entries, calls = 300, 5
	f := newFeed(t, historyConfig)
	sums := make(chan struct{}, entries)
	f.on.hashed = func(uint64, [32]byte) { sums <- struct{}{} }
	f.give(t, entryOf(once(desk.AddSchedule{Name: "pool", Kind: desk.Pool{Units: 8}}), call{op: openSession}, call{op: openSession}))
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var readers sync.WaitGroup
	for range 3 {
		readers.Go(func() {
			last := uint64(1)
			for last <= entries {
				v := f.view()
				n := 0
				for range v.Bookings(desk.Filter{}, bookahead.Effort{}) {
					n++
				}
				if v.Applied < last || n != calls*int(v.Applied-1) {
					t.Errorf("entry %d has %d bookings, after entry %d", v.Applied, n, last)
					return
				}
				last = v.Applied
				_, err := v.Do(book("pool", 1, 1)) // the desk of the view belongs to its reader
				if err != nil {
					t.Error(err)
				}
				_ = f.sealed()
			}
		})
	}
	readers.Go(func() {
		for i := uint64(2); i <= entries+1; i += 7 {
			err := f.await(ctx, i)
			if err != nil || f.applied() < i {
				t.Errorf("entry %d: %v", i, err)
			}
		}
	})
	var writing sync.WaitGroup
	for i := range entries {
		e := entryOf()
		for range calls {
			e.calls = append(e.calls, once(book("pool", 1, 1)))
		}
		e.calls[0] = numbered(SessionID(1+i%2), uint64(1+i/2), book("pool", 1, 1)) // the last answer of the session is in a snapshot under way
		if i%50 == 0 {
			e.calls = append(e.calls, call{op: mark})
			m, err := f.Snapshot()
			require.NoError(t, err)
			writing.Go(func() {
				var to sink
				if m.Persist(&to) != nil || restoredIndex(to.Bytes()) == 0 {
					t.Error("a snapshot beside entries is not whole")
				}
			})
		}
		f.give(t, e)
	}
	readers.Wait()
	writing.Wait()
	<-sums
	f.close()
}

// restoredIndex returns the index of a snapshot; 0 if it cannot be read.
func restoredIndex(data []byte) uint64 {
	m, err := readImage(reader(data), historyConfig.Desk, Version)
	if err != nil {
		return 0
	}
	return m.index
}

func TestAwaitEnds(t *testing.T) {
	f := newFeed(t, Config{})
	f.give(t, entryOf(once(addPool)))
	require.NoError(t, f.await(t.Context(), 1))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, f.await(ctx, 2), context.Canceled)
	ended := make(chan error)
	go func() { ended <- f.await(t.Context(), 2) }()
	f.fail(ErrDamaged)
	require.ErrorIs(t, <-ended, ErrDamaged)
}
