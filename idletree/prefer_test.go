package idletree

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bookahead/bookahead"
)

// idle returns a tree whose servers are idle in one period each around [40, 50).
func idle(t *testing.T, prefer Prefer, periods ...bookahead.Interval) *Tree {
	x, err := NewTree(int64(len(periods)), Config{Prefer: prefer})
	require.NoError(t, err)
	for k, p := range periods {
		for _, w := range []bookahead.Interval{{Start: 0, End: p.Start}, {Start: p.End, End: 1000}} {
			if w.Empty() {
				continue
			}
			o := bookahead.Offer{Interval: w, Units: 1, Servers: []int{k}}
			_, err := x.Reserve(o.Request())
			require.NoError(t, err)
		}
	}
	return x
}

// TestPolicies asks for two servers out of five, by each policy.
func TestPolicies(t *testing.T) {
	for _, c := range []struct {
		name   string
		prefer Prefer
		want   []int
	}{
		{"first found", Prefer{}, []int{1, 2}}, // begun last
		{"best fit", BestFit, []int{2, 3}},
		{"worst fit", WorstFit, []int{1, 4}},
		{"lowest index", LowestIndex, []int{0, 1}},
		{"caller's own", PreferFunc(func(w bookahead.Interval, a, b Period) int {
			return cmp.Compare(a.End-w.End, b.End-w.End) // leaves least behind
		}), []int{0, 2}},
		{"caller's own, none", PreferFunc(nil), []int{1, 2}},
		{"caller's own, on another", PreferFunc(func(w bookahead.Interval, a, b Period) int {
			return -BestFit.Compare(w, a, b)
		}), []int{1, 4}},
	} {
		x := idle(t, c.prefer,
			bookahead.Interval{Start: 10, End: 51},
			bookahead.Interval{Start: 38, End: 400},
			bookahead.Interval{Start: 39, End: 52},
			bookahead.Interval{Start: 36, End: 60},
			bookahead.Interval{Start: 0, End: 300},
		)
		o, err := x.Search(bookahead.Request{Ready: 40, Duration: 10, Units: 2})
		require.NoError(t, err)
		require.Equal(t, c.want, o.Servers, c.name)
		require.Equal(t, bookahead.Interval{Start: 40, End: 50}, o.Interval)
	}
}

// Preferred alike, the lowest servers are taken.
func TestTiesGoToTheLowestServer(t *testing.T) {
	for name, prefer := range map[string]Prefer{
		"first found": {}, "best fit": BestFit, "worst fit": WorstFit, "lowest index": LowestIndex,
	} {
		x, err := NewTree(200, Config{Prefer: prefer})
		require.NoError(t, err)
		o, err := x.Search(bookahead.Request{Duration: 10, Units: 3})
		require.NoError(t, err)
		require.Equal(t, []int{0, 1, 2}, o.Servers, name)
	}
}

// TestBest compares with sorting all.
func TestBest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		periods := make([]Period, rapid.IntRange(1, 60).Draw(t, "periods"))
		for k := range periods {
			end := bookahead.Time(rapid.IntRange(1, 20).Draw(t, "end"))
			periods[k] = Period{bookahead.Interval{End: end}, k}
		}
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		rng.Shuffle(len(periods), func(i, j int) { periods[i], periods[j] = periods[j], periods[i] })
		n := rapid.IntRange(1, len(periods)).Draw(t, "n")
		want := slices.Clone(periods)
		slices.SortFunc(want, func(a, b Period) int { return cmp.Or(BestFit.Compare(bookahead.Interval{}, a, b), byServer(a, b)) })
		c := newPicks(bookahead.Interval{}, n, BestFit.order, nil)
		for _, p := range periods {
			c.add(p)
		}
		require.ElementsMatch(t, want[:n], c.heap.list)
	})
}

// TestBounds compares the policies with the same in other words, of which the
// tree knows no bounds, and the servers that it reads.
func TestBounds(t *testing.T) {
	const servers = 5000
	for name, prefer := range map[string]Prefer{
		"best fit": BestFit, "worst fit": WorstFit, "lowest index": LowestIndex,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x, err := NewTree(servers, Config{Prefer: prefer})
			require.NoError(t, err)
			compared := 0
			y, err := NewTree(servers, Config{Prefer: PreferFunc(func(w bookahead.Interval, a, b Period) int {
				compared++
				return prefer.Compare(w, a, b)
			})})
			require.NoError(t, err)
			rng := rand.New(rand.NewPCG(1, 2))
			var read, all int
			for i := range 3000 {
				r := randomRequest(rng, 1+rng.IntN(30))
				want, err := y.Reserve(r)
				require.NoError(t, err)
				if i > 2900 {
					c := x.tree().picks(r, r.Ready, nil)
					c.bound, compared = x.tree().prefer.bound, 0
					c.order = y.tree().prefer.order
					x.tree().index.root.covering(&c)
					read += compared
					c = x.tree().picks(r, r.Ready, nil)
					c.order, compared = y.tree().prefer.order, 0
					x.tree().index.root.covering(&c)
					all += compared
				}
				got, err := x.Reserve(r)
				require.NoError(t, err)
				require.Equal(t, want, got)
				if rng.IntN(3) == 0 {
					require.Equal(t, x.Release(got.ID), y.Release(got.ID))
				}
			}
			require.NoError(t, x.Verify())
			t.Logf("%d comparisons, %d without bounds", read, all)
			require.Less(t, 2*read, all)
		})
	}
}

// Idle and a request that names servers make a choice that no policy can: here,
// neighbours.
func ExampleTree_Idle() {
	x, err := NewTree(6, Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, k := range []int{1, 3} {
		r := bookahead.Request{Duration: 10, Units: 1, Servers: []int{k}}
		if _, err := x.Reserve(r); err != nil {
			fmt.Println(err)
		}
	}
	var free []int
	for p := range x.Idle(bookahead.Interval{Start: 5, End: 8}) {
		free = append(free, p.Server)
	}
	slices.Sort(free)
	fmt.Println("free:", free)
	for i := range len(free) - 1 {
		if free[i+1] == free[i]+1 {
			res, err := x.Reserve(bookahead.Request{Ready: 5, Duration: 3, Units: 2, Servers: free[i : i+2]})
			fmt.Println(res, err)
			return
		}
	}
	// Output:
	// free: [0 2 4 5]
	// #3 [5, 8) [4 5] <nil>
}
