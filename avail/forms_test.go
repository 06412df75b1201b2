package avail

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bookahead/bookahead"
)

// form is the interface that Vector and Runs have in common: all methods must answer alike.
type form[T any] interface {
	Len() int
	Set(from, to int)
	Clear(from, to int)
	Covers(o T) bool
	String() string
	ComposeTo(dst, o T, delay int)
	Mask(k int) T
	NextRun(from, b int) (int, bool)
	CheckInvariants() error
}

// is checks that f has exactly the slots of want.
func is[T form[T]](t require.TestingT, want cells, f T) {
	require.NoError(t, f.CheckInvariants())
	require.Equal(t, want.String(), f.String())
}

// queries draws two vectors and asks everything.
func queries[T form[T]](of func(cells) T) func(*rapid.T) {
	return func(t *rapid.T) {
		n := lengths.Draw(t, "slots")
		x, y := drawCells(t, n, "x"), drawCells(t, n, "y")
		if rapid.Bool().Draw(t, "y inside x") {
			y = y.compose(x, 0)
		}
		f, g := of(x), of(y)
		is(t, x, f)
		is(t, y, g)
		require.Equal(t, n, f.Len())
		require.Equal(t, x.covers(y), f.Covers(g))
		require.True(t, f.Covers(f))

		b, k := drawRun(t, n), rapid.IntRange(0, n+3).Draw(t, "k")
		masked := slices.Clone(x)
		masked.fill(0, min(k, n), false)
		is(t, masked, f.Mask(k))
		for _, from := range []int{0, k} {
			at, ok := f.NextRun(from, b)
			wantAt, wantOK := x.nextRun(from, b)
			require.Equal(t, []any{wantAt, wantOK}, []any{at, ok}, "R(%d) from %d on of %v", b, from, f)
		}

		delay := rapid.OneOf(rapid.IntRange(0, 3), rapid.IntRange(0, n+3), rapid.Just(math.MaxInt)).Draw(t, "delay")
		want := make(cells, n)
		if delay < n {
			want = x.compose(y, delay)
		}
		// The result may take the place of either operand, or of any other.
		into := of(drawCells(t, n, "dst"))
		f.ComposeTo(into, g, delay)
		is(t, want, into)
		is(t, x, f)
		is(t, y, g)
		into = of(x)
		into.ComposeTo(into, g, delay)
		is(t, want, into)
		into = of(y)
		f.ComposeTo(into, into, delay)
		is(t, want, into)
		if delay < n {
			into = of(x)
			into.ComposeTo(into, into, delay)
			is(t, x.compose(x, delay), into)
		}
	}
}

// updates sets and clears ranges in turn.
func updates[T form[T]](of func(cells) T) func(*rapid.T) {
	return func(t *rapid.T) {
		n := lengths.Draw(t, "slots")
		x := drawCells(t, n, "x")
		f := of(x)
		untouched, before := f.Mask(0), slices.Clone(x) // a copy
		for range rapid.IntRange(1, 20).Draw(t, "updates") {
			from := rapid.IntRange(0, n).Draw(t, "from")
			to := min(n, from+rapid.OneOf(rapid.IntRange(0, 3), rapid.IntRange(0, n)).Draw(t, "slots"))
			one := rapid.Bool().Draw(t, "set")
			x.fill(from, to, one)
			if one {
				f.Set(from, to)
			} else {
				f.Clear(from, to)
			}
			is(t, x, f)
		}
		is(t, before, untouched)
	}
}

// conversions converts there and back, and asks what only one form answers.
func conversions(t *rapid.T) {
	x := drawCells(t, lengths.Draw(t, "slots"), "x")
	v, r := x.vector(), x.list()
	is(t, x, v.Runs())
	is(t, x, r.Vector())
	is(t, x, v.Clone())
	require.Equal(t, x.weight(), v.Weight())
	require.Equal(t, x.all(), slices.Collect(r.All()))
	for i := range x {
		require.Equal(t, x[i], v.Get(i))
	}
}

func TestVectorQueries(t *testing.T) { rapid.Check(t, queries(cells.vector)) }
func TestVectorUpdates(t *testing.T) { rapid.Check(t, updates(cells.vector)) }
func TestRunsQueries(t *testing.T)   { rapid.Check(t, queries(cells.list)) }
func TestRunsUpdates(t *testing.T)   { rapid.Check(t, updates(cells.list)) }
func TestConversions(t *testing.T)   { rapid.Check(t, conversions) }

func FuzzVector(f *testing.F) { f.Fuzz(rapid.MakeFuzz(queries(cells.vector))) }
func FuzzRuns(f *testing.F)   { f.Fuzz(rapid.MakeFuzz(queries(cells.list))) }
func FuzzUpdates(f *testing.F) {
	f.Fuzz(rapid.MakeFuzz(func(t *rapid.T) {
		if rapid.Bool().Draw(t, "runs") {
			updates(cells.list)(t)
		} else {
			updates(cells.vector)(t)
		}
	}))
}

// Runs of every length, at every place in the words, alone and after a run that is a slot too
// short: every branch of NextRun finds them.
func TestFirstRunEverywhere(t *testing.T) {
	const n = 449
	for b := 1; b <= 270; b++ {
		for at := 0; at+b <= n; at++ {
			v := newVector(n)
			v.Set(at, at+b)
			v.Set(0, min(b-1, max(at-1, 0)))
			got, ok := v.FirstRun(b)
			if !ok || got != at {
				t.Fatalf("R(%d) = %d, %v, not %d, of %v", b, got, ok, at, v)
			}
			if got, ok := v.NextRun(at+1, b); ok {
				t.Fatalf("R(%d) = %d behind the last, of %v", b, got, v)
			}
			if got, ok := v.FirstRun(b + 1); ok {
				t.Fatalf("R(%d) = %d, of %v", b+1, got, v)
			}
		}
	}
}

func TestEmpty(t *testing.T) {
	v, err := NewVector(0)
	require.NoError(t, err)
	r, err := NewRuns(0)
	require.NoError(t, err)
	empties(t, v)
	empties(t, r)
	empties(t, new(Vector))
	empties(t, new(Runs))
}

func empties[T form[T]](t *testing.T, f T) {
	f.Set(0, 0)
	f.Clear(0, 0)
	is(t, cells{}, f)
	f.ComposeTo(f, f, 0)
	f.ComposeTo(f, f, 1)
	is(t, cells{}, f.Mask(3))
	require.True(t, f.Covers(f))
	for b := -1; b < 2; b++ {
		_, ok := f.NextRun(0, b)
		require.False(t, ok)
	}
}

func TestNoRunOfNothing(t *testing.T) {
	noRunOfNothing(t, cells{true, true}.vector())
	noRunOfNothing(t, cells{true, true}.list())
}

func noRunOfNothing[T form[T]](t *testing.T, f T) {
	for _, b := range []int{0, -1, math.MinInt, 3, math.MaxInt} {
		_, ok := f.NextRun(0, b)
		require.False(t, ok, b)
	}
	_, ok := f.NextRun(math.MaxInt, 1)
	require.False(t, ok)
	is(t, make(cells, f.Len()), f.Mask(math.MaxInt))
}

func TestEST(t *testing.T) {
	v := cells{false, true, true}.vector()
	est, ok := v.EST(2, 4)
	require.True(t, ok)
	require.Equal(t, 1+2+4, est)
	for _, b := range []int{0, -1, math.MinInt, 3, math.MaxInt} {
		_, ok = v.EST(b, 0)
		require.False(t, ok, b)
	}
	_, ok = v.EST(1, math.MaxInt-1)
	require.False(t, ok, "the sum does not fit")
	est, ok = v.EST(1, math.MaxInt-2)
	require.True(t, ok)
	require.Equal(t, math.MaxInt, est)
	require.PanicsWithValue(t, "avail: EST: -1 is negative", func() { v.EST(1, -1) })
	require.PanicsWithValue(t, "avail: Get of [3, 4) in 3 slots", func() { v.Get(3) })
	require.PanicsWithValue(t, "avail: Get of [-1, 0) in 3 slots", func() { v.Get(-1) })
}

// Faults of the program panic, and name the arguments.
func TestPanics(t *testing.T) {
	panics(t, make(cells, 8).vector(), make(cells, 9).vector())
	panics(t, make(cells, 8).list(), make(cells, 9).list())
}

func panics[T form[T]](t *testing.T, f, longer T) {
	for want, fault := range map[string]func(){
		"avail: Set of [3, 2) in 8 slots":    func() { f.Set(3, 2) },
		"avail: Clear of [3, 9) in 8 slots":  func() { f.Clear(3, 9) },
		"avail: Compose of 8 and 9 slots":    func() { f.ComposeTo(f, longer, 0) },
		"avail: ComposeTo of 8 and 9 slots":  func() { f.ComposeTo(longer, f, 0) },
		"avail: Compose: -1 is negative":     func() { f.ComposeTo(f, f, -1) },
		"avail: comparison of 8 and 9 slots": func() { f.Covers(longer) },
		"avail: Mask: -1 is negative":        func() { f.Mask(-1) },
		"avail: NextRun: -1 is negative":     func() { f.NextRun(-1, 1) },
	} {
		require.PanicsWithValue(t, want, fault)
	}
	is(t, make(cells, 8), f)
}

func TestConstructorsRefuse(t *testing.T) {
	for n, want := range map[int]string{
		-1:           "bookahead: slots -1 is negative",
		MaxSlots + 1: "bookahead: slots 2147483585 is more than 2147483584",
	} {
		_, err := NewVector(n)
		require.ErrorIs(t, err, bookahead.ErrInvalid)
		require.EqualError(t, err, want)
		_, err = NewRuns(n)
		require.ErrorIs(t, err, bookahead.ErrInvalid)
		require.EqualError(t, err, want)
	}
	r, err := NewRuns(MaxSlots)
	require.NoError(t, err)
	r.Set(0, MaxSlots)
	require.Equal(t, []Run{{0, MaxSlots}}, slices.Collect(r.All()))
}
