package spans

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bookahead/bookahead"
)

// world is an index, and the spans that must be in it, in their order.
type world struct {
	x    *Index
	want []Span
	last bookahead.ID
}

func (w *world) add(start, length bookahead.Time) {
	w.last++
	s := Span{bookahead.Interval{Start: start, End: start + length}, w.last}
	w.x.Add(s)
	i, _ := slices.BinarySearchFunc(w.want, s, compare)
	w.want = slices.Insert(w.want, i, s)
}

func (w *world) remove(t require.TestingT, i int) {
	s := w.want[i]
	s.End = 0 // Start and ID are enough
	require.True(t, w.x.Remove(s))
	require.False(t, w.x.Remove(s), "it is gone")
	w.want = slices.Delete(w.want, i, i+1)
}

func (w *world) forget(now bookahead.Time) {
	w.x.Forget(now)
	w.want = slices.DeleteFunc(w.want, func(s Span) bool { return s.End <= now })
}

func (w *world) check(t require.TestingT) {
	require.NoError(t, w.x.Verify())
	require.Equal(t, len(w.want), w.x.Len())
	require.Equal(t, w.want, append([]Span{}, slices.Collect(w.x.Overlapping(bookahead.Interval{End: bookahead.MaxTime}))...))
}

func (w *world) checkWindow(t require.TestingT, window bookahead.Interval) {
	var want []Span
	for _, s := range w.want {
		if s.Overlaps(window) {
			want = append(want, s)
		}
	}
	require.Equal(t, want, slices.Collect(w.x.Overlapping(window)), "in %v", window)
	first, _ := slices.BinarySearchFunc(w.want, Span{Interval: window}, compare)
	require.Equal(t, w.want[first:], append([]Span{}, slices.Collect(w.x.From(window.Start))...), "from %v", window)
}

// TestIndex compares an index and its clones with plain slices. Nodes are narrow.
func TestIndex(t *testing.T) {
	const far = 300
	highest := 0
	rapid.Check(t, func(t *rapid.T) {
		width := rapid.SampledFrom([]int{4, 5, 8, 11}).Draw(t, "width")
		worlds := []*world{{x: &Index{width: width}, want: []Span{}}}
		pick := func() *world { return worlds[rapid.IntRange(0, len(worlds)-1).Draw(t, "world")] }
		start := rapid.Custom(func(t *rapid.T) bookahead.Time { return bookahead.Time(rapid.IntRange(0, far).Draw(t, "start")) })
		length := rapid.SampledFrom([]bookahead.Time{1, 1, 5, 30, far, bookahead.MaxTime - far})
		number := rapid.SampledFrom([]int{1, 1, 3, 10, 40})
		t.Repeat(map[string]func(*rapid.T){
			"add": func(t *rapid.T) {
				w := pick()
				for range number.Draw(t, "number") {
					w.add(start.Draw(t, "start"), length.Draw(t, "length"))
				}
			},
			"add in order": func(t *rapid.T) {
				w := pick()
				s, l := start.Draw(t, "start"), length.Draw(t, "length")
				step := rapid.SampledFrom([]bookahead.Time{-1, 0, 0, 1}).Draw(t, "step")
				for range number.Draw(t, "number") {
					w.add(s, l)
					s = min(max(s+step, 0), far)
				}
			},
			"remove": func(t *rapid.T) {
				w := pick()
				for range min(len(w.want), number.Draw(t, "number")) {
					w.remove(t, rapid.IntRange(0, len(w.want)-1).Draw(t, "span"))
				}
			},
			"remove in order": func(t *rapid.T) {
				w := pick()
				i := rapid.IntRange(0, len(w.want)).Draw(t, "span")
				for range number.Draw(t, "number") {
					if i < len(w.want) {
						w.remove(t, i)
					}
				}
			},
			"remove another": func(t *rapid.T) {
				w := pick()
				require.False(t, w.x.Remove(Span{bookahead.Interval{Start: start.Draw(t, "start"), End: far}, w.last + 1}))
			},
			"forget": func(t *rapid.T) {
				pick().forget(bookahead.Time(rapid.SampledFrom([]int{0, 1, 5, 20, 100, far, 2 * far}).Draw(t, "now")))
			},
			"build": func(t *rapid.T) {
				w := pick()
				x := build(w.want, width)
				w.x = &x
			},
			"clone": func(t *rapid.T) {
				if len(worlds) == 3 {
					t.Skip("enough")
				}
				w := pick()
				c := w.x.Clone()
				worlds = append(worlds, &world{&c, slices.Clone(w.want), w.last})
			},
			"query": func(t *rapid.T) {
				w, s := pick(), start.Draw(t, "start")
				w.checkWindow(t, bookahead.Interval{Start: s, End: s + bookahead.Time(rapid.IntRange(-1, 50).Draw(t, "length"))})
			},
			"": func(t *rapid.T) {
				for _, w := range worlds {
					w.check(t)
					highest = max(highest, height(w.x))
				}
			},
		})
	})
	require.GreaterOrEqual(t, highest, 4, "the trees stay low")
}

// height returns the number of levels.
func height(x *Index) int {
	if x.root == nil {
		return 0
	}
	h := 1
	for nd := x.root; nd.inner != nil; nd = nd.kid[0] {
		h++
	}
	return h
}

// TestHardCases tries orders and shapes with nodes of the usual width.
func TestHardCases(t *testing.T) {
	const n = 20_000
	rng := rand.New(rand.NewPCG(1, 1))
	for name, span := range map[string]func(i int) (start, length bookahead.Time){
		"ascending":  func(i int) (_, _ bookahead.Time) { return bookahead.Time(i), 10 },
		"descending": func(i int) (_, _ bookahead.Time) { return bookahead.Time(n - i), 10 },
		"one start":  func(i int) (_, _ bookahead.Time) { return 7, bookahead.Time(1 + rng.IntN(n)) },
		"one tick":   func(int) (_, _ bookahead.Time) { return 7, 1 },
		"long":       func(i int) (_, _ bookahead.Time) { return bookahead.Time(rng.IntN(n)), bookahead.MaxTime - n },
		"any":        func(int) (_, _ bookahead.Time) { return bookahead.Time(rng.IntN(n)), bookahead.Time(1 + rng.IntN(100)) },
	} {
		t.Run(name, func(t *testing.T) {
			var x Index
			var all []Span
			for i := range n {
				start, length := span(i)
				s := Span{bookahead.Interval{Start: start, End: start + length}, bookahead.ID(i + 1)}
				x.Add(s)
				all = append(all, s)
			}
			w := &world{x: &x, want: slices.SortedFunc(slices.Values(all), compare)}
			w.check(t)
			require.Less(t, memory(&x), 64*n)
			for range 50 {
				start := bookahead.Time(rng.IntN(n))
				w.checkWindow(t, bookahead.Interval{Start: start, End: start + 5})
			}

			rng.Shuffle(n, func(i, j int) { all[i], all[j] = all[j], all[i] })
			for _, s := range all[:n*3/4] {
				require.True(t, x.Remove(s))
			}
			w.want = slices.SortedFunc(slices.Values(all[n*3/4:]), compare)
			w.check(t)
			require.Less(t, memory(&x), 64*n/4)

			w.forget(n / 2)
			w.check(t)
			w.forget(bookahead.MaxTime)
			w.check(t)
			require.Nil(t, x.root)
			w.last = n
			w.add(1, 1)
			w.check(t)
		})
	}
}

// TestPicture has the tree of the package comment.
func TestPicture(t *testing.T) {
	span := func(start, end bookahead.Time, id bookahead.ID) Span {
		return Span{bookahead.Interval{Start: start, End: end}, id}
	}
	x := build([]Span{span(0, 90, 1), span(5, 8, 7), span(10, 12, 2), span(30, 35, 5), span(40, 50, 3), span(40, 45, 4)}, 4)
	require.NoError(t, x.Verify())
	require.Equal(t, 2, height(&x))
	require.Equal(t, []bookahead.Time{0, 30}, x.root.start[:x.root.n])
	require.Equal(t, []bookahead.ID{1, 5}, x.root.id[:2])
	require.Equal(t, []bookahead.Time{90, 50}, x.root.end[:2])
	require.Equal(t, []bookahead.Time{8, 35}, x.root.soonest[:2])
	require.Equal(t, []uint8{3, 3}, x.root.size[:2])

	ids := func(start, end bookahead.Time) (list []bookahead.ID) {
		for s := range x.Overlapping(bookahead.Interval{Start: start, End: end}) {
			list = append(list, s.ID)
		}
		return list
	}
	require.Equal(t, []bookahead.ID{1, 3, 4}, ids(42, 44))
	require.Equal(t, []bookahead.ID{1}, ids(60, 70))
	require.Nil(t, ids(42, 42), "an empty window")
	require.Equal(t, []bookahead.ID{1, 7, 2, 5, 3, 4}, ids(0, 90))
	x.Forget(7)
	require.Equal(t, 6, x.Len())
	x.Forget(9)
	require.Equal(t, []bookahead.ID{1, 2, 5, 3, 4}, ids(0, 90))
	require.NoError(t, x.Verify())
}

// Queries stop when yield returns false, and may be repeated.
func TestBreak(t *testing.T) {
	x := Index{width: 4}
	for id := range bookahead.ID(100) {
		x.Add(Span{bookahead.Interval{Start: bookahead.Time(id), End: 200}, id})
	}
	all := x.Overlapping(bookahead.Interval{Start: 0, End: 200})
	for k := range bookahead.ID(100) {
		var last bookahead.ID
		for s := range all {
			last = s.ID
			if last == k {
				break
			}
		}
		require.Equal(t, k, last)
	}
	require.Len(t, slices.Collect(all), 100)
}

func TestQueriesDoNotAllocate(t *testing.T) {
	x := crowd(100_000)
	n := 0
	require.LessOrEqual(t, testing.AllocsPerRun(100, func() {
		for range x.Overlapping(bookahead.Interval{Start: 5000, End: 5100}) {
			n++
		}
	}), 1.0)
	require.NotZero(t, n)
	require.Zero(t, testing.AllocsPerRun(100, func() { x.Forget(0) }))
}

// A write copies no node unless a clone shares it.
func TestWritesAllocateRarely(t *testing.T) {
	x := crowd(10_000)
	rng := rand.New(rand.NewPCG(2, 2))
	id := bookahead.ID(10_000)
	require.Less(t, testing.AllocsPerRun(20_000, func() {
		id++
		s := crowded(rng, 10_000, id)
		x.Add(s)
		x.Remove(s)
	}), 0.05)
}
