package window

import (
	"math/big"
	"slices"
	"strconv"

	"github.com/bookahead/bookahead"
)

// The oracle knows nothing of rounds, windows that move or bounds: it tries every
// set of n slots at every start of the published search, or at every tick.

// trial is a window that an oracle has found.
type trial struct {
	value float64
	found bool
}

// exhaustive returns the value of the best window. If ticks is false, windows
// start as in §3.2: at the start of a slot that is long enough for the round, as
// long as a slot on one of its slowest nodes can hold a task too.
func exhaustive(e *Environment, j Job, c Criterion, ticks bool) trial {
	var best trial
	stops(e, j, ticks, func(length bookahead.Duration, start bookahead.Time, list []candidate) {
		best.sets(e, j, c, length, start, list)
	})
	return best
}

// stops shows each length and start of the search, with the slots that fit there.
func stops(e *Environment, j Job, ticks bool, visit func(length bookahead.Duration, start bookahead.Time, list []candidate)) {
	for _, length := range roundLengths(e, j) {
		for _, start := range tries(e, j, length, ticks) {
			var list []candidate
			slow := length == 0
			for _, k := range fitting(e, j, length) {
				first, last := bounds(e, j, k)
				if first <= start && start <= last {
					list = append(list, k)
					slow = slow || ownLength(e, j, k.node) == length
				}
			}
			if slow {
				visit(length, start, list)
			}
		}
	}
}

// sets tries all sets of n slots.
func (b *trial) sets(e *Environment, j Job, c Criterion, length bookahead.Duration, start bookahead.Time, list []candidate) {
	for set := range 1 << len(list) {
		n, value, cost := 0, 0.0, 0.0
		slow := j.Shape != Tight
		for i, k := range list {
			if set>>i&1 == 1 {
				n++
				slow = slow || ownLength(e, j, k.node) == length
				cost += costOf(e, k, start)
				value += c.Value(e.nodes[k.node], e.slots[k.slot], start, k.length)
			}
		}
		if n == j.Nodes && slow && cost <= j.Budget*(1+slack) && (!b.found || value > b.value) {
			b.found, b.value = true, value
		}
	}
}

// ownLength divides the numbers as they are written in decimals, without rounding.
func ownLength(e *Environment, j Job, node int) bookahead.Duration {
	key := [2]float64{j.Volume, e.nodes[node].Performance}
	if known, ok := quotients[key]; ok {
		return known
	}
	var v, p big.Rat
	v.SetString(strconv.FormatFloat(key[0], 'g', -1, 64))
	p.SetString(strconv.FormatFloat(key[1], 'g', -1, 64))
	v.Quo(&v, &p)
	whole, rest := new(big.Int).DivMod(v.Num(), v.Denom(), new(big.Int))
	length := bookahead.Duration(whole.Int64())
	if rest.Sign() > 0 {
		length++
	}
	quotients[key] = length
	return length
}

var quotients = map[[2]float64]bookahead.Duration{}

// roundLengths returns the lengths of all nodes that will do, and 0 for rough
// windows.
func roundLengths(e *Environment, j Job) []bookahead.Duration {
	if j.Shape == Rough {
		return []bookahead.Duration{0}
	}
	var list []bookahead.Duration
	for i := range e.nodes {
		if usable(e, j, i) {
			list = append(list, ownLength(e, j, i))
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

func usable(e *Environment, j Job, node int) bool {
	return e.nodes[node].Performance >= j.MinPerformance
}

// fitting returns the slots that can hold a task of a round at some time.
func fitting(e *Environment, j Job, length bookahead.Duration) []candidate {
	var list []candidate
	for i, s := range e.slots {
		k := candidate{slot: i, node: s.Node, length: length}
		if !usable(e, j, s.Node) {
			continue
		}
		own := ownLength(e, j, s.Node)
		if length == 0 {
			k.length = own
		}
		if first, last := bounds(e, j, k); own <= k.length && first <= last {
			list = append(list, k)
		}
	}
	return list
}

// costOf adds up the cost of a task, tick by tick.
func costOf(e *Environment, k candidate, start bookahead.Time) float64 {
	n := e.nodes[k.node]
	if len(n.Tariff) == 0 {
		return float64(k.length) * n.Price // which is exact
	}
	cost := 0.0
	for t := start; t < start+bookahead.Time(k.length); t++ {
		price := n.Price
		for _, r := range n.Tariff {
			if r.From <= t {
				price = r.Price
			}
		}
		cost += price
	}
	return cost
}

// tariffStarts returns the starts that tariffs add: where a rate begins, where a task of some node's
// length begins that ends there, and where any slot begins, however slow its node is.
func tariffStarts(e *Environment, j Job) (list []bookahead.Time) {
	for i, s := range e.slots {
		if !usable(e, j, s.Node) {
			continue
		}
		k := candidate{slot: i, node: s.Node, length: ownLength(e, j, s.Node)}
		if first, last := bounds(e, j, k); first > last {
			continue
		}
		for _, other := range e.slots { // any slot may have a rate that begins while this one's task ends
			o := candidate{node: other.Node, slot: slices.Index(e.slots, other)}
			if !usable(e, j, o.node) {
				continue
			}
			o.length = ownLength(e, j, o.node)
			if first, last := bounds(e, j, o); first > last {
				continue
			}
			for _, r := range e.nodes[o.node].Tariff {
				list = append(list, r.From, r.From-bookahead.Time(k.length))
			}
		}
	}
	if len(list) == 0 {
		return nil // no tariff
	}
	for i, s := range e.slots {
		if !usable(e, j, s.Node) {
			continue
		}
		first, last := bounds(e, j, candidate{slot: i, length: ownLength(e, j, s.Node)})
		if first <= last {
			list = append(list, first)
		}
	}
	return list
}

// tariffed reports whether a node with a slot that will do has a tariff.
func tariffed(e *Environment, j Job) bool { return len(tariffStarts(e, j)) > 0 }

// bounds returns the first and last start of a task.
func bounds(e *Environment, j Job, k candidate) (first, last bookahead.Time) {
	end := e.slots[k.slot].End
	if j.Deadline != 0 {
		end = min(end, j.Deadline)
	}
	return max(e.slots[k.slot].Start, j.Ready), end - bookahead.Time(k.length)
}

func tries(e *Environment, j Job, length bookahead.Duration, ticks bool) []bookahead.Time {
	var list []bookahead.Time
	for _, k := range fitting(e, j, length) {
		first, last := bounds(e, j, k)
		list = append(list, first)
		for t := first; ticks && t <= last; t++ {
			list = append(list, t)
		}
	}
	list = append(list, tariffStarts(e, j)...)
	slices.Sort(list)
	return slices.Compact(list)
}
