package nodes

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// A zone ends with the last start whose window does not reach the time given back, to the tick.
func TestAZoneIsCutToTheTick(t *testing.T) {
	span := func(start, end bookahead.Time) bookahead.Interval { return bookahead.Interval{Start: start, End: end} }
	for _, x := range []struct {
		given, left bookahead.Interval
		now         bookahead.Time
	}{
		{given: span(50, 60), left: span(0, 41)}, // [40, 50) is the last window before it
		{given: span(109, 120), left: span(0, 100)},
		{given: span(108, 120), left: span(0, 99)},
		{given: span(50, 60), now: 41, left: span(60, 100)},
		{given: span(10, 60), left: span(0, 1)},
		{given: span(9, 60), left: span(60, 100)},
	} {
		z := zones{[]zone{{first: 0, end: 100, demand: demand{d: 10}}}}
		z.cut(x.given, x.now)
		require.Len(t, z.list, 1, "%v", x.given)
		require.Equal(t, x.left, span(z.list[0].first, z.list[0].end), "%v is given back", x.given)
	}
	z := zones{[]zone{{first: 0, end: 100, demand: demand{d: 10}}}}
	z.cut(span(9, 100), 0)
	require.Empty(t, z.list)
}

// A fact goes when a window with a start in its chunk may touch the time given back, to the tick.
func TestAFactIsDoubtedToTheTick(t *testing.T) {
	c := Config{Resources: []string{"cores"}, Nodes: []Vector{{4}}}
	for given, kept := range map[bookahead.Time][]bookahead.Time{
		109: {9, 10}, // the window [99, 109) ends before
		108: {9},
		107: {},
		50:  {},
	} {
		x := newIndex(0, newLayout(c))
		x.starts = []bookahead.Time{0, 100}
		x.chunks = append(x.chunks, x.chunks[0].clone(x.owner))
		x.facts = make([]*facts, 2)
		var easy, hard [MaxResources]uint64
		x.packing.need(1, Vector{1}, nil, easy[:])
		x.packing.need(2, Vector{1}, nil, hard[:])
		x.note(&x.proofs, 0, easy[:], 10, 1)
		x.note(&x.proofs, 0, hard[:], 9, 1)
		x.doubt(bookahead.Interval{Start: given, End: given + 20})
		left := []bookahead.Time{}
		for _, d := range []bookahead.Time{9, 10} {
			for i := 0; x.facts[0] != nil && i < x.known(x.facts[0]); i++ {
				_, of, _ := x.fact(x.facts[0], i)
				if of == d {
					left = append(left, d)
				}
			}
		}
		require.Equal(t, kept, left, "%d is given back", given)
	}
}
