package carts

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// staircase is a pool of 2^20 units, booked so that requests of several kinds fit at the end
// only, though gaps come close: for each kind there are as many gaps that are long enough, but
// have a unit too few. A kind wants more units than the kind before, for a shorter time, so that
// bounds for fewer units than its own lead it astray. All kinds are of one class.
func staircase(kinds, live int) (Config, []bookahead.Request) {
	const capacity, least = 1 << 20, 1 << 18
	var requests []bookahead.Request
	for k := range kinds {
		requests = append(requests, bookahead.Request{Duration: bookahead.Duration(10 * (kinds - k)), Units: least + int64(k+1)*100})
	}
	var c Config
	t := bookahead.Time(0)
	book := func(d bookahead.Duration, free int64) {
		w := bookahead.Interval{Start: t, End: t + bookahead.Time(d)}
		c.Booked = append(c.Booked, bookahead.Offer{Interval: w, Units: capacity - free})
		t = w.End
	}
	for len(c.Booked) < live {
		for _, r := range requests {
			book(r.Duration, r.Units-1)
			book(1, 0)
		}
	}
	return c, requests
}

// BenchmarkTurns searches for requests of some kinds, each of which needs bounds of its own (see
// staircase): for one of them all the time, or for all in turn.
func BenchmarkTurns(b *testing.B) {
	live := 600_000
	if testing.Short() {
		live = 6_000
	}
	for _, kinds := range []int{2, 4, 8, 9, 16, 32} {
		c, requests := staircase(kinds, live)
		for _, impl := range []struct {
			name string
			open func() (bookahead.Schedule, error)
		}{
			{"indexed", func() (bookahead.Schedule, error) { return NewIndexed(1<<20, c) }},
			{"flat", func() (bookahead.Schedule, error) { return NewFlat(1<<20, c) }},
		} {
			end := c.Booked[len(c.Booked)-1].End
			b.Run(fmt.Sprintf("impl=%s/kinds=%d/asked=one", impl.name, kinds), func(b *testing.B) {
				searchInTurn(b, impl.open, requests[kinds/2:kinds/2+1], end-1)
			})
			b.Run(fmt.Sprintf("impl=%s/kinds=%d/asked=all", impl.name, kinds), func(b *testing.B) {
				searchInTurn(b, impl.open, requests, end-1)
			})
		}
	}
}

// searchInTurn searches for some requests. None may find a place before notBefore.
func searchInTurn(b *testing.B, open func() (bookahead.Schedule, error), requests []bookahead.Request, notBefore bookahead.Time) {
	s, err := open()
	if err != nil {
		b.Fatal(err)
	}
	ask := func(k int) {
		o, err := s.Search(requests[k%len(requests)])
		if err != nil || o.Start < notBefore {
			b.Fatal(o, err)
		}
	}
	for k := range 4 * len(requests) { // until the index no longer changes
		ask(k)
	}
	b.ReportAllocs()
	for k := 0; b.Loop(); k++ {
		ask(k)
	}
}

// rivals is a pool of 2^20 units and two requests for which only the end has room. All gaps look
// good to the one request by bounds for the units of the other.
func rivals(live int) (Config, []bookahead.Request) {
	const capacity = 1 << 20
	var c Config
	t := bookahead.Time(0)
	for len(c.Booked) < live {
		for _, gap := range []struct{ ticks, free int64 }{{100, 3<<17 - 5}, {1, 0}, {1000, 1<<18 + 10}, {1, 0}, {5, 0}} {
			w := bookahead.Interval{Start: t, End: t + bookahead.Time(gap.ticks)}
			t = w.End
			if gap.ticks != 5 { // gaps of 5 ticks are all free
				c.Booked = append(c.Booked, bookahead.Offer{Interval: w, Units: capacity - gap.free})
			}
		}
	}
	return c, []bookahead.Request{{Duration: 100, Units: 3<<17 - 4}, {Duration: 1000, Units: 1<<18 + 15}}
}

// BenchmarkRivals searches for each of two rivals alone, and for both in turn.
func BenchmarkRivals(b *testing.B) {
	live := 600_000
	if testing.Short() {
		live = 6_000
	}
	c, both := rivals(live)
	for _, asked := range []struct {
		name     string
		requests []bookahead.Request
	}{{"A", both[:1]}, {"B", both[1:]}, {"AB", both}} {
		b.Run("impl=indexed/asked="+asked.name, func(b *testing.B) {
			open := func() (bookahead.Schedule, error) { return NewIndexed(1<<20, c) }
			searchInTurn(b, open, asked.requests, c.Booked[live-1].End)
		})
	}
}

// TestSearchesInTurnSpoilNothing: two searches in turn made each other's bounds anew, and so
// read the whole tree each time, and allocated for it.
func TestSearchesInTurnSpoilNothing(t *testing.T) {
	quiet := func(c Config, requests []bookahead.Request) {
		x, err := NewIndexed(1<<20, c)
		require.NoError(t, err)
		k := 0
		ask := func() {
			_, err := x.Search(requests[k%len(requests)])
			require.NoError(t, err)
			k++
		}
		for range 4 * len(requests) {
			ask()
		}
		require.Zero(t, testing.AllocsPerRun(4*len(requests), ask), "%d kinds", len(requests))
		require.NoError(t, x.Verify())
	}
	quiet(rivals(20_000))
	for _, kinds := range []int{2, 4, 8} {
		quiet(staircase(kinds, 20_000))
	}
}
