package idletree

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bookahead/bookahead"
)

// sorted is an index without a tree: its periods in the order byStart.
type sorted []Period

func (l *sorted) update(edits []edit) {
	for _, e := range edits {
		i, found := slices.BinarySearchFunc(*l, Period{bookahead.Interval{Start: e.start}, e.server}, byStart)
		if found {
			*l = slices.Delete(*l, i, i+1)
		}
		if e.is != 0 {
			*l = slices.Insert(*l, i, Period{bookahead.Interval{Start: e.start, End: e.is}, e.server})
		}
	}
}

// TestIndex makes the same changes to an index of several levels and to a list,
// in batches of all sizes: some far apart, some side by side.
func TestIndex(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		x, list := newIndex(), sorted{}
		now := bookahead.Time(-1)
		for range 30 {
			edits := drawEdits(rng, list, now)
			x.update(edits)
			list.update(edits)
			if rng.IntN(4) == 0 {
				now += bookahead.Time(1 + rng.Int64N(3000))
				x.forget(now)
				list = slices.DeleteFunc(list, func(p Period) bool { return p.End <= now })
			}
			requireSame(t, &x, list)
			queries(t, rng, &x, list)
		}
		clone := x.clone()
		var all []edit
		for _, p := range list {
			all = append(all, edit{start: p.Start, was: p.End, server: p.Server})
		}
		first := len(all) / 2
		x.update(slices.Delete(slices.Clone(all), first, min(first+1, len(all))))
		requireSame(t, &x, list[first:min(first+1, len(list))])
		x.update(all[first:min(first+1, len(all))])
		requireSame(t, &x, nil)
		requireSame(t, &clone, list)
	})
}

func requireSame(t *rapid.T, x *index, list sorted) {
	got, err := x.check()
	require.NoError(t, err)
	require.True(t, slices.Equal(list, got))
}

// drawEdits draws up to some thousand changes: new periods, and periods of the
// list that go or get another end.
func drawEdits(rng *rand.Rand, list sorted, now bookahead.Time) []edit {
	n := 1 << rng.IntN(13)
	span := int64(1) << rng.IntN(16) // over which they are spread
	from := int64(now) + 1 + rng.Int64N(1<<16-span+1)
	edits := map[[2]int64]edit{}
	for range n {
		e := edit{start: bookahead.Time(from + rng.Int64N(span)), server: rng.IntN(1000)}
		if i, _ := slices.BinarySearchFunc(list, Period{bookahead.Interval{Start: e.start}, e.server}, byStart); i < len(list) && rng.IntN(2) == 0 {
			e = edit{start: list[i].Start, server: list[i].Server}
		}
		if i, found := slices.BinarySearchFunc(list, Period{bookahead.Interval{Start: e.start}, e.server}, byStart); found {
			e.was = list[i].End
		}
		if e.was == 0 || rng.IntN(3) == 0 {
			e.is = max(e.start, now) + bookahead.Time(1+rng.Int64N(1<<rng.IntN(17)))
		}
		edits[[2]int64{int64(e.start), int64(e.server)}] = e
	}
	var ordered []edit
	for _, e := range edits {
		ordered = append(ordered, e)
	}
	slices.SortFunc(ordered, edit.compare)
	return ordered
}

// queries compares the answers of both.
func queries(t *rapid.T, rng *rand.Rand, x *index, list sorted) {
	for range 10 {
		start := bookahead.Time(rng.Int64N(1 << 16))
		w := bookahead.Interval{Start: start, End: start + bookahead.Time(1+rng.Int64N(1<<rng.IntN(17)))}
		var want []Period
		for _, p := range slices.Backward(list) {
			if p.Start <= w.Start && w.End <= p.End {
				want = append(want, p)
			}
		}
		n := 1 + rng.IntN(20)
		c := newPicks(w, n, nil, nil)
		require.Equal(t, len(want) < n, x.root.covering(&c))
		require.True(t, slices.Equal(want[:min(n, len(want))], c.heap.list))
		var got []Period
		x.root.descend(w, nil, func(p Period) bool {
			got = append(got, p)
			return true
		})
		require.True(t, slices.Equal(want, got))
		require.Equal(t, len(want), x.root.count(w))

		s := span{after: w.Start - 1, by: w.End, end: w.End, length: bookahead.Time(rng.Int64N(1 << 10))}
		want, got = nil, nil
		for _, p := range list {
			if p.Start > s.after && p.Start <= s.by && p.End >= s.end && p.End-p.Start >= s.length {
				want = append(want, p)
			}
		}
		x.root.ascend(s, func(p Period) bool {
			got = append(got, p)
			return true
		})
		require.True(t, slices.Equal(want, got))
	}
}
