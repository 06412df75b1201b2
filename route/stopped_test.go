package route

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/depth"
)

// Plans of searches that are stopped anywhere are plans, and no plan ends before their bound. A
// search that is not stopped says the same as without a limit.
func TestStoppedPlans(t *testing.T) {
	rng := rand.New(rand.NewPCG(27, 11))
	stopped, partial := map[string]int{}, map[string]int{}
	for range depth.Cases(12_000) {
		n, w := instance(t, rng, configs(rng))
		task := task(rng, n)
		if rng.IntN(3) == 0 {
			task.Avoid = avoid(rng, n, task.Source)
		}
		first := bookahead.MaxTime
		w.all(n, task, func(p Plan) {
			if !p.Run.Empty() && (task.Deadline == 0 || p.Run.End <= task.Deadline) {
				first = min(first, p.Run.End)
			}
		})
		dear := func(c *Candidate) float64 { return -float64(c.Arrival) }
		for name, plan := range map[string]func(Task) (Plan, error){
			"Earliest": n.Earliest, "ECT": n.ECT, "MCB": n.MCB,
			"MCT":        func(t Task) (Plan, error) { return n.MCT(t, nil) },
			"MCT by f":   func(t Task) (Plan, error) { return n.MCT(t, dear) },
			"MCTPrinted": func(t Task) (Plan, error) { return n.mctPrinted(t, nil) },
			"AWMCT":      func(t Task) (Plan, error) { return n.AWMCT(t, nil) },
		} {
			task.Effort.Steps = 0
			want, none := plan(task)
			require.False(t, want.Spent.Cut)
			exact := none == nil && (name == "Earliest" || name == "MCT")
			require.Equal(t, exact, want.Bound > 0 && want.Bound == want.Run.End)
			task.Effort.Steps = 1 + rng.Int64N(want.Spent.Steps+20)
			p, err := plan(task)
			require.LessOrEqual(t, p.Spent.Steps, task.Effort.Steps)
			if !p.Spent.Cut {
				require.Equal(t, none, err)
				p.Spent.Steps = want.Spent.Steps // Earliest may leave some for AWMC-T
				require.Equal(t, want, p)
				continue
			}
			stopped[name]++
			if err != nil {
				require.Equal(t, bookahead.ErrStopped, err)
				require.Nil(t, p.Nodes)
				continue
			}
			partial[name]++
			w.valid(t, n, task, p)
			require.LessOrEqual(t, p.Bound, first)
			require.LessOrEqual(t, first, p.Run.End)
		}
		if pairs, err := n.Candidates(task); err != nil {
			require.Equal(t, bookahead.ErrStopped, err)
			require.Nil(t, pairs)
			stopped["Candidates"]++
		}
	}
	t.Log(stopped, partial)
	for _, name := range []string{"Earliest", "MCB", "MCT", "MCT by f", "MCTPrinted", "AWMCT"} {
		require.Greater(t, stopped[name], depth.Cases(1000), name)
		require.Greater(t, partial[name], depth.Cases(100), name)
	}
	require.Greater(t, stopped["Candidates"], depth.Cases(1000))
}

// Routes of searches that are stopped anywhere keep to the limits, and no path is shorter than their
// bound. Until then Pareto yields the same paths as without a limit.
func TestStoppedRoutes(t *testing.T) {
	rng := rand.New(rand.NewPCG(27, 12))
	stopped, partial, lists, some := 0, 0, 0, 0
	for i := range depth.Cases(16_000) {
		unit := []float64{1, .1, 1. / 3}[i%3]
		n := meshed(t, rng, 4+rng.IntN(4), 1+rng.IntN(4), 6, unit)
		q := query(rng, n, unit)
		q.Source, q.Servers[0].Node, q.Avoid.Nodes = 0, n.nodes-1, nil
		for i := range q.Limits {
			q.Limits[i] *= 3
		}
		whole, none := n.SAMCRA(q)
		require.False(t, whole.Spent.Cut)
		require.Equal(t, whole.Length, whole.Bound)
		costs, _, _ := best(n, q)

		short := q
		short.Effort.Steps = 1 + rng.Int64N(whole.Spent.Steps+10)
		r, err := n.SAMCRA(short)
		require.LessOrEqual(t, r.Spent.Steps, short.Effort.Steps)
		switch {
		case !r.Spent.Cut:
			require.Equal(t, none, err)
			require.Equal(t, whole, r)
		case err != nil:
			require.Equal(t, bookahead.ErrStopped, err)
			require.Nil(t, r.Nodes)
			stopped++
		default:
			stopped++
			partial++
			require.NoError(t, none)
			require.LessOrEqual(t, r.Bound, whole.Length)
			require.LessOrEqual(t, whole.Length, r.Length)
			require.LessOrEqual(t, r.Length, 1.0)
			r.Spent.Cut = false
			isPath(t, n, q, r)
		}
		if r, err := n.SAMCRAHopByHop(short); r.Spent.Cut {
			require.Equal(t, bookahead.ErrStopped, err)
		}

		short.Effort.Steps = 1 + rng.Int64N(3*whole.Spent.Steps+10)
		count := 0
		for r, err := range n.Pareto(short) {
			require.LessOrEqual(t, r.Spent.Steps, short.Effort.Steps)
			if r.Spent.Cut {
				require.Equal(t, bookahead.ErrStopped, err)
				lists++
				some += min(1, count)
				break
			}
			if err == nil {
				require.Equal(t, costs[count], r.Weights)
				count++
			}
		}
	}
	t.Log(stopped, partial, lists, some)
	require.Greater(t, stopped, depth.Cases(5000))
	require.Greater(t, partial, depth.Cases(500))
	require.Greater(t, lists, depth.Cases(2000))
	require.Greater(t, some, depth.Cases(300))
}

// A list that is stopped chooses the best of the pairs that it has seen.
func TestStoppedListsKnowTheirBest(t *testing.T) {
	rng := rand.New(rand.NewPCG(27, 13))
	n := fragmented(t, 4, 200, 1)
	later := 0
	for range 300 {
		task := Task{Burst: 1, Work: 1, CPUs: 1, Effort: bookahead.Effort{Steps: 500 + rng.Int64N(9000)}}
		j, err := n.job(task)
		require.NoError(t, err)
		pairs := n.grow(j, exact, byEnd).pairs[0]
		p, err := n.MCT(task, nil)
		if len(pairs) == 0 || !p.Spent.Cut {
			continue
		}
		require.NoError(t, err)
		want := value{never, never}
		for _, c := range pairs {
			if v := (value{int64(c.Run.End), int64(c.Delay)}); !c.late() && v.better(want) {
				want = v
			}
		}
		require.Equal(t, want, valueOf(p))
		if valueOf(p).better(value{int64(pairs[0].Run.End), int64(pairs[0].Delay)}) {
			later++
		}
	}
	require.Greater(t, later, 20)
}

// How many labels Pareto makes. More labels would be as right: by dropping labels the search keeps them few.
func TestParetoLooksAtFewPaths(t *testing.T) {
	for k, want := range map[int]int64{2: 108, 3: 70, 4: 859} {
		n := meshed(t, rand.New(rand.NewPCG(27, 14)), 16, k, 9, 1)
		labels := int64(0)
		for r, err := range n.Pareto(Query{Servers: []Server{{Node: 15}}}) {
			require.NoError(t, err)
			labels = r.Spent.Labels
		}
		require.Equal(t, want, labels, k)
	}
}
