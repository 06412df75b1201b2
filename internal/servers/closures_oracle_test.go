package servers_test

import (
	"slices"

	"github.com/bookahead/bookahead"
)

// frame is Frame with the servers that are open now.
func (o *oracle) frame() bookahead.Frame {
	f := o.Frame()
	f.Capacity = 0
	for _, n := range o.shut[o.Now] {
		if n == 0 {
			f.Capacity++
		}
	}
	return f
}

// cover adds to the closures of servers at the ticks of w.
func (o *oracle) cover(list []int, w bookahead.Interval, by int) {
	for t := w.Start; t < min(w.End, ticks); t++ {
		for _, k := range list {
			o.shut[t][k] += by
		}
	}
}

// close enters a closure that is valid.
func (o *oracle) close(c bookahead.Closure) bookahead.Closure {
	c.Start = max(c.Start, o.Now)
	if !c.Added {
		c.Servers = slices.Sorted(slices.Values(c.Servers))
		c.Units = int64(len(c.Servers))
		o.cover(c.Servers, c.Interval, 1)
	}
	o.lastClosure++
	c.ID = o.lastClosure
	o.closures = append(o.closures, c)
	return c
}

// extend enters an extension that is valid.
func (o *oracle) extend(c bookahead.Closure) bookahead.Closure {
	c.Start, c.Added = max(c.Start, o.Now), true
	n := o.Limits.Servers
	for k := n; k < n+int(c.Units); k++ {
		c.Servers = append(c.Servers, k)
	}
	o.Limits.Servers += int(c.Units)
	o.Capacity += c.Units
	for t := range o.taken {
		o.taken[t] = append(o.taken[t], make([]bool, c.Units)...)
		o.shut[t] = append(o.shut[t], make([]int, c.Units)...)
	}
	o.cover(c.Servers, bookahead.Interval{Start: 0, End: c.Start}, 1)
	o.cover(c.Servers, bookahead.Interval{Start: c.End, End: ticks}, 1)
	return o.close(c)
}

func (o *oracle) end(id bookahead.ClosureID, at bookahead.Time) bool {
	at = max(at, o.Now)
	i := slices.IndexFunc(o.closures, func(c bookahead.Closure) bool { return c.ID == id })
	if i < 0 || at > o.closures[i].End {
		return false
	}
	c := &o.closures[i]
	gone := bookahead.Interval{Start: max(at, c.Start), End: c.End}
	by := -1
	if c.Added {
		by = 1
	}
	o.cover(c.Servers, gone, by)
	c.End = gone.Start
	if c.Empty() || c.End <= o.Now {
		o.closures = slices.Delete(o.closures, i, i+1)
	}
	return true
}

// overbooked returns the stretches in which servers are taken and closed, tick by tick.
func (o *oracle) overbooked(w bookahead.Interval) (list []bookahead.Overbooking) {
	for t := max(w.Start, o.Now); t < min(w.End, ticks); t++ {
		var both []int
		for k := range o.Limits.Servers {
			if o.taken[t][k] && o.shut[t][k] > 0 {
				both = append(both, k)
			}
		}
		last := len(list) - 1
		switch {
		case len(both) == 0:
		case last >= 0 && list[last].End == t && slices.Equal(list[last].Servers, both):
			list[last].End++
		default:
			now := bookahead.Interval{Start: t, End: t + 1}
			list = append(list, bookahead.Overbooking{Interval: now, Units: int64(len(both)), Servers: both})
		}
	}
	return list
}
