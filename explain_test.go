package bookahead_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/carts"
	"github.com/bookahead/bookahead/idletree"
)

// Why does the class not get its ten seats at eight?
func ExampleExplain() {
	room, _ := carts.NewIndexed(30, carts.Config{Horizon: 100})
	_, _ = room.Reserve(bookahead.Request{Ready: 10, Duration: 4, Units: 25})
	_, _ = room.Reserve(bookahead.Request{Ready: 12, Duration: 6, Units: 5})

	class := bookahead.Request{Ready: 8, Deadline: 20, Duration: 6, Units: 10}
	why, _ := bookahead.Explain(room, class)
	fmt.Println(why)
	fmt.Println(why.Fits(), why.Blocked, why.Free, why.Changes)
	// Output:
	// 10 units do not fit in [8, 14): 0 are free in [10, 14), which changes at 12; the first place is [14, 20)
	// true [10, 14) 0 12
}

// explainBoth checks that the reasons are the same with and without abilities, and behind
// a lock.
func explainBoth(t *testing.T, s bookahead.Keeper, r bookahead.Request) bookahead.Explanation {
	t.Helper()
	e, err := bookahead.Explain(s, r)
	require.NoError(t, err)
	same, err := bookahead.Explain(plain{s}, r)
	require.NoError(t, err)
	require.EqualExportedValues(t, e, same)
	locked, err := bookahead.Explain(bookahead.Locked(s), r)
	require.NoError(t, err)
	require.Equal(t, e, locked)
	return e
}

func TestExplain(t *testing.T) {
	s, err := carts.NewFlat(4, carts.Config{Horizon: 100})
	require.NoError(t, err)
	for _, o := range []bookahead.Request{{Ready: 10, Duration: 10, Units: 3}, {Ready: 15, Duration: 10, Units: 1}} {
		_, err := s.Reserve(o)
		require.NoError(t, err)
	}
	for _, c := range []struct {
		request bookahead.Request
		want    string
	}{
		{bookahead.Request{Ready: 2, Duration: 8, Units: 4}, "4 units fit in [2, 10)"},
		{bookahead.Request{Ready: 8, Duration: 4, Units: 2, Deadline: 12}, "2 units do not fit in [8, 12): 1 is free in [10, 12)," +
			" which changes at 15; the first place is [20, 24), after the deadline 12"},
		{bookahead.Request{Ready: 18, Duration: 4, Units: 1}, "1 unit does not fit in [18, 22): 0 are free in [18, 20)," +
			" which changes at 20; the first place is [20, 24)"},
		{bookahead.Request{Ready: 98, Duration: 4, Units: 1}, "1 unit does not fit in [98, 102): the horizon is 100; there is no place"},
		{bookahead.Request{Ready: 0, Duration: 90, Units: 4}, "4 units do not fit in [0, 90): 0 are free in [10, 25)," +
			" which changes at 15; there is no place"},
	} {
		require.Equal(t, c.want, explainBoth(t, s, c.request).String())
	}
	e := explainBoth(t, s, bookahead.Request{Duration: 1, Units: 5})
	require.Equal(t, "5 units do not fit in [0, 1): 4 are free in [0, 1), which changes at 10; there is no place", e.String())
	_, err = bookahead.Explain(s, bookahead.Request{Duration: 1})
	require.ErrorIs(t, err, bookahead.ErrInvalid)
}

// A request that had to start in the past is blocked by the time that has passed.
func TestExplainThePast(t *testing.T) {
	s, err := carts.NewFlat(4, carts.Config{Origin: 50})
	require.NoError(t, err)
	e, err := bookahead.Explain(s, bookahead.Request{Ready: 46, Duration: 6, Deadline: 52, Units: 1})
	require.NoError(t, err)
	require.Equal(t, "1 unit does not fit in [46, 52): 0 are free in [46, 50), which changes at 50;"+
		" the first place is [50, 56), after the deadline 52", e.String())
	e, err = bookahead.Explain(s, bookahead.Request{Ready: 46, Duration: 6, Units: 1})
	require.NoError(t, err)
	require.Equal(t, "1 unit fits in [50, 56)", e.String())
}

// One server is free at each tick, and none throughout. The shortest stretch that shows this has
// a tick of each server.
func TestExplainServers(t *testing.T) {
	s, err := idletree.NewTree(2, idletree.Config{})
	require.NoError(t, err)
	for k, at := range []bookahead.Time{0, 10} {
		_, err := s.Reserve(bookahead.Request{Ready: at, Duration: 10, Units: 1, Servers: []int{k}})
		require.NoError(t, err)
	}
	e := explainBoth(t, s, bookahead.Request{Ready: 3, Duration: 9, Units: 1})
	require.Equal(t, bookahead.Interval{Start: 9, End: 11}, e.Blocked)
	require.Equal(t, int64(0), e.Free)
	require.Equal(t, bookahead.Time(10), e.Changes)
	require.Equal(t, bookahead.Time(10), e.Earliest.Start)
	e = explainBoth(t, s, bookahead.Request{Ready: 3, Duration: 2, Units: 1, Servers: []int{0}})
	require.Equal(t, bookahead.Interval{Start: 3, End: 5}, e.Blocked)
	require.Equal(t, bookahead.Time(10), e.Changes)
}

// A view lists the servers of the largest free group. A request may name others: in group {3, 4}
// one server is booked, while {0, 1, 2} is free.
func TestExplainNamedServersOfAView(t *testing.T) {
	x, err := idletree.NewTree(5, idletree.Config{Horizon: 1000})
	require.NoError(t, err)
	v, err := x.Within(idletree.Layout{Groups: [][]int{{0, 1, 2}, {3, 4}}})
	require.NoError(t, err)
	_, err = x.Reserve(bookahead.Request{Ready: 5, Deadline: 20, Duration: 15, Units: 1, Servers: []int{4}})
	require.NoError(t, err)
	r := bookahead.Request{Duration: 10, Units: 2, Servers: []int{4, 3}}
	e, err := bookahead.Explain(v, r)
	require.NoError(t, err)
	require.Equal(t, "2 units do not fit in [0, 10): 1 is free in [5, 10), which changes at 20;"+
		" the first place is [20, 30)", e.String())
	r.Ready = 20
	e, err = bookahead.Explain(v, r)
	require.NoError(t, err)
	require.Equal(t, "2 units fit in [20, 30)", e.String())
}
