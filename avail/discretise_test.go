package avail

import (
	"iter"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bookahead/bookahead"
)

func block(start, end bookahead.Time, units int64) bookahead.Block {
	return bookahead.Block{Interval: bookahead.Interval{Start: start, End: end}, Units: units}
}

func blocks(b ...bookahead.Block) iter.Seq[bookahead.Block] { return slices.Values(b) }

// discretise compares with a sum for each tick.
func discretise(t *rapid.T) {
	a := Axis{
		Origin: bookahead.Time(rapid.IntRange(-20, 20).Draw(t, "origin")),
		Width:  bookahead.Duration(rapid.IntRange(1, 6).Draw(t, "width")),
		Slots:  rapid.OneOf(rapid.IntRange(0, 12), rapid.IntRange(0, 140)).Draw(t, "slots"),
	}
	var all []bookahead.Block
	for range rapid.IntRange(0, 12).Draw(t, "blocks") {
		start := rapid.IntRange(-40, 200).Draw(t, "start")
		length := rapid.OneOf(rapid.IntRange(1, 12), rapid.IntRange(1, 300)).Draw(t, "length")
		units := rapid.Int64Range(1, 4).Draw(t, "units")
		all = append(all, block(bookahead.Time(start), bookahead.Time(start+length), units))
	}
	units := rapid.Int64Range(1, 6).Draw(t, "r")

	want := make(cells, a.Slots)
	for i := range want {
		want[i] = true
		first := a.Origin + bookahead.Time(i)*bookahead.Time(a.Width)
		for tick := first; tick < first+bookahead.Time(a.Width); tick++ {
			free := int64(0)
			for _, b := range all {
				if b.Contains(tick) {
					free += b.Units
				}
			}
			want[i] = want[i] && free >= units
		}
	}
	v, err := Discretise(blocks(all...), a, units)
	require.NoError(t, err)
	is(t, want, v)
	r, err := DiscretiseRuns(blocks(all...), a, units)
	require.NoError(t, err)
	is(t, want, r)
}

func TestDiscretise(t *testing.T) { rapid.Check(t, discretise) }

func FuzzDiscretise(f *testing.F) { f.Fuzz(rapid.MakeFuzz(discretise)) }

// The axis and the units can be as large as their types allow.
func TestDiscretiseAtTheEdges(t *testing.T) {
	const most = math.MaxInt64
	for name, c := range map[string]struct {
		axis   Axis
		blocks []bookahead.Block
		units  int64
		want   string
	}{
		"one slot for all time":     {Axis{0, most, 1}, []bookahead.Block{block(0, most, 1)}, 1, "1"},
		"a tick short":              {Axis{0, most, 1}, []bookahead.Block{block(1, most, 1)}, 1, "0"},
		"the last slot there is":    {Axis{most - 3, 3, 1}, []bookahead.Block{block(0, most, 1)}, 1, "1"},
		"longer than a Duration":    {Axis{math.MinInt64, 1 << 61, 7}, []bookahead.Block{block(0, 1<<61, 1)}, 1, "0000100"},
		"before tick 0":             {Axis{math.MinInt64, 1, 2}, []bookahead.Block{block(math.MinInt64, most, 1)}, 1, "11"},
		"wide slots, late start":    {Axis{0, most / 2, 2}, []bookahead.Block{block(most/2+1, most, 1)}, 1, "00"},
		"all units, block by block": {Axis{0, 1, 3}, []bookahead.Block{block(0, 1, most), block(1, 3, most-1), block(1, 2, 1)}, most, "110"},
		"any order":                 {Axis{0, 1, 3}, []bookahead.Block{block(2, 3, 1), block(0, 1, 1)}, 1, "101"},
		"no slots":                  {Axis{0, 1, 0}, []bookahead.Block{block(0, 9, 1)}, 1, ""},
		"no blocks":                 {Axis{0, 1, 3}, nil, 1, "000"},
	} {
		v, err := Discretise(blocks(c.blocks...), c.axis, c.units)
		require.NoError(t, err, name)
		require.Equal(t, c.want, v.String(), name)
	}
}

func TestDiscretiseRefuses(t *testing.T) {
	const most = math.MaxInt64
	good := Axis{0, 1, 3}
	for want, c := range map[string]struct {
		axis   Axis
		blocks []bookahead.Block
		units  int64
	}{
		"bookahead: Axis.Width 0 is less than 1":                                      {Axis{0, 0, 3}, nil, 1},
		"bookahead: Axis.Width -2 is less than 1":                                     {Axis{0, -2, 3}, nil, 1},
		"bookahead: Axis.Slots -1 is negative":                                        {Axis{0, 1, -1}, nil, 1},
		"bookahead: Axis.Slots 2147483585 is more than 2147483584":                    {Axis{0, 1, MaxSlots + 1}, nil, 1},
		"bookahead: time 0 + 2 * 9223372036854775807 overflows":                       {Axis{0, most, 2}, nil, 1},
		"bookahead: time 9223372036854775807 + 1 * 1 overflows":                       {Axis{most, 1, 1}, nil, 1},
		"bookahead: units 0 is less than 1":                                           {good, nil, 0},
		"bookahead: units -1 is less than 1":                                          {good, nil, -1},
		"bookahead: Block.Interval [4, 4) is empty":                                   {good, []bookahead.Block{block(4, 4, 1)}, 1},
		"bookahead: Block.Units 0 is less than 1":                                     {good, []bookahead.Block{block(1, 4, 0)}, 1},
		"bookahead: Block.Units 9223372036854775807 overflows, with 1 more free at 1": {good, []bookahead.Block{block(1, 4, most), block(0, 4, 1)}, 1},
	} {
		_, err := Discretise(blocks(c.blocks...), c.axis, c.units)
		require.ErrorIs(t, err, bookahead.ErrInvalid)
		require.EqualError(t, err, want)
		_, err = DiscretiseRuns(blocks(c.blocks...), c.axis, c.units)
		require.EqualError(t, err, want)
	}
	_, err := Axis{0, math.MinInt64, 1}.Start(-1)
	require.EqualError(t, err, "bookahead: Axis.Width -9223372036854775808 is less than 1")
	at, err := Axis{10, 5, 1}.Start(-2)
	require.NoError(t, err)
	require.Equal(t, bookahead.Time(0), at)
}

// Queries do not allocate, nor do operations that write into an existing vector.
func TestAllocations(t *testing.T) {
	v, o, dst := lateRun(100, 0.7), lateRun(100, 0.7), newVector(benchSlots)
	require.Zero(t, testing.AllocsPerRun(100, func() {
		v.ComposeTo(dst, o, 7)
		for _, b := range []int{3, 20, 40, 64, 100, 300} {
			v.FirstRun(b)
		}
		v.EST(16, 3)
		v.Weight()
		v.Covers(o)
		v.Dominates(o)
		v.Clear(3, 900)
	}))
	r, far := v.Runs(), o.Runs()
	into := r.Clone()
	require.Zero(t, testing.AllocsPerRun(100, func() {
		r.ComposeTo(into, far, 7)
		r.FirstRun(16)
		r.EST(16, 3)
		r.Covers(far)
	}))
}
