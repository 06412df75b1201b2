package window

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/desk"
	"github.com/bookahead/bookahead/idletree"
	"github.com/bookahead/bookahead/internal/depth"
	"github.com/bookahead/bookahead/nodes"
)

// drawPrices draws nodes with tariffs whose prices are quarters, so that all sums are exact.
func drawPrices(rng *rand.Rand) []Node {
	list := make([]Node, 4)
	price := func() float64 { return float64(rng.IntN(12)) / 4 }
	for k := range list {
		list[k] = Node{Performance: float64(1 + rng.IntN(3)), Price: price()}
		for from := bookahead.Time(0); rng.IntN(3) > 0; {
			from += bookahead.Time(1 + rng.IntN(8))
			list[k].Tariff = append(list[k].Tariff, Rate{from, price()})
		}
	}
	return list
}

// changed returns the nodes at other prices, which often are the same.
func changed(rng *rand.Rand, old []Node) []Node {
	list := slices.Clone(old)
	fresh := drawPrices(rng)
	for k := range list {
		switch rng.IntN(5) {
		case 0:
			list[k].Price, list[k].Tariff = fresh[k].Price, fresh[k].Tariff
		case 1:
			list[k].Tariff = slices.Clone(list[k].Tariff)
			for i := range list[k].Tariff {
				list[k].Tariff[i].Price += float64(rng.IntN(3)-1) / 4
				list[k].Tariff[i].Price = max(0, list[k].Tariff[i].Price)
			}
		}
	}
	return list
}

// tickByTick adds up the prices of all ticks of all tasks.
func tickByTick(list []Node, w Window) (sum float64) {
	for _, task := range w.Tasks {
		n := list[task.Node]
		for at := task.Start; at < task.End; at++ {
			price := n.Price
			for _, r := range n.Tariff {
				if r.From <= at {
					price = r.Price
				}
			}
			sum += price
		}
	}
	return sum
}

// A window is booked, or made a request, if by a sum over its ticks it costs no more than it did, and otherwise nothing is
// booked, in any of the four ways.
func TestPricesThatRise(t *testing.T) {
	rounds := depth.Cases(11_000)
	rng := rand.New(rand.NewPCG(27, 4))
	count := map[string]int{}
	for range rounds {
		tree, err := idletree.NewTree(4, idletree.Config{Horizon: 40})
		require.NoError(t, err)
		m, err := nodes.New(nodes.Config{Horizon: 40, Resources: []string{"cores"}, Nodes: []nodes.Vector{{2}, {2}, {2}, {2}}})
		require.NoError(t, err)
		slots, err := Slots(tree, span(0, 40))
		require.NoError(t, err)
		then := drawPrices(rng)
		e, err := New(then, slots)
		require.NoError(t, err)
		j := Job{Nodes: 1 + rng.IntN(4), Volume: float64(1 + rng.IntN(20)), Budget: 80, Shape: Shape(rng.IntN(3)), Ready: bookahead.Time(rng.IntN(15))}
		best, err := Exact(e, j, criteria[rng.IntN(len(criteria))])
		if err != nil {
			require.Equal(t, bookahead.ErrUnavailable, err)
			continue
		}
		w := best.Window
		require.Equal(t, tickByTick(then, w), w.Cost)
		if rng.IntN(3) == 0 {
			w.Cost += float64(rng.IntN(9)) / 4 // a budget
		}
		now, err := New(changed(rng, then), nil)
		require.NoError(t, err)
		cost := tickByTick(now.nodes, w)
		task := nodes.Vector{1 + rng.Int64N(2)}
		booked, byTree := now.Commit(tree, w)
		tasks, byMachine := now.MachineCommit(m, task, w)
		r, byRequest := now.Request("lab", w)
		all := []error{byTree, byMachine, byRequest}
		if j.Shape != Rough {
			_, err := now.MachineRequest("farm", task, w)
			all = append(all, err)
		}
		for _, err := range all {
			if cost <= w.Cost {
				require.NoError(t, err)
				continue
			}
			require.ErrorIs(t, err, ErrPrice)
			require.NotErrorIs(t, err, bookahead.ErrInvalid)
		}
		if cost <= w.Cost {
			require.Len(t, booked, len(w.requests()))
			require.Len(t, tasks, len(w.requests()))
			require.Len(t, r.Shapes[0], len(w.requests()))
			count["booked"]++
			if cost == w.Cost {
				count["at the same price"]++
			}
			continue
		}
		count["refused"]++
		require.Equal(t, desk.Request{}, r)
		require.Empty(t, slices.Collect(tree.Reservations(span(0, 40))))
		require.Empty(t, slices.Collect(m.Reservations(span(0, 40))))
	}
	t.Log(count)
	for _, kind := range []string{"booked", "at the same price", "refused"} {
		require.Greater(t, count[kind], rounds/20, kind)
	}
}

// The error of a price that has risen names both costs. A window that was made by hand has no number as its Cost, or any.
func TestPriceError(t *testing.T) {
	tree, err := idletree.NewTree(2, idletree.Config{})
	require.NoError(t, err)
	e, err := New([]Node{{Performance: 1, Price: 1, Tariff: []Rate{{5, 2.5}}}, {Performance: 1, Price: 1}}, nil)
	require.NoError(t, err)
	w := Window{Cost: 8, Tasks: []Task{{Node: 0, Interval: span(3, 7)}, {Node: 1, Interval: span(3, 7)}}}
	_, err = e.Commit(tree, w)
	require.EqualError(t, err, "window: the price has risen: the tasks cost 11 now, which is more than Window.Cost 8")
	w.Cost = math.NaN()
	_, err = e.Commit(tree, w)
	require.ErrorIs(t, err, ErrPrice)
	w.Cost = 11 * (1 - slack/2) // as rounding does
	_, err = e.Commit(tree, w)
	require.NoError(t, err)
	w.Cost = math.Inf(1)
	_, err = e.Commit(tree, w)
	require.Equal(t, bookahead.ErrUnavailable, err)
}
