package sim

import (
	"cmp"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/nodes"
)

// outages opens and closes nodes, and displaces gangs that lose theirs.
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
		}
	}
	var out []int32 // AR gangs to be booked anew
	for k := range e.Outages {
		o := &e.Outages[k]
		if o.Known == e.now {
			c, err := e.m.Close(bookahead.Closure{Interval: o.Interval, Servers: o.Nodes})
			e.fail(err)
			e.closed[k] = c.ID
			out = append(out, e.lift(o)...)
		}
		if o.Start == e.now {
			out = append(out, e.stop(o)...)
		}
	}
	slices.SortFunc(out, func(a, b int32) int { return cmp.Compare(e.rank[a], e.rank[b]) })
	for _, i := range out {
		e.book(i, e.Outcomes[i].Start)
	}
}

// lift takes out the AR gangs that have not begun and lose a node to an outage.
func (e *clusterEngine) lift(o *Outage) (out []int32) {
	if e.err != nil {
		return nil
	}
	hit := map[bookahead.ID]bool{}
	for res := range e.m.ReservationsOn(o.Interval, o.Nodes) {
		hit[res.ID] = true
	}
	e.starts.Ascend(func(v event) bool {
		if hit[e.ids[v.task]] {
			out = append(out, v.task)
		}
		return true
	})
	for _, i := range out {
		e.starts.Delete(event{e.Outcomes[i].Start, i})
		e.Outcomes[i].Displaced++
		e.fail(e.m.Release(e.ids[i]))
	}
	return out
}

// stop stops the gangs that run on the nodes of an outage. Batch gangs wait again; AR gangs are
// returned.
func (e *clusterEngine) stop(o *Outage) (out []int32) {
	var hit []int32
	e.ends.Ascend(func(v event) bool {
		if e.Runs[e.run[v.task]].holds(o.Nodes) {
			hit = append(hit, v.task)
		}
		return true
	})
	for _, i := range hit {
		was := &e.Outcomes[i]
		e.ends.Delete(event{was.End, i})
		e.Lost += float64(e.Tasks[i].Units) * float64(e.now-was.Start)
		e.Runs[e.run[i]].When.End = e.now
		e.run[i] = -1
		was.Displaced++
		e.fail(e.m.Release(e.ids[i]))
		if e.Tasks[i].AR {
			out = append(out, i)
			continue
		}
		was.Provider, was.Start, was.End = -1, 0, 0
		e.enqueue(i)
	}
	return out
}

// holds reports whether a run lies on one of some nodes.
func (r *Ran) holds(list []int) bool {
	on := func(s nodes.Share) bool { return slices.Contains(list, s.Node) }
	return slices.Contains(list, r.Head) || slices.ContainsFunc(r.On, on)
}
