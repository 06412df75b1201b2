package idletree

import (
	"math/bits"
	"slices"
	"testing"

	"github.com/google/btree"
	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/cow"
)

// gaps returns a tree of servers that are idle for three ticks out of ten, and
// every 50 ticks for 7; server k begins k ticks later.
func gaps(t *testing.T, servers, each int) *Tree {
	x, err := NewTree(int64(servers), Config{})
	require.NoError(t, err)
	for k := range servers {
		for i := range each {
			start := bookahead.Time(10*i + k)
			w := bookahead.Interval{Start: start, End: start + 7}
			if i%5 == 4 {
				w.End -= 4
			}
			bookNamed(t, x, k, w)
		}
	}
	return x
}

// TestMergeIsSorting compares with all periods in order.
func TestMergeIsSorting(t *testing.T) {
	x := gaps(t, 5, 700) // more than go into an array
	for _, named := range [][]int{nil, {3}, {4, 0}} {
		for _, after := range []bookahead.Time{0, 6, 7, 8, 3000} {
			var want, got []Period
			for k := range x.tree().all(named) {
				for p := range x.tree().idle[k].from(after) {
					if p.Start > after && p.Start <= 6000 {
						want = append(want, Period{p, k})
					}
				}
			}
			m := x.tree().merged(named, after, 6000)
			for {
				p, ok := m.pull()
				if !ok {
					break
				}
				got = append(got, p)
			}
			require.True(t, slices.IsSortedFunc(got, func(a, b Period) int { return int(a.Start - b.Start) }))
			slices.SortFunc(got, byStart)
			slices.SortFunc(want, byStart)
			require.Equal(t, want, got)
		}
	}
}

// A search for servers that are named, or by lists, reads the periods up to the
// start that it finds. The test counts the comparisons of the calendars.
func TestSearchReadsUpToTheStart(t *testing.T) {
	const servers, each = 4, 20_000
	x := gaps(t, servers, each)
	compared := 0
	for k := range x.tree().idle {
		counting := cow.NewTree(btree.NewG(32, func(a, b bookahead.Interval) bool {
			compared++
			return a.Start < b.Start
		}))
		for p := range x.tree().idle[k].from(0) {
			counting.ReplaceOrInsert(p)
		}
		x.tree().idle[k].many = counting
	}
	calendars := x.tree().fleet
	calendars.first = lowestServer
	list := &Lists{newSchedule(x.s.Servers, &calendars)}
	for name, s := range map[string]bookahead.Schedule{"tree": x, "lists": list} {
		for _, c := range []struct {
			request bookahead.Request
			start   bookahead.Time
			reads   int // at most
		}{
			{bookahead.Request{Ready: 7, Duration: 3, Units: 1, Servers: []int{0}}, 7, 1},
			{bookahead.Request{Ready: 0, Duration: 3, Units: 1, Servers: []int{0}}, 7, 3},
			{bookahead.Request{Ready: 1000, Duration: 7, Units: 1, Servers: []int{2}}, 1045, 10},
			{bookahead.Request{Ready: 0, Duration: 4, Units: 4, Servers: []int{0, 1, 2, 3}}, 46, 36},
			{bookahead.Request{Ready: 0, Duration: 4, Units: 2, Servers: []int{3, 1, 0}}, 44, 30},
		} {
			compared = 0
			o, err := s.Search(c.request)
			require.NoError(t, err)
			require.Equal(t, c.start, o.Start, name)
			require.LessOrEqual(t, compared, c.reads*4*bits.Len(each), "%s, %v", name, c.request)
		}
	}
}

// A server that is released early has been idle since its release. A server that is
// released when its reservation begins has been idle since before.
func TestReleasedEarly(t *testing.T) {
	for _, now := range []bookahead.Time{9, 10, 15} {
		x, err := NewTree(1, Config{})
		require.NoError(t, err)
		l, err := NewLists(1, Config{})
		require.NoError(t, err)
		slots := openSlotted(t, 1, SlottedConfig{Horizon: 100, Slot: 10})
		want := Period{bookahead.Interval{Start: 0, End: bookahead.MaxTime}, 0}
		if now > 10 {
			want.Start = now
		}
		for s, f := range map[verified]*fleet{x: x.roster().calendars(), l: l.roster().calendars(), slots: slots.roster().calendars()} {
			bookNamed(t, s, 0, bookahead.Interval{Start: 10, End: 20})
			require.NoError(t, s.Advance(now))
			require.NoError(t, s.Release(1))
			require.NoError(t, s.Verify())
			p, ok := f.idle[0].begun(now)
			require.True(t, ok)
			require.Equal(t, want.Interval, p)
		}
		require.Equal(t, []Period{want}, slices.Collect(x.Idle(bookahead.Interval{Start: 15, End: 16})))
	}
}
