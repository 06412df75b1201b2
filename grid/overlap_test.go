package grid

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// Parts that no state makes sense of are invalid, wherever they stand in the job and however
// large the others are. Parts that are too large are unavailable: law 9.
func TestInvalidPartsComeFirst(t *testing.T) {
	pool, tree := newPool(t, 4), newServers(t, 3)
	reserve(t, tree, 0, 100, 3)
	on := func(m Member, offset, d bookahead.Duration, units int64, servers ...int) Part {
		return Part{On: m, Offset: offset, Duration: d, Units: units, Servers: servers}
	}
	huge := []Part{on(pool, 0, 5, math.MaxInt64), on(pool, 0, 5, math.MaxInt64)} // together more than there are numbers
	team := []Part{on(tree, 0, 5, math.MaxInt64), on(tree, 0, 5, math.MaxInt64)}
	for _, large := range [][]Part{huge, team, huge[1:], team[1:]} {
		_, err := CoSearch(Job{Parts: large})
		require.Equal(t, bookahead.ErrUnavailable, err)
		for want, parts := range map[string][]Part{
			"Servers 3 is not below the 3 servers of the member":       {on(tree, 9, 1, 1), on(tree, 20, 1, 1, 0, 3)},
			"Servers [1] are named, but a pool has units only":         {on(pool, 9, 1, 1), on(pool, 20, 1, 1, 1)},
			"but not all that overlap these: servers are matched only": {on(tree, 9, 5, 1, 0), on(tree, 12, 5, 1, 0), on(tree, 15, 5, 1, 0)},
			"Units 0 is less than 1":                                   {on(pool, 9, 1, 0)},
		} {
			_, err := CoSearch(Job{Parts: append(large[:len(large):len(large)], parts...)})
			require.ErrorIs(t, err, bookahead.ErrInvalid, want)
			require.ErrorContains(t, err, want)
		}
	}
}

// Law 9: parts that are too large together are unavailable, whether they name servers or not.
func TestNamedServersTooFewForAllAreUnavailable(t *testing.T) {
	tree := newServers(t, 3)
	on := func(units int64, servers ...int) Part {
		return Part{On: tree, Duration: 5, Units: units, Servers: servers}
	}
	for name, parts := range map[string][]Part{
		"no names":           {on(2), on(2)},
		"all names":          {on(2, 0, 1), on(1, 0, 1)},
		"one server":         {on(1, 2), on(1, 2)},
		"beside a third":     {on(2, 0, 1), on(1, 0, 1), on(1)},
		"fewer than in all":  {on(1, 0), on(1, 0), on(1, 0, 1, 2)},
		"and one is too big": {on(1, 0), on(1, 0), on(math.MaxInt64)},
	} {
		_, err := CoSearch(Job{Parts: parts})
		require.Equal(t, bookahead.ErrUnavailable, err, name)
	}
}

// A member of which no reservation can span all servers is made of several, though it be
// wrapped: two parts that overlap may need servers that no reservation joins.
func TestPartsOnDividedServersAreRefused(t *testing.T) {
	b := brokerOf(t, Config{}, newServers(t, 2), newServers(t, 3))
	wrapped := plain{b}
	_, err := CoSearch(Job{Parts: []Part{{On: wrapped, Duration: 5, Units: 2}, {On: wrapped, Duration: 5, Units: 3}}})
	require.ErrorIs(t, err, bookahead.ErrInvalid)
	require.ErrorContains(t, err, "Job.Parts[1] on grid.plain overlaps Parts[0], and no reservation on the member can span all of its servers")
	a, err := CoAllocate(Job{Parts: []Part{{On: wrapped, Duration: 5, Units: 2, Servers: []int{2, 4}}, {On: wrapped, Offset: 5, Duration: 5, Units: 3}}})
	require.NoError(t, err)
	require.Equal(t, []int{2, 4}, a.Parts[0].Servers)
	require.Equal(t, []int{2, 3, 4}, a.Parts[1].Servers)
}

// five tells its Frame and is no Keeper: that is enough for a job.
func TestPartsOnASchedule(t *testing.T) {
	for _, m := range []Member{five{newPool(t, 3)}, five{newServers(t, 3)}} {
		j := Job{Parts: []Part{{On: m, Duration: 5, Units: 2}, {On: m, Duration: 9, Units: 1}}}
		a, err := CoAllocate(j)
		require.NoError(t, err)
		require.Zero(t, a.Start)
		j.Parts[1].Units = 2
		_, err = CoAllocate(j)
		require.Equal(t, bookahead.ErrUnavailable, err)
		bare := struct{ bookahead.Schedule }{m.(five)}
		_, err = CoSearch(Job{Parts: []Part{{On: bare, Duration: 5, Units: 1}, {On: bare, Duration: 9, Units: 1}}})
		require.ErrorContains(t, err, "and the member does not tell its Frame")
	}
}

// Whichever query of a member fails, the error says so, and names the part; it is never taken
// for a member that has no place.
func TestQueriesThatFailAreTold(t *testing.T) {
	pool, tree := &failing{Keeper: newPool(t, 4)}, &failing{Keeper: newServers(t, 2)}
	for _, w := range []bookahead.Interval{span(0, 10), span(15, 60)} { // of server 1
		r := bookahead.At(w.Start, w.Len(), 1)
		r.Servers = []int{1}
		_, err := tree.Reserve(r)
		require.NoError(t, err)
	}
	for want, j := range map[string]Job{
		"grid: Job.Parts[0]: the line is down":                             {Parts: []Part{{On: pool, Duration: 5, Units: 1}}},
		"grid: Job.Parts[0] and the parts that it overlaps: the line is d": {Parts: []Part{{On: pool, Duration: 5, Units: 1}, {On: pool, Duration: 9, Units: 1}}},
		"the line is down": {Parts: []Part{{On: tree, Duration: 15, Units: 1}, {On: tree, Offset: 10, Duration: 20, Units: 1}}}, // both want server 0
	} {
		searches := 0
		for n := 1; ; n++ {
			pool.queries, tree.queries = n, n
			_, err := CoSearch(j)
			if err == nil {
				break
			}
			require.ErrorIs(t, err, errInjected)
			require.ErrorContains(t, err, want)
			searches++
		}
		require.Positive(t, searches)
	}
	one := struct{ Member }{pool}
	_, err := CoSearch(Job{Parts: []Part{{On: one, Duration: 5, Units: 1}, {On: one, Duration: 9, Units: 1}}})
	require.ErrorContains(t, err, "and the member is no Schedule")
}
