package idletree

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// rackedBy4 returns a tree of 12 servers, and a tracked view of three racks of 4.
func rackedBy4(t *testing.T) (*Tree, *Within) {
	x, err := NewTree(12, Config{Horizon: 200, Prefer: LowestIndex})
	require.NoError(t, err)
	v, err := x.Within(Layout{Groups: [][]int{{0, 1, 2, 3}, {4, 5, 6, 7}, {8, 9, 10, 11}}})
	require.NoError(t, err)
	v.Track(true)
	return x, v
}

// Where servers take turns, enough are free at each tick, and not throughout.
//
//	servers 4, 5   █████──────────    booked up to 10
//	servers 6, 7   ─────█████─────    booked from 10 to 20
func TestServersThatTakeTurns(t *testing.T) {
	x, v := rackedBy4(t)
	for _, o := range []bookahead.Offer{
		{Interval: interval(0, 30), Units: 4, Servers: []int{0, 1, 2, 3}},
		{Interval: interval(0, 10), Units: 2, Servers: []int{4, 5}},
		{Interval: interval(10, 20), Units: 2, Servers: []int{6, 7}},
		{Interval: interval(0, 25), Units: 4, Servers: []int{8, 9, 10, 11}},
	} {
		_, err := x.Reserve(o.Request())
		require.NoError(t, err)
	}
	r := bookahead.Request{Ready: 5, Duration: 8, Units: 2}
	start, ok := v.counts.free[1].Search(5, 100, 8, 2)
	require.True(t, ok)
	require.EqualValues(t, 5, start, "2 servers of rack 1 are free at each tick from 5 on")
	for _, tracked := range []bool{true, false} {
		v.Track(tracked)
		o, err := v.Search(r)
		require.NoError(t, err)
		require.Equal(t, bookahead.Offer{Interval: interval(10, 18), Units: 2, Servers: []int{4, 5}}, o)
	}
}

// The index follows the tree when Displace changes it, or it is restored, and is off in between if the
// tree has too few servers.
func TestTrackedThroughChanges(t *testing.T) {
	x, v := rackedBy4(t)
	small, err := NewTree(5, Config{Horizon: 200})
	require.NoError(t, err)
	few, err := small.MarshalBinary()
	require.NoError(t, err)
	_, err = v.Reserve(bookahead.Request{Duration: 50, Units: 4})
	require.NoError(t, err)
	_, err = x.Close(bookahead.Closure{Interval: interval(10, 40), Servers: []int{1, 6}})
	require.NoError(t, err)
	_, err = bookahead.Displace(x, bookahead.Force{})
	require.NoError(t, err)
	require.Len(t, x.tree().counted, 1)
	require.NoError(t, x.Verify())
	many, err := x.MarshalBinary()
	require.NoError(t, err)
	want, err := v.Search(bookahead.Request{Duration: 20, Units: 4})
	require.NoError(t, err)

	require.NoError(t, x.UnmarshalBinary(few))
	require.NoError(t, x.Verify())
	_, err = v.Search(bookahead.Request{Duration: 20, Units: 4})
	require.ErrorContains(t, err, "Layout.Groups 11 is not below the 5 servers that there are now")
	_, err = v.RangeQuery(interval(0, 1))
	require.ErrorIs(t, err, bookahead.ErrInvalid)
	v.Track(true)
	require.Empty(t, x.tree().counted)

	require.NoError(t, x.UnmarshalBinary(many))
	v.Track(true)
	require.NoError(t, x.UnmarshalBinary(many))
	require.Len(t, x.tree().counted, 1)
	require.NoError(t, x.Verify())
	got, err := v.Search(bookahead.Request{Duration: 20, Units: 4})
	require.NoError(t, err)
	require.Equal(t, want, got)
	require.Empty(t, x.Clone().(*Tree).tree().counted)

	v.counts.free[2].Change(interval(60, 61), -1)
	require.ErrorContains(t, x.Verify(), "G1: region 2")
	v.Track(false)
	require.NoError(t, x.Verify())
}

// Any number of readers may ask a view at once, also for numbers that nobody has asked for before.
func TestReadersOfAView(t *testing.T) {
	x, v := rackedBy4(t)
	for k := range 40 {
		_, err := x.Reserve(bookahead.Request{Ready: bookahead.Time(3 * k), Duration: 7, Units: int64(1 + k%5)})
		require.NoError(t, err)
	}
	seats, err := x.Within(Layout{Adjacent: true})
	require.NoError(t, err)
	ask := func() (found []bookahead.Offer) {
		for k := range 60 {
			for _, s := range []bookahead.Schedule{v, seats} {
				o, _ := s.Search(bookahead.Request{Ready: bookahead.Time(k), Duration: bookahead.Duration(1 + k%11), Units: int64(1 + k%4)})
				found = append(found, o)
			}
		}
		return found
	}
	answers := make([][]bookahead.Offer, 8)
	var wg sync.WaitGroup
	for i := range answers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			answers[i] = ask()
		}()
	}
	wg.Wait()
	for _, a := range answers {
		require.Equal(t, ask(), a)
	}
}
