package idletree

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// prune takes the nodes out of an index below which there is none of the leaves to keep, and puts
// a node there in which no search finds its way: to load it ahead does no harm, but to look for
// an entry panics. It returns how many leaves are left.
func (nd *node) prune(keep func(leaf *node) bool) int {
	if nd.kids == nil {
		if keep(nd) {
			return 1
		}
		return 0
	}
	left := 0
	for i := range nd.n {
		n := nd.kids.node[i].prune(keep)
		if n == 0 {
			nd.kids.node[i] = &node{n: 2 * width}
		}
		left += n
	}
	return left
}

// lastBy returns the last leaf in which something starts by t.
func (nd *node) lastBy(t bookahead.Time) *node {
	for nd.kids != nil {
		nd = nd.kids.node[max(0, nd.after(t)-1)]
	}
	return nd
}

func (nd *node) has(accept func(p bookahead.Interval) bool) bool {
	for i := range nd.n {
		if accept(bookahead.Interval{Start: nd.start[i], End: nd.end[i]}) {
			return true
		}
	}
	return false
}

// Inner nodes know the latest end and the greatest length, so that each leaf that
// is read has an answer, except at the edges of the query.
func TestLeavesReadHaveAnswers(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	x, list := newIndex(), sorted{}
	for range 40 {
		edits := drawEdits(rng, list, 0)
		x.update(edits)
		list.update(edits)
	}
	leaves := x.root.clone().prune(func(*node) bool { return true })
	require.Greater(t, leaves, 100)
	saved := 0
	for range 300 {
		start := bookahead.Time(rng.Int64N(1 << 16))
		w := bookahead.Interval{Start: start, End: start + 1 + bookahead.Time(rng.Int64N(1<<rng.IntN(17)))}
		covers := func(p bookahead.Interval) bool { return p.Start <= w.Start && w.End <= p.End }
		all := newPicks(w, x.size+1, nil, nil)
		x.root.covering(&all)

		copied := x.root.clone()
		edge := copied.lastBy(w.Start)
		left := copied.prune(func(leaf *node) bool { return leaf == edge || leaf.has(covers) })
		saved += leaves - left
		require.LessOrEqual(t, left, len(all.heap.list)+1)
		again := newPicks(w, x.size+1, nil, nil)
		require.NotPanics(t, func() { copied.covering(&again) })
		require.Equal(t, all.heap.list, again.heap.list)
		require.NotPanics(t, func() { copied.descend(w, nil, func(Period) bool { return true }) })
		require.NotPanics(t, func() { require.Equal(t, len(all.heap.list), copied.count(w)) })

		// The first found are enough.
		n := 1 + rng.IntN(8)
		copied = x.root.clone()
		edge = copied.lastBy(w.Start)
		first := all.heap.list[:min(n, len(all.heap.list))]
		if len(first) == n {
			copied.prune(func(leaf *node) bool {
				return leaf == edge || slices.ContainsFunc(first, func(p Period) bool {
					return leaf.holds(p)
				})
			})
			some := newPicks(w, n, nil, nil)
			require.NotPanics(t, func() { copied.covering(&some) })
			require.Equal(t, first, some.heap.list)
		}

		// A search that goes on after w.Start.
		s := span{after: w.Start, by: w.End, end: w.Start + 500, length: 500}
		copied = x.root.clone()
		from, to := copied.lastBy(s.after), copied.lastBy(s.by)
		copied.prune(func(leaf *node) bool {
			return leaf == from || leaf == to || leaf.has(func(p bookahead.Interval) bool {
				return s.after < p.Start && p.Start <= s.by && p.Len() >= 500
			})
		})
		require.NotPanics(t, func() { copied.ascend(s, func(Period) bool { return true }) })
	}
	require.Greater(t, saved, 300*leaves/2, "most leaves are not read")
}

// holds reports whether a leaf holds p.
func (nd *node) holds(p Period) bool {
	for i := range nd.n {
		if nd.start[i] == p.Start && int(nd.server[i]) == p.Server {
			return true
		}
	}
	return false
}

// All that ends at once leaves no nodes behind that are almost empty.
func TestMassExpiryJoinsNodes(t *testing.T) {
	x := newIndex()
	var edits []edit
	for i := range 100_000 {
		e := edit{start: bookahead.Time(i), is: bookahead.MaxTime}
		if i%60 != 0 {
			e.is = 200_000
		}
		edits = append(edits, e)
	}
	x.update(edits)
	x.forget(200_000)
	leaves := x.root.prune(func(*node) bool { return true })
	require.Equal(t, 1667, x.size)
	require.LessOrEqual(t, leaves, 2*x.size/(width/2)+1)
}
