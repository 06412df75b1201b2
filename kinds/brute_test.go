package kinds

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/depth"
	"github.com/bookahead/bookahead/nodes"
)

// hall is a small machine in racks and rows, on which some tasks are booked and a node may be closed.
type hall struct {
	m      *nodes.Machine
	c      nodes.Config
	closed bookahead.Closure
}

const horizon = 24

func drawHall(t *testing.T, rng *rand.Rand) *hall {
	c := nodes.Config{Horizon: horizon, Resources: []string{"gpus", "cores"}}
	n := 1 + rng.IntN(4)
	for range n {
		c.Nodes = append(c.Nodes, nodes.Vector{rng.Int64N(4), 1 + rng.Int64N(5)})
	}
	order := rng.Perm(n)
	rack, row := nodes.Level{Name: "rack"}, nodes.Level{Name: "row"}
	for k := rng.IntN(2); k < n; {
		end := min(n, k+1+rng.IntN(3))
		rack.Groups = append(rack.Groups, order[k:end])
		rack.Groups = append(rack.Groups, make([][]int, max(0, rng.IntN(8)-4))...) // groups may be empty
		k = end
	}
	for g := rng.IntN(2); g < len(rack.Groups); g += 2 {
		row.Groups = append(row.Groups, slices.Concat(rack.Groups[g:min(len(rack.Groups), g+2)]...))
	}
	c.Levels = []nodes.Level{rack, row}
	c.Sets = map[string][]int{"some": order[:1+rng.IntN(n)]}
	c.Policy = []nodes.Policy{nodes.LowestIndex(), nodes.BestFit(), nodes.FewestNodes(), nodes.Spread()}[rng.IntN(4)]
	m, err := nodes.New(c)
	require.NoError(t, err)
	h := &hall{m: m, c: m.Config()}
	for range rng.IntN(5) {
		_, _ = m.Reserve(nodes.Request{
			Ready: bookahead.Time(rng.IntN(10)), Duration: bookahead.Duration(1 + rng.IntN(8)), Tasks: 1 + rng.Int64N(3),
			Each: nodes.Vector{rng.Int64N(2), 1 + rng.Int64N(2)}, Exclusive: rng.IntN(5) == 0,
		})
	}
	if rng.IntN(4) == 0 {
		start := bookahead.Time(rng.IntN(8))
		h.closed, err = m.Close(bookahead.Closure{Interval: bookahead.Interval{Start: start, End: start + 6}, Servers: []int{rng.IntN(n)}})
		require.NoError(t, err)
	}
	return h
}

func (h *hall) draw(rng *rand.Rand) Request {
	r := Request{Ready: bookahead.Time(rng.IntN(8)), Duration: bookahead.Duration(1 + rng.IntN(5))}
	if rng.IntN(4) == 0 {
		r.Deadline = r.Ready + bookahead.Time(r.Duration) + bookahead.Time(rng.IntN(12))
	}
	for range 1 + rng.IntN(3) {
		k := nodes.Request{Tasks: 1 + rng.Int64N(3), Each: nodes.Vector{rng.Int64N(3), rng.Int64N(3)}, PerNode: rng.Int64N(3)}
		if k.Each[0] == 0 && k.Each[1] == 0 {
			k.Each[rng.IntN(2)] = 1
		}
		k.Exclusive = rng.IntN(6) == 0
		switch rng.IntN(10) {
		case 0:
			k.Nodes = rng.Perm(len(h.c.Nodes))[:1+rng.IntN(len(h.c.Nodes))]
		case 1:
			k.Set = "some"
		case 2:
			k.Except = []int{rng.IntN(len(h.c.Nodes))}
		case 3, 4:
			k.Within = []string{"rack", "row"}[rng.IntN(2)]
		}
		if rng.IntN(4) == 0 {
			k.Bundle, k.Bundled = 1+rng.Int64N(2), []string{"rack", "row"}[rng.IntN(2)]
			k.Tasks = k.Bundle * (1 + rng.Int64N(2))
		}
		r.Kinds = append(r.Kinds, k)
	}
	if rng.IntN(4) == 0 {
		r.Within = []string{"rack", "row"}[rng.IntN(2)]
	}
	return r
}

// free returns the least that is free on each node throughout a window, tick by tick.
func (h *hall) free(w bookahead.Interval) []nodes.Vector {
	var list []nodes.Vector
	for k, given := range h.c.Nodes {
		least := slices.Clone(given)
		for t := w.Start; t < w.End; t++ {
			v := slices.Clone(given)
			for res := range h.m.Reservations(bookahead.Interval{Start: t, End: t + 1}) {
				for _, s := range res.Tasks {
					for r := range v {
						switch {
						case s.Node != k:
						case res.Terms != nil && res.Terms.Exclusive:
							v[r] = 0
						default:
							v[r] -= s.Tasks * res.Each[r]
						}
					}
				}
			}
			if h.closed.Contains(t) && slices.Contains(h.closed.Servers, k) {
				clear(v)
			}
			for r := range v {
				least[r] = min(least[r], max(0, v[r]))
			}
		}
		list = append(list, least)
	}
	return list
}

// group returns the group of a node, and a number of its own if it is in none.
func (h *hall) group(level string, k int) int {
	for _, l := range h.c.Levels {
		for g, group := range l.Groups {
			if l.Name == level && slices.Contains(group, k) {
				return g
			}
		}
	}
	return 100 + k
}

// holds reports whether numbers of tasks by kind and node keep all that a request says, but for the amounts.
func (h *hall) keeps(r Request, got [][]int64, free []nodes.Vector) bool {
	in := map[int]bool{}
	for i, kind := range r.Kinds {
		groups, cells := map[int]bool{}, map[int]int64{}
		sum := int64(0)
		cell := func(k int) int { return h.group(kind.Bundled, k) }
		if kind.Within == "rack" || r.Within == "rack" { // all of them lie in one rack, which is in one row, or in none
			cell = func(int) int { return 0 }
		}
		for k, n := range got[i] {
			if n == 0 {
				continue
			}
			sum += n
			switch {
			case kind.PerNode > 0 && n > kind.PerNode,
				kind.Nodes != nil && !slices.Contains(kind.Nodes, k),
				kind.Set != "" && !slices.Contains(h.c.Sets[kind.Set], k),
				slices.Contains(kind.Except, k),
				kind.Within != "" && h.group(kind.Within, k) >= 100,
				r.Within != "" && h.group(r.Within, k) >= 100,
				kind.Exclusive && !slices.Equal(free[k], h.c.Nodes[k]):
				return false
			}
			for j := range r.Kinds {
				if j != i && got[j][k] > 0 && kind.Exclusive {
					return false
				}
			}
			groups[h.group(kind.Within, k)] = true
			in[h.group(r.Within, k)] = true
			cells[cell(k)] += n
		}
		if sum != kind.Tasks || kind.Within != "" && len(groups) > 1 {
			return false
		}
		for _, n := range cells {
			if kind.Bundle > 0 && n%kind.Bundle != 0 {
				return false
			}
		}
	}
	return r.Within == "" || len(in) == 1
}

// holds tries each node for each task.
func (h *hall) holds(r Request, free []nodes.Vector) bool {
	got := make([][]int64, len(r.Kinds))
	for i := range got {
		got[i] = make([]int64, len(free))
	}
	left := make([]nodes.Vector, len(free))
	for k := range left {
		left[k] = slices.Clone(free[k])
	}
	var try func(i int, n int64, from int) bool
	try = func(i int, n int64, from int) bool {
		if i == len(r.Kinds) {
			return h.keeps(r, got, free)
		}
		if n == r.Kinds[i].Tasks {
			return try(i+1, 0, 0)
		}
		for k := from; k < len(free); k++ {
			ok := true
			for x, want := range r.Kinds[i].Each {
				ok = ok && left[k][x] >= want
			}
			if !ok {
				continue
			}
			got[i][k]++
			for x, want := range r.Kinds[i].Each {
				left[k][x] -= want
			}
			found := try(i, n+1, k)
			got[i][k]--
			for x, want := range r.Kinds[i].Each {
				left[k][x] += want
			}
			if found {
				return true
			}
		}
		return false
	}
	return try(0, 0, 0)
}

// start returns the first start, tick by tick, and -1 if there is none.
func (h *hall) start(r Request) bookahead.Time {
	last := bookahead.Time(horizon) - bookahead.Time(r.Duration)
	if r.Deadline != 0 {
		last = min(last, r.Deadline-bookahead.Time(r.Duration))
	}
	var before []nodes.Vector // in vain
	same := func(a, b nodes.Vector) bool { return slices.Equal(a, b) }
	for t := r.Ready; t <= last; t++ {
		free := h.free(bookahead.Interval{Start: t, End: t + bookahead.Time(r.Duration)})
		if before != nil && slices.EqualFunc(free, before, same) {
			continue
		}
		if h.holds(r, free) {
			return t
		}
		before = free
	}
	return -1
}

// check checks that an offer keeps the request and has room.
func (h *hall) check(t *testing.T, r Request, o Offer) {
	free := h.free(o.Interval)
	got := make([][]int64, len(r.Kinds))
	left := make([]nodes.Vector, len(free))
	for k := range left {
		left[k] = slices.Clone(free[k])
	}
	for i, shares := range o.Tasks {
		got[i] = make([]int64, len(free))
		for _, s := range shares {
			require.Zero(t, got[i][s.Node])
			got[i][s.Node] = s.Tasks
			for x, want := range r.Kinds[i].Each {
				left[s.Node][x] -= s.Tasks * want
				require.False(t, want > 0 && left[s.Node][x] < 0, "%+v: %v", r, o)
			}
		}
		require.True(t, slices.IsSortedFunc(shares, func(a, b nodes.Share) int { return a.Node - b.Node }))
	}
	require.True(t, h.keeps(r, got, free), "%+v: %v", r, o)
}

// The start is the first at which some choice of nodes holds all tasks, and it is proven; with little effort, the answer has
// room, is not too early, and its Bound is not too late.
func TestKindsAgainstBruteForce(t *testing.T) {
	rng := rand.New(rand.NewPCG(53, 1))
	found, later, packed, passed, stopped, never := 0, 0, 0, 0, 0, 0
	for range depth.Cases(5_000) {
		h := drawHall(t, rng)
		r := h.draw(rng)
		want := h.start(r)
		o, err := Search(h.m, r, bookahead.Effort{})
		require.Equal(t, want < 0, err != nil, "%+v on %+v: %v, and %d", r, h.c, err, want)
		if err != nil {
			require.ErrorIs(t, err, bookahead.ErrUnavailable)
			if err == nodes.ErrNever {
				require.False(t, h.holds(r, h.c.Nodes))
				never++
			}
		} else {
			found++
			require.Equal(t, want, o.Start, "%+v on %+v: %v", r, h.c, o)
			require.True(t, o.Proven())
			h.check(t, r, o)
			x, err := begin(h.m, r, bookahead.Effort{})
			require.NoError(t, err)
			first, err := x.allNeeds(x.starts.Start)
			require.NoError(t, err)
			if first < o.Start {
				later++
			}
			_, inTurn := x.inTurn(o.Interval)
			if !inTurn {
				packed++
			}
		}
		o, err = Search(h.m, r, bookahead.Effort{Steps: 1 + rng.Int64N(400)})
		switch {
		case err == nil:
			h.check(t, r, o)
			require.LessOrEqual(t, want, o.Start)
			require.LessOrEqual(t, o.Bound, want)
			if !o.Proven() {
				passed++
			}
		case want >= 0:
			require.ErrorIs(t, err, bookahead.ErrStopped)
			stopped++
		}
	}
	t.Logf("%d places, %d of them later than the needs, %d not in turn, %d not proven; %d stopped, %d never", found, later, packed, passed, stopped, never)
	for _, n := range []int{later, packed, stopped, never} {
		require.Positive(t, n)
	}
}

// At any one start, the states find a place exactly if some choice of nodes has one.
func TestStatesAgainstBruteForce(t *testing.T) {
	rng := rand.New(rand.NewPCG(53, 3))
	placed, missing := 0, 0
	for range depth.Cases(5_000) {
		h := drawHall(t, rng)
		r := h.draw(rng)
		x, err := begin(h.m, r, bookahead.Effort{})
		if err != nil {
			continue
		}
		at := x.starts.Start + bookahead.Time(rng.Int64N(int64(x.starts.End-x.starts.Start)))
		w := bookahead.Interval{Start: at, End: at + bookahead.Time(r.Duration)}
		free := h.free(w)
		tasks, known := x.pack(free)
		require.True(t, known)
		require.Equal(t, h.holds(r, free), tasks != nil, "%+v on %+v at %v", r, h.c, w)
		if tasks == nil {
			missing++
			continue
		}
		placed++
		h.check(t, r, Offer{Interval: w, Tasks: tasks, Bound: at})
		next, ok := x.next(at)
		for later := at + 1; ok && later < next; later++ { // no node has more
			w := bookahead.Interval{Start: later, End: later + bookahead.Time(r.Duration)}
			for k, v := range h.free(w) {
				for i := range v {
					require.False(t, x.matters[i] && v[i] > free[k][i])
				}
			}
		}
	}
	t.Logf("%d starts have a place, and %d have none", placed, missing)
	require.Positive(t, missing)
	require.Positive(t, placed)
}

// Reserve books the offer of Search, all kinds or none, and Release gives all back.
func TestReserveAndRelease(t *testing.T) {
	rng := rand.New(rand.NewPCG(53, 2))
	for range depth.Cases(2_000) {
		h := drawHall(t, rng)
		r := h.draw(rng)
		before := h.free(bookahead.Interval{Start: 0, End: 1})
		o, want := Search(h.m, r, bookahead.Effort{})
		count := 0
		for range h.m.Reservations(h.m.Frame().Window()) {
			count++
		}
		res, err := Reserve(h.m, r, bookahead.Effort{})
		require.Equal(t, want == nil, err == nil)
		require.NoError(t, h.m.Verify())
		if err != nil {
			continue
		}
		require.Equal(t, o, res.Offer)
		require.Len(t, res.IDs, len(r.Kinds))
		for i, id := range res.IDs {
			one, err := h.m.Reservation(id)
			require.NoError(t, err)
			require.Equal(t, o.Interval, one.Interval)
			require.Equal(t, o.Tasks[i], one.Tasks)
		}
		require.NoError(t, Release(h.m, res))
		require.Equal(t, bookahead.ErrNotFound, Release(h.m, res))
		for range h.m.Reservations(h.m.Frame().Window()) {
			count--
		}
		require.Zero(t, count)
		require.Equal(t, before, h.free(bookahead.Interval{Start: 0, End: 1}))
		require.NoError(t, h.m.Verify())
	}
}
