package freelist

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// Verify finds bookings that the list does not have, and blocks that lack a booking.
func TestVerifyFindsFaults(t *testing.T) {
	w := bookahead.Interval{Start: 5, End: 9}
	for name, spoil := range map[string]func(*exact){
		"a booking too many": func(x *exact) { x.s.Profile.Change(w, -1) },
		"a booking too few":  func(x *exact) { x.s.Booked.Remove(1, 0) },
		"another form": func(x *exact) {
			switch l := x.s.Profile.(type) {
			case *exclusive:
				l.split(l.head, l.head.Start+1)
			case *hierarchy:
				f := l.upon[0]
				f.upon = []*layer{{Interval: f.Interval, units: 1, upon: f.upon}}
				f.units--
			case *mixed:
				l.list[0], l.list[1] = l.list[1], l.list[0]
			case *used:
				l.split(l.head, l.head.Start+1)
			}
		},
	} {
		for _, v := range variants {
			s, err := v.open(20, Config{Horizon: 1000})
			require.NoError(t, err)
			for k := range bookahead.Time(100) {
				_, err := s.Reserve(bookahead.Request{Ready: 3 * k, Duration: 10, Units: 2})
				require.NoError(t, err)
			}
			require.NoError(t, s.(interface{ Verify() error }).Verify(), v.name)
			spoil(inside(s))
			require.Error(t, s.(interface{ Verify() error }).Verify(), "%s with %s", v.name, name)
		}
	}
}

// A tree that is out of balance is found at whatever node.
func TestVerifyFindsEveryHeight(t *testing.T) {
	l, err := NewUsed(20, Config{})
	require.NoError(t, err)
	for k := range bookahead.Time(100) {
		_, err := l.Reserve(bookahead.Request{Ready: 3 * k, Duration: 1 + bookahead.Duration(k%3), Units: 2})
		require.NoError(t, err)
	}
	nodes := 0
	var spoil func(n *node)
	spoil = func(n *node) {
		if n == nil {
			return
		}
		nodes++
		for _, by := range []int{-1, 1} {
			n.height += by
			require.ErrorContains(t, l.Verify(), "height")
			n.height -= by
		}
		spoil(n.left)
		spoil(n.right)
	}
	spoil(l.s.Profile.(*used).index.root)
	require.Greater(t, nodes, 30)
	require.NoError(t, l.Verify())
}

// A block that is in two pieces, side by side, is found in whatever layer.
func TestVerifyFindsEveryPiece(t *testing.T) {
	l, err := NewCapacityHierarchical(20, Config{})
	require.NoError(t, err)
	for k := range bookahead.Time(100) {
		_, err := l.Reserve(bookahead.Request{Ready: 3 * k, Duration: 10, Units: 1 + int64(k%4)})
		require.NoError(t, err)
	}
	pieces := 0
	var spoil func(f *layer)
	spoil = func(f *layer) {
		for i, g := range f.upon {
			spoil(g)
			if len(g.upon) > 0 || g.Len() < 2 {
				continue
			}
			whole := f.upon
			left, right := *g, *g
			left.End, right.Start = g.Start+1, g.Start+1
			f.upon = slices.Concat(whole[:i], []*layer{&left, &right}, whole[i+1:])
			require.ErrorContains(t, l.Verify(), "after")
			f.upon = whole
			pieces++
		}
	}
	spoil(&l.s.Profile.(*hierarchy).layer)
	require.Greater(t, pieces, 10)
	require.NoError(t, l.Verify())
}

// inside returns the pool in a list.
func inside(s bookahead.Schedule) *exact {
	switch l := s.(type) {
	case *TimeExclusive:
		return &l.exact
	case *CapacityHierarchical:
		return &l.exact
	case *Mixed:
		return &l.exact
	}
	return &s.(*Used).exact
}

// A reservation that ends with the axis leaves nothing after it.
func TestVerifyAtTheEndOfTheAxis(t *testing.T) {
	each(t, 3, func(t *testing.T, s bookahead.Schedule) {
		_, err := s.Reserve(bookahead.Request{Ready: bookahead.MaxTime - 5, Duration: 5, Units: 1})
		require.NoError(t, err)
		require.NoError(t, s.(interface{ Verify() error }).Verify())
	})
}
