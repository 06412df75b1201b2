package carts

import (
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// bookRandomly books n reservations, which lie close together.
func bookRandomly(t *testing.T, s bookahead.Schedule, n int) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range n {
		_, err := s.Reserve(bookahead.Request{
			Ready:    bookahead.Time(rng.IntN(100_000)),
			Duration: bookahead.Duration(1 + rng.IntN(1000)),
			Units:    1 + rng.Int64N(16),
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// queries returns a search that finds a place, one that finds none, and a range query.
func queries(s bookahead.Schedule) map[string]func() {
	search := func(r bookahead.Request) func() { return func() { _, _ = s.Search(r) } }
	return map[string]func(){
		"found":      search(bookahead.Request{Ready: 1000, Duration: 500, Units: 100}),
		"none":       search(bookahead.Request{Ready: 1000, Deadline: 1010, Duration: 10, Units: 128}),
		"RangeQuery": func() { _, _ = s.RangeQuery(bookahead.Interval{Start: 10, End: 2000}) },
	}
}

// A pool allocates nothing for a query. SR allocates its sets and the list of servers
// that it returns, but nothing for the slots that the query meets.
func TestAllocationsOfQueries(t *testing.T) {
	most := map[string]map[string]float64{
		"carts.SR": {"found": 3, "none": 2, "RangeQuery": 3},
	}
	eachForm(t, forms, func(t *testing.T, f form) {
		for _, live := range []int{200, 2000} {
			s := f.new(t, 128, Config{})
			bookRandomly(t, s, live)
			for name, query := range queries(s) {
				require.LessOrEqual(t, testing.AllocsPerRun(100, query), most[f.name][name], "%s among %d", name, live)
			}
		}
	})
}

// A reservation costs the array at most one allocation, amortised.
func TestAllocationsOfReserve(t *testing.T) {
	s, err := NewFlat(128, Config{})
	require.NoError(t, err)
	const n = 20_000
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	bookRandomly(t, s, n)
	runtime.ReadMemStats(&after)
	require.LessOrEqual(t, float64(after.Mallocs-before.Mallocs)/n, 1.0)
}
