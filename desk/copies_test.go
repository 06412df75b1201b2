package desk

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/depth"
	"github.com/bookahead/bookahead/nodes"
)

// plainTerms draws terms that a copy knows: opening hours and a notice.
func plainTerms(rng *rand.Rand, now bookahead.Time) (t Terms) {
	from := now - 5
	for range rng.IntN(5) {
		from += bookahead.Time(1 + rng.IntN(6))
		to := from + bookahead.Time(1+rng.IntN(15))
		if from >= 0 {
			t.Open = append(t.Open, bookahead.Interval{Start: from, End: to})
		}
		from = to
	}
	if rng.IntN(3) == 0 {
		t.Notice = bookahead.Duration(rng.IntN(9))
	}
	return t
}

// allows reports whether a part may use a tick, by a look at each interval.
func (t *Terms) allows(at, now bookahead.Time) bool {
	in := slices.ContainsFunc(t.Open, func(w bookahead.Interval) bool { return w.Contains(at) })
	return at >= now+bookahead.Time(t.Notice) && (len(t.Open) == 0 || in)
}

// A desk that has seen all kinds of commands finds the places that a search on the copy of a schedule finds, and the copy
// has free at each tick as much as the desk, or nothing where the terms let nobody book. Whatever is done to
// a copy, the desk stays the same to the byte.
func TestCopiesFindThePlacesOfTheDesk(t *testing.T) {
	rounds := depth.Cases(600)
	count := map[string]int{}
	for seed := range uint64(rounds) {
		p := newPlayer(t, seed)
		for range 70 {
			_, _ = p.d.Do(p.next())
		}
		rng, d := p.rng, p.d
		for _, q := range d.Quotas() {
			must(t, d, DropQuota{q.Name})
		}
		for _, on := range []string{"gpus", "lab", "farm", "flat\xff"} {
			terms := plainTerms(rng, d.Now())
			must(t, d, SetTerms{on, terms})
			before := written(t, d)
			start := max(0, d.Now()-3+bookahead.Time(rng.IntN(8)))
			w := bookahead.Interval{Start: start, End: start + 1 + bookahead.Time(rng.IntN(60))}
			part := Part{On: on, Units: int64(1 + rng.IntN(4))}
			if on == "farm" {
				part.Tasks = &nodes.Request{Each: nodes.Vector{int64(rng.IntN(3)), 1 + int64(rng.IntN(4))}}
				part.Units = int64(1 + rng.IntN(3))
			}
			copied := copyOn(t, d, on, w, part)
			for at := max(w.Start, d.Now()); at < w.End; at++ {
				tick := bookahead.Interval{Start: at, End: at + 1}
				part.Duration = 1
				want, err := d.Free(tick, part)
				require.NoError(t, err)
				if !terms.allows(at, d.Now()) {
					want.Free = 0
					count["closed"]++
				}
				got, err := copied.RangeQuery(tick)
				require.NoError(t, err)
				require.Equal(t, want.Free, got.Free, "%q at %d, terms %+v", on, at, terms)
			}
			for range 4 {
				part.Duration = bookahead.Duration(1 + rng.IntN(9))
				r := asks(part)
				r.Ready, r.Deadline = w.Start+bookahead.Time(rng.IntN(8)), w.End
				if r.Ready+bookahead.Time(part.Duration) > r.Deadline {
					continue
				}
				want, err := d.Search(r, bookahead.Effort{})
				got, same := copied.Search(bookahead.Request{Ready: r.Ready, Deadline: r.Deadline, Duration: part.Duration, Units: part.Units})
				require.Equal(t, err == nil, same == nil, "%v and %v", err, same)
				if err == nil {
					require.Equal(t, want.Interval, got.Interval)
					count["found on "+on]++
				}
			}
			useUp(t, rng, copied, d.Now())
			require.Equal(t, before, written(t, d))
			require.NoError(t, d.Verify())
		}
	}
	t.Log(count)
	for _, what := range []string{"closed", "found on gpus", "found on lab", "found on farm", "found on flat\xff"} {
		require.Greater(t, count[what], rounds/5, what)
	}
}

// viewed is a copy as one sees it who asks for a part.
type viewed interface {
	Search(bookahead.Request) (bookahead.Offer, error)
	RangeQuery(bookahead.Interval) (bookahead.Availability, error)
	Reserve(bookahead.Request) (bookahead.Reservation, error)
	Advance(bookahead.Time) error
}

func copyOn(t require.TestingT, d *Desk, on string, w bookahead.Interval, p Part) viewed {
	if p.Tasks == nil {
		copied, err := d.Schedule(on, w)
		require.NoError(t, err)
		require.Equal(t, d.Now(), copied.Frame().Now)
		return copied
	}
	machine, err := d.Machine(on, w)
	require.NoError(t, err)
	require.NoError(t, machine.Verify())
	view, err := machine.Tasks(p.Tasks.Each, p.Tasks.PerNode)
	require.NoError(t, err)
	return view
}

// useUp books on a copy, and moves its clock.
func useUp(t require.TestingT, rng *rand.Rand, copied viewed, now bookahead.Time) {
	for range 5 {
		_, err := copied.Reserve(bookahead.Request{Ready: now + bookahead.Time(rng.IntN(20)), Duration: 3, Units: 1})
		if err != nil {
			require.ErrorIs(t, err, bookahead.ErrUnavailable)
		}
	}
	require.NoError(t, copied.Advance(now+7))
}

// A copy that there is not is refused by name.
func TestCopiesThatAreRefused(t *testing.T) {
	d := deskWith(t)
	for _, c := range []Command{
		AddSchedule{"pool", Pool{Units: 3}}, AddSchedule{"any", Broker{Of: []string{"pool"}}},
		AddSchedule{"farm", Nodes{Resources: []string{"cores"}, Nodes: []nodes.Vector{{2}}}},
	} {
		must(t, d, c)
	}
	schedule := func(on string, w bookahead.Interval) error { _, err := d.Schedule(on, w); return err }
	machine := func(on string, w bookahead.Interval) error { _, err := d.Machine(on, w); return err }
	for _, c := range []struct {
		want string
		of   func(string, bookahead.Interval) error
		on   string
		w    bookahead.Interval
	}{
		{"on none is no schedule", schedule, "none", ticks(0, 9)},
		{"on none is no schedule", machine, "none", ticks(0, 9)},
		{"on any is a broker: ask for [\"pool\"]", schedule, "any", ticks(0, 9)},
		{"on any is a broker: ask for [\"pool\"]", machine, "any", ticks(0, 9)},
		{"on farm is of kind nodes: Machine copies it", schedule, "farm", ticks(0, 9)},
		{"on pool is of kind pool, and has no nodes: Schedule copies it", machine, "pool", ticks(0, 9)},
		{"w [5, 5) is empty", schedule, "pool", ticks(5, 5)},
	} {
		err := c.of(c.on, c.w)
		require.ErrorIs(t, err, bookahead.ErrInvalid)
		require.ErrorContains(t, err, c.want)
	}
}

// A copy has extensions and outages, and is closed outside of the opening hours at whatever size. A buffer of 3 ticks leaves no
// start before 3.
func TestCopyIsClosedAtAnySize(t *testing.T) {
	d := deskWith(t, "pool", Pool{Units: 3})
	part := Part{On: "pool", Units: 2, Duration: 3}
	must(t, d, Book{Request: asks(part)})
	for _, c := range []Command{
		Extend{On: "pool", Interval: ticks(1, 13), Units: 4}, Close{On: "pool", Interval: ticks(0, 10), Units: 1},
		SetTerms{"pool", Terms{Open: []bookahead.Interval{ticks(1, 6), ticks(9, 12)}, Before: 3}},
	} {
		_, err := d.Do(c)
		require.NoError(t, err)
	}
	copied, err := d.Schedule("pool", ticks(0, 13))
	require.NoError(t, err)
	var free []int64
	for at := range bookahead.Time(15) {
		a, err := copied.RangeQuery(ticks(at, at+1))
		require.NoError(t, err)
		free = append(free, a.Free)
	}
	require.Equal(t, []int64{0, 0, 0, 6, 6, 6, 0, 0, 0, 6, 7, 7, 0, 3, 3}, free)
}
