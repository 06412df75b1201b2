package grid

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/snapshot"
)

// closedBinder returns a Binder with closures, extensions, and reservations that these have left
// overbooked. Some closures are over.
func closedBinder(t require.TestingT) *Binder {
	binder := newBinder(t, 4)
	extend(t, binder, 3, 9, 2)
	extend(t, binder, 0, 4, 1)
	reserve(t, binder, 3, 6, 5)
	reserve(t, binder, 6, 4, 1)
	shut(t, binder, 1, 8, 0, 2)
	shut(t, binder, 5, bookahead.MaxTime, 2, 5)
	require.NoError(t, binder.Advance(5))
	shut(t, binder, 0, 8, 0, 3)
	return binder
}

// A snapshot with other numbers is refused, and leaves the schedule as it was, or makes another
// schedule without faults, which writes the same bytes.
func TestDamagedClosuresAreRefused(t *testing.T) {
	s := closedBinder(t)
	data, err := s.MarshalBinary()
	require.NoError(t, err)
	refused := map[string]int{}
	for seed := range uint64(3000) {
		bad := snapshot.Spoil(data, seed)
		read := s.Clone().(*Binder)
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
		b := closedBinder(t)
		require.NoError(t, b.Verify())
		spoil(b)
		require.ErrorContains(t, b.Verify(), want)
	}
}
