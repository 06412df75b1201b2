package desk

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/effort"
	"github.com/bookahead/bookahead/nodes"
	"github.com/bookahead/bookahead/scheduletest"
)

// stepsOf returns how many steps the decision on a command takes if nothing limits them, and its error.
func stepsOf(d *Desk, c Command) (int64, error) {
	err := c.check()
	if err != nil {
		return 0, err
	}
	m := unlimited()
	err = d.b.decideOne(c, new(pending), m)
	return m.Steps(), err
}

// limited returns a clone of a desk with another Effort.
func limited(d *Desk, steps int64) *Desk {
	c := d.Clone()
	c.b.config.Effort = steps
	return c
}

// Desks that have the same state count the same steps: one that has seen all commands, and one that was read from a
// snapshot. Otherwise one replica would refuse a command that another accepts.
func TestStepsAreTheSameOnEveryMember(t *testing.T) {
	histories := 1 + scheduletest.Operations()/10_000
	most, counted := int64(0), 0
	for seed := range uint64(histories) {
		p := newPlayer(t, seed)
		read := p.d
		for i := range 400 {
			if i%40 == 0 {
				var err error
				read, err = Read(bytes.NewReader(written(t, p.d)), keepsNine)
				require.NoError(t, err)
			}
			c := p.next()
			steps, err := stepsOf(p.d, c)
			again, failed := stepsOf(read, c)
			require.Equal(t, steps, again, "seed %d: %#v", seed, c)
			require.Equal(t, err == nil, failed == nil)
			most = max(most, steps)
			if steps > 0 {
				counted++
			}
			_, err = p.d.Do(c)
			_, failed = read.Do(c)
			require.Equal(t, err, failed)
		}
	}
	require.Greater(t, counted, 50*histories)
	t.Logf("%d histories of 400 commands, %d that counted steps, at most %d", histories, counted, most)
}

// A command whose Effort is less than it needs is refused, and changes nothing; no command takes more.
func TestACommandIsRefusedWithinItsEffort(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 37))
	refused, done := map[string]int{}, 0
	for seed := range uint64(4 + scheduletest.Operations()/20_000) {
		p := newPlayer(t, seed+100)
		for range 300 {
			c := p.next()
			steps, err := stepsOf(p.d, c)
			if steps > 0 && !errors.Is(err, bookahead.ErrInvalid) {
				before := written(t, p.d)
				d := limited(p.d, 1+rng.Int64N(steps))
				out, err := d.Do(c)
				switch {
				case errors.Is(err, bookahead.ErrStopped):
					require.Equal(t, before, written(t, d))
					require.ErrorContains(t, err, "given up after")
					refused[c.verb()]++
				case err == nil:
					done++
					require.NoError(t, d.Verify())
				default:
					require.Zero(t, out)
				}
				m, err := effort.New(bookahead.Effort{Steps: d.b.config.Effort})
				require.NoError(t, err)
				_ = p.d.b.decideOne(c, new(pending), &m)
				require.LessOrEqual(t, m.Steps(), d.b.config.Effort, "%#v", c)
			}
			_, _ = p.d.Do(c)
		}
	}
	for _, verb := range []string{"book", "change", "overrun", "close", "batch", "bookSeries"} {
		require.NotZero(t, refused[verb], "%s: %v", verb, refused)
	}
	t.Logf("refused %v, done with fewer steps %d", refused, done)
}

// Windows that overlap, and that their occurrences fill, are in each other's way at every shift, so that two shifts are tried
// whatever the Shift is. Before, each shift was tried: 2^17 searches in vain, and more than four seconds.
func TestSeriesWithALargeShift(t *testing.T) {
	d := deskWith(t, "lab", Servers{Count: 4})
	must(t, d, Book{Request: at(1<<52, "lab", 2, 1<<20)})
	before := written(t, d)
	series := func(shift bookahead.Duration) BookSeries {
		return BookSeries{
			Request: Request{Shapes: []Shape{{{On: "lab", Units: 3}}}},
			At:      Occurrences{{Start: 0, End: 1 << 31}, {Start: 5, End: 6}, {Start: 7, End: 1<<20 + 6}}, Shift: shift,
		}
	}
	want, _ := stepsOf(d, series(1<<20))
	require.Less(t, want, int64(2_000))
	for _, shift := range []bookahead.Duration{1 << 20, 1 << 40, 1 << 61} {
		steps, err := stepsOf(d, series(shift))
		var none *OccurrenceError
		require.ErrorAs(t, err, &none)
		require.Equal(t, 1, none.Index, "it lies within the first")
		require.LessOrEqual(t, steps, want)
		_, err = d.Do(series(shift))
		require.ErrorIs(t, err, bookahead.ErrUnavailable)
		require.Equal(t, before, written(t, d))
	}
	do(t, d, Extend{On: "lab", Interval: ticks(1<<40, 1<<42), Units: 2})
	steps, err := stepsOf(d, series(1<<61))
	require.NoError(t, err)
	require.Less(t, steps, 2*want)
	out := do(t, d, series(1<<61))
	s, err := d.Series(out.Series)
	require.NoError(t, err)
	require.Equal(t, bookahead.Duration(1<<40-5), s.Shift, "with six servers two of them fit at once")
}

// BookSeries tries shift by shift where the occurrences could lie beside each other, and each takes the place of the next.
func TestALargeShiftIsGivenUp(t *testing.T) {
	d := deskWith(t, "lab", Servers{Count: 4})
	c := BookSeries{
		Request: Request{Shapes: []Shape{{{On: "lab", Units: 3, Duration: 5}}}},
		At:      Occurrences{{Start: 0, End: 9}, {Start: 0, End: 9}}, Shift: 1 << 61,
	}
	require.Len(t, d.b.placing(unlimited(), ofBookSeries, &c.Request, c.At, false).clashes(), 1, "both hold tick 4")
	c.At = Occurrences{{Start: 0, End: 10}, {Start: 0, End: 10}, {Start: 3, End: 10}}
	c.Shapes[0][0].Duration = 4
	require.Empty(t, d.b.placing(unlimited(), ofBookSeries, &c.Request, c.At, false).clashes())
	before := written(t, d)
	for _, effort := range []int64{1_000, 100_000} {
		d = limited(d, effort)
		_, err := d.Do(c)
		require.ErrorIs(t, err, bookahead.ErrStopped)
		require.ErrorContains(t, err, "at a shift of")
		require.Equal(t, before, written(t, d))
	}
}

// Those who wait do not stop a Cancel, however small the Effort is, and have their turns as long as there are steps.
func TestACancelIsNeverGivenUp(t *testing.T) {
	d := deskWith(t, "a", Pool{Units: 1}, "b", Pool{Units: 1})
	blocked := must(t, d, Book{Request: at(0, "a", 1, 50)})
	crowdFor(t, d, 100, "a", 1)
	r := at(0, "a", 1, 5)
	r.Deadline = 60
	k := must(t, d, Book{Request: r, Wait: 40})
	require.Equal(t, Booked, k.State, "it fits at 50")
	r.Deadline = 50
	k = must(t, d, Book{Request: r, Wait: 40})
	require.Equal(t, Waiting, k.State)
	for effort, want := range map[int64]int{1: 0, 20_000: 2} {
		d := limited(d, effort)
		out := do(t, d, Cancel{blocked.ID})
		granted := 0
		for _, e := range out.Events {
			if e.What == WasBooked {
				granted++
			}
		}
		require.Equal(t, want, granted, "one of the crowd, and the other, within %d steps", effort)
	}
	_, err := limited(d, 1).Do(Book{Request: r})
	require.ErrorIs(t, err, bookahead.ErrStopped)
}

// A Horizon that reaches to the end of the axis lets the clock go no further, and a refused Advance changes nothing.
func TestAdvanceToTheEndOfAHorizon(t *testing.T) {
	far := bookahead.Duration(bookahead.MaxTime)
	for _, kind := range []Kind{Pool{1, far}, Servers{1, far, ""}, Nodes{Horizon: far, Resources: []string{"x"}, Nodes: []nodes.Vector{{1}}}, Pool{1, far - 5}} {
		d := deskWith(t, "free", Pool{Units: 1}, "bound", kind)
		before := written(t, d)
		_, err := d.Do(Advance{6})
		require.ErrorIs(t, err, bookahead.ErrInvalid)
		require.ErrorContains(t, err, `plus the horizon of "bound" overflows`)
		require.Equal(t, before, written(t, d))
	}
	d := deskWith(t, "bound", Pool{1, far - 5})
	must(t, d, Advance{5})
	_, err := d.Do(Advance{6})
	require.ErrorIs(t, err, bookahead.ErrInvalid)
	require.NoError(t, d.Verify())
}

// An Advance is not counted: each booking starts, ends or expires, and is forgotten once, each series and each schedule
// tells once that it needs more, and each outage ends once. So it has no more events than that, however far it goes.
func TestAnAdvanceIsBoundedByTheState(t *testing.T) {
	for seed := range uint64(20) {
		p := newPlayer(t, seed+200)
		for range 300 {
			_, _ = p.d.Do(p.next())
		}
		d := limited(p.d, 1)
		bookings, waits := 0, 0
		for _, k := range collected(d.Bookings(Filter{}, bookahead.Effort{Steps: math.MaxInt64})) {
			bookings++
			if k.State == Waiting {
				waits++
			}
		}
		most := 2*bookings + waits + len(d.AllSeries()) + len(d.Schedules()) + 1
		far := bookahead.Time(1) << 52
		out, err := d.Do(Advance{far})
		require.NoError(t, err)
		require.LessOrEqual(t, len(out.Events), most)
		require.NoError(t, d.Verify())
		out, err = d.Do(Advance{far + 1<<40})
		require.NoError(t, err)
		require.LessOrEqual(t, len(out.Events), d.b.all.Len()+1, "nothing is left to happen")
	}
}

// Each query stops at its Effort, and at the end of its context.
func TestQueriesKeepTheirEffort(t *testing.T) {
	d := comb(t, 300)
	r := narrow()
	free := bookahead.Interval{Start: 0, End: 1000}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	walk := func(e bookahead.Effort) error {
		for _, err := range d.Alternatives(at(0, "b", 1, 5), Vary{On: []string{"a"}, Durations: []bookahead.Duration{2, 3, 4}}, e) {
			if err != nil {
				return err
			}
		}
		return nil
	}
	list := func(e bookahead.Effort, f Filter) error {
		for _, err := range d.Bookings(f, e) {
			if err != nil {
				return err
			}
		}
		return nil
	}
	for name, ask := range map[string]func(bookahead.Effort) error{
		"search":       func(e bookahead.Effort) error { _, err := d.Search(r, e); return err },
		"why":          func(e bookahead.Effort) error { _, err := d.Why(r, e); return err },
		"alternatives": walk,
		"use":          func(e bookahead.Effort) error { _, err := d.Use(free, "a", e); return err },
		"bookings":     func(e bookahead.Effort) error { return list(e, Filter{}) },
		"of a window":  func(e bookahead.Effort) error { return list(e, Filter{On: "a", Window: free}) },
		"of an owner":  func(e bookahead.Effort) error { return list(e, Filter{Owner: "", On: "a", Window: free}) },
	} {
		require.NoError(t, ask(bookahead.Effort{}), name)
		require.NoError(t, ask(bookahead.Effort{Context: t.Context(), Steps: math.MaxInt64}), name)
		err := ask(bookahead.Effort{Steps: 200})
		require.ErrorIs(t, err, bookahead.ErrStopped, name)
		require.ErrorContains(t, err, "given up after", name)
		require.ErrorIs(t, ask(bookahead.Effort{Context: ended}), context.Canceled, name)
		require.ErrorIs(t, ask(bookahead.Effort{Steps: -1}), bookahead.ErrInvalid, name)
	}
}

// Who may have to give way is looked at, so each rival counts a step, although one is taken out in the end.
func TestRivalsAreCounted(t *testing.T) {
	force := func(rivals int) int64 {
		d := deskWith(t, "a", Pool{Units: 2_000})
		for range rivals {
			r := at(0, "a", 1, 5)
			r.Priority = -1
			_, err := d.Do(Book{Request: r})
			require.NoError(t, err)
		}
		must(t, d, Book{Request: at(0, "a", 2_000-int64(rivals), 5)})
		r := at(0, "a", 1, 5)
		r.Deadline = 5
		steps, err := stepsOf(d, Book{Request: r, Force: Lower})
		require.NoError(t, err)
		return steps
	}
	require.Equal(t, int64(900), force(1_000)-force(100))
}

// A booking that is hard to place is displaced, and the closure and the other bookings do without it.
func TestAClosureIsNotGivenUpForOneBooking(t *testing.T) {
	d := deskWith(t, "a", Pool{Units: 1}, "b", Pool{Units: 1})
	hard := must(t, d, Book{Request: narrow()})
	r := at(hard.End, "a", 1, 1)
	r.Deadline = 20
	easy := must(t, d, Book{Request: r})
	for i := range bookahead.Time(300) {
		for _, on := range []string{"a", "b"} {
			must(t, d, Book{Request: at(2*i+10, on, 1, 1)})
		}
	}
	c := Close{On: "a", Interval: ticks(0, 10), Units: 1, Force: Anybody}
	steps, err := stepsOf(d, c)
	require.NoError(t, err)
	for effort, state := range map[int64]State{4 * steps: Booked, steps / 2: Displaced} {
		d := limited(d, effort)
		must(t, d, c)
		k, err := d.Booking(hard.ID)
		require.NoError(t, err)
		require.Equal(t, state, k.State)
		k, err = d.Booking(easy.ID)
		require.NoError(t, err)
		require.Equal(t, Booked, k.State)
	}
}

// All turns after a command take at most twice the steps that a command may take, whoever waits, and one that needs many
// takes nothing from the part of another.
func TestTurnsAreBoundedTogether(t *testing.T) {
	d := comb(t, 300)
	r := narrow()
	r.Deadline = 100
	const waits = 40
	for range waits {
		must(t, d, Book{Request: r, Wait: 5_000})
	}
	list := slices.Collect(d.Waiting())
	require.Len(t, list, waits)
	few := d.b.least(&list[0].Request)
	for _, effort := range []int64{1, few, 3 * few, 1 << 24} {
		c := limited(d, effort)
		steps := budget{effort, effort}
		granted, err := c.b.grantRound(c.b.waiting, &steps)
		require.NoError(t, err)
		require.Empty(t, granted)
		require.GreaterOrEqual(t, steps.left, int64(0))
		require.GreaterOrEqual(t, steps.reserve, int64(0))
		require.Equal(t, effort <= 3*few, steps.reserve < few, "%d and %d left of %d", steps.left, steps.reserve, effort)
	}
	for _, x := range []struct{ left, reserve, least, share, used, left2, reserve2 int64 }{
		{100, 100, 10, 10, 10, 90, 100},
		{100, 100, 25, 25, 25, 90, 85},
		{100, 5, 25, 15, 15, 90, 0},
		{9, 100, 25, 25, 20, 9, 80},
		{100, 100, 25, 25, 3, 97, 100},
	} {
		b := budget{x.left, x.reserve}
		require.Equal(t, x.share, b.share(10, x.least))
		b.spend(10, x.used)
		require.Equal(t, budget{x.left2, x.reserve2}, b)
	}
}

// What eve has used is over for her quota, and an account still has it: one that was read from a snapshot does not. A search
// takes as many steps beside either, or else one replica would refuse a booking that another makes.
func TestStepsDoNotDependOnUseThatIsOver(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 37))
	quotas := []Quota{{Ticks: 39, Window: 20}, {Ticks: 30, Every: 17, From: 4}, {Units: 3}, {Ticks: 60, Periods: []bookahead.Interval{ticks(0, 50), ticks(60, 300)}}}
	for n := range 200 + scheduletest.Operations()/500 {
		config := Config{Keep: bookahead.Duration(rng.IntN(30))}
		d, err := New(config)
		require.NoError(t, err)
		_, err = d.Do(AddSchedule{"pool", Pool{Units: 4}})
		require.NoError(t, err)
		for i := range 1 + rng.IntN(3) {
			q := quotas[rng.IntN(len(quotas))]
			q.Each = rng.IntN(4) > 0
			_, err = d.Do(SetQuota{fmt.Sprint("q", i), q})
			require.NoError(t, err)
		}
		for range rng.IntN(8) {
			_, _ = d.Do(Book{Request: eve(1+rng.Int64N(2), bookahead.Time(rng.IntN(60)), bookahead.Duration(1+rng.IntN(60)))})
		}
		for range 3 {
			_, err = d.Do(Advance{d.Now() + bookahead.Time(rng.IntN(40))})
			require.NoError(t, err)
			read, err := Read(bytes.NewReader(written(t, d)), config)
			require.NoError(t, err)
			c := Book{Request: eve(1+rng.Int64N(2), 0, bookahead.Duration(1+rng.IntN(40)))}
			steps, err := stepsOf(d, c)
			again, failed := stepsOf(read, c)
			require.Equal(t, err, failed)
			require.Equal(t, steps, again, "case %d", n)
			why := func(d *Desk) int64 {
				q := inquiry{books: &d.b, meter: unlimited(), Request: c.Request.Clone()}
				_, err := q.answer(func() []Obstacle { return nil })
				require.NoError(t, err)
				return q.meter.Steps()
			}
			require.Equal(t, why(d), why(read), "case %d", n)
			for id := range read.b.owners.of("eve", bookahead.Interval{End: bookahead.MaxTime}) {
				change := Change{ID: id, To: c.Request}
				steps, err = stepsOf(d, change)
				again, failed = stepsOf(read, change)
				require.Equal(t, err, failed)
				require.Equal(t, steps, again, "case %d: %v", n, change)
			}
			_, _ = d.Do(c)
		}
	}
}
