package idletree

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/servers"
	"github.com/bookahead/bookahead/scheduletest"
)

// Verify notices bookings of which the idle periods do not know, and idle periods that are
// lost.
func TestVerifyFindsFaults(t *testing.T) {
	scheduleOf := func(s bookahead.Schedule) *schedule {
		switch s := s.(type) {
		case *Tree:
			return &s.schedule
		case *Lists:
			return &s.schedule
		default:
			return &s.(*Slotted).schedule
		}
	}
	for name, spoil := range map[string]func(bookahead.Schedule){
		"a booking too many": func(s bookahead.Schedule) {
			scheduleOf(s).roster().calendars().book(3, bookahead.Interval{Start: 390, End: 399})
		},
		"a booking too few": func(s bookahead.Schedule) { scheduleOf(s).s.Booked.Remove(1, 0) },
		"an index that is not of the calendars": func(s bookahead.Schedule) {
			switch s := s.(type) {
			case *Tree:
				s.tree().index.forget(100)
			case *Lists:
				c := &s.roster().calendars().idle[0]
				c.few = c.few[1:]
			case *Slotted:
				*s.slots().at(0) = nil
			}
		},
	} {
		for _, target := range append(targets[:2:2], slottedTargets[0]) {
			s, err := target.New(scheduletest.Config{Capacity: 20, Horizon: 400})
			require.NoError(t, err)
			for k := range bookahead.Time(100) {
				_, err := s.Reserve(bookahead.Request{Ready: 3 * k, Duration: 10, Units: 2})
				require.NoError(t, err)
			}
			require.NoError(t, s.(verified).Verify(), target.Name)
			spoil(s)
			require.Error(t, s.(verified).Verify(), "%s with %s", target.Name, name)
		}
	}
}

// Each of these spoils one invariant of a Tree that is named in calendar.go or index.go, and
// the error says which.
func TestVerifyNamesTheInvariant(t *testing.T) {
	spare := bookahead.Interval{Start: 350, End: 360}
	for _, c := range []struct {
		invariant, how string
		spoil          func(x *tree, booked *servers.Servers)
	}{
		{"C1", "two periods in the wrong order", func(x *tree, _ *servers.Servers) {
			few := x.idle[0].few
			few[1], few[2] = few[2], few[1]
		}},
		{"C1", "two periods that touch", func(x *tree, _ *servers.Servers) {
			few := x.idle[0].few
			few[0].End = few[1].Start
		}},
		{"C1", "an empty period", func(x *tree, _ *servers.Servers) {
			x.idle[0].few[1].End = x.idle[0].few[1].Start
		}},
		{"C2", "a period that is missing", func(x *tree, _ *servers.Servers) {
			x.idle[0].few = slices.Delete(x.idle[0].few, 1, 2)
		}},
		{"C2", "a last period that ends", func(x *tree, _ *servers.Servers) {
			few := x.idle[0].few
			few[len(few)-1].End = 1000
		}},
		{"C3", "a period in a booking", func(x *tree, booked *servers.Servers) {
			x.book(3, bookahead.Interval{Start: 350, End: 352})
			x.book(3, bookahead.Interval{Start: 355, End: 360})
			booked.Booked.Add(servers.Booking{Interval: spare, Servers: []int32{3}}, booked.Now)
		}},
		{"C3", "a server booked twice", func(x *tree, booked *servers.Servers) {
			x.book(3, spare)
			for range 2 {
				booked.Booked.Add(servers.Booking{Interval: spare, Servers: []int32{3}}, booked.Now)
			}
		}},
		{"C4", "a long array", func(x *tree, _ *servers.Servers) { x.most = 2 }},
		{"T1", "two entries of a leaf in the wrong order", func(x *tree, _ *servers.Servers) {
			leaf := x.index.root.kids.node[1]
			leaf.start[5], leaf.start[6] = leaf.start[6]+1, leaf.start[5]
		}},
		{"T1", "two leaves in the wrong order", func(x *tree, _ *servers.Servers) {
			root := x.index.root
			first, second := root.get(0), root.get(1)
			root.set(0, second)
			root.set(1, first)
		}},
		{"T1", "an entry twice", func(x *tree, _ *servers.Servers) {
			leaf := x.index.root.kids.node[1]
			leaf.start[6], leaf.server[6] = leaf.start[5], leaf.server[5]
		}},
		{"T2", "an empty leaf", func(x *tree, _ *servers.Servers) { x.index.root.kids.node[1].n = 0 }},
		{"T2", "a leaf that is too deep", func(x *tree, _ *servers.Servers) {
			root := x.index.root
			root.set(1, innerOf(root.kids.node[1]).branch())
		}},
		{"T2", "two levels that differ further down", func(x *tree, _ *servers.Servers) {
			root := x.index.root
			root.set(0, innerOf(root.kids.node[0]).branch())
			root.set(1, innerOf(innerOf(root.kids.node[1])).branch())
			root.n = 2
		}},
		{"T2", "a root with one kid", func(x *tree, _ *servers.Servers) { x.index.root = innerOf(x.index.root) }},
		{"T3", "the start of a kid", func(x *tree, _ *servers.Servers) { x.index.root.start[1]-- }},
		{"T3", "the server of a kid", func(x *tree, _ *servers.Servers) { x.index.root.server[1]++ }},
		{"T4", "a latest end", func(x *tree, _ *servers.Servers) { x.index.root.end[1]-- }},
		{"T4", "a latest end that is no more than a bound", func(x *tree, _ *servers.Servers) { x.index.root.end[0]++ }},
		{"T4", "an earliest end", func(x *tree, _ *servers.Servers) { x.index.root.kids.soonest[1]++ }},
		{"T4", "a greatest length", func(x *tree, _ *servers.Servers) { x.index.root.kids.longest[1]-- }},
		{"T4", "a lowest server", func(x *tree, _ *servers.Servers) { x.index.root.kids.lowest[1]++ }},
		{"T5", "two small leaves", func(x *tree, _ *servers.Servers) {
			list := x.index.root.kids.node[0].periods(nil)
			root := innerOf(leafOf(list[:15]...), leafOf(list[15:31]...))
			x.index = index{root: root, size: 31}
		}},
		{"T6", "a size", func(x *tree, _ *servers.Servers) { x.index.size++ }},
		{"T6", "periods that are missing", func(x *tree, _ *servers.Servers) { x.index.forget(100) }},
		{"T6", "another end", func(x *tree, _ *servers.Servers) {
			p := x.periods(nil, rest(x.now))[3]
			x.index.update([]edit{{start: p.Start, was: p.End, is: p.End + 1, server: p.Server}})
		}},
	} {
		s, err := NewTree(20, Config{Horizon: 400})
		require.NoError(t, err)
		for k := range bookahead.Time(100) {
			_, err := s.Reserve(bookahead.Request{Ready: 3 * k, Duration: 10, Units: 2})
			require.NoError(t, err)
		}
		require.NoError(t, s.Verify())
		require.Greater(t, s.tree().index.root.n, int32(2), "the root has several leaves")
		c.spoil(s.tree(), &s.s.Servers)
		require.ErrorContains(t, s.Verify(), c.invariant+": ", "%s: %s", c.invariant, c.how)
	}
}
