package desk

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/nodes"
)

// Each row of "Work that is bounded" in the package's page, to the step.
func TestWhatCounts(t *testing.T) {
	two := func(on string) Request {
		return asks(Part{On: on, Units: 2, Duration: 3}, Part{On: on, Units: 2, Duration: 3, After: &Gap{0, 5}})
	}
	task := func(n int64) Part {
		return Part{On: "farm", Units: n, Duration: 3, Tasks: &nodes.Request{Each: nodes.Vector{1}}}
	}
	d, err := New(Config{})
	require.NoError(t, err)
	for _, c := range []Command{
		AddSchedule{Name: "pool", Kind: Pool{Units: 8, Horizon: 1000}},
		AddSchedule{Name: "other", Kind: Pool{Units: 8, Horizon: 1000}},
		AddSchedule{Name: "rack", Kind: Servers{Count: 1024, Horizon: 1000}},
		AddSchedule{Name: "farm", Kind: Nodes{Horizon: 1000, Resources: []string{"gpus"}, Nodes: []nodes.Vector{{8}, {8}, {8}}}},
		AddSchedule{Name: "shop", Kind: Pool{Units: 8, Horizon: 1000}},
		SetTerms{On: "shop", Terms: Terms{Open: []bookahead.Interval{ticks(10, 20), ticks(30, 40)}}},
	} {
		must(t, d, c)
	}
	counts := func(want int64, c Command) {
		t.Helper()
		steps, err := stepsOf(d, c)
		require.NoError(t, err)
		require.Equal(t, want, steps, "%#v", c)
	}
	counts(64, Book{Request: asks(Part{On: "pool", Units: 2, Duration: 3})})
	counts(64+1024/512+80/8, Book{Request: asks(Part{On: "rack", Units: 80, Duration: 3})})
	counts(64+3, Book{Request: asks(task(2))})
	counts(64+1+2, Book{Request: asks(Part{On: "shop", Units: 2, Duration: 3})})
	counts(2*(16+64), Book{Request: two("pool")})
	counts(2*(16+64+3*(1+2)), Book{Request: two("shop")}) // a step asks the terms until they agree, and once behind its search
	both := asks(Part{On: "pool", Units: 2, Duration: 3}, Part{On: "other", Units: 2, Duration: 3})
	counts(16+2*64, Book{Request: both})
	counts(3*3, AddSchedule{Name: "again", Kind: Broker{Of: []string{"pool", "other", "shop"}}})

	must(t, d, AddSchedule{Name: "either", Kind: Broker{Of: []string{"pool", "other"}}})
	counts(16+5*64, Book{Request: asks(Part{On: "either", Units: 2, Duration: 3})}) // once together, and each of both twice
	must(t, d, SetQuota{Name: "all", Quota: Quota{Units: 4}})
	must(t, d, SetQuota{Name: "each", Quota: Quota{Each: true, Units: 3}})
	counts(3*(3+2), AddSchedule{Name: "again", Kind: Broker{Of: []string{"pool", "other", "shop"}}})
	counts(64+2+2*8+2, Book{Request: asks(Part{On: "pool", Units: 2, Duration: 3})})

	k := must(t, d, Book{Request: asks(Part{On: "pool", Units: 3, Duration: 5})})
	counts(2*64+2+2*8+16+7, Book{Request: asks(Part{On: "pool", Units: 2, Duration: 3})}) // two searches, a leap between them, and 7 looks
	counts(2*64+2*(2+2*8), Change{ID: k.ID, To: asks(Part{On: "pool", Units: 2, Duration: 5})})
	counts(2*(16+64+2+2*8)+64+16+9, Book{Request: two("other")}) // the first step is searched for twice
}

// The Effort of a desk is that of each command.
func TestEffortToTheStep(t *testing.T) {
	d, err := New(Config{})
	require.NoError(t, err)
	must(t, d, AddSchedule{Name: "pool", Kind: Pool{Units: 8, Horizon: 1000}})
	c := Book{Request: asks(Part{On: "pool", Units: 2, Duration: 3})}
	_, err = limited(d, 63).Do(c)
	require.ErrorIs(t, err, bookahead.ErrStopped)
	must(t, limited(d, 64), c)
}

// A series whose windows clash is shifted to the first place with units for all of them: each look counts 1, and the
// square of the outages.
func TestAShiftCounts(t *testing.T) {
	steps := func(outages int) int64 {
		d, err := New(Config{})
		require.NoError(t, err)
		must(t, d, AddSchedule{Name: "pool", Kind: Pool{Units: 4, Horizon: 1 << 20}})
		for i := range outages {
			start := bookahead.Time(1000 + 10*i)
			must(t, d, Extend{On: "pool", Interval: bookahead.Interval{Start: start, End: start + 5}, Units: 4})
		}
		n, _ := stepsOf(d, BookSeries{Request: asks(Part{On: "pool", Units: 3}), At: Occurrences{ticks(0, 4), ticks(2, 5)}, Shift: 1 << 18})
		return n
	}
	require.Equal(t, int64(1+4*4-1-2*2), steps(4)-steps(2))
}

// Two bookings may give way, and one of them does. Of the steps, 64 are the copy of the pool that the trial has written to:
// the trial of the other begins with it.
func TestACopyOfATrialCounts(t *testing.T) {
	d, err := New(Config{})
	require.NoError(t, err)
	must(t, d, AddSchedule{Name: "pool", Kind: Pool{Units: 8, Horizon: 1000}})
	must(t, d, Book{Request: asks(Part{On: "pool", Units: 6, Duration: 5})})
	must(t, d, Book{Request: asks(Part{On: "pool", Units: 2, Duration: 5})})
	r := asks(Part{On: "pool", Units: 3, Duration: 5})
	r.Deadline, r.Priority = 5, 1
	steps, err := stepsOf(d, Book{Request: r, Force: Anybody})
	require.NoError(t, err)
	require.Equal(t, int64(706), steps)
}
