package idletree

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bookahead/bookahead"
)

// The index of a Tree, of several levels, finds the places that the calendars of a Lists
// have, from either end.
func TestLatestAndOpenings(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		servers := rapid.Int64Range(1, 120).Draw(t, "servers")
		c := Config{Horizon: 4000, Prefer: LowestIndex}
		tree, err := NewTree(servers, c)
		require.NoError(t, err)
		list, err := NewLists(servers, c)
		require.NoError(t, err)
		request := func() bookahead.Request {
			r := bookahead.Request{
				Ready: bookahead.Time(rng.IntN(3000)), Duration: bookahead.Duration(1 + rng.IntN(200)), Units: 1 + rng.Int64N(servers),
			}
			if rng.IntN(2) == 0 {
				r.Deadline = r.Ready + bookahead.Time(r.Duration) + bookahead.Time(rng.IntN(2000))
			}
			if rng.IntN(4) == 0 {
				r.Servers = rng.Perm(int(servers))[:r.Units+rng.Int64N(servers-r.Units+1)]
			}
			return r
		}
		for range 8 * int(servers) {
			r := request()
			r.Units = min(r.Units, 1+rng.Int64N(5))
			want, wantErr := list.Reserve(r)
			got, err := tree.Reserve(r)
			require.Equal(t, wantErr, err)
			require.Equal(t, want, got)
		}
		for range 20 {
			r := request()
			want, wantErr := list.SearchLatest(r)
			got, err := tree.SearchLatest(r)
			require.Equal(t, wantErr, err)
			require.Equal(t, want, got, "%+v", r)
			openings := slices.Collect(list.Openings(r))
			require.Equal(t, openings, slices.Collect(tree.Openings(r)), "%+v", r)
			if err == nil {
				require.Equal(t, got.Start, openings[len(openings)-1].End-1)
			}
		}
	})
}

// Periods that end too early are not read: each leaf that is read has a period that is long
// enough and ends when the window ends, or later.
func TestLatestIsReadFromTheEnd(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	x, list := newIndex(), sorted{}
	for range 40 {
		edits := drawEdits(rng, list, 0)
		x.update(edits)
		list.update(edits)
	}
	const d = 50
	s := span{by: 1 << 15, length: d}
	leaves, found := x.root.clone().prune(func(*node) bool { return true }), 0
	for wanted := range 100 {
		var ends []bookahead.Time
		add := func(p bookahead.Interval) (bookahead.Time, bool) {
			ends = append(ends, p.End)
			return p.End, len(ends) > wanted
		}
		last, ok := x.root.descendEnds(s, add)
		require.True(t, ok)
		require.True(t, slices.IsSortedFunc(ends, func(a, b bookahead.Time) int { return int(b - a) }))
		copied := x.root.clone()
		edge := copied.lastBy(s.by)
		left := copied.prune(func(leaf *node) bool {
			return leaf == edge || leaf.has(func(p bookahead.Interval) bool { return p.Start <= s.by && p.End >= last })
		})
		ends = nil
		require.NotPanics(t, func() { _, ok = copied.descendEnds(s, add) })
		require.True(t, ok)
		found += left
	}
	require.Less(t, found, 100*leaves/2, "most leaves are not read")
}
