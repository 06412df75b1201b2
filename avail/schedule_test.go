package avail

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/idletree"
	"github.com/bookahead/bookahead/scheduletest"
)

func target(slot bookahead.Duration) scheduletest.Target {
	return scheduletest.Target{
		Name: fmt.Sprintf("avail.Schedule-%d", slot), Servers: true, Bounded: true, Slot: slot,
		New: func(c scheduletest.Config) (bookahead.Schedule, error) {
			return NewSchedule(c.Capacity, Config{Origin: c.Origin, Horizon: c.Horizon, Slot: slot})
		},
		Booked: func(c scheduletest.Config, booked []bookahead.Offer) (bookahead.Schedule, error) {
			return NewSchedule(c.Capacity, Config{Origin: c.Origin, Horizon: c.Horizon, Slot: slot, Booked: booked})
		},
	}
}

func TestConformance(t *testing.T) {
	for _, slot := range []bookahead.Duration{1, 3, 10} {
		target := target(slot)
		t.Run(target.Name, func(t *testing.T) {
			t.Parallel()
			scheduletest.Run(t, target)
		})
	}
}

func FuzzSchedule(f *testing.F) { scheduletest.Fuzz(f, target(3)) }

// twins runs random operations on a schedule with slots of a tick and on idletree.Lists, which
// must answer alike. Its runs have many columns, which the suite does not reach.
func twins(t *rapid.T) {
	capacity := rapid.SampledFrom([]int64{1, 7, 64, 130}).Draw(t, "capacity")
	horizon := rapid.SampledFrom([]int64{200, 1000, 5000}).Draw(t, "horizon")
	longest := rapid.SampledFrom([]int64{4, 60, 150, 700}).Draw(t, "longest")
	named := rapid.Bool().Draw(t, "named")
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))

	s, err := NewSchedule(capacity, Config{Origin: 11, Horizon: bookahead.Duration(horizon)})
	require.NoError(t, err)
	list, err := idletree.NewLists(capacity, idletree.Config{Origin: 11, Horizon: bookahead.Duration(horizon), Prefer: idletree.LowestIndex})
	require.NoError(t, err)

	now, ids := bookahead.Time(11), []bookahead.ID(nil)
	for range 300 {
		ready := now - 5 + bookahead.Time(rng.Int64N(horizon))
		length := 1 + rng.Int64N(longest)
		switch rng.IntN(10) {
		default:
			r := bookahead.Request{Ready: ready, Duration: bookahead.Duration(length), Units: 1 + rng.Int64N(capacity)}
			if rng.IntN(2) == 0 {
				r.Deadline = r.Ready + bookahead.Time(length+rng.Int64N(horizon))
			}
			if named && rng.IntN(3) == 0 {
				r.Servers = rng.Perm(int(capacity))[:r.Units+rng.Int64N(capacity-r.Units+1)]
			}
			want, wantErr := list.Reserve(r)
			got, err := s.Reserve(r)
			require.Equal(t, wantErr, err, "%+v", r)
			require.Equal(t, want, got, "%+v", r)
			if err == nil {
				ids = append(ids, got.ID)
			}
		case 6, 7:
			w := bookahead.Interval{Start: ready, End: ready + bookahead.Time(length)}
			want, wantErr := list.RangeQuery(w)
			got, err := s.RangeQuery(w)
			require.Equal(t, wantErr, err)
			require.Equal(t, want, got)
		case 8:
			if len(ids) > 0 {
				i := rng.IntN(len(ids))
				require.Equal(t, list.Release(ids[i]), s.Release(ids[i]))
			}
		case 9:
			if rng.IntN(5) == 0 {
				now += bookahead.Time(rng.Int64N(horizon / 10))
				require.NoError(t, list.Advance(now))
				require.NoError(t, s.Advance(now))
			}
		}
	}
	require.NoError(t, s.Verify())
}

func TestTwins(t *testing.T) { rapid.Check(t, twins) }

// Servers that are free in turn make no place for a request, though one is free in each slot.
func TestOtherServersInEachSlot(t *testing.T) {
	s, err := NewSchedule(2, Config{Horizon: 2000})
	require.NoError(t, err)
	for i := range bookahead.Time(100) {
		r := bookahead.Request{Ready: i * 10, Deadline: i*10 + 10, Duration: 10, Units: 1, Servers: []int{int(i % 2)}}
		_, err := s.Reserve(r)
		require.NoError(t, err)
	}
	o, err := s.Search(bookahead.Request{Duration: 11, Units: 1})
	require.NoError(t, err)
	require.Equal(t, "[990, 1001) [0]", o.String())
	o, err = s.Search(bookahead.Request{Duration: 11, Units: 2})
	require.NoError(t, err)
	require.Equal(t, "[1000, 1011) [0 1]", o.String())
}

// The columns turn for ever, also many at once.
func TestColumnsTurn(t *testing.T) {
	s, err := NewSchedule(3, Config{Horizon: 300, Slot: 2})
	require.NoError(t, err)
	for now := bookahead.Time(0); now < 5000; now += 17 {
		require.NoError(t, s.Advance(now))
		res, err := s.Reserve(bookahead.Request{Ready: now + 150, Duration: 100, Units: 2})
		if err == nil {
			require.Less(t, res.Start, now+201)
		}
		require.NoError(t, s.Verify())
	}
	require.NoError(t, s.Advance(1_000_000_000))
	require.NoError(t, s.Verify())
	a, err := s.RangeQuery(bookahead.Interval{Start: 1_000_000_000, End: 1_000_000_300})
	require.NoError(t, err)
	require.Equal(t, []int{0, 1, 2}, a.Servers)
}

// Found by TestConformance: the last columns may lie beyond the last tick.
func TestLastTicks(t *testing.T) {
	s, err := NewSchedule(1, Config{Origin: math.MaxInt64 - 127, Horizon: 101})
	require.NoError(t, err)
	require.NoError(t, s.Verify())
	require.NoError(t, s.Advance(math.MaxInt64-101))
	for _, d := range []bookahead.Duration{98, 2, 1} {
		_, err = s.Reserve(bookahead.Request{Duration: d, Units: 1})
		require.NoError(t, err)
		require.NoError(t, s.Verify())
	}
	_, err = s.Reserve(bookahead.Request{Duration: 1, Units: 1})
	require.ErrorIs(t, err, bookahead.ErrUnavailable)
}

// After the last slots of the axis, of one tick each, there is no tick at which another column
// could start.
func TestLastColumn(t *testing.T) {
	open := func() *Schedule {
		s, err := NewSchedule(1, Config{Origin: bookahead.MaxTime - 45, Horizon: 24})
		require.NoError(t, err)
		return s
	}
	r := bookahead.Request{Ready: bookahead.MaxTime - 31, Duration: 4, Units: 1}

	empty := slices.Collect(open().Openings(r))
	require.Equal(t, []bookahead.Interval{{Start: r.Ready, End: bookahead.MaxTime - 24}}, empty)

	s := open()
	res, err := s.Reserve(bookahead.At(bookahead.MaxTime-30, 3, 1))
	require.NoError(t, err)
	offer, err := s.SearchFor(res.ID, r)
	require.NoError(t, err)
	require.Equal(t, bookahead.Interval{Start: r.Ready, End: r.Ready + 4}, offer.Interval)
}

// A search does not go on after the last column, even if the server named is booked up to its
// last tick: the slot of MaxTime, which nothing can book, stops it.
func TestSearchEndsWithTheAxis(t *testing.T) {
	s, err := NewSchedule(2, Config{Origin: bookahead.MaxTime - 40, Horizon: 40})
	require.NoError(t, err)
	r := bookahead.Request{Duration: 40, Units: 1, Servers: []int{0}}
	_, err = s.Reserve(r)
	require.NoError(t, err)
	r.Duration = 1
	_, err = s.Search(r)
	require.Equal(t, bookahead.ErrUnavailable, err)
}

// The memory that slots need is known, and refused, before it is taken.
func TestBytes(t *testing.T) {
	for _, c := range []struct {
		servers int64
		Config
		want int64
	}{
		{1, Config{Horizon: 1}, 2 * (8 + 256)},
		{1000, Config{Horizon: 10_000}, 158 * (8000 + 256)},
		{1000, Config{Horizon: 10_000, Slot: 10}, 17 * (8000 + 256)},
	} {
		n, err := c.bytes(c.servers)
		require.NoError(t, err)
		require.Equal(t, c.want, n)
		s, err := NewSchedule(c.servers, c.Config)
		require.NoError(t, err)
		require.Equal(t, n, int64(8*len(s.vectors().grid.words)+4*len(s.vectors().grid.free)))
	}
	for want, c := range map[string]struct {
		servers int64
		Config
	}{
		"capacity 0 is":          {0, Config{Horizon: 1}},
		"capacity 16777217 is":   {1<<24 + 1, Config{Horizon: 1}},
		"Config.Horizon 0 is":    {1, Config{}},
		"Config.Slot -1 is":      {1, Config{Horizon: 1, Slot: -1}},
		"Config.Origin -1 is":    {1, Config{Horizon: 1, Origin: -1}},
		"100000 takes more than": {1 << 17, Config{Horizon: 100_000}},
		"9223372036854775807 takes more than 1073741824 bytes for 1 servers in slots of 1 ticks": {1, Config{Horizon: math.MaxInt64}},
	} {
		_, err := NewSchedule(c.servers, c.Config)
		require.ErrorIs(t, err, bookahead.ErrInvalid)
		require.ErrorContains(t, err, want)
	}
}

// BenchmarkServers measures search, reserve, release and range query beside idletree.Tree, on
// servers that are busy for a share (load) of the horizon with reservations of up to a number of
// slots (longest). With -short there are 100 servers and 2 000 slots.
func BenchmarkServers(b *testing.B) {
	servers, slots := 1000, 10_000
	if testing.Short() {
		servers, slots = 100, 2000
	}
	horizon := bookahead.Duration(slots)
	for _, form := range []struct {
		name string
		open func() (bookahead.Schedule, error)
	}{
		{"avail.Schedule", func() (bookahead.Schedule, error) {
			return NewSchedule(int64(servers), Config{Horizon: horizon})
		}},
		{"idletree.Tree-lowest", func() (bookahead.Schedule, error) {
			return idletree.NewTree(int64(servers), idletree.Config{Horizon: horizon, Prefer: idletree.LowestIndex})
		}},
	} {
		for _, longest := range []int{50, 500} {
			for _, load := range []float64{0.50, 0.90} {
				var s bookahead.Schedule
				for _, units := range []int{8, 64} {
					for _, op := range []string{"search", "reserve", "release", "range"} {
						b.Run(fmt.Sprintf("op=%s/impl=%s/servers=%d/slots=%d/longest=%d/load=%.2f/units=%d",
							op, form.name, servers, slots, longest, load, units), func(b *testing.B) {
							if s == nil {
								s = loaded(b, form.open, servers, slots, longest, load)
							}
							b.ReportAllocs()
							measure(b, s, op, slots, longest, units)
						})
					}
				}
			}
		}
	}
}

func draw(rng *rand.Rand, slots, longest, units int) bookahead.Request {
	d := 1 + rng.IntN(longest)
	return bookahead.Request{
		Ready: bookahead.Time(rng.IntN(slots - d)), Duration: bookahead.Duration(d), Units: int64(units),
	}
}

// loaded books until the servers are busy for the given share.
func loaded(b *testing.B, open func() (bookahead.Schedule, error), servers, slots, longest int, load float64) bookahead.Schedule {
	s, err := open()
	if err != nil {
		b.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for busy := 0.0; busy < load*float64(servers*slots); {
		r := draw(rng, slots, longest, 1+rng.IntN(16))
		if _, err := s.Reserve(r); err == nil {
			busy += float64(r.Units) * float64(r.Duration)
		}
	}
	return s
}

func measure(b *testing.B, s bookahead.Schedule, op string, slots, longest, units int) {
	rng := rand.New(rand.NewPCG(3, 4))
	requests := make([]bookahead.Request, 4096)
	for i := range requests {
		requests[i] = draw(rng, slots, longest, units)
	}
	var made []bookahead.ID
	var places []bookahead.Offer // which are free when nothing is made
	fill := func() {
		first := places == nil
		for tried := 0; first && len(places) < 64 && tried < 1000; tried++ {
			if res, err := s.Reserve(requests[rng.IntN(len(requests))]); err == nil {
				made, places = append(made, res.ID), append(places, res.Offer)
			}
		}
		for _, o := range places[len(made):] {
			res, err := s.Reserve(o.Request())
			if err != nil {
				b.Fatal(err)
			}
			made = append(made, res.ID)
		}
	}
	empty := func() {
		for _, id := range made {
			_ = s.Release(id)
		}
		made = made[:0]
	}
	for i := 0; b.Loop(); i++ {
		r := requests[i%len(requests)]
		switch op {
		case "search":
			_, _ = s.Search(r)
		case "reserve":
			if len(made) == 64 {
				b.StopTimer()
				empty()
				b.StartTimer()
			}
			if res, err := s.Reserve(r); err == nil {
				made = append(made, res.ID)
			}
		case "release":
			if len(made) == 0 {
				b.StopTimer()
				fill()
				if len(made) == 0 {
					b.Skip("nothing fits")
				}
				b.StartTimer()
			}
			if err := s.Release(made[len(made)-1]); err != nil {
				b.Fatal(err)
			}
			made = made[:len(made)-1]
		case "range":
			_, _ = s.RangeQuery(bookahead.Interval{Start: r.Ready, End: r.Ready + bookahead.Time(r.Duration)})
		}
	}
	empty()
}
