package plan_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/carts"
	"github.com/bookahead/bookahead/nodes"
	"github.com/bookahead/bookahead/plan"
)

// lanes are the free amounts of the nodes of a hall, tick by tick.
type lanes [5][80]int64

// lanesOf returns what is free without the reservations of the jobs that run, and with no closed node.
func lanesOf(h hall) (l lanes) {
	c := h.Config()
	for k := range l {
		for t := range l[k] {
			l[k][t] = c.Nodes[k][0]
		}
	}
	for r := range h.Reservations(bookahead.Interval{End: bookahead.MaxTime}) {
		for _, s := range r.Tasks {
			l.add(s.Node, r.Interval, -s.Tasks*r.Each[0])
		}
	}
	return l
}

func (l *lanes) add(node int, w bookahead.Interval, n int64) {
	for t := w.Start; t < min(w.End, 80); t++ {
		l[node][t] += n
	}
}

// room returns how many more tasks of a part fit on a node throughout a time.
func (l *lanes) room(p plan.Part, node int, w bookahead.Interval, has int64) int64 {
	if p.Tasks.Nodes != nil && !slices.Contains(p.Tasks.Nodes, node) {
		return 0
	}
	n := int64(100)
	for t := w.Start; t < w.End; t++ {
		n = min(n, max(0, l[node][t])/p.Tasks.Each[0])
	}
	if p.Tasks.PerNode > 0 {
		n = min(n, p.Tasks.PerNode-has)
	}
	return n
}

// swaps reports whether the tasks of a place that lie on closed nodes fit on others, beside the rest, and takes the place off the lanes.
func (l *lanes) swaps(h hall, p plan.Part, x plan.Place, closed []int, now bookahead.Time) bool {
	w := bookahead.Interval{Start: now, End: x.End}
	gone, kept, racks := int64(0), map[int]int64{}, [][]int{{0, 1, 2, 3, 4}}
	failed := 0
	for _, s := range x.Nodes {
		if slices.Contains(closed, s.Node) {
			gone += s.Tasks
			failed++
		} else {
			kept[s.Node] = s.Tasks
		}
	}
	if p.Tasks.Within != "" {
		racks = h.racks[:2]
		if failed > 1 || len(kept) > 0 { // the rest stays in its rack
			racks = slices.DeleteFunc(slices.Clone(racks), func(r []int) bool { return !slices.Contains(r, x.Nodes[0].Node) })
		}
	}
	return slices.ContainsFunc(racks, func(rack []int) bool {
		room := int64(0)
		for _, k := range rack {
			if !slices.Contains(closed, k) {
				room += l.room(p, k, w, kept[k])
			}
		}
		return room >= gone
	})
}

// A running gang whose nodes are closed goes on if its tasks there have room elsewhere beside all that runs, as a count of the free amounts tick by
// tick says. Its other tasks stay, and it is Lost otherwise. A gang that may not swap is Lost.
func TestSwapAgainstBruteForce(t *testing.T) {
	moved, lost, both := 0, 0, 0
	for seed := range uint64(max(200, operations()/10)) {
		rng := rand.New(rand.NewPCG(seed, 29))
		h := newHall(t, rng)
		q, err := plan.New(plan.Config{Schedules: []plan.Schedule{{Name: "n", Nodes: h.Machine}}, Backfill: backfills[rng.IntN(len(backfills))].backfill})
		require.NoError(t, err)
		parts := map[plan.ID]plan.Part{}
		for i := range 5 {
			id := plan.ID(fmt.Sprint(i))
			p := plan.Part{On: "n", Units: 1 + rng.Int64N(3), Duration: bookahead.Duration(5 + rng.IntN(20)), Tasks: &nodes.Request{Each: nodes.Vector{1 + rng.Int64N(2)}}, Swap: rng.IntN(4) > 0}
			switch rng.IntN(4) {
			case 0:
				p.Tasks.Within = "rack"
			case 1:
				p.Tasks.PerNode = 1
			case 2:
				p.Tasks.Nodes = []int{0, 2, 3, 4}
			}
			parts[id] = p
			require.NoError(t, q.Submit(plan.Job{ID: id, Shapes: []plan.Shape{{p}}}))
		}
		ids, _ := pass(t, q, 0)
		run(t, q, ids...)
		closed := rng.Perm(5)[:1+rng.IntN(2)]
		now := bookahead.Time(1 + rng.IntN(4))
		_, err = h.Close(bookahead.Closure{Interval: bookahead.Interval{Start: now, End: now + 1 + bookahead.Time(rng.IntN(60))}, Servers: closed})
		require.NoError(t, err)
		if rng.IntN(2) == 0 { // it is known before it begins
			q.Changed()
			pass(t, q, 0)
			now = min(now, q.Next())
		} else {
			q.Changed()
		}
		old, open := map[plan.ID]plan.Forecast{}, lanesOf(h)
		for id := range parts {
			_, old[id], err = q.Job(id)
			require.NoError(t, err)
		}
		r, err := q.Pass(context.Background(), now)
		require.NoError(t, err)
		require.NoError(t, q.Verify())
		shut := slices.DeleteFunc(slices.Clone(closed), func(int) bool {
			return !slices.ContainsFunc(slices.Collect(h.Closures()), func(c bookahead.Closure) bool { return c.Contains(now) })
		})
		var told []plan.ID
		for _, c := range r.Changes {
			told = append(told, c.Job)
		}
		slices.Sort(ids) // those that began first are first in line
		for _, id := range ids {
			p, x := parts[id], old[id].Places[0]
			_, f, err := q.Job(id)
			require.NoError(t, err)
			say := fmt.Sprintf("seed %d: job %s %+v at %d, %v closed: %+v, and then %+v", seed, id, p, now, closed, x, f.Places)
			hit := slices.ContainsFunc(x.Nodes, func(s nodes.Share) bool { return slices.Contains(shut, s.Node) })
			gone := slices.ContainsFunc(r.Events, func(e plan.Event) bool { return e.Kind == plan.Lost && e.Job == id })
			may := hit && p.Swap && open.swaps(h, p, x, closed, now)
			require.Equal(t, hit && !may, gone, say)
			require.Equal(t, may, slices.Contains(told, id), say)
			if !may {
				require.Equal(t, x, f.Places[0], say)
				if gone {
					lost++
				}
				continue
			}
			moved++
			to := f.Places[0]
			require.Equal(t, x.Interval, to.Interval, say)
			n := int64(0)
			for _, s := range to.Nodes {
				n += s.Tasks
				require.NotContains(t, shut, s.Node, say)
			}
			require.Equal(t, p.Units, n, say)
			for _, s := range x.Nodes {
				open.add(s.Node, bookahead.Interval{Start: now, End: x.End}, s.Tasks*p.Tasks.Each[0])
				if !slices.Contains(shut, s.Node) {
					i := slices.IndexFunc(to.Nodes, func(y nodes.Share) bool { return y.Node == s.Node })
					require.True(t, i >= 0 && to.Nodes[i].Tasks >= s.Tasks, say)
				}
			}
			for _, s := range to.Nodes {
				open.add(s.Node, bookahead.Interval{Start: now, End: x.End}, -s.Tasks*p.Tasks.Each[0])
			}
			if len(shut) > 1 && len(x.Nodes) > 1 {
				both++
			}
		}
		if len(shut) > 0 { // who is lost stays so
			q.Changed()
			r, err = q.Pass(context.Background(), now)
			require.NoError(t, err)
			require.Empty(t, r.Changes)
		}
		again, err := q.Clone()
		require.NoError(t, err)
		one, err := q.Snapshot()
		require.NoError(t, err)
		two, err := again.Snapshot()
		require.NoError(t, err)
		require.Equal(t, one, two)
	}
	t.Logf("%d gangs went on, %d of them while two nodes were closed, and %d were lost", moved, both, lost)
	require.Positive(t, both)
	require.Greater(t, 4*moved, lost)
}

// A promise that is in the way of a swap is delayed, and the outage is the cause.
func TestSwapTakesAPromisedNode(t *testing.T) {
	m, err := nodes.New(nodes.Config{Resources: []string{"gpus"}, Nodes: []nodes.Vector{{1}, {1}, {1}}})
	require.NoError(t, err)
	q, err := plan.New(plan.Config{Schedules: []plan.Schedule{{Name: "n", Nodes: m}}, Backfill: plan.EASY(1)})
	require.NoError(t, err)
	part := func(units int64, d bookahead.Duration) plan.Part {
		return plan.Part{On: "n", Units: units, Duration: d, Swap: true, Tasks: &nodes.Request{Each: nodes.Vector{1}}}
	}
	submit(t, q, "a", plan.Shape{part(2, 20)})
	ids, _ := pass(t, q, 0)
	run(t, q, ids...)
	_, err = m.Reserve(nodes.Request{Duration: 4, Tasks: 1, Each: nodes.Vector{1}, Nodes: []int{2}})
	require.NoError(t, err)
	q.Changed()
	submit(t, q, "b", plan.Shape{part(1, 5)})
	pass(t, q, 2)
	_, f, err := q.Job("b")
	require.NoError(t, err)
	require.Equal(t, bookahead.Time(4), f.Promised)
	ids, _ = pass(t, q, 4)
	require.Equal(t, []plan.ID{"b"}, ids) // on node 2, and it is not taken
	_, err = m.Close(bookahead.Closure{Interval: bookahead.Interval{Start: 4, End: 90}, Servers: []int{1}})
	require.NoError(t, err)
	q.Changed()
	r, err := q.Pass(context.Background(), 4)
	require.NoError(t, err)
	require.Equal(t, []plan.Change{{Job: "a", Places: []plan.Place{{On: "n", Interval: bookahead.Interval{Start: 0, End: 20}, Units: 2, Nodes: []nodes.Share{{Node: 0, Tasks: 1}, {Node: 2, Tasks: 1}}, Head: -1}}}}, r.Changes)
	require.Empty(t, r.Starts)
	require.Equal(t, []plan.Event{{Kind: plan.Delayed, Job: "b", From: 4, To: 20, Cause: plan.Outage, On: "n"}}, r.Events)
	require.NoError(t, q.Verify())
	again, err := q.Pass(context.Background(), 4)
	require.NoError(t, err)
	require.Equal(t, r, again)
}

// The head moves too, and a gang that was Lost stays where it is, though there is room by now.
func TestSwapMovesTheHead(t *testing.T) {
	for _, late := range []bool{false, true} {
		m, err := nodes.New(nodes.Config{Resources: []string{"gpus", "cores"}, Nodes: []nodes.Vector{{0, 4}, {1, 1}, {1, 1}}})
		require.NoError(t, err)
		q, err := plan.New(plan.Config{Schedules: []plan.Schedule{{Name: "n", Nodes: m}}})
		require.NoError(t, err)
		part := plan.Part{On: "n", Units: 2, Duration: 20, Swap: true, Tasks: &nodes.Request{Each: nodes.Vector{0, 2}, Head: nodes.Vector{1, 1}}}
		submit(t, q, "a", plan.Shape{part})
		ids, _ := pass(t, q, 0)
		run(t, q, ids...)
		var other nodes.Reservation
		if late {
			other, err = m.Reserve(nodes.Request{Duration: 20, Tasks: 1, Each: nodes.Vector{1, 1}})
			require.NoError(t, err)
		}
		_, err = m.Close(bookahead.Closure{Interval: bookahead.Interval{Start: 5, End: 8}, Servers: []int{1}})
		require.NoError(t, err)
		q.Changed()
		_, events := pass(t, q, 5)
		require.Equal(t, late, len(events) > 0)
		if late {
			require.NoError(t, m.Release(other.ID))
			q.Changed()
			pass(t, q, 5)
		}
		_, f, err := q.Job("a")
		require.NoError(t, err)
		head := 2
		if late {
			head = 1
		}
		require.Equal(t, head, f.Places[0].Head)
		require.NoError(t, q.Verify())
	}
}

// A part that is to begin when its node is open again does not swap.
func TestSwapLeavesALaterPart(t *testing.T) {
	m, err := nodes.New(nodes.Config{Resources: []string{"gpus"}, Nodes: []nodes.Vector{{1}, {1}}})
	require.NoError(t, err)
	pool, err := carts.NewIndexed(1, carts.Config{})
	require.NoError(t, err)
	q, err := plan.New(plan.Config{Schedules: []plan.Schedule{{Name: "n", Nodes: m}, {Name: "p", Pool: pool}}})
	require.NoError(t, err)
	one := &nodes.Request{Each: nodes.Vector{1}}
	submit(t, q, "other", plan.Shape{{On: "n", Units: 1, Duration: 8, Tasks: &nodes.Request{Each: nodes.Vector{1}, Nodes: []int{0}}}})
	submit(t, q, "a", plan.Shape{{On: "p", Units: 1, Duration: 20}, {On: "n", Units: 1, Duration: 5, Offset: 10, Tasks: one, Swap: true}})
	ids, _ := pass(t, q, 0)
	run(t, q, ids...)
	_, err = m.Close(bookahead.Closure{Interval: bookahead.Interval{Start: 2, End: 5}, Servers: []int{0}})
	require.NoError(t, err)
	q.Changed()
	r, err := q.Pass(context.Background(), 2) // the other is Lost on node 0
	require.NoError(t, err)
	require.Empty(t, r.Changes)
	require.Equal(t, plan.ID("other"), r.Events[0].Job)
	_, f, err := q.Job("a")
	require.NoError(t, err)
	require.Equal(t, []nodes.Share{{Node: 0, Tasks: 1}}, f.Places[1].Nodes)
}
