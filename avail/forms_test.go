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

// form is the interface that Vector and Runs have in common: all methods must answer alike.
type form[T any] interface {
	Len() int
	Get(i int) bool
	Set(from, to int)
	Clear(from, to int)
	Weight() int
	Equal(o T) bool
	Covers(o T) bool
	Dominates(o T) bool
	All() iter.Seq[Run]
	Clone() T
	String() string
	Compose(o T, delay int) T
	ComposeTo(dst, o T, delay int)
	Mask(k int) T
	Starts(b int) T
	FirstRun(b int) (int, bool)
	NextRun(from, b int) (int, bool)
	EST(b, delay int) (int, bool)
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
		require.Equal(t, x.weight(), f.Weight())
		require.Equal(t, x.all(), slices.Collect(f.All()))
		for i := range x {
			require.Equal(t, x[i], f.Get(i))
		}

		same := slices.Equal(x, y)
		require.Equal(t, same, f.Equal(g))
		require.Equal(t, x.covers(y), f.Covers(g))
		require.Equal(t, x.covers(y) && !same, f.Dominates(g))
		require.True(t, f.Equal(f.Clone()))
		require.True(t, f.Covers(f))
		require.False(t, f.Dominates(f))

		b, k := drawRun(t, n), rapid.IntRange(0, n+3).Draw(t, "k")
		masked := slices.Clone(x)
		masked.fill(0, min(k, n), false)
		is(t, masked, f.Mask(k))
		starts := make(cells, n)
		for i := range starts {
			starts[i] = x.starts(i, b)
		}
		is(t, starts, f.Starts(b))

		at, ok := f.FirstRun(b)
		wantAt, wantOK := x.nextRun(0, b)
		require.Equal(t, []any{wantAt, wantOK}, []any{at, ok}, "R(%d) of %v", b, f)
		est, ok := f.EST(b, k)
		require.Equal(t, wantOK, ok)
		if ok {
			require.Equal(t, wantAt+b+k, est)
		}
		at, ok = f.NextRun(k, b)
		wantAt, wantOK = x.nextRun(k, b)
		require.Equal(t, []any{wantAt, wantOK}, []any{at, ok}, "R(%d) from %d on of %v", b, k, f)

		delay := rapid.OneOf(rapid.IntRange(0, 3), rapid.IntRange(0, n+3), rapid.Just(math.MaxInt)).Draw(t, "delay")
		want := make(cells, n)
		if delay < n {
			want = x.compose(y, delay)
		}
		is(t, want, f.Compose(g, delay))
		is(t, x, f)
		is(t, y, g)
		// The result may take the place of either operand, or of any other.
		into := of(drawCells(t, n, "dst"))
		f.ComposeTo(into, g, delay)
		is(t, want, into)
		into = f.Clone()
		into.ComposeTo(into, g, delay)
		is(t, want, into)
		into = g.Clone()
		f.ComposeTo(into, into, delay)
		is(t, want, into)
		if delay < n {
			into = f.Clone()
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
		untouched, before := f.Clone(), slices.Clone(x)
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

// conversions converts there and back, and through text.
func conversions(t *rapid.T) {
	x := drawCells(t, lengths.Draw(t, "slots"), "x")
	v, r := x.vector(), x.list()
	is(t, x, v.Runs())
	is(t, x, r.Vector())
	require.True(t, v.Equal(r.Vector()))
	require.True(t, r.Equal(v.Runs()))
	parsed, err := Parse(v.String())
	require.NoError(t, err)
	is(t, x, parsed)
	require.Equal(t, v, parsed)
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
	is(t, cells{}, f.Compose(f, 0))
	is(t, cells{}, f.Compose(f, 1))
	is(t, cells{}, f.Mask(3))
	is(t, cells{}, f.Starts(1))
	require.True(t, f.Equal(f.Clone()))
	require.True(t, f.Covers(f))
	require.Zero(t, f.Weight())
	for b := -1; b < 2; b++ {
		_, ok := f.FirstRun(b)
		require.False(t, ok)
	}
}

func TestNoRunOfNothing(t *testing.T) {
	noRunOfNothing(t, cells{true, true}.vector())
	noRunOfNothing(t, cells{true, true}.list())
}

func noRunOfNothing[T form[T]](t *testing.T, f T) {
	for _, b := range []int{0, -1, math.MinInt, 3, math.MaxInt} {
		_, ok := f.FirstRun(b)
		require.False(t, ok, b)
		_, ok = f.EST(b, 0)
		require.False(t, ok, b)
		require.Zero(t, f.Starts(b).Weight(), b)
	}
	_, ok := f.NextRun(math.MaxInt, 1)
	require.False(t, ok)
	_, ok = f.EST(1, math.MaxInt)
	require.False(t, ok, "the sum does not fit")
	est, ok := f.EST(1, math.MaxInt-1)
	require.True(t, ok)
	require.Equal(t, math.MaxInt, est)
	require.Zero(t, f.Mask(math.MaxInt).Weight())
}

// Faults of the program panic, and name the arguments.
func TestPanics(t *testing.T) {
	panics(t, make(cells, 8).vector(), make(cells, 9).vector())
	panics(t, make(cells, 8).list(), make(cells, 9).list())
}

func panics[T form[T]](t *testing.T, f, longer T) {
	for want, fault := range map[string]func(){
		"avail: Get of [8, 9) in 8 slots":    func() { f.Get(8) },
		"avail: Get of [-1, 0) in 8 slots":   func() { f.Get(-1) },
		"avail: Set of [3, 2) in 8 slots":    func() { f.Set(3, 2) },
		"avail: Clear of [3, 9) in 8 slots":  func() { f.Clear(3, 9) },
		"avail: Compose of 8 and 9 slots":    func() { f.Compose(longer, 0) },
		"avail: ComposeTo of 8 and 9 slots":  func() { f.ComposeTo(longer, f, 0) },
		"avail: Compose: -1 is negative":     func() { f.Compose(f, -1) },
		"avail: comparison of 8 and 9 slots": func() { f.Covers(longer) },
		"avail: Mask: -1 is negative":        func() { f.Mask(-1) },
		"avail: NextRun: -1 is negative":     func() { f.NextRun(-1, 1) },
		"avail: EST: -1 is negative":         func() { f.EST(1, -1) },
	} {
		require.PanicsWithValue(t, want, fault)
	}
	require.Panics(t, func() { f.Dominates(longer) })
	require.False(t, f.Equal(longer), "different lengths are different")
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
	_, err := Parse("01x")
	require.ErrorIs(t, err, bookahead.ErrInvalid)
	require.EqualError(t, err, "bookahead: slot 2 'x' is neither 0 nor 1")
	r, err := NewRuns(MaxSlots)
	require.NoError(t, err)
	r.Set(0, MaxSlots)
	require.Equal(t, MaxSlots, r.Weight())
	require.True(t, r.Get(MaxSlots-1))
}
