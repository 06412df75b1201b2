package route

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/avail"
	"github.com/bookahead/bookahead/carts"
	"github.com/bookahead/bookahead/internal/depth"
)

// cells is the oracle's world: for each link a bool for each tick, for each
// cluster a number of free CPUs for each tick.
type cells struct {
	links    [][]bool
	clusters [][]int64
}

const (
	oracleSlots = 40 // of a link
	oracleTicks = 90 // of a cluster
)

// instance draws a small network with things booked, as the library has it and as
// cells.
func instance(t require.TestingT, rng *rand.Rand, c Config) (*Network, *cells) {
	nodes := 2 + rng.IntN(5)
	c.Slots, c.Origin = oracleSlots, bookahead.Time(rng.IntN(2)*1000)
	var w cells
	var links []Link
	add := func(from, to int) {
		l := Link{From: from, To: to, Delay: bookahead.Duration(rng.IntN(5))}
		free := make([]bool, oracleSlots)
		v, err := avail.NewVector(oracleSlots)
		require.NoError(t, err)
		one := rng.IntN(3) > 0
		for i := 0; i < oracleSlots; one = !one {
			for run := 1 + rng.IntN(7); run > 0 && i < oracleSlots; run, i = run-1, i+1 {
				free[i] = one
				if one {
					v.Set(i, i+1)
				}
			}
		}
		l.Free = v
		if rng.IntN(8) == 0 { // free all the time
			l.Free = nil
			for i := range free {
				free[i] = true
			}
		}
		links, w.links = append(links, l), append(w.links, free)
	}
	for range rng.IntN(3*nodes + 1) {
		if from, to := rng.IntN(nodes), rng.IntN(nodes); from != to {
			add(from, to)
		}
	}
	var clusters []Cluster
	for range 1 + rng.IntN(3) {
		cpus := 1 + rng.Int64N(4)
		pool, err := carts.NewIndexed(cpus, carts.Config{Origin: c.Origin, Horizon: oracleTicks})
		require.NoError(t, err)
		free := make([]int64, oracleTicks)
		for i := range free {
			free[i] = cpus
		}
		for range rng.IntN(12) {
			from := rng.IntN(oracleTicks - 1)
			to := from + 1 + rng.IntN(min(15, oracleTicks-from-1)+0)
			r := bookahead.Request{
				Ready: c.Origin + bookahead.Time(from), Deadline: c.Origin + bookahead.Time(to),
				Duration: bookahead.Duration(to - from), Units: 1 + rng.Int64N(cpus),
			}
			if _, err := pool.Reserve(r); err == nil {
				for i := from; i < to; i++ {
					free[i] -= r.Units
				}
			}
		}
		clusters = append(clusters, Cluster{Node: rng.IntN(nodes), CPUs: cpus, Speed: 1 + rng.Int64N(3), Pool: pool})
		w.clusters = append(w.clusters, free)
	}
	n, err := New(nodes, links, clusters, c)
	require.NoError(t, err)
	return n, &w
}

func task(rng *rand.Rand, n *Network) Task {
	t := Task{
		Source: rng.IntN(n.nodes),
		Ready:  n.Now() + bookahead.Time(max(0, rng.IntN(20)-12)),
		Burst:  bookahead.Duration(1 + rng.IntN(6)),
		Work:   1 + rng.Int64N(20),
		CPUs:   1 + rng.Int64N(4),
	}
	if rng.IntN(3) == 0 {
		t.Deadline = t.Ready + bookahead.Time(5+rng.IntN(60))
	}
	return t
}

// outcome has the two numbers by which plans are compared.
type outcome struct {
	end   bookahead.Time
	delay bookahead.Duration
}

// all calls f with each path without a loop, cluster, start of the burst and the
// first run of the task thereafter, be it late or none: brute force.
func (w *cells) all(n *Network, t Task, f func(p Plan)) {
	ready := int(max(t.Ready, n.Now()) - n.Now())
	been := make([]bool, n.nodes)
	var walk func(v int, path []int)
	walk = func(v int, path []int) {
		been[v] = true
		for m := range n.clusters {
			if n.clusters[m].Node == v && n.clusters[m].CPUs >= t.CPUs {
				w.starts(n, t, ready, path, m, f)
			}
		}
		for i := range n.links {
			if l := &n.links[i]; l.From == v && !been[l.To] && !t.Avoid.forbids(n, i) {
				walk(l.To, append(append([]int(nil), path...), i))
			}
		}
		been[v] = false
	}
	walk(t.Source, nil)
}

func (w *cells) starts(n *Network, t Task, ready int, path []int, m int, f func(p Plan)) {
	delay := 0
	for _, i := range path {
		delay += int(n.links[i].Delay)
	}
	last := oracleSlots
	if len(path) == 0 {
		last = ready
	} else if n.config.Wait {
		ready += 2 * delay
	}
	for start := ready; start <= last; start++ {
		if !w.sends(n, path, start, int(t.Burst)) {
			continue
		}
		arrival := start + delay
		p := Plan{Cluster: m, Links: path, Delay: bookahead.Duration(delay), CPUs: t.CPUs}
		p.Send.Start = n.Now() + bookahead.Time(start)
		p.Send.End = p.Send.Start
		if len(path) > 0 {
			arrival += int(t.Burst)
			p.Send.End += bookahead.Time(t.Burst)
		}
		p.Arrival = n.Now() + bookahead.Time(arrival)
		takes := int((t.Work + n.clusters[m].Speed - 1) / n.clusters[m].Speed)
		for at := arrival; at+takes <= oracleTicks; at++ {
			if w.runs(m, at, takes, t.CPUs) {
				p.Run = bookahead.Interval{Start: n.Now() + bookahead.Time(at), End: n.Now() + bookahead.Time(at+takes)}
				break
			}
		}
		f(p)
	}
}

func (w *cells) sends(n *Network, path []int, start, burst int) bool {
	for _, i := range path {
		for slot := start; slot < start+burst; slot++ {
			if slot >= oracleSlots || !w.links[i][slot] {
				return false
			}
		}
		start += int(n.links[i].Delay)
	}
	return true
}

func (w *cells) runs(m, at, takes int, cpus int64) bool {
	for i := at; i < at+takes; i++ {
		if w.clusters[m][i] < cpus {
			return false
		}
	}
	return true
}

func configs(rng *rand.Rand) Config {
	return Config{Wait: rng.IntN(4) == 0}
}

// MC-T and Earliest are exact; the others are never better.
func TestPlansAreExhaustive(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	worse := map[string]int{}
	feasible, cut, avoided := 0, 0, 0
	for range depth.Cases(24_000) {
		n, w := instance(t, rng, configs(rng))
		task := task(rng, n)
		if rng.IntN(2) == 0 {
			task.Avoid = avoid(rng, n, task.Source)
		}
		if len(task.Avoid.Links)+len(task.Avoid.Nodes) > 0 {
			avoided++
		}
		var best *Plan
		first := bookahead.MaxTime
		w.all(n, task, func(p Plan) {
			first = min(first, p.Arrival)
			if p.Run.Empty() || task.Deadline != 0 && p.Run.End > task.Deadline {
				return
			}
			if best == nil || p.Run.End < best.Run.End || p.Run.End == best.Run.End && p.Delay < best.Delay {
				best = &p
			}
		})
		exactly := func(p Plan, err error) {
			if best == nil {
				require.Equal(t, bookahead.ErrUnavailable, err)
				return
			}
			require.NoError(t, err, "%+v: %+v", n.config, task)
			require.Equal(t, outcome{end: best.Run.End, delay: best.Delay}, outcome{end: p.Run.End, delay: p.Delay})
			w.valid(t, n, task, p)
		}
		exactly(n.MCT(task, nil))
		exactly(n.Earliest(task))
		exactly(n.Earliest(task)) // with the memory of the first
		if best != nil {
			feasible++
		}
		task.Effort.Steps = 1 + rng.Int64N(120)
		limited, err := n.Earliest(task)
		require.LessOrEqual(t, limited.Spent.Steps, task.Effort.Steps)
		switch task.Effort.Steps = 0; {
		case !limited.Spent.Cut:
			exactly(limited, err)
			require.True(t, err != nil || limited.Bound == limited.Run.End)
		case err != nil:
			require.Equal(t, bookahead.ErrStopped, err)
			cut++
		default:
			require.LessOrEqual(t, limited.Bound, best.Run.End)
			require.LessOrEqual(t, best.Run.End, limited.Run.End)
			cut++
		}
		for name, algorithm := range map[string]func(Task) (Plan, error){
			"AWMC-T":            func(t Task) (Plan, error) { return n.AWMCT(t, nil) },
			"MC-T with Eq. (3)": func(t Task) (Plan, error) { return n.mctPrinted(t, nil) },
			"MC-B":              n.MCB,
			"ECT":               n.ECT,
			"Earliest cut short": func(Task) (Plan, error) {
				if err == bookahead.ErrStopped {
					return limited, bookahead.ErrUnavailable
				}
				return limited, err
			},
		} {
			p, none := algorithm(task)
			if none != nil {
				require.Equal(t, bookahead.ErrUnavailable, none)
				if best != nil {
					worse[name]++
				}
				continue
			}
			w.valid(t, n, task, p)
			require.NotNil(t, best)
			a, b := [2]bookahead.Time{p.Run.End, bookahead.Time(p.Delay)}, [2]bookahead.Time{best.Run.End, bookahead.Time(best.Delay)}
			require.False(t, a[0] < b[0] || a[0] == b[0] && a[1] < b[1], "%s is better", name)
			if a[0] > b[0] {
				worse[name]++
			}
			if name == "MC-B" {
				require.Equal(t, first, p.Arrival)
			}
		}
	}
	require.Greater(t, feasible, depth.Cases(10_000))
	require.Greater(t, cut, depth.Cases(300))
	require.Greater(t, avoided, depth.Cases(8_000))
	t.Logf("%d avoid something; %d cut short; %d tasks can be planned; ends later or not at all: %v", avoided, cut, feasible, worse)
}

// valid checks that the plan is one: in the cells, and by its own fields.
func (w *cells) valid(t *testing.T, n *Network, task Task, p Plan) {
	require.NoError(t, n.checkPlan(p))
	start := int(p.Send.Start - n.Now())
	require.GreaterOrEqual(t, p.Send.Start, task.Ready)
	v := task.Source
	for i, l := range p.Links {
		require.False(t, task.Avoid.forbids(n, l))
		require.Equal(t, v, n.links[l].From)
		require.Equal(t, v, p.Nodes[i])
		v = n.links[l].To
		at := n.Window(p, i)
		require.Equal(t, task.Burst, at.Len())
	}
	require.Equal(t, n.clusters[p.Cluster].Node, v)
	require.Equal(t, task.Source, p.Source)
	require.Len(t, p.Nodes, len(p.Links)+1)
	require.Equal(t, v, p.Nodes[len(p.Links)])
	require.True(t, w.sends(n, p.Links, start, int(p.Send.Len())))
	require.True(t, w.runs(p.Cluster, int(p.Run.Start-n.Now()), int(p.Run.Len()), task.CPUs))
	if len(p.Links) > 0 && n.config.Wait {
		require.GreaterOrEqual(t, p.Send.Start, max(task.Ready, n.Now())+2*bookahead.Time(p.Delay))
	}
}

// The targeted form equals the listing on a network as busy as in the paper, with
// all its slots.
func TestEarliestIsMCT(t *testing.T) {
	for _, rate := range []float64{2, 5, 8} {
		n := benchNetwork(t, nine(), 10_000, 3)
		booked := 0
		for _, task := range arrivals(9, 400, rate) {
			require.NoError(t, n.Advance(task.Ready))
			want, err := n.MCT(task, nil)
			p, same := n.Earliest(task)
			require.Equal(t, err, same)
			if err != nil {
				continue
			}
			require.Equal(t, outcome{want.Run.End, want.Delay}, outcome{p.Run.End, p.Delay})
			_, err = n.Commit(p)
			require.NoError(t, err)
			booked++
		}
		require.Greater(t, booked, depth.Cases(300))
	}
}
