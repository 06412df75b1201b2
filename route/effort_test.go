package route

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/effort"
)

// endless is a meter that stops nothing.
func endless(t require.TestingT) *effort.Meter {
	m, err := effort.New(bookahead.Effort{Steps: math.MaxInt64})
	require.NoError(t, err)
	return &m
}

// hooked is a pool that says when it is asked.
type hooked struct {
	bookahead.Profiler
	asked func()
}

func (h hooked) Search(r bookahead.Request) (bookahead.Offer, error) {
	h.asked()
	return h.Profiler.Search(r)
}

// searching is a search that says when it asks its surroundings, be it which links are usable, a
// pool, or an objective. It returns its meter when it begins, and whether it has found anything
// when it ends.
type searching func(e bookahead.Effort, begin func(*effort.Meter), asked func()) (found bool, err error)

// searches are all that may take long, on networks where they do.
func searches(t testing.TB) map[string]searching {
	all := map[string]searching{}
	paths := func(name string, n *Network, q Query, run func(*Query, *ahead, *effort.Meter) (bool, error)) {
		all[name] = func(e bookahead.Effort, begin func(*effort.Meter), asked func()) (bool, error) {
			q := q
			q.Effort = e
			q.Usable = func(int) bool { asked(); return true }
			m, err := n.open(&q)
			require.NoError(t, err)
			begin(&m)
			b := n.aheadFor(&q, &m)
			if b == nil {
				return false, m.Err()
			}
			return run(&q, b, &m)
		}
	}
	chain, q := diamonds(t, 11)
	mesh := meshed(t, rand.New(rand.NewPCG(27, 7)), 13, 4, 20, 1)
	far := Query{Servers: []Server{{Node: 12}}, Limits: []float64{1e4, 1e4, 1e4, 1e4}}
	for name, of := range map[string]struct {
		n *Network
		q Query
	}{"two weights": {chain, q}, "four weights": {mesh, far}} {
		paths("SAMCRA, "+name, of.n, of.q, func(q *Query, b *ahead, m *effort.Meter) (bool, error) {
			r, err := of.n.samcra(q, b, m)
			require.True(t, err != nil || r.Spent.Cut == m.Stopped())
			return err == nil, err
		})
		paths("Pareto, "+name, of.n, of.q, func(q *Query, b *ahead, m *effort.Meter) (found bool, last error) {
			newPareto(of.n, q, b, m).run(func(_ Route, err error) bool {
				found, last = found || err == nil, err
				return true
			})
			return found, last
		})
	}
	tasks := func(name string, n *Network, task Task, run func(*job, func()) (bool, error)) {
		pools := make([]bookahead.Schedule, len(n.clusters))
		for m := range n.clusters {
			pools[m] = n.clusters[m].Pool
		}
		all[name] = func(e bookahead.Effort, begin func(*effort.Meter), asked func()) (bool, error) {
			for m := range n.clusters {
				n.clusters[m].Pool = hooked{pools[m].(bookahead.Profiler), asked}
			}
			task := task
			task.Effort = e
			j, err := n.job(task)
			require.NoError(t, err)
			begin(&j.meter)
			return run(j, asked)
		}
	}
	small, large := fragmented(t, 4, 200, 1), fragmented(t, 5, 400, 1)
	task := Task{Burst: 1, Work: 1, CPUs: 1}
	plan := func(p Plan, err error) (bool, error) { return err == nil, err }
	busy := benchNetwork(t, grid(7), 10_000, 3)
	crowd := arrivals(49, 400, 9)
	for _, task := range crowd[:399] {
		require.NoError(t, busy.Advance(task.Ready))
		if p, err := busy.Earliest(task); err == nil {
			_, err = busy.Commit(p)
			require.NoError(t, err)
		}
	}
	tasks("Earliest", large, task, func(j *job, _ func()) (bool, error) { return plan(large.memory().earliest(j)) })
	for name, of := range map[string]struct {
		n    *Network
		task Task
		by   pruning
	}{"MCT": {small, task, exact}, "MCTPrinted": {small, task, printed}, "AWMCT": {busy, crowd[399], lighter}} {
		tasks(name, of.n, of.task, func(j *job, asked func()) (bool, error) {
			f := Objective(func(c *Candidate) float64 { asked(); return float64(c.Delay) })
			return plan(of.n.listed(j, of.by, f.judge()))
		})
	}
	tasks("MCB", small, task, func(j *job, _ func()) (bool, error) { return plan(small.listed(j, exact, byArrival)) })
	return all
}

// A search whose Effort sets no number of steps has a default that memory allows.
func TestDefaultSteps(t *testing.T) {
	n, err := New(2, []Link{{To: 1, Weights: []float64{1}}}, []Cluster{{Node: 1, CPUs: 1, Speed: 1, Pool: indexed(t, 1)}}, Config{Slots: 20, Weights: 1})
	require.NoError(t, err)
	for steps, want := range map[int64]int64{0: 1 << 24, 7: 7, 1 << 40: 1 << 40} {
		j, err := n.job(Task{Burst: 1, Work: 1, CPUs: 1, Effort: bookahead.Effort{Steps: steps}})
		require.NoError(t, err)
		require.Equal(t, want, j.meter.Left())
		m, err := n.open(&Query{Servers: []Server{{Node: 1}}, Limits: []float64{1}, Effort: bookahead.Effort{Steps: steps}})
		require.NoError(t, err)
		require.Equal(t, want, m.Left())
	}
}

// At a thousand moments of each search its context ends. The search makes no more than 1 024
// steps after that, and returns the best answer so far, or an error with the cause of the stop.
func TestSearchesCanBeCancelled(t *testing.T) {
	rng := rand.New(rand.NewPCG(27, 8))
	for name, search := range searches(t) {
		t.Run(name, func(t *testing.T) {
			calls, moments := 0, 1000
			var m *effort.Meter
			begin := func(of *effort.Meter) { m = of }
			found, err := search(bookahead.Effort{Steps: math.MaxInt64}, begin, func() { calls++ })
			require.NoError(t, err)
			require.True(t, found)
			total := m.Steps()
			if testing.Short() {
				moments = 50
			}
			most, stopped, partial := int64(0), 0, 0
			for range moments {
				ctx, cancel := context.WithCancelCause(context.Background())
				left, at := 1+rng.IntN(calls), int64(0)
				found, err := search(bookahead.Effort{Context: ctx, Steps: math.MaxInt64}, begin, func() {
					left--
					if left == 0 {
						cancel(errPaper)
						at = m.Steps()
					}
				})
				cancel(nil)
				most = max(most, m.Steps()-at)
				require.LessOrEqual(t, m.Steps()-at, int64(1024))
				if !m.Stopped() {
					require.Equal(t, total, m.Steps())
					require.NoError(t, err)
					continue
				}
				stopped++
				if err != nil {
					require.ErrorIs(t, err, bookahead.ErrStopped)
					require.ErrorIs(t, err, errPaper)
				}
				if found {
					partial++
				}
			}
			t.Logf("%d steps, %d moments: %d stopped, %d with an answer, at most %d steps after the end of the context", total, moments, stopped, partial, most)
		})
	}
}

// A search makes no more steps than it may, whatever their number, and the next query is answered
// as if it had not been.
func TestSearchesKeepToTheirSteps(t *testing.T) {
	rng := rand.New(rand.NewPCG(27, 9))
	for name, search := range searches(t) {
		t.Run(name, func(t *testing.T) {
			var m *effort.Meter
			begin := func(of *effort.Meter) { m = of }
			whole := func() int64 {
				_, err := search(bookahead.Effort{Steps: math.MaxInt64}, begin, func() {})
				require.NoError(t, err)
				return m.Steps()
			}
			total := whole()
			for range 100 {
				most := 1 + rng.Int64N(total+10)
				_, err := search(bookahead.Effort{Steps: most}, begin, func() {})
				require.LessOrEqual(t, m.Steps(), most)
				require.True(t, err == nil || errors.Is(err, bookahead.ErrStopped), err)
			}
			require.Equal(t, total, whole())
		})
	}
}

// How long a search goes on after a cancel from another goroutine.
func BenchmarkCancel(b *testing.B) {
	n, q := diamonds(b, 20)
	var worst time.Duration
	for b.Loop() {
		ctx, cancel := context.WithCancel(context.Background())
		var at time.Time
		go func() {
			time.Sleep(2 * time.Millisecond)
			at = time.Now()
			cancel()
		}()
		q.Effort = bookahead.Effort{Context: ctx, Steps: math.MaxInt64}
		r, err := n.SAMCRA(q)
		require.True(b, errors.Is(err, context.Canceled) || r.Spent.Cut)
		worst = max(worst, time.Since(at))
	}
	b.ReportMetric(float64(worst.Microseconds()), "worst-µs")
}
