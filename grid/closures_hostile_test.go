package grid

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/snapshot"
)

// closedOnes are schedules with closures, extensions, and reservations that these have left
// overbooked. Some closures are over.
func closedOnes(t require.TestingT) map[string]bookahead.Snapshotter {
	binder := newBinder(t, 4)
	extend(t, binder, 3, 9, 2)
	extend(t, binder, 0, 4, 1)
	reserve(t, binder, 3, 6, 5)
	reserve(t, binder, 6, 4, 1)
	shut(t, binder, 1, 8, 0, 2)
	shut(t, binder, 5, bookahead.MaxTime, 2, 5)
	require.NoError(t, binder.Advance(5))
	shut(t, binder, 0, 8, 0, 3)
	broker := brokerOf(t, Config{}, newServers(t, 2), bookahead.Locked(newServers(t, 3)))
	shut(t, broker, 2, 9, 2, 3)
	for _, k := range []int{1, 0, 1} {
		_, err := broker.ExtendAt(k, bookahead.Closure{Interval: span(0, 20), Units: 2})
		require.NoError(t, err)
	}
	reserve(t, broker, 1, 8, 3)
	shut(t, broker, 0, 3, 1)
	require.NoError(t, broker.End(3, 4))
	require.NoError(t, broker.Advance(3))
	return map[string]bookahead.Snapshotter{"binder": binder, "broker": broker}
}

// A snapshot with other numbers is refused, and leaves the schedule as it was, or makes another
// schedule without faults, which writes the same bytes.
func TestDamagedClosuresAreRefused(t *testing.T) {
	for name, s := range closedOnes(t) {
		t.Run(name, func(t *testing.T) {
			data, err := s.MarshalBinary()
			require.NoError(t, err)
			refused := map[string]int{}
			for seed := range uint64(3000) {
				bad := snapshot.Spoil(data, seed)
				read, _ := bookahead.Clone(s)
				err := read.UnmarshalBinary(bad)
				again, errAgain := read.MarshalBinary()
				require.NoError(t, errAgain)
				require.NoError(t, verify(read))
				if err != nil {
					require.ErrorIs(t, err, bookahead.ErrInvalid)
					require.Equal(t, data, again)
					refused[err.Error()]++
					continue
				}
				require.Equal(t, bad, again, "seed %d", seed)
				frame, _ := bookahead.FrameOf(read)
				require.NoError(t, read.Advance(frame.Now+1))
				require.NoError(t, verify(read))
			}
			require.Greater(t, len(refused), 30)
		})
	}
}

// Verify finds each fault.
func TestVerifyOfClosures(t *testing.T) {
	for want, spoil := range map[string]func(b *Binder){
		"server 0 has the closures": func(b *Binder) { b.closed.named[0] = nil },
		"5 servers have closures":   func(b *Binder) { b.closed.named[9] = nil; delete(b.closed.named, 9); b.closed.named[1] = nil },
		"of 7 servers":              func(b *Binder) { b.closed.extras = append(b.closed.extras, extra{span(5, 9), 6, 7}) },
		"the pool closes": func(b *Binder) {
			_, err := b.pool.(bookahead.Closable).Close(bookahead.Closure{Interval: span(6, 7), Units: 1})
			require.NoError(t, err)
		},
	} {
		b := closedOnes(t)["binder"].(*Binder)
		require.NoError(t, b.Verify())
		spoil(b)
		require.ErrorContains(t, b.Verify(), want)
	}
	for want, spoil := range map[string]func(b *Broker){
		"closure 1 of 0, behind 0":      func(b *Broker) { b.closings.last = 0 },
		"is 1 of provider 2":            func(b *Broker) { b.closings.live[0].provider = 2 },
		"and over at 3":                 func(b *Broker) { b.closings.live[1].end = 3 },
		"behind 1, is":                  func(b *Broker) { b.closings.live[1].id = 1 },
		"servers with numbers":          func(b *Broker) { b.providers[1].numbers = b.providers[1].numbers[:1] },
		"the index has 0 reservations,": func(b *Broker) { b.lie = &index{} },
	} {
		b := closedOnes(t)["broker"].(*Broker)
		require.NoError(t, b.Verify())
		spoil(b)
		require.ErrorContains(t, b.Verify(), want)
	}
}
