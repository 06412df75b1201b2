package avail

import (
	"iter"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/servers"
)

// vectors is the roster of a Schedule: an availability vector for each server.
type vectors struct {
	width bookahead.Time // of a slot
	grid  grid
}

// slot returns the slot that contains t, which is never negative.
func (v *vectors) slot(t bookahead.Time) int64 { return int64(t / v.width) }

// span returns the slots that w touches, as the half-open range [from, to).
func (v *vectors) span(w bookahead.Interval) (from, to int64) {
	return v.slot(w.Start), v.slot(w.End-1) + 1
}

// ticks returns the time of the slots [from, to). The last slot ends at the end of the axis.
func (v *vectors) ticks(from, to int64) bookahead.Interval {
	last := bookahead.Time(to-1) * v.width
	return bookahead.Interval{
		Start: bookahead.Time(from) * v.width,
		End:   last + min(v.width, bookahead.MaxTime-last),
	}
}

// inSlots returns the runs in slots instead of ticks.
func (v *vectors) inSlots(runs []servers.Run) []run {
	list := make([]run, len(runs))
	for i, r := range runs {
		from, to := v.span(r.Interval)
		list[i] = run{r.Server, from, to}
	}
	return list
}

func (v *vectors) Round(w bookahead.Interval) bookahead.Interval { return v.ticks(v.span(w)) }

func (v *vectors) Search(first, last bookahead.Time, r bookahead.Request) (bookahead.Time, []int, bool) {
	n, d := int(r.Units), bookahead.Time(r.Duration)
	from, to := v.span(bookahead.Interval{Start: first, End: first + d})
	list := v.grid.lowest(r.Servers, from, to, n)
	if len(list) == n {
		return first, list, true
	}
	// Not at the ready time, so the place starts at the start of a slot.
	m := int64((d-1)/v.width) + 1
	from, ok := v.grid.search(r.Servers, n, m, from+1, v.slot(last))
	if !ok {
		return 0, nil, false
	}
	return bookahead.Time(from) * v.width, v.grid.lowest(r.Servers, from, from+m, n), true
}

func (v *vectors) Pick(w bookahead.Interval, n int, named []int) []int {
	from, to := v.span(w)
	return v.grid.lowest(named, from, to, n)
}

func (v *vectors) Idle(server int, t bookahead.Time, w bookahead.Interval) bookahead.Interval {
	from, to := v.span(w)
	from, to = v.grid.around(server, v.slot(t), from, to)
	if from == to {
		return bookahead.Interval{}
	}
	return w.Intersect(v.ticks(from, to))
}

func (v *vectors) Blocks(w bookahead.Interval) iter.Seq[bookahead.Block] {
	return func(yield func(bookahead.Block) bool) {
		var list []int
		for from, to := v.span(w); from < to; {
			end := v.grid.unchanged(from, to)
			list = v.grid.at(list[:0], from)
			b := bookahead.Block{Interval: w.Intersect(v.ticks(from, end)), Units: int64(len(list)), Servers: list}
			if b.Units > 0 && !yield(b) {
				return
			}
			from = end
		}
	}
}

func (v *vectors) Take(b servers.Booking) { v.flip(b, -len(b.Servers)) }

func (v *vectors) Give(b servers.Booking) { v.flip(b, len(b.Servers)) }

func (v *vectors) flip(b servers.Booking, by int) {
	from, to := v.span(b.Interval)
	v.grid.flip(b.Servers, from, to, by)
}

func (v *vectors) Forget(past bookahead.Interval) {
	v.grid.pass(v.slot(past.Start), v.slot(past.End))
}

func (v *vectors) clone() *vectors { return &vectors{v.width, v.grid.clone()} }
