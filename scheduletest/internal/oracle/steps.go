package oracle

import (
	"iter"
	"math/bits"
	"slices"

	"github.com/bookahead/bookahead"
)

// steps is the timeline for large numbers. It looks only at the ticks at which a reservation or
// a closure begins or ends, so its work depends on how many of these there are, and not on how
// long they last. It makes its steps anew for each answer, which leaves no state to go wrong.
type steps struct{}

// step is a stretch of time up to the next step in which nothing changes.
type step struct {
	start bookahead.Time
	free  int64    // units of a pool
	idle  []uint64 // the servers that are free, a bit for each; nil for a pool
}

// Edges returns the ticks from now on at which something begins or ends, and now.
func (o *Oracle) Edges() []bookahead.Time {
	list := []bookahead.Time{o.Clock, o.own.Start, o.own.End}
	for _, offer := range o.Booked {
		w := o.rounded(offer.Interval)
		list = append(list, w.Start, w.End)
	}
	for _, c := range o.Changes {
		list = append(list, c.Start, c.End)
	}
	return between(list, o.Clock, bookahead.MaxTime)
}

// between returns the times of a list from first to last, in order, each once.
func between(list []bookahead.Time, first, last bookahead.Time) []bookahead.Time {
	list = slices.DeleteFunc(list, func(t bookahead.Time) bool { return t < first || t > last })
	slices.Sort(list)
	return slices.Compact(list)
}

// Profile returns the units that are free in w, step by step. Neighbours differ.
func (o *Oracle) Profile(w bookahead.Interval) (list []bookahead.Step) {
	look := o.timeline.look(o)
	w = w.Intersect(bookahead.Interval{Start: o.Clock, End: o.Until()})
	for _, t := range between(append(o.Edges(), w.Start), w.Start, w.End-1) {
		n, _ := look(bookahead.Interval{Start: t, End: t + 1})
		if k := len(list) - 1; k >= 0 {
			if list[k].Free == n {
				continue
			}
			list[k].End = t
		}
		list = append(list, bookahead.Step{Interval: bookahead.Interval{Start: t, End: w.End}, Free: n})
	}
	return list
}

func (steps) marks(o *Oracle, first, last, d bookahead.Time) iter.Seq[bookahead.Time] {
	list := []bookahead.Time{first}
	for _, t := range o.Edges() {
		list = append(list, t, t-d+1)
	}
	return slices.Values(between(list, first, last))
}

func (steps) look(o *Oracle) func(bookahead.Interval) (int64, []int) {
	var list []step
	for _, t := range o.Edges() {
		list = append(list, o.stepAt(t))
	}
	return func(w bookahead.Interval) (int64, []int) {
		first := 0
		for first+1 < len(list) && list[first+1].start <= w.Start {
			first++
		}
		n, idle := list[first].free, slices.Clone(list[first].idle)
		for _, s := range list[first+1:] {
			if s.start >= w.End {
				break
			}
			n = min(n, s.free)
			for i := range idle {
				idle[i] &= s.idle[i]
			}
		}
		if !o.Servers {
			return n, nil
		}
		servers := []int{}
		for i, word := range idle {
			for ; word != 0; word &= word - 1 {
				servers = append(servers, 64*i+bits.TrailingZeros64(word))
			}
		}
		return int64(len(servers)), servers
	}
}

// bookedAt returns the units of a pool that are booked at a tick, or the servers that are held.
func (o *Oracle) bookedAt(t bookahead.Time) (units int64, held []bool) {
	held = make([]bool, o.servers)
	for _, offer := range o.Booked {
		if o.rounded(offer.Interval).Contains(t) {
			units += offer.Units
			for _, k := range offer.Servers {
				held[k] = true
			}
		}
	}
	return units, held
}

// stepAt returns the step that begins at an edge. Its arithmetic is its own, so that it can differ
// from that of ticks.
func (o *Oracle) stepAt(t bookahead.Time) step {
	units, held := o.bookedAt(t)
	var own bookahead.Offer // may keep its place at t
	if o.own.Contains(t) {
		own = o.own.Offer
	}
	if !o.Servers {
		return step{start: t, free: max(own.Units, o.capacityAt(t)-units)}
	}
	s := step{start: t, idle: make([]uint64, (o.servers+63)/64)}
	for k := range o.servers {
		if !o.shut(k, t) {
			s.idle[k/64] |= 1 << (k % 64)
		}
	}
	for _, k := range own.Servers {
		s.idle[k/64] |= 1 << (k % 64)
	}
	for k := range o.servers {
		if held[k] {
			s.idle[k/64] &^= 1 << (k % 64)
		}
	}
	return s
}

func (steps) missing(o *Oracle, t bookahead.Time) (n int64, servers []int) {
	units, held := o.bookedAt(t)
	if !o.Servers {
		return max(0, units-o.capacityAt(t)), nil
	}
	for k := range o.servers {
		if held[k] && o.shut(k, t) {
			servers = append(servers, k)
		}
	}
	return int64(len(servers)), servers
}

func (steps) add(*Oracle, bookahead.Offer, int64) {}
