package grid

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// provide makes a broker of pools with that many units.
func provide(t require.TestingT, c Config, units ...int64) *Broker {
	var all []bookahead.Schedule
	for _, n := range units {
		all = append(all, newPool(t, n))
	}
	b, err := NewBroker(c, all...)
	require.NoError(t, err)
	return b
}

// where books requests, and returns the provider and the start of each.
func where(t require.TestingT, b *Broker, requests ...bookahead.Request) (at [][2]int) {
	for _, r := range requests {
		res, err := b.Reserve(r)
		require.NoError(t, err)
		place, err := b.Place(res.ID)
		require.NoError(t, err)
		at = append(at, [2]int{place.Provider, int(res.Start)})
	}
	return at
}

// Kurowski et al., §4.4.2: MCT selects the provider with the minimum earliest start
// time, as durations are the same everywhere; the AR resource priority takes the
// first of the list that answers positively, even if a later one could start
// earlier; load balancing takes the one with the fewest tasks.
func TestAllocationToProviders(t *testing.T) {
	requests := []bookahead.Request{
		{Duration: 10, Units: 4},
		{Duration: 30, Units: 4},
		{Duration: 10, Units: 2},
		{Duration: 10, Units: 2, Ready: 5, Deadline: 15}, // fixed
		{Duration: 10, Units: 4},
	}
	for name, c := range map[string]struct {
		policy Policy
		want   [][2]int // provider and start
	}{
		"MCT":           {MCT, [][2]int{{0, 0}, {1, 0}, {2, 0}, {2, 5}, {0, 10}}},
		"Priority":      {Priority, [][2]int{{0, 0}, {0, 10}, {0, 40}, {1, 5}, {0, 50}}},
		"ShortestQueue": {ShortestQueue, [][2]int{{0, 0}, {1, 0}, {2, 0}, {2, 5}, {0, 10}}},
		"LeastLoaded":   {LeastLoaded, [][2]int{{0, 0}, {1, 0}, {2, 0}, {2, 5}, {0, 10}}},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, c.want, where(t, provide(t, Config{Policy: c.policy}, 4, 4, 4), requests...))
		})
	}
}

// §4.4.2: resource priority groups reservations: a provider is used only for
// reservations that do not fit at the providers before it. At a load that one provider
// nearly bears, two of four are left to tasks without reservations. Random spreads the
// reservations over all.
func TestPriorityGroupsReservations(t *testing.T) {
	used := func(policy Policy) (seen [4]bool, grouped bool) {
		rng := rand.New(rand.NewPCG(4, 2))
		b := provide(t, Config{Policy: policy}, 8, 8, 8, 8)
		grouped = true
		for range 30 {
			ready := bookahead.Time(rng.IntN(300))
			r := bookahead.Request{Ready: ready, Deadline: ready + 10, Duration: 10, Units: 1 + rng.Int64N(4)}
			first := 0 // that could take it
			for ; first < b.Providers(); first++ {
				if _, err := b.Provider(first).Search(r); err == nil {
					break
				}
			}
			k := where(t, b, r)[0][0]
			seen[k] = true
			grouped = grouped && k == first
		}
		return seen, grouped
	}
	seen, grouped := used(Priority)
	require.Equal(t, [4]bool{true, true}, seen)
	require.True(t, grouped)
	seen, grouped = used(Random(3))
	require.Equal(t, [4]bool{true, true, true, true}, seen)
	require.False(t, grouped)
}

// §5.4.2: the larger the interval, the more may resource priority postpone reservations
// that MCT starts at once.
func TestPriorityPostpones(t *testing.T) {
	mean := func(policy Policy) float64 {
		rng := rand.New(rand.NewPCG(5, 4))
		b := provide(t, Config{Policy: policy}, 16, 16)
		sum := 0
		for range 400 {
			ready := bookahead.Time(rng.IntN(2000))
			d := bookahead.Duration(1 + rng.IntN(40))
			res, err := b.Reserve(bookahead.Request{Ready: ready, Deadline: ready + 9*bookahead.Time(d), Duration: d, Units: 1 + rng.Int64N(8)})
			if err == nil {
				sum += int(res.Start - ready)
			}
		}
		return float64(sum) / 400
	}
	mct, priority := mean(MCT), mean(Priority)
	t.Logf("mean wait: MCT %.2f, resource priority %.2f", mct, priority)
	require.Less(t, mct, priority)
}

// §5.3 and §5.4.1: a static part for reservations turns away requests for which the
// others have room; resource priority does not.
func TestStaticPartition(t *testing.T) {
	accepted := func(c Config) (n int) {
		rng := rand.New(rand.NewPCG(5, 3))
		b := provide(t, c, 64, 64)
		for range 300 {
			ready := bookahead.Time(rng.IntN(1000))
			if _, err := b.Reserve(bookahead.Request{Ready: ready, Deadline: ready + 40, Duration: 40, Units: 1 + rng.Int64N(16)}); err == nil {
				n++
			}
		}
		a, err := b.Provider(1).RangeQuery(bookahead.Interval{Start: 0, End: 2000})
		require.NoError(t, err)
		require.Equal(t, c.Partition.dedicated, a.Free == 64, "the other provider is left alone")
		return n
	}
	static, priority := accepted(Config{Partition: Dedicated(0)}), accepted(Config{Policy: Priority})
	t.Logf("of 300 are accepted: static %d, resource priority %d", static, priority)
	require.Less(t, static, priority)
}

// Schneider & Linnert, §1: who travels books the flight and the hotel in advance;
// if one has nothing free on that date, the dates of both are shifted.
func TestFlightAndHotel(t *testing.T) {
	flight, hotel := newPool(t, 100), newPool(t, 20)
	book := func(s bookahead.Schedule, start, end bookahead.Time, units int64) {
		_, err := s.Reserve(bookahead.Request{Ready: start, Deadline: end, Duration: bookahead.Duration(end - start), Units: units})
		require.NoError(t, err)
	}
	book(hotel, 0, 9, 20)   // full for nine nights
	book(flight, 9, 11, 99) // one seat on days 9 and 10
	book(flight, 16, 18, 100)
	journey := Job{Ready: 1, Parts: []Part{
		{On: flight, Duration: 1, Units: 2},            // out
		{On: hotel, Duration: 7, Units: 1},             // from that day on
		{On: flight, Offset: 7, Duration: 1, Units: 2}, // and back
	}}
	plan, err := CoSearch(journey)
	require.NoError(t, err)
	// Day 9 is the hotel's first, 11 the first with two seats; from then on the way
	// back is on day 18 or later.
	require.EqualValues(t, 11, plan.Start)
	book(flight, 18, 19, 99)
	plan, err = CoSearch(journey)
	require.NoError(t, err)
	require.EqualValues(t, 12, plan.Start)
}

// Schneider & Linnert, §3: the broker keeps track of its reservations at the grid
// level, and the resources of theirs; workflows of several jobs are booked with
// their network requirements.
func TestWorkflowWithNetwork(t *testing.T) {
	line, back := newPool(t, 1000), newPool(t, 1000)
	clusters := provide(t, Config{}, 32, 64)
	transfer := along([]link{{line, 3}, {back, 4}}, Part{Duration: 20, Units: 600})
	job := Job{Parts: append(transfer, Part{On: clusters, Offset: 27, Duration: 100, Units: 48})}
	for _, want := range []bookahead.Time{0, 100} { // one cluster is large enough
		a, err := CoAllocate(job)
		require.NoError(t, err)
		require.Equal(t, want, a.Start)
		require.Equal(t, bookahead.Interval{Start: want, End: want + 20}, a.Parts[0].Interval)
		require.Equal(t, bookahead.Interval{Start: want + 3, End: want + 23}, a.Parts[1].Interval)
		require.Equal(t, bookahead.Interval{Start: want + 27, End: want + 127}, a.Parts[2].Interval)
		at, err := clusters.Place(a.Parts[2].ID)
		require.NoError(t, err)
		require.Equal(t, 1, at.Provider)
	}
}

// link is a stretch of a path through a network, and how long the data takes to its end.
type link struct {
	on    Member
	delay bookahead.Duration
}

// along returns the parts of a transfer along a path: each link is in use as long as p
// says, and later by the delays of the links before it.
func along(path []link, p Part) []Part {
	parts := make([]Part, len(path))
	for i, l := range path {
		p.On = l.on
		parts[i] = p
		p.Offset += l.delay
	}
	return parts
}

// Castillo et al., §1: in principle the resources can be allocated one after the
// other, each request being a transaction of its own; that is expensive. It finds
// the same start here, with many bookings that are cancelled again, of which others
// would have seen each.
func TestSequentialAllocation(t *testing.T) {
	s := newSite(t, 4, 300)
	jobs := s.jobs(100, false)
	writes := 0
	sequential := func(j Job) bookahead.Time {
		t0 := j.Ready
		for {
			var made []bookahead.Reservation
			next := t0
			for _, p := range j.Parts {
				res, err := p.On.Reserve(bookahead.Request{Ready: t0, Duration: p.Duration, Units: p.Units})
				require.NoError(t, err)
				writes++
				made = append(made, res)
				next = max(next, res.Start)
				if next > t0 {
					break
				}
			}
			if next == t0 {
				for i, res := range made { // found; the writes that stay are not counted
					require.NoError(t, j.Parts[i].On.Release(res.ID))
				}
				return t0
			}
			for i, res := range made {
				require.NoError(t, j.Parts[i].On.Release(res.ID))
				writes++
			}
			t0 = next
		}
	}
	for _, j := range jobs {
		plan, err := CoSearch(j)
		require.NoError(t, err)
		require.Equal(t, sequential(j), plan.Start)
	}
	t.Logf("%d writes for %d jobs of 4 parts, where %d would do", writes, len(jobs), 4*len(jobs))
	require.Greater(t, writes, 2*4*len(jobs))
}
