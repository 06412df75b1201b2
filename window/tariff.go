package window

import (
	"fmt"
	"sort"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/effort"
	"github.com/bookahead/bookahead/internal/limits"
)

// Rate is a price that holds from a tick on, until the next one of its tariff.
type Rate struct {
	From  bookahead.Time
	Price float64 // of a tick; 0 or more
}

// looked is how many rates of a tariff were looked at, by its first rate. Nodes may share a tariff, or
// its first so many rates, and a long tariff is looked at once for all of them.
type looked map[*Rate]int

// rest returns how many rates of a tariff were looked at before, and counts all of them as looked at.
func (l looked) rest(tariff []Rate) (from int) {
	if len(tariff) == 0 {
		return 0
	}
	from = min(l[&tariff[0]], len(tariff))
	l[&tariff[0]] = max(l[&tariff[0]], len(tariff))
	return from
}

// checkTariff checks that the rates are in order, and their prices from 0 to great.
func (n Node) checkTariff(i int, checked looked) error {
	for k := checked.rest(n.Tariff); k < len(n.Tariff); k++ {
		r := n.Tariff[k]
		field := func(name string) string { return fmt.Sprintf("nodes[%d].Tariff[%d].%s", i, k, name) }
		switch {
		case r.From < 0:
			return limits.Invalid(field("From"), r.From, "is before tick 0")
		case k > 0 && r.From <= n.Tariff[k-1].From:
			return limits.Invalid(field("From"), r.From, "is not after the one in front of it")
		case !(r.Price >= 0 && r.Price <= great):
			return limits.Invalid(field("Price"), r.Price, fmt.Sprintf("is not a number from 0 to %g", great))
		}
	}
	return nil
}

// Cost returns the cost of the node throughout a window: the sum of its ticks, each at the price
// that holds then.
//
//	Price 1, Tariff {{10, 3}, {20, 2}}
//	tick    0 ──── 10 ──── 20 ──── 30
//	price      1       3       2
//	[5, 22) costs 5×1 + 10×3 + 2×2 = 39
//
// O(log r + k) for r rates, k of which begin in the window.
func (n Node) Cost(w bookahead.Interval) float64 {
	if len(n.Tariff) == 0 {
		return n.Price * float64(w.End-w.Start)
	}
	i := n.after(w.Start)
	price := n.Price
	if i > 0 {
		price = n.Tariff[i-1].Price
	}
	cost, from := 0.0, w.Start
	for ; i < len(n.Tariff) && n.Tariff[i].From < w.End; i++ {
		cost += price * float64(n.Tariff[i].From-from)
		price, from = n.Tariff[i].Price, n.Tariff[i].From
	}
	return cost + price*float64(w.End-from)
}

// after returns the first rate that begins after t.
func (n Node) after(t bookahead.Time) int {
	return sort.Search(len(n.Tariff), func(i int) bool { return n.Tariff[i].From > t })
}

// fewRates is the most rates at which leastCost looks for the best start.
const fewRates = 16

// leastCost returns a lower bound of the cost of a task of some length that starts from first
// to last. As the task moves, its cost changes evenly until one of its ends meets a rate:
//
//	price     3 3 3 3 1 1 1 1 1 2 2 2 2      a task of 3 ticks
//	cost      9 9 7 5 3 3 3 4 5 6 6          least from 4 on, where a rate begins
//
// So the cost is least at such a start, or at first or last. With more than fewRates in between,
// the lowest price must do.
func (n Node) leastCost(first, last bookahead.Time, length bookahead.Duration) float64 {
	if len(n.Tariff) == 0 {
		return n.Price * float64(length)
	}
	task := func(t bookahead.Time) float64 {
		return n.Cost(bookahead.Interval{Start: t, End: t + bookahead.Time(length)})
	}
	from := n.after(first)
	to := n.after(last + bookahead.Time(length) - 1)
	if to-from > fewRates {
		lowest := n.Price
		if from > 0 {
			lowest = n.Tariff[from-1].Price
		}
		for _, r := range n.Tariff[from:to] {
			lowest = min(lowest, r.Price)
		}
		return lowest * float64(length) * (1 - slack)
	}
	least := min(task(first), task(last))
	for _, r := range n.Tariff[from:to] {
		for _, t := range [2]bookahead.Time{r.From, r.From - bookahead.Time(length)} {
			if first < t && t < last {
				least = min(least, task(t))
			}
		}
	}
	return least * (1 - slack) // a search adds up other parts, which are rounded in another way
}

// cost returns the cost of a window by the prices and tariffs of this environment: the sum of
// Node.Cost over its tasks. The window may have been found in another environment of the same
// nodes. The error wraps bookahead.ErrInvalid if a task is on none of the nodes. O(log r + k) for
// each task with r rates, k of which begin in the task.
func (e *Environment) cost(w Window) (float64, error) {
	err := limits.CheckNil("e", e)
	if err != nil {
		return 0, err
	}
	sum := 0.0
	for i, t := range w.Tasks {
		if t.Node < 0 || t.Node >= len(e.nodes) {
			return 0, limits.Invalid(fmt.Sprintf("Window.Tasks[%d].Node", i), t.Node, fmt.Sprintf("is none of the %d nodes", len(e.nodes)))
		}
		sum += e.nodes[t.Node].Cost(t.Interval)
	}
	return sum, nil
}

// price writes the cost of a candidate that starts at t. It returns false if the search must
// stop.
func (s *search) price(k *candidate, t bookahead.Time) bool {
	n := &s.env.nodes[k.node]
	if len(n.Tariff) == 0 {
		return true
	}
	end := t + bookahead.Time(k.length)
	k.cost = n.Cost(bookahead.Interval{Start: t, End: end})
	return s.spend(n.after(end) - n.after(t))
}

// spend counts steps that were made already. It returns false if the search must stop.
func (s *search) spend(n int) bool {
	for ; n > 0; n -= effort.Chunk {
		if !s.meter.Go(min(effort.Chunk, n)) {
			return false
		}
	}
	return true
}
