package replay

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/bench/workload"
	"github.com/bookahead/bookahead/carts"
)

func flat(capacity int64) func() (bookahead.Schedule, error) {
	return func() (bookahead.Schedule, error) { return carts.NewFlat(capacity, carts.Config{Horizon: 1000}) }
}

func job(submit bookahead.Time, run, estimate bookahead.Duration, units int64) workload.Booking {
	return workload.Booking{
		Job:     workload.Job{Submit: submit, Run: run, Estimate: estimate, Units: units},
		Request: bookahead.Request{Ready: submit, Duration: estimate, Units: units},
	}
}

// TestReplay follows a handful of jobs on 4 units by hand.
func TestReplay(t *testing.T) {
	bookings := []workload.Booking{
		job(0, 4, 10, 4),   // [0, 10), ends at 4
		job(2, 10, 10, 2),  // at 2 the next gap is at 10: [10, 20)
		job(5, 5, 5, 4),    // what the first gave back at 4: [5, 10)
		job(6, 3, 3, 1),    // beside the second: [10, 13)
		job(6, 1, 2000, 1), // beyond the horizon
		job(30, 1, 2, 3),   // [30, 32), ends at 31
	}
	bookings[3].Request.Ready = 8
	done := 0
	r, err := Run(flat(4), 4, bookings, func(n int) { done = n })
	require.NoError(t, err)
	require.Equal(t, []Outcome{{true, 0}, {true, 10}, {true, 5}, {true, 10}, {}, {true, 30}}, r.Outcomes)
	require.Equal(t, 5, r.Accepted)
	require.Equal(t, len(bookings), done)
	require.InDelta(t, (0+8+0+2+0)/5.0, r.MeanWait, 1e-9)
	require.InDelta(t, float64(4*4+10*2+5*4+3*1+1*3)/(4*31), r.Utilisation, 1e-9)
	require.Equal(t, 6, r.Search.Calls)
	require.Equal(t, 6, r.Reserve.Calls)
	require.Equal(t, 2, r.Release.Calls, "two ended early")
	require.Equal(t, 3, r.Live, "after the fourth")
	require.Equal(t, "booked at 10", r.Outcomes[1].String())
	require.Equal(t, "turned away", r.Outcomes[4].String())
}

// TestBytesPerLive compares the heap with what the array is known to hold.
func TestBytesPerLive(t *testing.T) {
	const n = 20_000
	var bookings []workload.Booking
	for i := range bookahead.Time(n) {
		b := job(0, 10, 10, 1)
		b.Request.Ready = 10_000_000 - 20*i // each makes two slots of 16 bytes
		bookings = append(bookings, b)
	}
	r, err := Run(func() (bookahead.Schedule, error) { return carts.NewFlat(4, carts.Config{}) }, 4, bookings, nil)
	require.NoError(t, err)
	require.Equal(t, n, r.Live)
	require.Greater(t, r.BytesPerLive, 2*16+24.0, "slots and ledger")
	require.Less(t, r.BytesPerLive, 2*(2*16+24.0), "and room to grow")
}

type liar struct{ bookahead.Schedule }

func (l liar) Reserve(r bookahead.Request) (bookahead.Reservation, error) {
	r.Ready++
	return l.Schedule.Reserve(r)
}

type forgetful struct{ bookahead.Schedule }

func (forgetful) Release(bookahead.ID) error { return bookahead.ErrNotFound }

func TestFaultsEndTheReplay(t *testing.T) {
	bookings := []workload.Booking{job(0, 4, 10, 4), job(7, 4, 10, 4)}
	wrap := func(f func(bookahead.Schedule) bookahead.Schedule) func() (bookahead.Schedule, error) {
		return func() (bookahead.Schedule, error) {
			s, err := flat(4)()
			return f(s), err
		}
	}
	_, err := Run(wrap(func(s bookahead.Schedule) bookahead.Schedule { return liar{s} }), 4, bookings, nil)
	require.ErrorContains(t, err, "booking 1, submitted at 0: ")
	require.ErrorContains(t, err, "Search says [0, 10) 4")
	_, err = Run(wrap(func(s bookahead.Schedule) bookahead.Schedule { return forgetful{s} }), 4, bookings, nil)
	require.ErrorIs(t, err, bookahead.ErrNotFound)
	_, err = Run(flat(4), 4, []workload.Booking{job(0, 1, 1, 5)}, nil)
	require.ErrorIs(t, err, bookahead.ErrInvalid)
	_, err = Run(flat(4), 4, []workload.Booking{job(5, 1, 1, 1), job(4, 1, 1, 1)}, nil)
	require.ErrorIs(t, err, bookahead.ErrInvalid, "not in order of submission")
	broken := errors.New("broken")
	_, err = Run(func() (bookahead.Schedule, error) { return nil, broken }, 4, bookings, nil)
	require.ErrorIs(t, err, broken)
	r, err := Run(flat(4), 4, nil, nil)
	require.NoError(t, err)
	require.Zero(t, r.Accepted)
}
