package sim

import (
	"cmp"
	"slices"

	"github.com/bookahead/bookahead"
)

// outages opens and closes nodes, and displaces gangs that lose theirs. Running gangs are stopped
// before any booking is displaced, since pools have more room then.
//
// nodes.Machine.Displace does not serve here: a gang that runs into a drain stays until the drain
// begins, and Displace refuses to leave anything overbooked.
func (e *clusterEngine) outages() {
	if len(e.news) == 0 || e.news[0] > e.now || e.err != nil {
		return
	}
	for len(e.news) > 0 && e.news[0] <= e.now {
		e.news = e.news[1:]
	}
	for k := range e.Outages {
		o := &e.Outages[k]
		if o.over() == e.now && o.over() < o.End {
			e.fail(e.m.EndClosure(e.closed[k], e.now))
			e.q.Changed()
		}
	}
	var known []*Outage
	var out []int32 // AR gangs to be booked anew
	for k := range e.Outages {
		o := &e.Outages[k]
		if o.Known == e.now {
			c, err := e.m.Close(bookahead.Closure{Interval: o.Interval, Servers: o.Nodes})
			e.fail(err)
			e.closed[k] = c.ID
			e.q.Changed()
			known = append(known, o)
		}
		if o.Start == e.now {
			out = append(out, e.stop(o)...)
		}
	}
	out = append(out, e.lift(known)...)
	slices.SortFunc(out, func(a, b int32) int { return cmp.Compare(e.rank[a], e.rank[b]) })
	for _, i := range out {
		e.book(i, e.Outcomes[i].Start)
	}
}

// lift takes out the AR gangs that have not begun and lose their places to outages. The last to come
// in goes first: on pools, that may leave enough for the others.
func (e *clusterEngine) lift(outages []*Outage) (out []int32) {
	if len(outages) == 0 || e.err != nil {
		return nil
	}
	ahead := all(e.starts)
	slices.SortFunc(ahead, func(a, b int32) int { return cmp.Compare(e.rank[b], e.rank[a]) })
	for _, i := range ahead {
		loses := func(o *Outage) bool { return e.m.displaces(o, e.held[i]) }
		if !slices.ContainsFunc(outages, loses) {
			continue
		}
		e.starts.Delete(event{e.Outcomes[i].Start, i})
		e.Outcomes[i].Displaced++
		e.release(i)
		out = append(out, i)
	}
	return out
}

// stop stops the gangs that run on the nodes of an outage. Batch gangs wait again; AR gangs are
// returned.
func (e *clusterEngine) stop(o *Outage) (out []int32) {
	for _, i := range all(e.ends) {
		if !holds(e.held[i].Offer, o.Nodes) {
			continue
		}
		was := &e.Outcomes[i]
		e.ends.Delete(event{was.End, i})
		e.Lost += float64(e.Tasks[i].Units) * float64(e.now-was.Start)
		e.Runs[e.run[i]].When.End = e.now
		e.run[i] = -1
		was.Displaced++
		e.release(i)
		if e.Tasks[i].AR {
			out = append(out, i)
			continue
		}
		was.Provider, was.Start, was.End = -1, 0, 0
		e.fail(e.q.Requeue(e.now, name(i)))
		e.waiting++
	}
	return out
}
