package grid

import (
	"slices"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/nodes"
)

// hall is the oracle for a machine: how much of each resource is free on each node at each tick, and
// which nodes are closed then.
type hall struct {
	*nodes.Machine
	c    nodes.Config
	now  bookahead.Time
	free [axis][]nodes.Vector
	shut [axis][]bool
}

func drawHall(t *rapid.T, horizon bookahead.Duration) *hall {
	h := &hall{c: nodes.Config{Horizon: horizon, Resources: []string{"gpus", "cores"}, Levels: []nodes.Level{{Name: "rack"}}}}
	racks := make([][]int, 3)
	for k := range rapid.IntRange(1, 4).Draw(t, "nodes") {
		h.c.Nodes = append(h.c.Nodes, drawVector(t, "node", 4))
		r := rapid.IntRange(0, 2).Draw(t, "rack") // the last is no rack
		racks[r] = append(racks[r], k)
	}
	h.c.Levels[0].Groups = racks[:2]
	policies := []nodes.Policy{nodes.LowestIndex(), nodes.FewestNodes(), nodes.Spread(), nodes.BestFit()}
	h.c.Policy = policies[rapid.IntRange(0, 3).Draw(t, "policy")]
	m, err := nodes.New(h.c)
	require.NoError(t, err)
	h.Machine = m
	for at := range h.free {
		h.shut[at] = make([]bool, len(h.c.Nodes))
		for _, v := range h.c.Nodes {
			h.free[at] = append(h.free[at], slices.Clone(v))
		}
	}
	return h
}

// drawVector draws an amount of each resource, up to a limit.
func drawVector(t *rapid.T, name string, limit int64) nodes.Vector {
	return nodes.Vector{rapid.Int64Range(0, limit).Draw(t, name), rapid.Int64Range(1, limit).Draw(t, name)}
}

// drawGang draws tasks for the hall.
func (h *hall) drawGang(t *rapid.T) Gang {
	r := nodes.Request{Each: drawVector(t, "each", 2), PerNode: max(0, rapid.Int64Range(-2, 2).Draw(t, "per node"))}
	if rapid.IntRange(0, 3).Draw(t, "head") == 3 {
		r.Head = drawVector(t, "head takes", 2)
	}
	some := func(name string) []int {
		all := rapid.Permutation([]int{0, 1, 2, 3}[:len(h.c.Nodes)]).Draw(t, name)
		return all[:rapid.IntRange(1, len(all)).Draw(t, name)]
	}
	if rapid.IntRange(0, 3).Draw(t, "named") == 3 {
		r.Nodes = some("nodes")
	}
	if rapid.IntRange(0, 5).Draw(t, "excepted") == 5 {
		r.Except = some("except")
	}
	switch rapid.IntRange(0, 4).Draw(t, "level") {
	case 2:
		r.Within = "rack"
	case 3:
		r.Together = "rack"
	case 4:
		r.Within, r.Together = "rack", "rack"
	}
	return Gang{h.Machine, r}
}

// drawClosure closes a node, whatever is booked on it.
func (h *hall) drawClosure(t *rapid.T) {
	k := rapid.IntRange(0, len(h.c.Nodes)-1).Draw(t, "closed")
	start := h.now + bookahead.Time(rapid.IntRange(0, 40).Draw(t, "closed from"))
	w := span(start, start+bookahead.Time(rapid.IntRange(1, 25).Draw(t, "closed for")))
	_, err := h.Close(bookahead.Closure{Interval: w, Servers: []int{k}})
	require.NoError(t, err)
	for at := w.Start; at < min(w.End, axis); at++ {
		h.shut[at][k] = true
	}
}

// least is how much of each resource is free on a node throughout w.
func (h *hall) least(k int, w bookahead.Interval) nodes.Vector {
	v := slices.Clone(h.c.Nodes[k])
	for at := w.Start; at < w.End; at++ {
		for r := range v {
			v[r] = min(v[r], h.free[at][k][r])
			if h.shut[at][k] {
				v[r] = 0
			}
		}
	}
	return v
}

// holds takes vectors off v, one after the other, and returns how many it holds, at most n.
func holds(v, each nodes.Vector, n int64) (tasks int64) {
	v = slices.Clone(v)
	for ; tasks < n; tasks++ {
		for r := range v {
			v[r] -= each[r]
			if v[r] < 0 {
				return tasks
			}
		}
	}
	return tasks
}

// racks are the nodes of each group in which all tasks may lie.
func (h *hall) racks(r nodes.Request) [][]int {
	groups := [][]int{[]int{0, 1, 2, 3}[:len(h.c.Nodes)]}
	if r.Within != "" {
		groups = h.c.Levels[0].Groups
	}
	var list [][]int
	for _, g := range groups {
		list = append(list, slices.DeleteFunc(slices.Clone(g), func(k int) bool {
			return r.Nodes != nil && !slices.Contains(r.Nodes, k) || slices.Contains(r.Except, k)
		}))
	}
	return list
}

// fits reports whether the part, which is on a Gang of the hall, has room if the job starts at start.
func (h *hall) fits(p Part, r nodes.Request, start bookahead.Time, horizon bookahead.Duration) bool {
	w := p.window(start)
	if w.Start < h.now || w.End > h.now+bookahead.Time(horizon) {
		return false
	}
	most := p.Units
	if r.PerNode > 0 {
		most = r.PerNode
	}
	for _, group := range h.racks(r) {
		sum := int64(0)
		for _, k := range group {
			sum += holds(h.least(k, w), r.Each, most)
		}
		if r.Head == nil && sum >= p.Units {
			return true
		}
		for _, k := range group {
			v := h.least(k, w)
			if r.Head == nil || holds(v, r.Head, 1) == 0 {
				continue
			}
			without := sum - holds(v, r.Each, most)
			for i := range v {
				v[i] -= r.Head[i]
			}
			if without+holds(v, r.Each, most) >= p.Units {
				return true
			}
		}
	}
	return false
}

// check checks that a reservation is for the part, and that its nodes may hold it.
func (h *hall) check(t require.TestingT, p Part, r nodes.Request, res nodes.Reservation) {
	require.Equal(t, r.Each, res.Each)
	require.Equal(t, r.Head, res.HeadTakes)
	require.Equal(t, r.Head != nil, res.Head >= 0)
	used, sum := []int{}, int64(0)
	for _, s := range res.Tasks {
		used, sum = append(used, s.Node), sum+s.Tasks
		require.True(t, r.PerNode == 0 || s.Tasks <= r.PerNode)
	}
	if res.Head >= 0 {
		used = append(used, res.Head)
	}
	require.Equal(t, p.Units, sum)
	require.True(t, slices.ContainsFunc(h.racks(r), func(group []int) bool {
		return !slices.ContainsFunc(used, func(k int) bool { return !slices.Contains(group, k) })
	}), "%v of %+v", res, r)
}

// book takes a reservation from the cells; times is -1, or 1 to give it back.
func (h *hall) book(t require.TestingT, res nodes.Reservation, times int64) {
	take := func(at bookahead.Time, k int, v nodes.Vector, n int64) {
		require.False(t, times < 0 && h.shut[at][k], "node %d at %d", k, at)
		for r := range v {
			h.free[at][k][r] += times * n * v[r]
			require.GreaterOrEqual(t, h.free[at][k][r], int64(0), "node %d at %d", k, at)
		}
	}
	for at := max(res.Start, h.now); at < res.End; at++ {
		for _, s := range res.Tasks {
			take(at, s.Node, res.Each, s.Tasks)
		}
		if res.Head >= 0 {
			take(at, res.Head, res.HeadTakes, 1)
		}
	}
}
