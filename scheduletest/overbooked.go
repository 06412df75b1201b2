package scheduletest

import (
	"iter"
	"slices"

	"github.com/bookahead/bookahead"
)

// overbooked joins neighbouring ticks of w at which the same units, or servers, are missing.
func (a *axis) overbooked(w bookahead.Interval, missing func(t bookahead.Time) (int64, []int)) iter.Seq[bookahead.Overbooking] {
	return func(yield func(bookahead.Overbooking) bool) {
		var o bookahead.Overbooking
		for t := max(w.Start, a.clock); t < min(w.End, later(a.busy(), 1)); t++ {
			n, servers := missing(t)
			if o.Units > 0 && n == o.Units && slices.Equal(servers, o.Servers) {
				o.End++
				continue
			}
			if o.Units > 0 && !yield(o) {
				return
			}
			o = bookahead.Overbooking{Interval: bookahead.Interval{Start: t, End: t + 1}, Units: n, Servers: servers}
		}
		if o.Units > 0 {
			yield(o)
		}
	}
}

// Overbooked implements bookahead.Closable.
func (p *poolOracle) Overbooked(w bookahead.Interval) iter.Seq[bookahead.Overbooking] {
	return p.overbooked(w, func(t bookahead.Time) (int64, []int) { return p.usedAt(t) - p.capacityAt(t), nil })
}

// Overbooked implements bookahead.Closable.
func (s *serverOracle) Overbooked(w bookahead.Interval) iter.Seq[bookahead.Overbooking] {
	return s.overbooked(w, func(t bookahead.Time) (int64, []int) {
		var missing []int
		for k := range s.servers {
			if s.held(k, t) && s.shut(k, t) {
				missing = append(missing, k)
			}
		}
		return int64(len(missing)), missing
	})
}
