package route

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/carts"
	"github.com/bookahead/bookahead/internal/depth"
)

// scrutiny runs the steps of Earliest one by one, and checks P1 to P5 of earliest.go
// against all plans of a small network.
type scrutiny struct {
	t     *testing.T
	n     *Network
	cells *cells
	task  Task
	s     *search

	plans []Plan // that end in time and no later than the known plan, each with a link at least
	best  value  // of these

	dropped, ways int
}

// scrutinise checks the search for one task.
func scrutinise(t *testing.T, n *Network, w *cells, task Task) *scrutiny {
	j, err := n.job(task)
	require.NoError(t, err)
	plan, ok, err := n.ect(j)
	require.NoError(t, err)
	k := &scrutiny{t: t, n: n, cells: w, task: task, s: n.memory(), best: value{never, never}}
	k.s.begin(j, plan, ok)
	w.all(n, task, func(p Plan) {
		late := p.Run.Empty() || task.Deadline != 0 && p.Run.End > task.Deadline
		if late || len(p.Links) == 0 || k.s.known.better(valueOf(p)) {
			return
		}
		k.plans = append(k.plans, p)
		if valueOf(p).better(k.best) {
			k.best = valueOf(p)
		}
	})
	k.run()
	return k
}

// run is Earliest without its answer.
func (k *scrutiny) run() {
	s, t := k.s, k.t
	better := k.best.better(s.known)
	if !s.promising() {
		require.False(t, better, "P3: step 1 ends, and a plan is better")
		return
	}
	if !s.arrivals() {
		require.False(t, better, "P2: step 2 ends, and a plan is better")
		return
	}
	k.arrivals()
	defer k.bounds() // also when P5 fails: then a bound is often the cause
	s.ends()
	for s.ways.queue.len() > 0 {
		require.True(t, !better || k.waits(), "P5: no way of a best plan waits")
		x := s.ways.queue.pop()
		w := s.ways.list[x]
		if int(w.node) == s.j.Source {
			require.Equal(t, k.best, w.least, "P5: the answer is not the best plan")
			require.Equal(t, k.best, valueOf(s.plan(x)), "P3: the plan has not the value of its way")
			return
		}
		if s.superfluous(x) {
			k.dropped++
			k.replaced(x)
		}
		s.follow(x)
	}
	require.False(t, better, "P5: nothing waits, and a plan is better")
}

// arrivals checks P1 and P2.
func (k *scrutiny) arrivals() {
	for v := range k.s.places {
		k.list(k.s.places[v].arrive)
	}
	for _, p := range k.plans {
		slot, delay := int64(p.Send.Start-k.n.now), int64(0)
		for _, l := range p.Links {
			slot += int64(k.n.links[l].Delay)
			delay += int64(k.n.links[l].Delay)
			v := k.n.links[l].To
			require.Equal(k.t, slot, next(k.s.places[v].arrive, slot), "P2: %+v is not seen at node %d", p, v)
			require.LessOrEqual(k.t, k.s.places[v].near, delay, "P2: %+v is nearer to node %d", p, v)
		}
	}
}

// list checks P1.
func (k *scrutiny) list(list []span) {
	last := int64(-1)
	for _, s := range list {
		require.True(k.t, last < s.from && s.from < s.to, "P1: %v", list)
		last = s.to
	}
}

// bounds checks P3, and P1 once more.
func (k *scrutiny) bounds() {
	for x := range k.s.ways.list {
		w := &k.s.ways.list[x]
		k.list(k.s.ways.slotsOf(w))
		for _, p := range k.plans {
			if k.endsWith(p, int32(x)) {
				require.False(k.t, valueOf(p).better(w.least), "P3: %+v is better than way %v, %+v", p, k.s.path(int32(x)), w)
			}
		}
		k.ways++
	}
}

// waits reports whether the queue holds a way of a best plan.
func (k *scrutiny) waits() bool {
	for _, x := range k.s.ways.queue.items {
		for _, p := range k.plans {
			if valueOf(p) == k.best && k.endsWith(p, x) {
				return true
			}
		}
	}
	return false
}

// replaced checks P4: some followed way can take the place of x in every plan.
func (k *scrutiny) replaced(x int32) {
	node := k.s.ways.list[x].node
	for _, y := range k.s.places[node].followed {
		if k.replaces(y, x) {
			return
		}
	}
	require.Fail(k.t, "a way is dropped", "P4: nothing can take the place of way %v", k.s.path(x))
}

func (k *scrutiny) replaces(y, x int32) bool {
	w, v := &k.s.ways.list[x], &k.s.ways.list[y]
	if v.cluster != w.cluster || v.delay > w.delay {
		return false
	}
	for _, p := range k.plans {
		if !k.endsWith(p, x) {
			continue
		}
		head := p.Links[:len(p.Links)-int(w.hops)]
		path := append(slices.Clone(head), k.s.path(y)...)
		been := map[int]bool{k.task.Source: true}
		for _, l := range path {
			if been[k.n.links[l].To] {
				return false
			}
			been[k.n.links[l].To] = true
		}
		if !k.cells.sends(k.n, path, int(p.Send.Start-k.n.now), int(k.task.Burst)) {
			return false
		}
	}
	return true
}

func (k *scrutiny) endsWith(p Plan, x int32) bool {
	w, path := &k.s.ways.list[x], k.s.path(x)
	head := len(p.Links) - len(path)
	return p.Cluster == int(w.cluster) && head >= 0 && slices.Equal(p.Links[head:], path)
}

// loopy draws a network with few free slots, where bursts often come to a node twice, and
// with pairs of links that differ little, so that ways often stand in for each other.
func loopy(t require.TestingT, rng *rand.Rand, c Config) (*Network, *cells) {
	const nodes, last = 7, 10
	c.Slots = oracleSlots
	var w cells
	var links []Link
	add := func(l Link, slots ...int) {
		l.Free = full(t)
		l.Free.Clear(0, oracleSlots)
		free := make([]bool, oracleSlots)
		for _, i := range slots {
			l.Free.Set(i, i+1)
			free[i] = true
		}
		links, w.links = append(links, l), append(w.links, free)
	}
	for range 3 * nodes {
		l := Link{From: rng.IntN(nodes), Delay: bookahead.Duration(rng.IntN(3))}
		l.To = (l.From + 1 + rng.IntN(nodes-1)) % nodes
		one, other := rng.IntN(last), rng.IntN(last)
		add(l, one, other)
		if rng.IntN(2) == 0 {
			l.Delay = max(0, l.Delay+bookahead.Duration(rng.IntN(3)-1))
			add(l, one)
		}
	}
	pool, err := carts.NewIndexed(1, carts.Config{Horizon: oracleTicks})
	require.NoError(t, err)
	idle := slices.Repeat([]int64{1}, oracleTicks)
	w.clusters = append(w.clusters, idle)
	n, err := New(nodes, links, []Cluster{{Node: nodes - 1, CPUs: 1, Speed: 1, Pool: pool}}, c)
	require.NoError(t, err)
	return n, &w
}

// TestSearchInvariants checks P1 to P5 of earliest.go on small networks of three kinds.
func TestSearchInvariants(t *testing.T) {
	for name, kind := range map[string]struct {
		open          func(require.TestingT, *rand.Rand, Config) (*Network, *cells)
		draw          func(*rand.Rand, *Network) Task
		ways, dropped int // at least so many
	}{
		"busy": {instance, task, 200, 0},
		"tied": {tied, func(rng *rand.Rand, _ *Network) Task { return tiedTask(rng) }, 300, 0},
		"loopy": {loopy, func(rng *rand.Rand, _ *Network) Task {
			return Task{Burst: 1, Work: 1 + rng.Int64N(2), CPUs: 1}
		}, 3000, 40},
	} {
		t.Run(name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(17, 1))
			ways, dropped := 0, 0
			for range 4000 {
				n, w := kind.open(t, rng, configs(rng))
				k := scrutinise(t, n, w, kind.draw(rng, n))
				ways += k.ways
				dropped += k.dropped
			}
			t.Logf("%d ways, %d dropped", ways, dropped)
			require.GreaterOrEqual(t, ways, kind.ways)
			require.GreaterOrEqual(t, dropped, kind.dropped)
		})
	}
}

// TestLookAheadInvariants checks S1, S2 and S4 of lookahead.go against all paths of small
// networks; S3, S4 and S5 show in the answers, which TestSAMCRAIsExhaustive checks.
func TestLookAheadInvariants(t *testing.T) {
	rng := rand.New(rand.NewPCG(17, 2))
	for i := range depth.Cases(1500) {
		unit := []float64{1, .1, 1. / 3}[i%3]
		n := graph(t, rng, 2+rng.IntN(2), unit)
		q := query(rng, n, unit)
		q.order = pathOrder(i / 3 % 3)
		q.closed = n.closed(&q.Avoid)
		b := n.lookAhead(&q, endless(t))
		lookAheadOracle(t, n, q, b, unit)

		s := newMCP(n, &q, b, endless(t))
		s.maxLength()
		most := s.known.key
		key, exists := make([]float64, s.k), most == nil
		s.known = known{}
		_, found := s.run()
		ends(n, q, func(links []int, _ int, weights []float64) {
			if !s.rankOf(key, weights) {
				return
			}
			require.True(t, found, "S3: a path is not found")
			exists = exists || slices.Equal(key, most)
			for x := range s.steps {
				if begins(s, int32(x), links) {
					require.False(t, s.shorter(key, s.of(s.key, int32(x))), "S4: a path is shorter than its label")
				}
			}
		})
		require.True(t, exists, "S2: no path has the key %v", most)
	}
}

// lookAheadOracle checks S1.
func lookAheadOracle(t *testing.T, n *Network, q Query, b *ahead, unit float64) {
	for v := range n.nodes {
		if slices.Contains(q.Avoid.Nodes, v) {
			continue // no label comes there
		}
		from := q
		from.Source = v
		least := slices.Repeat([]float64{math.Inf(1)}, b.k)
		ends(n, from, func(_ []int, _ int, weights []float64) {
			for i, w := range weights {
				require.LessOrEqual(t, b.of(v)[i]*b.below, w, "S1: a way has less")
				least[i] = min(least[i], w)
			}
		})
		if unit == 1 {
			require.Equal(t, least, b.of(v), "S1: no way has as little")
		}
	}
}

// begins reports whether a path begins with that of a label.
func begins(s *mcp, x int32, links []int) bool {
	if int(s.steps[x].node) == s.g.nodes {
		return false
	}
	var path []int
	for ; s.steps[x].parent >= 0; x = s.steps[x].parent {
		path = append(path, int(s.steps[x].link))
	}
	slices.Reverse(path)
	return len(path) <= len(links) && slices.Equal(path, links[:len(path)])
}
