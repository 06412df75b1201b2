package avail

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/scheduletest"
)

func FuzzScheduleSnapshot(f *testing.F) {
	for _, data := range hostile() {
		f.Add(data)
	}
	scheduletest.FuzzSnapshot(f, scheduletest.Target{
		Name: "avail.Schedule-3", Servers: true, Bounded: true, Slot: 3,
		New: func(c scheduletest.Config) (bookahead.Schedule, error) {
			return NewSchedule(c.Capacity, Config{Origin: c.Origin, Horizon: c.Horizon, Slot: 3})
		},
	})
}

// Reservations that have ended in the running slot still count there, though no reservation shows
// it.
func TestWhatHasEndedIsRemembered(t *testing.T) {
	s, err := NewSchedule(4, Config{Horizon: 100, Slot: 10})
	require.NoError(t, err)
	_, err = s.Reserve(bookahead.Request{Ready: 2, Duration: 3, Units: 2, Servers: []int{1, 3}})
	require.NoError(t, err)
	require.NoError(t, s.Advance(6))
	data, err := s.MarshalBinary()
	require.NoError(t, err)
	var read Schedule
	require.NoError(t, read.UnmarshalBinary(data))
	a, err := read.RangeQuery(bookahead.Interval{Start: 6, End: 20})
	require.NoError(t, err)
	require.Equal(t, []int{0, 2}, a.Servers)
	a, err = read.RangeQuery(bookahead.Interval{Start: 10, End: 20})
	require.NoError(t, err)
	require.Equal(t, []int{0, 1, 2, 3}, a.Servers)
}

// Where few bytes ask for a large grid, the receiver must have one.
func TestLargeGridsWantConsent(t *testing.T) {
	c := Config{Horizon: 1 << 20}
	s, err := NewSchedule(1000, c)
	require.NoError(t, err)
	data, err := s.MarshalBinary()
	require.NoError(t, err)
	require.Less(t, len(data), 50)
	require.ErrorContains(t, new(Schedule).UnmarshalBinary(data), "read it into a schedule that has been made with the same arguments")
	other, err := NewSchedule(1000, c)
	require.NoError(t, err)
	require.NoError(t, other.UnmarshalBinary(data))
}

// Verify finds bookings that the grid does not have, and bits that belong to no booking.
func TestVerifyFindsFaults(t *testing.T) {
	for name, spoil := range map[string]func(*Schedule){
		"a booking too many": func(s *Schedule) { s.vectors().grid.flip([]int32{3}, 390, 399, -1) },
		"a booking too few":  func(s *Schedule) { s.s.Booked.Remove(1, 0) },
		"a wrong number":     func(s *Schedule) { s.vectors().grid.free[7]-- },
	} {
		s, err := NewSchedule(20, Config{Horizon: 400})
		require.NoError(t, err)
		for k := range bookahead.Time(100) {
			_, err := s.Reserve(bookahead.Request{Ready: 3 * k, Duration: 10, Units: 2})
			require.NoError(t, err)
		}
		require.NoError(t, s.Verify())
		spoil(s)
		require.Error(t, s.Verify(), name)
	}
}

// Many bookings that span many slots are counted in one go when they are read.
func TestLongBookingsAreCountedOnce(t *testing.T) {
	const n, slots = 130, 2000
	s, err := NewSchedule(n, Config{Horizon: slots})
	require.NoError(t, err)
	for k := range bookahead.Time(n - 1) {
		_, err := s.Reserve(bookahead.Request{Ready: k, Deadline: slots - k, Duration: slots - 2*bookahead.Duration(k), Units: 1})
		require.NoError(t, err)
	}
	data, err := s.MarshalBinary()
	require.NoError(t, err)
	var read Schedule
	require.NoError(t, read.UnmarshalBinary(data))
	require.Equal(t, s.vectors(), read.vectors())
	require.NoError(t, read.Verify())
}
