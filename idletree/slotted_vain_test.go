package idletree

import (
	"math"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/servers"
	"github.com/bookahead/bookahead/internal/snapshot"
)

// A few bytes can ask for a horizon of centuries that is tried tick by tick: the starts
// at which nothing can have become free are left out, so that the search returns.
func TestStartsInVainAreLeftOut(t *testing.T) {
	const far = 1 << 61
	data := snapshot.Numbers(kindOfSlotted, far>>18, 1, math.MaxInt, // slot, step, attempts
		2, 0, far, 1, 1, 0, far-5, 2, 0, 0, 0, // two servers, both booked but for the last five ticks
		0, 0, 0) // first found; neither is idle
	var s Slotted
	require.NoError(t, s.UnmarshalBinary(data))
	_, effort, err := s.Trace(bookahead.Request{Duration: 10, Units: 1, Deadline: 1 << 59})
	require.Equal(t, bookahead.ErrUnavailable, err)
	require.EqualValues(t, min(int64(1<<59-10+1), math.MaxInt), effort.Attempts, "all count as tried")
	if strconv.IntSize < 64 {
		return // so many attempts cannot be asked for
	}
	o, err := s.Search(bookahead.Request{Duration: 5, Units: 2})
	require.NoError(t, err)
	require.Equal(t, bookahead.Time(far-5), o.Start)
}

// Starts that are left out change no answer and no count of attempts.
func TestNothingIsFoundInVain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const horizon = 2000
		c := SlottedConfig{
			Horizon: horizon, Slot: 100, Attempts: rapid.SampledFrom([]int{100, 300, math.MaxInt}).Draw(t, "attempts"),
			Step: bookahead.Duration(rapid.IntRange(1, 9).Draw(t, "step")),
		}
		s := openSlotted(t, 3, c)
		s.slots().patience = 16
		for range rapid.IntRange(0, 12).Draw(t, "reservations") {
			r := bookahead.Request{
				Ready:    bookahead.Time(rapid.IntRange(0, horizon).Draw(t, "ready")),
				Duration: bookahead.Duration(rapid.IntRange(1, horizon/3).Draw(t, "duration")),
				Units:    rapid.Int64Range(1, 3).Draw(t, "units"),
			}
			if rapid.IntRange(0, 3).Draw(t, "named") == 0 {
				r.Servers, r.Units = []int{2, 0}, min(r.Units, 2)
			}
			want, tried, wantErr := bookahead.Time(0), 0, bookahead.ErrUnavailable
			for at := r.Ready; tried < c.Attempts && at+bookahead.Time(r.Duration) <= horizon; at += bookahead.Time(c.Step) {
				tried++
				if s.slots().attempt(r, servers.Window(at, r), &Spent{}) != nil {
					want, wantErr = at, nil
					break
				}
			}
			o, effort, err := s.Trace(r)
			require.Equal(t, wantErr, err)
			require.Equal(t, want, o.Start)
			require.Equal(t, tried, effort.Attempts)
			_, _ = s.Reserve(r)
		}
	})
}
