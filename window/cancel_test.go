package window

import (
	"cmp"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/depth"
	"github.com/bookahead/bookahead/internal/effort"
)

// hard is an environment in which quality goes by the price, on nodes of some speeds.
func hard(t *testing.T, rng *rand.Rand, m int) (*Environment, Job) {
	var nodes []Node
	var slots []Slot
	sum := 0.0
	for i := range m {
		price := 1 + 9*rng.Float64()
		sum += price
		nodes = append(nodes, Node{Performance: pickOne(rng, 1, 2, 2.5), Price: price, Quality: 10*price + rng.Float64()})
		if i%3 == 0 {
			nodes[i].Tariff = []Rate{{5, price}, {30, price / 2}, {60, 2 * price}}
		}
		for at := bookahead.Time(rng.IntN(30)); at < 100; at += bookahead.Time(1 + rng.IntN(9)) {
			end := at + bookahead.Time(20+rng.IntN(60))
			slots = append(slots, Slot{i, span(at, end)})
			at = end
		}
	}
	slices.SortStableFunc(slots, func(a, b Slot) int { return cmp.Compare(a.Start, b.Start) })
	return environment(t, nodes, slots...), Job{Nodes: m / 4, Volume: 10, Budget: 0.8 * sum, Shape: Shape(rng.IntN(3))}
}

// stopper is a context that ends at a look of the search, whichever comes first: the number of
// looks, or a call of the criterion. It notes the steps that had been made by then.
type stopper struct {
	context.Context
	cancel context.CancelFunc
	calls  int
}

// criterion counts its calls, and cancels at the last of them.
func (s *stopper) criterion(c Criterion, cancelled func()) Criterion {
	value := c.Value
	c.Value = func(n Node, slot Slot, start bookahead.Time, length bookahead.Duration) float64 {
		s.calls--
		if s.calls == 0 {
			s.cancel()
			cancelled()
		}
		return value(n, slot, start, length)
	}
	return c
}

// TestCancelAtOnce cancels searches from within, at random calls of the criterion, and counts the
// steps that they make afterwards.
func TestCancelAtOnce(t *testing.T) {
	rng := rand.New(rand.NewPCG(27, 5))
	most, stopped := int64(0), 0
	for range depth.Cases(300) {
		e, j := hard(t, rng, 20+rng.IntN(100))
		var s stopper
		s.Context, s.cancel = context.WithCancel(t.Context())
		s.calls = 1 + rng.IntN(3000)
		j.Effort = bookahead.Effort{Context: s, Steps: 3_000_000}
		search, err := newSearch(e, j)
		require.NoError(t, err)
		at := int64(-1)
		c := s.criterion([]Criterion{Quality, Near, Far, Cheapest}[rng.IntN(4)], func() { at = search.meter.Steps() })
		var breaks breaks
		if rng.IntN(3) == 0 {
			breaks = halves
		}
		x := newExact(search, c, breaks)
		x.run()
		s.cancel()
		if at < 0 {
			continue // it ended before
		}
		if x.meter.Stopped() {
			stopped++
		}
		most = max(most, search.meter.Steps()-at)
	}
	require.LessOrEqual(t, most, int64(1024))
	require.NotZero(t, stopped)
	t.Logf("%d searches were stopped, within %d steps", stopped, most)
}

// TestCancelEverySearch cancels each search from within, at a random call of the criterion. A
// step has one call of the criterion at most, so that few calls follow.
func TestCancelEverySearch(t *testing.T) {
	rng := rand.New(rand.NewPCG(27, 8))
	stopped := map[int]int{}
	for range depth.Cases(300) {
		e, j := hard(t, rng, 20+rng.IntN(40))
		for i := range searches(Near) {
			var s stopper
			s.Context, s.cancel = context.WithCancel(t.Context())
			s.calls = 1 + rng.IntN(300)
			j.Effort.Context = s.Context
			c := s.criterion([]Criterion{Quality, Near, Far}[rng.IntN(3)], func() {})
			_, err := searches(c)[i](e, j)
			s.cancel()
			if errors.Is(err, bookahead.ErrStopped) {
				require.ErrorIs(t, err, context.Canceled)
				stopped[i]++
			}
			require.LessOrEqual(t, -s.calls, 1024+j.Nodes, i) // a window found before is valued, too
		}
	}
	for i := 1; i < 4; i++ { // FirstFit has no criterion; Exact returns a window with a bound
		require.NotZero(t, stopped[i], i)
	}
}

// TestTableStopsEarly cancels a table at its first number: it writes no more numbers and words than
// 1 024 steps have.
func TestTableStopsEarly(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	meter := func() *effort.Meter {
		m, err := effort.New(bookahead.Effort{Context: ctx})
		require.NoError(t, err)
		return &m
	}
	m := meter()
	const cells = 20_000_000
	d := newTable(1, cells/2, 100)
	require.True(t, d.reset(m))
	require.GreaterOrEqual(t, m.Steps(), int64(cells/perStep))
	before := m.Steps()
	require.True(t, d.add(0, 1, d.steps, m)) // it sets one number, but has the bits of all
	require.GreaterOrEqual(t, m.Steps()-before, int64(cells/64/perStep))

	m = meter()
	require.True(t, m.Go(1))
	cancel()
	for i := range d.f {
		d.f[i] = math.NaN()
	}
	require.False(t, d.reset(m))
	written := 0
	for _, x := range d.f {
		if x == x {
			written++
		}
	}
	require.LessOrEqual(t, written, 1024*perStep)
	before = int64(len(d.taken))
	require.False(t, d.add(1, 1, d.steps, m))
	require.LessOrEqual(t, int64(len(d.taken))-before, int64(1024*perStep))
}

// TestDearSlotsTakeNoBits has slots of which one alone is dearer than the budget.
func TestDearSlotsTakeNoBits(t *testing.T) {
	var list []Node
	var slots []Slot
	for k := range 50 {
		list = append(list, Node{Performance: 1, Price: 100, Quality: float64(k)})
		slots = append(slots, Slot{k, span(0, 9)})
	}
	list[7].Price, list[31].Price = 1, 2
	s, err := newSearch(environment(t, list, slots...), Job{Nodes: 2, Volume: 3, Budget: 10})
	require.NoError(t, err)
	d := newTable(2, 1000, 10)
	s.scan(func(w *extended) bool {
		value, chosen, ok := d.best(s, Quality, w)
		require.True(t, ok)
		require.Equal(t, 38.0, value)
		require.ElementsMatch(t, []int32{7, 31}, chosen)
		require.Len(t, d.taken, 2*d.words())
		return true
	})
}

// TestCancelAtRandom cancels searches from outside, at random times: the windows returned are real,
// and within the bound of the whole search.
func TestCancelAtRandom(t *testing.T) {
	rng := rand.New(rand.NewPCG(27, 6))
	stopped, without := 0, 0
	var late []time.Duration // between a cancel and the end of its search
	for range depth.Cases(6) {
		e, j := hard(t, rng, 20+rng.IntN(200))
		c := []Criterion{Quality, Near, Far, Cheapest}[rng.IntN(4)]
		j.Effort.Steps = 3_000_000
		began := time.Now()
		whole, err := Exact(e, j, c)
		took := time.Since(began)
		for range 20 {
			short := j
			ctx, cancel := context.WithCancel(t.Context())
			short.Effort.Context = ctx
			var at time.Time
			timer := time.AfterFunc(time.Duration(rng.Int64N(int64(took))), func() { at = time.Now(); cancel() })
			got, err2 := Exact(e, short, c)
			ended := time.Now()
			if !timer.Stop() {
				<-ctx.Done()
				late = append(late, ended.Sub(at))
			}
			cancel()
			switch {
			case errors.Is(err2, bookahead.ErrStopped):
				without++
				require.Empty(t, got)
				require.ErrorIs(t, err2, context.Canceled)
			case err2 != nil:
				require.Equal(t, err, err2)
			default:
				requireWindow(t, e, short, c, got.Window)
				if err == nil {
					require.GreaterOrEqual(t, got.Bound, whole.Value-1e-6*math.Abs(whole.Value), "B7")
					require.LessOrEqual(t, got.Value, whole.Bound+1e-6*math.Abs(whole.Bound), "B7")
				}
				if !got.Proven() {
					stopped++
				}
			}
		}
	}
	slices.Sort(late)
	require.NotEmpty(t, late)
	t.Logf("%d searches returned a window that is not proven, %d none; they ended %v after their cancel (median), %v (99 %%) and %v at most",
		stopped, without, late[len(late)/2], late[len(late)*99/100], late[len(late)-1])
}

// TestStoppedSearches gives all searches few steps: they return ErrStopped besides their best, or
// an answer that needed no more.
func TestStoppedSearches(t *testing.T) {
	rng := rand.New(rand.NewPCG(27, 7))
	stopped, found := make([]int, 6), make([]int, 6)
	for range depth.Cases(400) {
		e, j := hard(t, rng, 8+rng.IntN(12))
		j.Volume = 30
		c := []Criterion{Quality, Near, Far, Cheapest}[rng.IntN(4)]
		for i, search := range searches(c) {
			whole, err := search(e, j)
			short := j
			short.Effort.Steps = 1 + rng.Int64N(3000)
			got, err2 := search(e, short)
			if !errors.Is(err2, bookahead.ErrStopped) {
				require.Equal(t, err, err2)
				if err == nil {
					requireWindow(t, e, j, Criterion{Value: func(Node, Slot, bookahead.Time, bookahead.Duration) float64 { return 0 }}, zero(got))
				}
				if i < 4 {
					require.Equal(t, whole, got, "it needed no more")
				}
				continue
			}
			stopped[i]++
			require.True(t, err2 == bookahead.ErrStopped)
			if got.Tasks != nil {
				found[i]++
				require.Less(t, i, 4, "Exact has a bound instead")
				requireWindow(t, e, j, Criterion{Value: func(Node, Slot, bookahead.Time, bookahead.Duration) float64 { return 0 }}, zero(got))
			}
		}
	}
	for i := range stopped {
		require.NotZero(t, stopped[i])
		require.True(t, testing.Short() || found[i] > 0 || i == 0 || i > 3, i) // FirstFit seldom has a window by then
	}
	for range Alternatives(environment(t, []Node{{Performance: 1}}, Slot{0, span(0, 9)}), Job{Nodes: 1, Volume: 1, Budget: 1, Effort: bookahead.Effort{Steps: 1}}, Quality) {
		return
	}
	t.Error("Alternatives must yield its error")
}

// zero returns the window with a value of 0.
func zero(w Window) Window {
	w.Value = 0
	return w
}
