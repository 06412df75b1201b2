package plan_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/nodes"
	"github.com/bookahead/bookahead/plan"
)

// hall is a machine of one resource and its racks: a node in no rack counts as one.
type hall struct {
	*nodes.Machine
	racks [][]int
}

func newHall(t testing.TB, rng *rand.Rand) hall {
	h := hall{racks: [][]int{{0, 1}, {2, 3}, {4}}}
	c := nodes.Config{Resources: []string{"gpus"}, Levels: []nodes.Level{{Name: "rack", Groups: h.racks[:2]}}}
	for range 5 {
		c.Nodes = append(c.Nodes, nodes.Vector{1 + rng.Int64N(3)})
	}
	m, err := nodes.New(c)
	require.NoError(t, err)
	h.Machine = m
	for range rng.IntN(6) {
		_, _ = m.Reserve(nodes.Request{Ready: bookahead.Time(rng.IntN(20)), Duration: bookahead.Duration(1 + rng.IntN(8)), Tasks: 1, Each: nodes.Vector{1}, Nodes: []int{rng.IntN(5)}})
	}
	return h
}

// at reports whether a part fits at a tick, on any nodes or in one rack.
func (h hall) at(p plan.Part, t bookahead.Time, together bool) bool {
	r := *p.Tasks
	r.Ready, r.Deadline, r.Duration, r.Tasks, r.Together, r.Patience = t, t+bookahead.Time(p.Duration), p.Duration, p.Units, "", 0
	if !together {
		_, err := h.Search(r)
		return err == nil
	}
	return slices.ContainsFunc(h.racks, func(rack []int) bool {
		r.Nodes = rack
		_, err := h.Search(r)
		return err == nil
	})
}

// isTogether reports whether a place lies in one rack.
func (h hall) isTogether(x plan.Place) bool {
	return slices.ContainsFunc(h.racks, func(rack []int) bool {
		return !slices.ContainsFunc(x.Nodes, func(s nodes.Share) bool { return !slices.Contains(rack, s.Node) })
	})
}

// start returns the start of a part by its patience, and the earliest: tick by tick.
func (h hall) start(p plan.Part, now, window bookahead.Time) (start, earliest bookahead.Time) {
	for earliest = now; !h.at(p, earliest, false); earliest++ {
		if earliest > now+200 {
			return plan.Never, plan.Never
		}
	}
	for t := earliest; t <= earliest+bookahead.Time(p.Tasks.Patience) && t-now <= window; t++ {
		if h.at(p, t, true) {
			return t, earliest
		}
	}
	return earliest, earliest
}

// with returns a copy of the machine on which some jobs have the places that they have in a queue.
func (h hall) with(t testing.TB, q *plan.Queue, ids ...plan.ID) hall {
	h.Machine = h.Clone()
	for _, id := range ids {
		j, f, err := q.Job(id)
		require.NoError(t, err)
		if f.State == plan.Promised || f.State == plan.Starting {
			x := f.Places[0]
			_, err = h.ReserveOffer(nodes.Offer{Interval: x.Interval, Tasks: x.Nodes, Head: x.Head}, *j.Shapes[f.Shape][0].Tasks)
			require.NoError(t, err)
		}
	}
	return h
}

// Each job gets the place that a search tick by tick finds behind those before it: the first in one rack, if that is no later behind the earliest than
// it has Patience. Then it is never later, and does not leave the rack; and when others end early, it lies as early as it can beside the others.
func TestPatienceAgainstBruteForce(t *testing.T) {
	placed, waited, ended := 0, 0, 0
	for seed := range uint64(max(30, operations()/20)) {
		rng := rand.New(rand.NewPCG(seed, 23))
		h := newHall(t, rng)
		b := backfills[rng.IntN(len(backfills))]
		c := plan.Config{Schedules: []plan.Schedule{{Name: "n", Nodes: h.Machine}}, Backfill: b.backfill}
		window := bookahead.Time(1000)
		if rng.IntN(3) == 0 {
			window = bookahead.Time(1 + rng.IntN(12))
			c.Limits.Window = bookahead.Duration(window)
		}
		q, err := plan.New(c)
		require.NoError(t, err)
		var line []plan.ID
		ends := map[plan.ID]bookahead.Time{}
		was := map[plan.ID]plan.Forecast{}
		for now := bookahead.Time(0); now < 40; now++ {
			early := false
			for _, id := range slices.Sorted(maps.Keys(ends)) {
				if ends[id] <= now || rng.IntN(20) == 0 {
					early = early || ends[id] > now
					delete(ends, id)
					require.NoError(t, q.Ended(now, id))
				}
			}
			if rng.IntN(2) == 0 {
				id := plan.ID(fmt.Sprintf("%03d", now))
				p := plan.Part{On: "n", Units: 1 + rng.Int64N(4), Duration: bookahead.Duration(1 + rng.IntN(8)), Tasks: &nodes.Request{Each: nodes.Vector{1}, Together: "rack"}}
				p.Tasks.Patience = bookahead.Duration(rng.IntN(4) * rng.IntN(6))
				require.NoError(t, q.Submit(plan.Job{ID: id, Submitted: now, Shapes: []plan.Shape{{p}}}))
				line = append(line, id)
			}
			_, err = q.Pass(context.Background(), now)
			require.NoError(t, err)
			require.NoError(t, q.Verify())
			heads := 0
			for i, id := range line {
				j, f, err := q.Job(id)
				require.NoError(t, err)
				p, old := j.Shapes[0][0], was[id]
				before := slices.Clone(line[:i])
				for _, x := range line[i+1:] {
					if was[x].State == plan.Promised {
						before = append(before, x)
					}
				}
				spots := func(f plan.Forecast) (s string) {
					for _, x := range f.Places {
						s += fmt.Sprint(x.Interval, x.Nodes)
					}
					return s
				}
				say := fmt.Sprintf("seed %d, %s, window %d, at %d: job %s of %d for %d, patience %d: %v %s, and was %v %s", seed, b.name, window, now, id, p.Units, p.Duration, p.Tasks.Patience, f.State, spots(f), old.State, spots(old))
				switch {
				case old.State == plan.Promised:
					ended++
					require.LessOrEqual(t, f.Start, old.Start, say)
					require.True(t, p.Tasks.Patience == 0 || h.isTogether(f.Places[0]) || !h.isTogether(old.Places[0]), say)
					beside := h.with(t, q, slices.DeleteFunc(slices.Clone(line), func(x plan.ID) bool { return x == id })...)
					for at := now; at < f.Start; at++ {
						require.False(t, beside.at(p, at, p.Tasks.Patience > 0 && h.isTogether(f.Places[0])), "%s: fits at %d", say, at)
					}
				case early: // others may have moved before or after
				case f.State == plan.Waiting:
					_, earliest := h.with(t, q, before...).start(p, now, window)
					late := b.promises <= heads || earliest == plan.Never || earliest-now > window
					require.True(t, late && earliest != now || !b.overtake && heads > 0, "%s: earliest %d", say, earliest)
				default:
					start, earliest := h.with(t, q, before...).start(p, now, window)
					require.Equal(t, start, f.Start, say)
					placed++
					if start > earliest {
						waited++
						require.True(t, h.isTogether(f.Places[0]), say)
					}
				}
				if f.State != plan.Starting {
					heads++
				}
			}
			for _, id := range slices.Clone(line) {
				_, f, err := q.Job(id)
				require.NoError(t, err)
				was[id] = f
				if f.State == plan.Starting {
					require.NoError(t, q.Started(id))
					ends[id] = f.End
					line = slices.DeleteFunc(line, func(x plan.ID) bool { return x == id })
				}
			}
		}
	}
	t.Logf("%d jobs got a place, %d of them waited for a rack, and %d promises were looked at again", placed, waited, ended)
	require.Greater(t, 100*waited+500, placed)
}

// A job waits for a rack once. When its promise is broken, it starts as soon as it can.
func TestPatienceIsUsedUp(t *testing.T) {
	m, err := nodes.New(nodes.Config{Resources: []string{"gpus"}, Nodes: []nodes.Vector{{1}, {1}, {1}, {1}}, Levels: []nodes.Level{{Name: "rack", Groups: [][]int{{0, 1}, {2, 3}}}}})
	require.NoError(t, err)
	book := func(node int, from, to bookahead.Time) {
		_, err := m.Reserve(nodes.Request{Ready: from, Deadline: to, Duration: bookahead.Duration(to - from), Tasks: 1, Each: nodes.Vector{1}, Nodes: []int{node}})
		require.NoError(t, err)
	}
	book(0, 0, 10)
	book(2, 0, 15)
	q, err := plan.New(plan.Config{Schedules: []plan.Schedule{{Name: "n", Nodes: m}}, Backfill: plan.FirstFit()})
	require.NoError(t, err)
	part := plan.Part{On: "n", Units: 2, Duration: 20, Tasks: &nodes.Request{Each: nodes.Vector{1}, Together: "rack", Patience: 12}}
	submit(t, q, "a", plan.Shape{part})
	r, err := q.Pass(context.Background(), 0)
	require.NoError(t, err)
	require.Empty(t, r.Starts) // on 1 and 3 it could
	require.Equal(t, []plan.Promise{{Job: "a", Start: 10}}, r.Promises)
	list, err := q.Forecasts(context.Background())
	require.NoError(t, err)
	require.Equal(t, bookahead.Time(10), list[0].Start)
	_, err = m.Close(bookahead.Closure{Interval: bookahead.Interval{Start: 10, End: 40}, Servers: []int{0}})
	require.NoError(t, err)
	q.Changed()
	ids, _ := pass(t, q, 4)
	require.Equal(t, []plan.ID{"a"}, ids)
	_, f, err := q.Job("a")
	require.NoError(t, err)
	require.Equal(t, []nodes.Share{{Node: 1, Tasks: 1}, {Node: 3, Tasks: 1}}, f.Places[0].Nodes)
	again, err := q.Clone()
	require.NoError(t, err)
	j, _, err := again.Job("a")
	require.NoError(t, err)
	require.Equal(t, bookahead.Duration(12), j.Shapes[0][0].Tasks.Patience)
}

// A queue carries bundles: a promise that breaks them is refused, and a snapshot has them.
func TestBundles(t *testing.T) {
	m, err := nodes.New(nodes.Config{Resources: []string{"gpus"}, Nodes: []nodes.Vector{{2}, {1}, {3}, {1}, {4}}, Levels: []nodes.Level{{Name: "rack", Groups: [][]int{{0, 1}}}}})
	require.NoError(t, err)
	q, err := plan.New(plan.Config{Schedules: []plan.Schedule{{Name: "n", Nodes: m}}, Backfill: plan.EASY(1)})
	require.NoError(t, err)
	part := plan.Part{On: "n", Units: 6, Duration: 20, Tasks: &nodes.Request{Each: nodes.Vector{1}, Bundle: 2, Bundled: "rack"}}
	for id, shares := range map[plan.ID][]nodes.Share{
		"":                                      {{Node: 0, Tasks: 1}, {Node: 1, Tasks: 1}, {Node: 2, Tasks: 2}, {Node: 4, Tasks: 2}},
		"have 3 tasks on nodes of one group":    {{Node: 0, Tasks: 2}, {Node: 1, Tasks: 1}, {Node: 2, Tasks: 3}},
		"have 1 tasks on node 2, which are not": {{Node: 0, Tasks: 2}, {Node: 2, Tasks: 1}, {Node: 4, Tasks: 3}},
		"have 5 of 6 tasks":                     {{Node: 0, Tasks: 2}, {Node: 2, Tasks: 3}},
	} {
		submit(t, q, "a", plan.Shape{part})
		err = q.Promise("a", 0, []plan.Place{{On: "n", Interval: bookahead.Interval{Start: 3, End: 23}, Units: 6, Nodes: shares, Head: -1}})
		if id == "" {
			require.NoError(t, err)
		} else {
			require.ErrorIs(t, err, bookahead.ErrInvalid)
			require.ErrorContains(t, err, string(id))
		}
		_, err = q.Withdraw("a")
		require.NoError(t, err)
	}
	submit(t, q, "a", plan.Shape{part})
	ids, _ := pass(t, q, 0)
	require.Equal(t, []plan.ID{"a"}, ids)
	_, f, err := q.Job("a")
	require.NoError(t, err)
	require.Equal(t, []nodes.Share{{Node: 0, Tasks: 2}, {Node: 2, Tasks: 2}, {Node: 4, Tasks: 2}}, f.Places[0].Nodes)
	submit(t, q, "b", plan.Shape{part})
	again, err := q.Clone()
	require.NoError(t, err)
	j, _, err := again.Job("b")
	require.NoError(t, err)
	require.Equal(t, part, j.Shapes[0][0])
}

// A gang in bundles moves into the time before its place, which it overlaps, when others give that back.
func TestBundlesMove(t *testing.T) {
	m, err := nodes.New(nodes.Config{Resources: []string{"gpus"}, Nodes: []nodes.Vector{{1}, {1}}, Levels: []nodes.Level{{Name: "rack", Groups: [][]int{{0, 1}}}}})
	require.NoError(t, err)
	q, err := plan.New(plan.Config{Schedules: []plan.Schedule{{Name: "n", Nodes: m}}, Backfill: plan.EASY(1)})
	require.NoError(t, err)
	part := plan.Part{On: "n", Units: 2, Duration: 10, Tasks: &nodes.Request{Each: nodes.Vector{1}, Bundle: 2, Bundled: "rack"}}
	submit(t, q, "a", plan.Shape{part})
	ids, _ := pass(t, q, 0)
	run(t, q, ids...)
	part.Duration = 20
	submit(t, q, "b", plan.Shape{part})
	pass(t, q, 0)
	require.NoError(t, q.Ended(5, "a"))
	ids, _ = pass(t, q, 5)
	require.Equal(t, []plan.ID{"b"}, ids)
}

// A job that waits for a rack does not leave it when it could start in two racks sooner than it has Patience.
func TestPatienceKeepsTheRack(t *testing.T) {
	m, err := nodes.New(nodes.Config{Resources: []string{"gpus"}, Nodes: []nodes.Vector{{1}, {1}, {1}, {1}}, Levels: []nodes.Level{{Name: "rack", Groups: [][]int{{0, 1}, {2, 3}}}}})
	require.NoError(t, err)
	for node, d := range map[int]bookahead.Duration{0: 12, 2: 30} {
		_, err := m.Reserve(nodes.Request{Duration: d, Tasks: 1, Each: nodes.Vector{1}, Nodes: []int{node}})
		require.NoError(t, err)
	}
	q, err := plan.New(plan.Config{Schedules: []plan.Schedule{{Name: "n", Nodes: m}}, Backfill: plan.EASY(1)})
	require.NoError(t, err)
	submit(t, q, "x", plan.Shape{{On: "n", Units: 1, Duration: 5, Tasks: &nodes.Request{Each: nodes.Vector{1}, Nodes: []int{3}}}})
	ids, _ := pass(t, q, 0)
	run(t, q, ids...)
	submit(t, q, "a", plan.Shape{{On: "n", Units: 2, Duration: 20, Tasks: &nodes.Request{Each: nodes.Vector{1}, Together: "rack", Patience: 8}}})
	for now := bookahead.Time(0); now < 12; now++ { // from 5 on it fits in two racks
		ids, _ = pass(t, q, now)
		require.Empty(t, ids)
		_, f, err := q.Job("a")
		require.NoError(t, err)
		require.Equal(t, bookahead.Time(12), f.Promised)
		if now == 1 {
			require.NoError(t, q.Ended(1, "x"))
		}
	}
	ids, _ = pass(t, q, 12)
	require.Equal(t, []plan.ID{"a"}, ids)
}
