package bookahead_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/carts"
	"github.com/bookahead/bookahead/idletree"
)

func ranges(edges ...bookahead.Time) (list []bookahead.Interval) {
	for i := 0; i < len(edges); i += 2 {
		list = append(list, bookahead.Interval{Start: edges[i], End: edges[i+1]})
	}
	return list
}

// openings returns the openings of a schedule. It checks that the schedule's own method, Search
// alone, and the schedule behind a lock give the same openings, and that the last start is the
// latest.
func openings(t *testing.T, s bookahead.Keeper, r bookahead.Request) []bookahead.Interval {
	t.Helper()
	own := slices.Collect(bookahead.Openings(s, r))
	for _, other := range []bookahead.Schedule{s, plain{s}, bookahead.Locked(s), bookahead.Locked(keepsBooks{s})} {
		require.Equal(t, own, slices.Collect(bookahead.Openings(other, r)), "%T: %+v", other, r)
		last, err := bookahead.SearchLatest(other, r)
		if len(own) == 0 {
			require.Error(t, err)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, own[len(own)-1].End-1, last.Start, "%T: %+v", other, r)
	}
	return own
}

// Of 4 units, 2 are booked in [10, 20), and 3 in [25, 30); the horizon is 60.
func TestOpenings(t *testing.T) {
	s := newFlat(t)
	for _, r := range []bookahead.Request{bookahead.At(10, 10, 2), bookahead.At(25, 5, 3)} {
		_, err := s.Reserve(r)
		require.NoError(t, err)
	}
	require.NoError(t, s.Advance(5))
	for _, c := range []struct {
		r    bookahead.Request
		want []bookahead.Interval
	}{
		{bookahead.Request{Duration: 5, Units: 1}, ranges(5, 61)},
		{bookahead.Request{Duration: 5, Units: 2}, ranges(5, 21, 30, 61)},
		{bookahead.Request{Duration: 5, Units: 4}, ranges(5, 6, 20, 21, 30, 61)},
		{bookahead.Request{Duration: 6, Units: 4}, ranges(30, 60)},
		{bookahead.Request{Ready: 8, Deadline: 30, Duration: 5, Units: 2}, ranges(8, 21)},
		{bookahead.At(20, 5, 4), ranges(20, 21)},
		{bookahead.At(21, 5, 4), nil},
		{bookahead.Request{Duration: 61, Units: 1}, nil},
		{bookahead.Request{Duration: 5, Units: 5}, nil},
		{bookahead.Request{Duration: 5}, nil},
	} {
		require.Equal(t, c.want, openings(t, s, c.r), "%+v", c.r)
	}
}

// An opening goes on where other servers take over, and ends where no server is free throughout.
func TestOpeningsOnServers(t *testing.T) {
	for name, c := range map[string]struct {
		other bookahead.Interval // the time in which server 1 is booked; server 0 is booked in [0, 10)
		named []int
		want  []bookahead.Interval
	}{
		"each takes over":       {bookahead.Interval{Start: 15, End: 20}, nil, ranges(0, 96)},
		"a tick too late":       {bookahead.Interval{Start: 13, End: 20}, nil, ranges(0, 9, 10, 96)},
		"just in time":          {bookahead.Interval{Start: 14, End: 20}, nil, ranges(0, 96)},
		"one server alone":      {bookahead.Interval{Start: 15, End: 20}, []int{1}, ranges(0, 11, 20, 96)},
		"the other one alone":   {bookahead.Interval{Start: 15, End: 20}, []int{0}, ranges(10, 96)},
		"none at the same time": {bookahead.Interval{Start: 8, End: 12}, nil, ranges(0, 4, 10, 96)},
	} {
		s, err := carts.NewSR(2, carts.Config{Horizon: 100})
		require.NoError(t, err)
		for k, w := range []bookahead.Interval{{Start: 0, End: 10}, c.other} {
			r := bookahead.At(w.Start, w.Len(), 1)
			r.Servers = []int{k}
			_, err := s.Reserve(r)
			require.NoError(t, err)
		}
		require.Equal(t, c.want, openings(t, s, bookahead.Request{Duration: 5, Units: 1, Servers: c.named}), name)
	}
}

// Without a deadline and a horizon, the last opening reaches to the end of the axis.
func TestOpeningsToTheEndOfTheAxis(t *testing.T) {
	s, err := carts.NewFlat(4, carts.Config{})
	require.NoError(t, err)
	_, err = s.Reserve(bookahead.At(10, 10, 4))
	require.NoError(t, err)
	r := bookahead.Request{Duration: 5, Units: 1}
	require.Equal(t, ranges(0, 6, 20, bookahead.MaxTime-4), openings(t, s, r))
}

// Ranging over openings can stop, and begin again.
func TestOpeningsStop(t *testing.T) {
	s := newFlat(t)
	_, err := s.Reserve(bookahead.At(10, 10, 4))
	require.NoError(t, err)
	for _, s := range []bookahead.Schedule{s, plain{s}, bookahead.Locked(s)} {
		all := bookahead.Openings(s, bookahead.Request{Duration: 5, Units: 1})
		for range 2 {
			for starts := range all {
				require.Equal(t, bookahead.Interval{Start: 0, End: 6}, starts)
				break
			}
		}
	}
}

// A Search that steps over starts finds nothing here, but a fixed request does: the latest
// start follows from the openings, not from Search.
func TestSearchLatestWhereSearchSteps(t *testing.T) {
	s, err := idletree.NewSlotted(1, idletree.SlottedConfig{Horizon: 40, Slot: 4, Attempts: 2})
	require.NoError(t, err)
	_, err = s.Reserve(bookahead.At(0, 25, 1))
	require.NoError(t, err)
	r := bookahead.Request{Duration: 2, Units: 1}
	_, err = s.Search(r)
	require.Equal(t, bookahead.ErrUnavailable, err)
	require.Equal(t, ranges(25, 39), slices.Collect(bookahead.Openings(s, r)))
	o, err := bookahead.SearchLatest(s, r)
	require.NoError(t, err)
	require.Equal(t, bookahead.Time(38), o.Start)
}

// counting counts the searches of a view.
type counting struct {
	*idletree.Within
	searches int
}

func (c *counting) Search(r bookahead.Request) (bookahead.Offer, error) {
	c.searches++
	return c.Within.Search(r)
}

// How long named servers stay free is not searched tick by tick, though the view lists other
// servers.
func TestOpeningsOfNamedServersOfAView(t *testing.T) {
	x, err := idletree.NewTree(5, idletree.Config{Horizon: 1000})
	require.NoError(t, err)
	v, err := x.Within(idletree.Layout{Groups: [][]int{{0, 1, 2}, {3, 4}}})
	require.NoError(t, err)
	_, err = x.Reserve(bookahead.Request{Ready: 50, Deadline: 60, Duration: 10, Units: 1, Servers: []int{4}})
	require.NoError(t, err)
	r := bookahead.Request{Duration: 10, Units: 2, Servers: []int{3, 4}}
	c := &counting{Within: v}
	require.Equal(t, []bookahead.Interval{{Start: 0, End: 41}, {Start: 60, End: 991}}, slices.Collect(bookahead.Openings(c, r)))
	require.LessOrEqual(t, c.searches, 6)
	c.searches = 0
	o, err := bookahead.SearchLatest(c, r)
	require.NoError(t, err)
	require.Equal(t, bookahead.Time(990), o.Start)
	require.LessOrEqual(t, c.searches, 7)
}
