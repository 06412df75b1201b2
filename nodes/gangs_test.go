package nodes

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/depth"
)

// hall is a small machine in racks and blocks, at random. A rack may be in no block, and a node in no rack. Each node has
// some of a single resource left in [0, 10).
type hall struct {
	m             *Machine
	racks, blocks [][]int
	left          []int64
}

func drawHall(t *testing.T, rng *rand.Rand) *hall {
	h := &hall{}
	order := rng.Perm(2 + rng.IntN(7))
	loose := rng.IntN(2)
	for k := loose; k < len(order); {
		end := min(len(order), k+1+rng.IntN(3))
		h.racks = append(h.racks, order[k:end])
		k = end
	}
	for g := rng.IntN(2); g < len(h.racks); {
		end := min(len(h.racks), g+1+rng.IntN(3))
		h.blocks = append(h.blocks, slices.Concat(h.racks[g:end]...))
		g = end
	}
	c := Config{Resources: []string{"gpus"}, Levels: []Level{{"rack", h.racks}, {"block", h.blocks}}}
	c.Policy = []Policy{LowestIndex(), BestFit(), FewestNodes(), Spread()}[rng.IntN(4)]
	for range order {
		c.Nodes = append(c.Nodes, Vector{1 + rng.Int64N(4)})
	}
	m, err := New(c)
	require.NoError(t, err)
	h.m = m
	for k, v := range c.Nodes {
		taken := rng.Int64N(v[0] + 1)
		h.left = append(h.left, v[0]-taken)
		if taken > 0 {
			booked(t, m, Request{Duration: 10, Tasks: 1, Each: Vector{taken}, Nodes: []int{k}})
		}
	}
	return h
}

// groupOf returns the group of a node, or a number of its own if it is in none.
func groupOf(groups [][]int, k int) int {
	for g, group := range groups {
		if slices.Contains(group, k) {
			return g
		}
	}
	return len(groups) + k
}

// fewest returns the fewest racks in which a place at 0 on some nodes lies: it tries each choice of racks, and each node
// for the head. 0 if there is no place.
func (h *hall) fewest(r Request, nodes []int) int {
	var names []int
	for _, k := range nodes {
		names = append(names, groupOf(h.racks, k))
	}
	slices.Sort(names)
	names = slices.Compact(names)
	best := 0
	for choice := 1; choice < 1<<len(names); choice++ {
		in := func(k int) bool {
			i, _ := slices.BinarySearch(names, groupOf(h.racks, k))
			return choice>>i&1 > 0
		}
		size := 0
		for i := range names {
			size += choice >> i & 1
		}
		if (best == 0 || size < best) && h.holds(r, slices.DeleteFunc(slices.Clone(nodes), func(k int) bool { return !in(k) })) {
			best = size
		}
	}
	return best
}

// holds reports whether some nodes have room at 0.
func (h *hall) holds(r Request, nodes []int) bool {
	heads := nodes
	if r.Head == nil {
		heads = []int{-1}
	}
	return slices.ContainsFunc(heads, func(head int) bool {
		sum := int64(0)
		for _, k := range nodes {
			left := h.left[k]
			if k == head {
				left -= r.Head[0]
				if left < 0 {
					return false
				}
			}
			n := left / r.Each[0]
			if r.PerNode > 0 {
				n = min(n, r.PerNode)
			}
			sum += n
		}
		return sum >= r.Tasks
	})
}

// Two levels: the tasks lie in one block, in as few racks as any block allows, and in the lowest such block.
func TestTwoLevelsAgainstBruteForce(t *testing.T) {
	rng := rand.New(rand.NewPCG(43, 1))
	found, several := 0, 0
	for range depth.Cases(100_000) {
		h := drawHall(t, rng)
		r := Request{Deadline: 5, Duration: 5, Tasks: 1 + rng.Int64N(6), Each: Vector{1 + rng.Int64N(2)}, PerNode: rng.Int64N(3), Within: "block", Together: "rack"}
		if rng.IntN(4) == 0 {
			r.Head = Vector{1 + rng.Int64N(2)}
		}
		block, racks := -1, 0
		for g, nodes := range h.blocks {
			n := h.fewest(r, nodes)
			if n > 0 && (racks == 0 || n < racks) {
				block, racks = g, n
			}
		}
		o, err := h.m.Search(r)
		if racks == 0 {
			require.ErrorIs(t, err, bookahead.ErrUnavailable)
			continue
		}
		require.NoError(t, err, "%+v", r)
		found++
		used := map[int]bool{}
		list := []int{}
		for _, s := range o.Tasks {
			list = append(list, s.Node)
		}
		if o.Head >= 0 {
			list = append(list, o.Head)
		}
		for _, k := range list {
			require.Contains(t, h.blocks[block], k, "%+v: %v", r, o)
			used[groupOf(h.racks, k)] = true
		}
		require.Len(t, used, racks, "%+v: %v in %v of %v", r, o, h.racks, h.blocks)
		if racks > 1 {
			several++
		}
	}
	t.Logf("%d places, %d of them in several racks", found, several)
	require.Positive(t, several)
}

// Block 0 has room in three racks, and block 1 in two. A request for four tasks lies in block 1:
//
//	block      0              1            2
//	rack       0    1    2    3    4       5
//	free       2    1    1    2    2       3
func TestTheBlockWithTheFewestRacksIsTaken(t *testing.T) {
	c := Config{
		Resources: []string{"gpus"}, Nodes: []Vector{{2}, {1}, {1}, {2}, {2}, {3}},
		Levels: []Level{{"rack", [][]int{{0}, {1}, {2}, {3}, {4}, {5}}}, {"block", [][]int{{0, 1, 2}, {3, 4}, {5}}}},
	}
	m, err := New(c)
	require.NoError(t, err)
	r := Request{Duration: 10, Tasks: 4, Each: Vector{1}, Within: "block", Together: "rack"}
	require.Equal(t, "#1 [0, 10) 2 on 3, 2 on 4", reserved(t, m, r).String())
	require.Equal(t, "#2 [0, 10) 2 on 0, 1 on 1, 1 on 2", reserved(t, m, r).String())
	// The other way round, a rack lies in one block, so that Together asks for nothing more.
	r.Within, r.Together, r.Tasks = "rack", "block", 2
	require.Equal(t, "#3 [0, 10) 2 on 5", reserved(t, m, r).String())
	// A reservation that is displaced has both levels again.
	closes(t, m, 0, 100, 3)
	done, err := m.Displace(Force{})
	require.NoError(t, err)
	require.Equal(t, &Terms{Within: "block", Together: "rack"}, done.Moved[0].To.Terms)
	require.Equal(t, "#1 [10, 20) 2 on 0, 1 on 1, 1 on 2", done.Moved[0].To.String())
}

// Most tasks stay where they are, although block 1 has room in one rack.
func TestARebookPrefersItsBlockToFewerRacks(t *testing.T) {
	m, err := New(Config{
		Resources: []string{"gpus"}, Nodes: []Vector{{2}, {2}, {4}},
		Levels: []Level{{"rack", [][]int{{0}, {1}, {2}}}, {"block", [][]int{{0, 1}, {2}}}},
	})
	require.NoError(t, err)
	booked(t, m, Request{Ready: 10, Duration: 10, Tasks: 4, Each: Vector{1}, Nodes: []int{2}})
	r := Request{Ready: 10, Duration: 10, Tasks: 3, Each: Vector{1}, Within: "block", Together: "rack"}
	res := reserved(t, m, r)
	require.Equal(t, "#2 [10, 20) 2 on 0, 1 on 1", res.String())
	require.NoError(t, m.Release(1))
	r.Tasks = 4
	res, err = m.Rebook(res.ID, r)
	require.NoError(t, err)
	require.Equal(t, "#2 [10, 20) 2 on 0, 2 on 1", res.String())
	require.NoError(t, m.Verify())
}
