package idletree

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// threeForms are the three forms, of three servers each.
func threeForms(t *testing.T) map[string]verified {
	lists, err := NewLists(3, Config{Horizon: 100})
	require.NoError(t, err)
	tree, err := NewTree(3, Config{Horizon: 100})
	require.NoError(t, err)
	slotted, err := NewSlotted(3, SlottedConfig{Horizon: 100, Slot: 10})
	require.NoError(t, err)
	return map[string]verified{"Lists": lists, "Tree": tree, "Slotted": slotted}
}

// verifiedTwice checks that a schedule is in order, and so is its copy from a snapshot.
func verifiedTwice(t *testing.T, name string, s verified) {
	t.Helper()
	require.NoError(t, s.Verify(), name)
	data, err := s.MarshalBinary()
	require.NoError(t, err, name)
	read := threeForms(t)[name]
	require.NoError(t, read.UnmarshalBinary(data), name)
	require.NoError(t, read.Verify(), name)
	again, err := read.MarshalBinary()
	require.NoError(t, err, name)
	require.Equal(t, data, again, name)
}

// A server that is added to a running reservation has been idle until now: given back at
// once, it has been idle all along.
func TestAddedServersHaveBeenIdle(t *testing.T) {
	for name, s := range threeForms(t) {
		res, err := s.Reserve(bookahead.Request{Duration: 20, Units: 1, Servers: []int{0}})
		require.NoError(t, err)
		require.NoError(t, s.Advance(10))
		before, err := s.MarshalBinary()
		require.NoError(t, err)
		resize := func(end bookahead.Time, units int64, want string) {
			t.Helper()
			got, err := bookahead.Resize(s, res.ID, during(0, end), units)
			require.NoError(t, err, name)
			require.Equal(t, want, got.String(), name)
			verifiedTwice(t, name, s)
		}
		resize(20, 3, "#1 [0, 20) [0 1 2]")
		resize(30, 2, "#1 [0, 30) [0 1]")
		resize(20, 1, "#1 [0, 20) [0]")
		after, err := s.MarshalBinary()
		require.NoError(t, err)
		require.Equal(t, before, after, name)

		resize(20, 3, "#1 [0, 20) [0 1 2]")
		require.NoError(t, s.Advance(11)) // and now they are not
		resize(20, 1, "#1 [0, 20) [0]")
		require.NoError(t, s.UnmarshalBinary(before))
		require.NoError(t, s.Advance(11))
		data, err := s.MarshalBinary()
		require.NoError(t, err)
		resize(20, 1, "#1 [0, 20) [0]")
		again, err := s.MarshalBinary()
		require.NoError(t, err)
		require.Equal(t, data, again, "%s: what was never added", name)
	}
}

// The time given back becomes one with the idle period beside it.
func TestRebookLeavesWholePeriods(t *testing.T) {
	x, err := NewTree(1, Config{})
	require.NoError(t, err)
	first, err := x.Reserve(bookahead.Request{Ready: 10, Duration: 30, Units: 1})
	require.NoError(t, err)
	_, err = x.Reserve(bookahead.Request{Ready: 60, Duration: 10, Units: 1})
	require.NoError(t, err)
	for _, c := range []struct{ to, before, behind bookahead.Interval }{
		{during(20, 30), during(0, 20), during(30, 60)},
		{during(1, 35), during(0, 1), during(35, 60)},
		{during(5, 60), during(0, 5), bookahead.Interval{}},
		{during(40, 50), during(0, 40), during(50, 60)},
		{during(80, 90), during(0, 60), during(70, 80)},
		{during(10, 40), during(0, 10), during(40, 60)},
	} {
		_, err := bookahead.Resize(x, first.ID, c.to, 1)
		require.NoError(t, err)
		require.NoError(t, x.Verify())
		for _, want := range []bookahead.Interval{c.before, c.behind} {
			for p := range x.Idle(want) {
				require.Equal(t, Period{want, 0}, p, "%v", c.to)
				want = bookahead.Interval{}
			}
			require.True(t, want.Empty(), "%v is not idle after %v", want, c.to)
		}
	}
}

func during(start, end bookahead.Time) bookahead.Interval {
	return bookahead.Interval{Start: start, End: end}
}

// Config.Prefer chooses further servers among the servers that are not held.
func TestRebookPrefers(t *testing.T) {
	for want, prefer := range map[string]Prefer{
		"#3 [0, 10) [0 1]": BestFit, "#3 [0, 10) [0 3]": WorstFit,
	} {
		x, err := NewTree(4, Config{Prefer: prefer})
		require.NoError(t, err)
		l, err := NewLists(4, Config{Prefer: prefer})
		require.NoError(t, err)
		for _, s := range []verified{x, l} {
			for _, o := range []bookahead.Offer{
				{Interval: during(20, 30), Units: 1, Servers: []int{1}}, // idle for 20
				{Interval: during(40, 50), Units: 1, Servers: []int{2}}, // idle for 40
				{Interval: during(0, 10), Units: 1, Servers: []int{0}},
			} {
				_, err := s.Reserve(o.Request())
				require.NoError(t, err)
			}
			got, err := bookahead.Resize(s, 3, during(0, 10), 2)
			require.NoError(t, err)
			require.Equal(t, want, got.String(), "%T", s)
		}
	}
}
