package window

import (
	"fmt"
	"math"
	"slices"
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

// checkTariff returns an error unless the rates are in order, and their prices are good.
func (n Node) checkTariff(i int) error {
	for k, r := range n.Tariff {
		field := fmt.Sprintf("nodes[%d].Tariff[%d]", i, k)
		switch {
		case r.From < 0:
			return limits.Invalid(field+".From", r.From, "is before tick 0")
		case k > 0 && r.From <= n.Tariff[k-1].From:
			return limits.Invalid(field+".From", r.From, "is not after the one in front of it")
		case !(r.Price >= 0 && r.Price <= great):
			return limits.Invalid(field+".Price", r.Price, fmt.Sprintf("is not a number from 0 to %g", great))
		}
	}
	return nil
}

// Cost returns what the node costs throughout a window: each tick at the price that holds
// then.
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

// fewRates is up to how many rates leastCost looks for the best start among.
const fewRates = 16

// leastCost returns at most the least cost of a task of that length which starts from first to
// last. As the task moves, its cost changes evenly until one of its ends meets a rate. So it
// is least at such a start, or at the first or last. With many rates in between, the lowest
// price must do.
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
	return least * (1 - slack) // sums of other parts are rounded otherwise
}

// Cost returns what a window costs by the tariffs of this environment, which need not be the
// one that it was found in: its tasks cost what their nodes do meanwhile. A bookahead.ErrInvalid
// is wrapped if a task is on none of the nodes. O(log r + k) for each task.
func (e *Environment) Cost(w Window) (float64, error) {
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

// tariffs collects the ticks at which a task may begin because of a tariff: where a rate
// begins, and where a task of some length begins that ends there. s.tariffed tells whether
// there are any tariffs.
func (s *search) tariffs() {
	var rates []bookahead.Time
	known := map[*Rate]bool{} // nodes may share a tariff
	node := -1
	for i := range s.items {
		if s.items[i].node == node {
			continue
		}
		node = s.items[i].node
		tariff := s.env.nodes[node].Tariff
		if len(tariff) == 0 {
			continue
		}
		s.tariffed = true
		if known[&tariff[0]] {
			continue
		}
		known[&tariff[0]] = true
		for _, r := range tariff {
			rates = append(rates, r.From)
		}
	}
	slices.Sort(rates)
	for _, t := range slices.Compact(rates) {
		if !s.meter.Go(1) {
			return
		}
		s.changes = append(s.changes, t)
		for _, length := range s.lengths {
			if !s.meter.Go(1) {
				return
			}
			s.changes = append(s.changes, t-bookahead.Time(length))
		}
	}
	slices.Sort(s.changes)
	s.changes = slices.Compact(s.changes)
}

// price writes what a candidate costs if it starts at t. It returns false if the search must
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

// stops returns the starts that a search tries with tariffs, ascending: those of slots, and
// the changes, as far as slots go.
func (x *exact) stopsOf() []bookahead.Time {
	first, last := x.items[0].start, bookahead.Time(math.MinInt64)
	list := make([]bookahead.Time, 0, len(x.items)+len(x.changes))
	for i := range x.items {
		list = append(list, x.items[i].start)
		last = max(last, x.items[i].latest())
	}
	for _, t := range x.changes {
		if first < t && t <= last {
			list = append(list, t)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}
