package replay

import (
	"errors"
	"testing"
	"time"

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
		job(5, 5, 5, 4),    // in the units released at 4: [5, 10)
		job(6, 3, 3, 1),    // beside the second: [10, 13)
		job(6, 1, 2000, 1), // beyond the horizon
		job(30, 1, 2, 3),   // [30, 32), ends at 31
	}
	bookings[3].Request.Ready = 8
	done := 0
	r, err := Run(flat(4), 4, bookings, func(s Step) bool {
		if s.Pass == 0 {
			done = max(done, s.Done)
			require.Equal(t, 6, s.Of)
		}
		return true
	})
	require.NoError(t, err)
	require.Equal(t, []Outcome{{true, 0}, {true, 10}, {true, 5}, {true, 10}, {}, {true, 30}}, r.Outcomes)
	require.Equal(t, 5, r.Accepted)
	require.InDelta(t, 5/6.0, r.Success, 1e-9)
	require.Equal(t, len(bookings), done)
	require.InDelta(t, (0+8+0+2+0)/5.0, r.MeanWait, 1e-9)
	require.InDelta(t, float64(4*4+10*2+5*4+3*1+1*3)/(4*31), r.Utilisation, 1e-9)
	require.Equal(t, 6, r.Search.Calls)
	require.Equal(t, 6, r.Reserve.Calls)
	require.Equal(t, 2, r.Release.Calls, "two ended early")
	require.Equal(t, 8, r.Advance.Calls, "to six submissions, and these two ends")
	require.Equal(t, 1, r.Live)
	require.Equal(t, 3, r.MostLive, "after the fourth")
	require.Equal(t, "booked at 10", r.Outcomes[1].String())
	require.Equal(t, "turned away", r.Outcomes[4].String())
}

// TestStop: a replay that is cut short has the result of the bookings done so far.
func TestStop(t *testing.T) {
	var bookings []workload.Booking
	for i := range bookahead.Time(20) {
		bookings = append(bookings, job(i, 3, 5, 2))
	}
	bookings[3].Run = 5
	whole, err := Run(flat(4), 4, bookings, nil)
	require.NoError(t, err)
	part, err := Run(flat(4), 4, bookings[:7], nil)
	require.NoError(t, err)
	r, err := Run(flat(4), 4, bookings, func(s Step) bool { return s.Pass > 0 || s.Done < 7 })
	require.NoError(t, err)
	require.Equal(t, part.Outcomes, r.Outcomes)
	require.Equal(t, whole.Outcomes[:7], r.Outcomes)
	require.Equal(t,
		[]any{part.Accepted, part.Success, part.MeanWait, part.Utilisation, part.Live, part.MostLive, 7, 7},
		[]any{r.Accepted, r.Success, r.MeanWait, r.Utilisation, r.Live, r.MostLive, r.Search.Calls, r.Reserve.Calls})
	require.Positive(t, r.BytesPerLive)

	search, reserve, accepted := whole.First(7)
	require.Equal(t, []int{7, 7, part.Accepted}, []int{search.Calls, reserve.Calls, accepted})
	search, _, accepted = whole.First(20)
	require.Equal(t, whole.Search, search)
	require.Equal(t, whole.Accepted, accepted)

	r, err = Run(flat(4), 4, bookings, func(Step) bool { return false })
	require.NoError(t, err)
	require.Empty(t, r.Outcomes)
	require.Zero(t, r.MostLive)
}

// TestStopAmongReleases: to release all jobs that are live at the end may take long, so
// a replay can be stopped there too.
func TestStopAmongReleases(t *testing.T) {
	bookings := []workload.Booking{job(0, 3, 5, 1), job(0, 3, 5, 1), job(0, 3, 5, 1)}
	asked := 0
	r, err := Run(flat(4), 4, bookings, func(s Step) bool {
		if s.Pass == 0 && s.Done == 3 {
			asked++
		}
		return asked < 2
	})
	require.NoError(t, err)
	require.Len(t, r.Outcomes, 3)
	require.Equal(t, 1, r.Release.Calls)
	require.Zero(t, r.BytesPerLive, "there was no time to weigh it")
}

// TestStopWeighing: no schedule is built for a weighing that more forbids, and the
// weighings done so far count.
func TestStopWeighing(t *testing.T) {
	bookings := []workload.Booking{job(0, 3, 5, 1), job(0, 3, 5, 1)}
	for stop, made := range map[Step]int{{1, 0, 2}: 1, {1, 1, 2}: 2, {2, 0, 2}: 2, {2, 1, 2}: 3} {
		built := 0
		fresh := func() (bookahead.Schedule, error) {
			built++
			return flat(4)()
		}
		r, err := Run(fresh, 4, bookings, func(s Step) bool { return s != stop })
		require.NoError(t, err)
		require.Equal(t, made, built, "%+v", stop)
		require.Equal(t, stop.Pass > 1, r.BytesPerLive > 0, "%+v", stop)
	}
}

// TestUtilisationBeginsWithTheFirstSubmission: the time before it does not count.
func TestUtilisationBeginsWithTheFirstSubmission(t *testing.T) {
	r, err := Run(flat(4), 4, []workload.Booking{job(900, 10, 10, 2), job(905, 5, 5, 2)}, nil)
	require.NoError(t, err)
	require.InDelta(t, float64(10*2+5*2)/(4*10), r.Utilisation, 1e-9)
}

// journal notes the IDs of the releases, in order.
type journal struct {
	bookahead.Schedule
	released *[]bookahead.ID
}

func (j journal) Release(id bookahead.ID) error {
	*j.released = append(*j.released, id)
	return j.Schedule.Release(id)
}

func TestEndsAreInOrder(t *testing.T) {
	s, err := flat(4)()
	require.NoError(t, err)
	var released []bookahead.ID
	d := newDriver(journal{s, &released}, nil, nil, func(int) bool { return true })
	for _, b := range []workload.Booking{job(0, 7, 9, 1), job(1, 6, 9, 1), job(2, 3, 9, 1), job(2, 5, 9, 1)} {
		require.NoError(t, d.submit(b))
	}
	require.NoError(t, d.endBy(7))
	require.Equal(t, []bookahead.ID{3, 1, 2, 4}, released, "by time, and by ID at the same")
}

// TestBytesPerLive compares the heap with the known size of the array and the ledger.
func TestBytesPerLive(t *testing.T) {
	const n = 5_000
	var bookings []workload.Booking
	for i := range bookahead.Time(n) {
		b := job(0, 10, 10, 1)
		b.Request.Ready = 10_000_000 - 20*i // each makes two slots of 16 bytes
		bookings = append(bookings, b)
	}
	r, err := Run(func() (bookahead.Schedule, error) { return carts.NewFlat(4, carts.Config{}) }, 4, bookings, nil)
	require.NoError(t, err)
	require.Equal(t, n, r.MostLive)
	require.Greater(t, r.BytesPerLive, 2*16+24.0, "slots and ledger")
	require.Less(t, r.BytesPerLive, 2*(2*16+24.0), "and room to grow")
}

// heavy takes memory before anything is booked, as a ring of slots does, and
// drops it in time.
type heavy struct {
	bookahead.Schedule
	ballast *[1 << 20]byte
}

func (h *heavy) Advance(now bookahead.Time) error {
	if now >= 50 {
		h.ballast = nil
	}
	return h.Schedule.Advance(now)
}

// TestBytesWhenMostAreLive: the fixed memory of a schedule counts. The schedule is weighed
// when most jobs are live, not at the end of the replay.
func TestBytesWhenMostAreLive(t *testing.T) {
	fresh := func() (bookahead.Schedule, error) {
		s, err := flat(4)()
		return &heavy{s, new([1 << 20]byte)}, err
	}
	r, err := Run(fresh, 4, []workload.Booking{job(0, 9, 9, 1), job(0, 9, 9, 1), job(50, 9, 9, 1)}, nil)
	require.NoError(t, err)
	require.InEpsilon(t, (1<<20)/2, r.BytesPerLive, 0.05)
}

type liar struct{ bookahead.Schedule }

func (l liar) Reserve(r bookahead.Request) (bookahead.Reservation, error) {
	r.Ready++
	return l.Schedule.Reserve(r)
}

type stubborn struct{ bookahead.Schedule }

func (stubborn) Reserve(bookahead.Request) (bookahead.Reservation, error) {
	return bookahead.Reservation{}, bookahead.ErrUnavailable
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
	require.ErrorContains(t, err, "Search returns [0, 10) 4")
	_, err = Run(wrap(func(s bookahead.Schedule) bookahead.Schedule { return stubborn{s} }), 4, bookings, nil)
	require.ErrorContains(t, err, "Search returns [0, 10) 4, <nil>, but Reserve")
	_, err = Run(wrap(func(s bookahead.Schedule) bookahead.Schedule { return forgetful{s} }), 4, bookings, nil)
	require.ErrorIs(t, err, bookahead.ErrNotFound)
	_, err = Run(flat(4), 4, []workload.Booking{job(0, 1, 1, 0)}, nil)
	require.ErrorIs(t, err, bookahead.ErrInvalid)
	larger, err := Run(flat(4), 4, []workload.Booking{job(0, 1, 1, 5)}, nil)
	require.NoError(t, err)
	require.Equal(t, []Outcome{{}}, larger.Outcomes, "a job of more than the capacity is turned away")
	_, err = Run(flat(4), 4, []workload.Booking{job(5, 1, 1, 1), job(4, 1, 1, 1)}, nil)
	require.ErrorIs(t, err, bookahead.ErrInvalid, "not in order of submission")
	broken := errors.New("broken")
	_, err = Run(func() (bookahead.Schedule, error) { return nil, broken }, 4, bookings, nil)
	require.ErrorIs(t, err, broken)
	require.EqualError(t, err, "broken")
	r, err := Run(flat(4), 4, nil, nil)
	require.NoError(t, err)
	require.Zero(t, r.Accepted)
}

// TestJobsEndWithTheirBooking: a job that would run longer than its booking is cut at
// the end of the booking, where nothing is left to release.
func TestJobsEndWithTheirBooking(t *testing.T) {
	r, err := Run(flat(4), 4, []workload.Booking{job(0, 9, 5, 4), job(5, 5, 5, 4)}, nil)
	require.NoError(t, err)
	require.Equal(t, []Outcome{{true, 0}, {true, 5}}, r.Outcomes)
	require.InDelta(t, 1, r.Utilisation, 1e-9)
	require.Zero(t, r.Release.Calls)
	require.Equal(t, 1, r.MostLive, "the end comes before the submission")
}

func TestStopwatch(t *testing.T) {
	w := newStopwatch(100)
	for range 100 {
		w.stop(w.start(), searching)
	}
	c := w.cost(searching)
	require.Equal(t, 100, c.Calls)
	require.Less(t, c.Median, time.Microsecond, "its own time is not counted")
	require.Zero(t, w.cost(reserving))
	w.overhead = time.Hour
	w.stop(w.start(), reserving)
	require.Equal(t, Cost{Calls: 1}, w.cost(reserving), "never negative")

	w.took[releasing] = nil
	for i := 200; i > 0; i-- {
		w.took[releasing] = append(w.took[releasing], time.Duration(i))
	}
	require.Equal(t, Cost{Calls: 200, Mean: 100, Median: 101, P99: 199}, w.cost(releasing))
}
