package avail

import (
	"iter"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bookahead/bookahead"
)

// Reference: Stevens, De Leenheer, Develder, Dhoedt, Christodoulopoulos,
// Kokkinos, Varvarigos, "Multi-cost job routing and scheduling in Grid
// networks", 2009. The text gives the delays, b, R, EST and k; the bits that the
// figures do not show are ours.

func parse(t require.TestingT, s string) *Vector {
	v, err := Parse(s)
	require.NoError(t, err)
	return v
}

// profile yields the free part of the capacity as blocks, one for each tick of each stretch;
// booked[t] units are in use at tick t.
func profile(capacity int64, booked ...int64) iter.Seq[bookahead.Block] {
	var blocks []bookahead.Block
	for t, units := range booked {
		if free := capacity - units; free > 0 {
			w := bookahead.Interval{Start: bookahead.Time(t), End: bookahead.Time(t + 1)}
			blocks = append(blocks, bookahead.Block{Interval: w, Units: free})
		}
	}
	return slices.Values(blocks)
}

// §4.1, Fig. 5: the profile of a link is 1 or 0, and a slot of width τ is 1 only
// if the profile is throughout.
func TestFigure5(t *testing.T) {
	link := profile(1,
		0, 0, 0, // free
		0, 1, 1, // booked from 4
		1, 0, 0, // till 7
		0, 0, 0, // free
		1, 1, 1, // booked
	)
	v, err := Discretise(link, Axis{Width: 3, Slots: 5}, 1)
	require.NoError(t, err)
	require.Equal(t, "10010", v.String())
}

// §4.1, Fig. 6: Ŵ(r) for a cluster of four and each r. The paper prints "> r", which for r = 4
// would allow no slot at all; "at least r" is meant.
func TestFigure6(t *testing.T) {
	for r, want := range []string{
		1: "11101",
		2: "11001",
		3: "10001",
		4: "10000",
		5: "00000",
	} {
		if r == 0 {
			continue
		}
		cluster := profile(4, 0, 0, 1, 2, 3, 2, 4, 3, 1, 0)
		v, err := Discretise(cluster, Axis{Width: 2, Slots: 5}, int64(r))
		require.NoError(t, err)
		require.Equal(t, want, v.String(), "r = %d", r)
	}
}

// §4.1: the paper prints (k-1)·τ ≤ t ≤ k·τ. With both ends a slot would be lost to a run that
// starts when another ends.
func TestSlotsAreHalfOpen(t *testing.T) {
	v, err := Discretise(profile(1, 0, 0, 1, 1, 0, 0), Axis{Width: 2, Slots: 3}, 1)
	require.NoError(t, err)
	require.Equal(t, "101", v.String())
}

// §4.1: "it is easier to ... linked lists that store the changes of states":
// the lists answer the same.
func TestListOfChanges(t *testing.T) {
	r, err := DiscretiseRuns(profile(1, 0, 0, 0, 0, 1, 1, 1, 0, 0, 0), Axis{Width: 1, Slots: 10}, 1)
	require.NoError(t, err)
	require.Equal(t, []Run{{0, 4}, {7, 10}}, slices.Collect(r.All()))
	require.Equal(t, "1111000111", r.String())
}

// §4.3, Eq. (1), Fig. 8: d_SB = 2, so Ĉ_BE is shifted by 2·d_SB = 4 to the left
// before the AND.
func TestFigure8(t *testing.T) {
	sb := parse(t, "1110111100111111")
	be := parse(t, "0011111101101111")
	sbe := sb.Compose(be, 2*2)
	require.Equal(t, "1110011000110000", sbe.String())
	require.Equal(t, sbe.String(), sb.Runs().Compose(be.Runs(), 2*2).String())

	// "left shifting it by another d_SB accounts for the propagation delay": if S knew Ĉ_BE at
	// once, one d_SB would do.
	require.Equal(t, "1110110100111100", sb.Compose(be, 2).String())
}

// §4.3: b = 3 over a path with delay 6: R(3) = 0, EST = 0 + 3 + 6 = 9. Fig. 9:
// MUV₉ puts zeros in the first nine entries of Ŵ_E.
func TestFigure9(t *testing.T) {
	sbe := parse(t, "1110011000110000")
	const b, delay = 3, 6
	start, ok := sbe.FirstRun(b)
	require.True(t, ok)
	require.Equal(t, 0, start)
	est, ok := sbe.EST(b, delay)
	require.True(t, ok)
	require.Equal(t, 9, est)
	list, ok := sbe.Runs().EST(b, delay)
	require.True(t, ok)
	require.Equal(t, 9, list)

	cluster := parse(t, "1101111111001111")
	masked := cluster.Mask(est)
	require.Equal(t, "0000000001001111", masked.String())
	require.Equal(t, masked.String(), cluster.Runs().Mask(est).String())

	// §4.4, phase 3, step 1: R(w) of the masked vector is when the task can run.
	at, ok := masked.FirstRun(4)
	require.True(t, ok)
	require.Equal(t, 12, at)
	at, ok = cluster.NextRun(est, 4)
	require.True(t, ok)
	require.Equal(t, 12, at)
}

// §4.4, Eq. (2): ⊕ is associative, where the delay of a path is the sum of those
// of its links.
func TestComposeIsAssociative(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := lengths.Draw(t, "slots")
		x := drawCells(t, n, "x").vector()
		y := drawCells(t, n, "y").vector()
		z := drawCells(t, n, "z").vector()
		dx := rapid.IntRange(0, n+1).Draw(t, "delay of x")
		dy := rapid.IntRange(0, n+1).Draw(t, "delay of y")
		left := x.Compose(y, dx).Compose(z, dx+dy)
		right := x.Compose(y.Compose(z, dy), dx)
		require.Equal(t, left.String(), right.String())
		require.True(t, x.Covers(left), "a link more never adds a slot")
	})
}

// §4.4, Eq. (3) and (5): ≥ is component-wise, so that it holds for equal vectors; Dominates needs
// a slot more.
func TestDomination(t *testing.T) {
	for _, c := range []struct {
		x, y              string
		covers, dominates bool
	}{
		{"0110", "0100", true, true},
		{"0110", "0110", true, false},
		{"0110", "0111", false, false},
		{"0110", "1000", false, false},
		{"0110", "0000", true, true},
	} {
		x, y := parse(t, c.x), parse(t, c.y)
		require.Equal(t, c.covers, x.Covers(y), c)
		require.Equal(t, c.dominates, x.Dominates(y), c)
	}
}

// §4.5, Eq. (6): the weight, a number, stands in for the vector. A vector that dominates another
// weighs more, but not the other way round.
func TestWeight(t *testing.T) {
	require.Equal(t, 3, parse(t, "011010").Weight())
	rapid.Check(t, func(t *rapid.T) {
		n := lengths.Draw(t, "slots")
		x, y := drawCells(t, n, "x").vector(), drawCells(t, n, "y").vector()
		y = x.Compose(y, 0)
		require.Equal(t, x.Weight() > y.Weight(), x.Dominates(y))
	})
	heavy, light := parse(t, "011110"), parse(t, "100000")
	require.Greater(t, heavy.Weight(), light.Weight())
	require.False(t, heavy.Dominates(light))
}

// §4.3: R(b) is the first of the starts, and each start is an R(b) from there on.
func TestFirstRunIsTheFirstStart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := drawCells(t, lengths.Draw(t, "slots"), "v").vector()
		b := drawRun(t, v.Len())
		from := 0
		for run := range v.Starts(b).All() {
			for i := run.Start; i < run.End; i++ {
				at, ok := v.NextRun(from, b)
				require.True(t, ok)
				require.Equal(t, i, at)
				from = i + 1
			}
		}
		_, ok := v.NextRun(from, b)
		require.False(t, ok)
	})
}
