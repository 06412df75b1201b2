package main

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/slotted"
)

// TestStream checks of jobs and of workflows that the load of the steady part is
// the one that is stated, and that it comes after one book-ahead time.
func TestStream(t *testing.T) {
	for _, figure := range figures([]int64{256}) {
		for _, e := range figure.experiments {
			gap, err := gapFor(e, 2, 5)
			require.NoError(t, err)
			s, err := newStream(e, gap, 2, 3, 5)
			require.NoError(t, err)
			warm := bookahead.Time(e.ahead)
			require.True(t, slices.IsSortedFunc(s.orders, func(a, b order) int { return int(a.submit - b.submit) }))
			require.Less(t, s.orders[s.steady-1].submit, warm)
			require.GreaterOrEqual(t, s.orders[s.steady].submit, warm)
			require.LessOrEqual(t, s.orders[len(s.orders)-1].submit, s.end)
			require.InEpsilon(t, 3*float64(e.ahead), float64(s.end-warm), 0.5, "it is drawn out or pushed together")
			require.InEpsilon(t, 2, work(s.orders[s.steady:])/(e.capacity()*float64(s.end-warm)), 1e-5, "load")
			require.InEpsilon(t, float64(s.end-warm)/float64(len(s.orders)-s.steady), s.interarrival(warm), 1e-12)
			for _, o := range s.orders {
				require.LessOrEqual(t, float64(o.job.Ready), e.lead*float64(warm))
				require.LessOrEqual(t, o.job.Ready+o.shortest(), warm, "an empty system takes it")
				require.NoError(t, o.request(o.submit+o.job.Ready).Validate())
			}
		}
	}
}

// slow accepts all orders before warm, and takes its time.
type slow struct{ warm, now bookahead.Time }

func (s *slow) advance(now bookahead.Time) error { s.now = now; return nil }

func (s *slow) book(order) error {
	if s.now < s.warm {
		time.Sleep(20 * time.Millisecond)
		return nil
	}
	if s.now%2 != 0 {
		return bookahead.ErrUnavailable
	}
	return nil
}

func TestWarmUpCountsForNothing(t *testing.T) {
	s := stream{steady: 3}
	for _, submit := range []bookahead.Time{1, 2, 3, 10, 11, 13, 15} {
		s.orders = append(s.orders, order{submit: submit})
	}
	success, micros, err := measure(&slow{warm: 10}, s)
	require.NoError(t, err)
	require.InDelta(t, 0.25, success, 1e-12, "only the order at 10")
	require.Less(t, micros, 5000.0)
}

func TestSlotsAreAsManyAsTheySay(t *testing.T) {
	for _, figure := range figures([]int64{256}) {
		for _, e := range figure.experiments {
			for _, st := range e.structures {
				_, err := st.open(e.units, e.ahead)
				require.NoError(t, err)
				if st.slots == 0 {
					continue
				}
				width := e.ahead / bookahead.Duration(st.slots)
				require.Equal(t, e.ahead, width*bookahead.Duration(st.slots))
				n, err := slotted.Config{Horizon: e.ahead, Slot: width}.Slots()
				require.NoError(t, err)
				require.Equal(t, st.slots+1, n, "one more for the slot in which the clock stands")
			}
		}
	}
	_, err := slots(40_000).open(1, 900_000)
	require.EqualError(t, err, "900000 seconds do not divide into 40000 slots")
}

// TestExactStructuresHaveTheSameAnswers books the same jobs on each structure
// that is exact: all accept the same jobs, with the same starts.
func TestExactStructuresHaveTheSameAnswers(t *testing.T) {
	e := experiment{units: 128, ahead: 900_000, lead: usualLead, short: 18_000}
	if testing.Short() {
		e.ahead, e.short = 90_000, 1_800
	}
	exact := []structure{list, usedList, usedAVL, slots(int(e.ahead))}
	gap, err := gapFor(e, 2, 3)
	require.NoError(t, err)
	s, err := newStream(e, gap, 2, 0.5, 3)
	require.NoError(t, err)
	var schedules []bookahead.Schedule
	for _, st := range exact {
		schedule, err := st.open(e.units, e.ahead)
		require.NoError(t, err)
		schedules = append(schedules, schedule)
	}
	accepted := 0
	for _, o := range s.orders {
		var first bookahead.Reservation
		var firstErr error
		for i, schedule := range schedules {
			require.NoError(t, schedule.Advance(o.submit))
			res, err := schedule.Reserve(o.request(o.submit + o.job.Ready))
			if i == 0 {
				first, firstErr = res, err
			}
			require.Equal(t, firstErr, err, exact[i].name)
			require.Equal(t, first, res, exact[i].name)
		}
		if firstErr == nil {
			accepted++
		} else {
			require.Equal(t, bookahead.ErrUnavailable, firstErr)
		}
	}
	require.Greater(t, accepted, len(s.orders)/3)
	require.Less(t, accepted, len(s.orders)*9/10, "it is an overload")
}
