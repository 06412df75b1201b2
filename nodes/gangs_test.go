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
	for range depth.Cases(30_000) {
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

// Exclusive tasks lie on nodes that are free as a whole, at the earliest start at which these hold them: a look at each tick
// and each node says so, on nodes of several kinds.
func TestExclusiveAgainstBruteForce(t *testing.T) {
	rng := rand.New(rand.NewPCG(43, 2))
	found, later := 0, 0
	for range depth.Cases(30_000) {
		const horizon = 12
		c := Config{Horizon: horizon, Resources: []string{"gpus", "cores"}}
		for range 1 + rng.IntN(4) {
			c.Nodes = append(c.Nodes, Vector{rng.Int64N(4), 1 + rng.Int64N(3)})
		}
		m, err := New(c)
		require.NoError(t, err)
		m.index.limit = rng.IntN(8)
		var busy [4][horizon]bool
		draw := func() Request {
			r := Request{Ready: bookahead.Time(rng.IntN(8)), Duration: bookahead.Duration(1 + rng.IntN(5)), Tasks: 1 + rng.Int64N(4), Each: Vector{rng.Int64N(2), rng.Int64N(2)}}
			r.Each[rng.IntN(2)]++
			r.PerNode, r.Exclusive = rng.Int64N(3), rng.IntN(2) == 0
			return r
		}
		for range rng.IntN(4) {
			res, err := m.Reserve(draw())
			for _, s := range res.Tasks {
				for t := res.Start; err == nil && t < res.End; t++ {
					busy[s.Node][t] = true
				}
			}
		}
		r := draw()
		r.Exclusive = true
		start := bookahead.Time(-1)
		for t := r.Ready; start < 0 && t <= horizon-bookahead.Time(r.Duration); t++ {
			sum := int64(0)
			for k, given := range c.Nodes {
				if slices.Contains(busy[k][t:t+bookahead.Time(r.Duration)], true) {
					continue
				}
				sum += r.fit(given)
			}
			if sum >= r.Tasks {
				start = t
			}
		}
		res, err := m.Reserve(r)
		require.Equal(t, start < 0, err != nil, "%+v: %v", r, err)
		if err != nil {
			continue
		}
		found++
		require.Equal(t, start, res.Start, "%+v: %v", r, res)
		if start > r.Ready {
			later++
		}
		for _, s := range res.Tasks {
			require.NotContains(t, busy[s.Node][res.Start:res.End], true, "%+v: %v", r, res)
			require.LessOrEqual(t, s.Tasks, r.fit(c.Nodes[s.Node]))
			for _, free := range stretches(real{m, 1}, s.Node, res.Interval) {
				require.Equal(t, make(Vector, 2), free.free, "%v", res)
			}
		}
		require.NoError(t, m.Verify())
	}
	t.Logf("%d places, %d of them later than asked for", found, later)
	require.Positive(t, later)
}

// Two exclusive tasks of a GPU share node 1, which is free as a whole, and nobody else has room there:
//
//	time      0         10        20
//	node 0    █░░░░░░░░░██████████          1 of 2 GPUs are taken until 10
//	node 1    ██████████                    taken as a whole
func TestExclusiveTasksShareTheirNodeWithNobodyElse(t *testing.T) {
	m, err := New(Config{Resources: []string{"gpus", "cores"}, Nodes: []Vector{{2, 8}, {2, 8}, {4, 8}}})
	require.NoError(t, err)
	booked(t, m, Request{Duration: 10, Tasks: 1, Each: Vector{1, 0}})
	r := Request{Duration: 10, Tasks: 2, Each: Vector{1, 1}, Exclusive: true, Except: []int{2}}
	res := reserved(t, m, r)
	require.Equal(t, "#2 [0, 10) 2 on 1", res.String())
	require.Equal(t, &Terms{Exclusive: true, Except: []int{2}}, res.Terms)
	r.PerNode = 1
	require.Equal(t, "#3 [10, 20) 1 on 0, 1 on 1", reserved(t, m, r).String())

	one := Request{Duration: 10, Tasks: 1, Each: Vector{0, 1}, Nodes: []int{1}}
	e, err := m.Explain(one)
	require.NoError(t, err)
	require.Equal(t, "1 tasks have no room in [0, 10): 0 have room, node 1 has 0 cores until 20 (#2); the first place is [20, 30)", e.String())
	one.Nodes, one.Exclusive = []int{0}, true
	e, err = m.Explain(one)
	require.NoError(t, err)
	require.Equal(t, "1 tasks have no room in [0, 10): 0 have room, node 0 has 1 gpus until 20 (#1); the first place is [20, 30)", e.String())

	// Rebook gives up what nobody else may have, and takes it again only while nobody has.
	r = Request{Duration: 10, Tasks: 2, Each: Vector{1, 1}, Nodes: []int{1}}
	res, err = m.Rebook(2, r)
	require.NoError(t, err)
	require.Equal(t, &Terms{Nodes: []int{1}}, res.Terms)
	one.Nodes, one.Exclusive = []int{1}, false
	other := booked(t, m, one)
	r.Exclusive = true
	_, err = m.SearchFor(2, r)
	require.Equal(t, bookahead.ErrUnavailable, err)
	require.NoError(t, m.Release(other))
	res, err = m.Rebook(2, r)
	require.NoError(t, err)
	require.Equal(t, "#2 [0, 10) 2 on 1", res.String())
	require.NoError(t, m.Verify())
}

// Several tasks of the zone need a node each, and exclusive tasks share one: the zone says nothing about them.
func TestAZoneOfWholeNodesIsNoneOfExclusiveTasks(t *testing.T) {
	m, err := New(Config{Resources: []string{"gpus"}, Nodes: []Vector{{8}, {8}}, Horizon: 1000})
	require.NoError(t, err)
	m.index.limit = 1
	for i := range bookahead.Time(20) {
		booked(t, m, Request{Ready: 10 * i, Deadline: 10*i + 7, Duration: 7, Tasks: 1, Each: Vector{8}, Nodes: []int{0}})
	}
	_, err = m.Reserve(Request{Deadline: 180, Duration: 5, Tasks: 2, Each: Vector{8}})
	require.ErrorIs(t, err, bookahead.ErrUnavailable)
	require.NotEmpty(t, m.index.dead.list)
	res := reserved(t, m, Request{Duration: 5, Tasks: 2, Each: Vector{4}, Exclusive: true})
	require.Equal(t, "#21 [0, 5) 2 on 1", res.String())
}

// A closed node stays held as a whole. Displace clears it, and the reservation is exclusive at its new place. A node that is
// added has other amounts, and is taken as a whole too.
func TestAnExclusiveReservationOnAClosedNode(t *testing.T) {
	m, err := New(Config{Resources: []string{"gpus"}, Nodes: []Vector{{8}}, Horizon: 100})
	require.NoError(t, err)
	res := reserved(t, m, Request{Duration: 20, Tasks: 2, Each: Vector{1}, Exclusive: true})
	require.NoError(t, m.Advance(5))
	closes(t, m, 10, 15, 0)
	over := slices.Collect(m.Overbooked(m.Frame().Window()))
	require.Equal(t, []bookahead.Overbooking{{Interval: bookahead.Interval{Start: 10, End: 15}, Units: 1, Servers: []int{0}}}, over)
	same, err := m.Rebook(res.ID, res.Again(0)) // it keeps its amounts on the closed node
	require.NoError(t, err)
	require.Equal(t, res, same)
	_, err = m.Extend(bookahead.Closure{Interval: bookahead.Interval{Start: 5, End: 100}}, []Added{{Has: Vector{12}}})
	require.NoError(t, err)
	done, err := m.Displace(Force{})
	require.NoError(t, err)
	require.Len(t, done.Moved, 1)
	require.Equal(t, "#1 [5, 20) 2 on 1", done.Moved[0].To.String())
	require.True(t, done.Moved[0].To.Terms.Exclusive)
	require.NoError(t, m.Verify())
	data, err := m.MarshalBinary()
	require.NoError(t, err)
	read := new(Machine)
	require.NoError(t, read.UnmarshalBinary(data))
	for _, x := range []*Machine{m, read, m.Clone()} {
		require.NoError(t, x.Verify())
		_, err = x.Search(Request{Ready: 5, Deadline: 20, Duration: 15, Tasks: 1, Each: Vector{1}, Nodes: []int{1}})
		require.ErrorIs(t, err, bookahead.ErrUnavailable)
		require.NoError(t, x.Release(1))
		require.Equal(t, []stretch{{bookahead.Interval{Start: 5, End: 100}, Vector{12}}}, stretches(real{x, 1}, 1, bookahead.Interval{Start: 5, End: 100}))
	}
}

// An offer is booked for the whole node, or not at all.
func TestAnExclusiveOfferTakesItsNodesAsAWhole(t *testing.T) {
	m := sixNodes(t)
	booked(t, m, Request{Duration: 10, Tasks: 1, Each: Vector{1}, Nodes: []int{0}})
	r := Request{Each: Vector{1}, Exclusive: true}
	o := Offer{Interval: bookahead.Interval{Start: 5, End: 15}, Tasks: []Share{{0, 1}}, Head: -1}
	_, err := m.ReserveOffer(o, r)
	require.Equal(t, bookahead.ErrUnavailable, err)
	o.Start = 10
	big := r
	big.Head, o.Head = Vector{9}, 2 // the node is free, and too small
	_, err = m.ReserveOffer(o, big)
	require.Equal(t, bookahead.ErrUnavailable, err)
	o.Head = -1
	res, err := m.ReserveOffer(o, r)
	require.NoError(t, err)
	require.Equal(t, &Terms{Exclusive: true}, res.Terms)
	_, err = m.Reserve(Request{Ready: 10, Deadline: 15, Duration: 1, Tasks: 1, Each: Vector{1}, Nodes: []int{0}})
	require.ErrorIs(t, err, bookahead.ErrUnavailable)
	require.NoError(t, m.Verify())
}

// The bytes of an exclusive reservation whose head is larger than its node are refused.
func TestAnExclusiveHeadThatIsTooLargeIsRefused(t *testing.T) {
	for takes, ok := range map[int64]bool{8: true, 9: false} {
		m := sixNodes(t)
		r := Request{Exclusive: true}
		m.booked.add(&booking{
			Interval: bookahead.Interval{Start: 5, End: 9}, shares: []Share{{0, 1}}, head: 1, each: Vector{1}, headTakes: Vector{takes}, terms: m.terms.pack(&r), exclusive: true,
		}, 0)
		data, err := m.MarshalBinary()
		require.NoError(t, err)
		err = new(Machine).UnmarshalBinary(data)
		require.Equal(t, ok, err == nil, "%v", err)
	}
}
