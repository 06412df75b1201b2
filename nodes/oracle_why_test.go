package nodes

import (
	"cmp"
	"slices"

	"github.com/bookahead/bookahead"
)

// holdsEver reports whether there is a start, now or later, for a request of an empty machine whose nodes are all
// open, but for those whose extension is over.
func (o *oracle) holdsEver(r Request, parts [][]int) bool {
	d := bookahead.Time(r.Duration)
	if d > o.end()-o.now || r.Deadline != 0 && o.now+d > r.Deadline {
		return false
	}
	return o.holdsEmpty(r, parts, func(k int) bool {
		comesBack := func(c bookahead.Closure) bool { return c.Added && c.End > o.now && slices.Contains(c.Servers, k) }
		return k < o.born || slices.ContainsFunc(o.closures, comesBack)
	})
}

// holdsEmpty tries each node for the head, and fills the nodes that are open with tasks.
func (o *oracle) holdsEmpty(r Request, parts [][]int, open func(k int) bool) bool {
	for _, part := range parts {
		nodes := slices.DeleteFunc(slices.Clone(part), func(k int) bool { return !open(k) })
		heads := nodes
		if r.Head == nil {
			heads = []int{-1}
		}
		for _, h := range heads {
			ok := true
			var rooms []room
			for _, k := range nodes {
				v := slices.Clone(o.c.Nodes[k])
				if k == h {
					ok = takeOff(v, r.Head)
				}
				rooms = append(rooms, room{cell: o.cellOf(r, k), fit: r.share(v)})
			}
			if ok && o.whole(r, rooms) >= r.Tasks {
				return true
			}
		}
	}
	return false
}

// holdsWhileOpen tries each start on the nodes that are open at each tick of the window, with nothing booked.
func (o *oracle) holdsWhileOpen(r Request, parts [][]int, first, last bookahead.Time) bool {
	if first > last || len(o.closures) == 0 && o.born == len(o.c.Nodes) {
		return true // the closures are not the reason
	}
	for t := first; t <= last; t++ {
		open := func(k int) bool {
			for at := t; at < t+bookahead.Time(r.Duration); at++ {
				if !o.open(k, at) {
					return false
				}
			}
			return true
		}
		if o.holdsEmpty(r, parts, open) {
			return true
		}
	}
	return false
}

// openings are the starts that have a place, tick by tick.
func (o *oracle) openings(r Request) (list []bookahead.Interval) {
	if !o.valid(r) {
		return nil
	}
	last := o.end() - bookahead.Time(r.Duration)
	if r.Deadline != 0 {
		last = min(last, r.Deadline-bookahead.Time(r.Duration))
	}
	for t := max(r.Ready, o.now); t <= last; t++ {
		_, ok := o.at(r, t, 0, false)
		n := len(list) - 1
		switch {
		case !ok:
		case n >= 0 && list[n].End == t:
			list[n].End++
		default:
			list = append(list, bookahead.Interval{Start: t, End: t + 1})
		}
	}
	return list
}

// searchLatest is the place at the last of the openings.
func (o *oracle) searchLatest(r Request) (Offer, error) {
	list := o.openings(r)
	if len(list) == 0 {
		return o.search(r, 0)
	}
	offer, _ := o.at(r, list[len(list)-1].End-1, 0, false)
	return offer, nil
}

// freeOn are the amounts that are free on a node, tick by tick.
func (o *oracle) freeOn(k int, w bookahead.Interval) (list []stretch) {
	w = w.Intersect(bookahead.Interval{Start: o.now, End: o.end()})
	for t := w.Start; k >= 0 && k < len(o.c.Nodes) && t < w.End; t++ {
		v := make(Vector, len(o.c.Resources))
		o.row(k, t, Reservation{}, v)
		n := len(list) - 1
		if n >= 0 && slices.Equal(list[n].free, v) {
			list[n].End++
		} else {
			list = append(list, stretch{bookahead.Interval{Start: t, End: t + 1}, v})
		}
	}
	return list
}

// stretch is an interval and the amounts that are free on a node throughout.
type stretch struct {
	bookahead.Interval
	free Vector
}

// starting and ending are the reservations that start in a window, and those that end there.
func (o *oracle) starting(w bookahead.Interval) []Reservation {
	return o.those(func(res Reservation) bool { return w.Contains(res.Start) }, func(res Reservation) bookahead.Time { return res.Start })
}

func (o *oracle) ending(w bookahead.Interval) []Reservation {
	return o.those(func(res Reservation) bool { return w.Contains(res.End) }, func(res Reservation) bookahead.Time { return res.End })
}

func (o *oracle) those(are func(Reservation) bool, at func(Reservation) bookahead.Time) (list []Reservation) {
	for _, res := range o.live {
		if are(res) {
			list = append(list, res)
		}
	}
	slices.SortFunc(list, func(a, b Reservation) int { return cmp.Or(cmp.Compare(at(a), at(b)), cmp.Compare(a.ID, b.ID)) })
	return list
}

// explain reads an explanation off the cells. It tries each node for the head.
func (o *oracle) explain(r Request) (Explanation, error) {
	if !o.valid(r) {
		return Explanation{}, bookahead.ErrInvalid
	}
	d := bookahead.Time(r.Duration)
	start := min(max(r.Ready, o.now), bookahead.MaxTime-d)
	if r.Deadline != 0 {
		start = min(start, r.Deadline-d)
	}
	e := Explanation{Window: bookahead.Interval{Start: start, End: start + d}, Group: -1, tasks: r.Tasks}
	_, e.Err = o.search(r, 0)
	anytime := r
	anytime.Deadline = 0
	e.Earliest, _ = o.search(anytime, 0)
	e.late = start < o.now || e.Window.End > o.end()
	if e.late || !o.anyCanHold(r) {
		return e, nil
	}
	best := -1
	parts := o.parts(r)
	for g, part := range parts {
		room := o.roomIn(r, part, e.Window)
		if best < 0 || room > e.Room {
			best, e.Room = g, room
		}
	}
	if r.Within != "" {
		e.Group = best
	}
	if best < 0 || e.Room >= r.Tasks {
		return e, nil
	}
	headShort := r.Head != nil
	for _, k := range parts[best] {
		headShort = headShort && !takeOff(o.leastFor(r, k, e.Window, Reservation{}), r.Head)
	}
	for _, k := range parts[best] {
		s, ok := o.shortage(r, k, e.Window, headShort)
		if ok {
			e.Short = append(e.Short, s)
		}
	}
	return e, nil
}

// anyCanHold reports whether an empty node holds a task, and one holds the head.
func (o *oracle) anyCanHold(r Request) bool {
	task, head := false, r.Head == nil
	for _, v := range o.c.Nodes {
		task = task || takeOff(slices.Clone(v), r.Each)
		head = head || takeOff(slices.Clone(v), r.Head)
	}
	return task && head
}

// roomIn is the most tasks that a part holds throughout w, with the head on any of its nodes.
func (o *oracle) roomIn(r Request, part []int, w bookahead.Interval) int64 {
	most := int64(0)
	for _, h := range append([]int{-1}, part...) {
		if (h < 0) != (r.Head == nil) {
			continue
		}
		ok := true
		var rooms []room
		for _, k := range part {
			v := o.leastFor(r, k, w, Reservation{})
			if k == h {
				ok = takeOff(v, r.Head)
			}
			rooms = append(rooms, room{cell: o.cellOf(r, k), fit: r.fit(v)})
		}
		if ok {
			most = max(most, o.whole(r, rooms))
		}
	}
	return most
}

// shortage finds the shortage of a node, tick by tick.
func (o *oracle) shortage(r Request, k int, w bookahead.Interval, headShort bool) (s Shortage, ok bool) {
	free := o.least(k, w, Reservation{})
	s = Shortage{Node: k, Room: r.fit(o.leastFor(r, k, w, Reservation{}))}
	need := slices.Clone(r.Each)
	for i := range need {
		need[i] *= s.Room + 1
	}
	if s.Room >= r.fit(o.c.Nodes[k]) {
		if !headShort || !takeOff(slices.Clone(o.c.Nodes[k]), r.Head) {
			return s, false
		}
		need = r.Head
	}
	if r.Exclusive {
		need = o.c.Nodes[k]
	}
	i := slices.IndexFunc(seq(len(need)), func(i int) bool { return need[i] > 0 && free[i] < need[i] })
	s.Resource, s.Free = o.c.Resources[i], free[i]
	lacks := func(t bookahead.Time) bool {
		v := make(Vector, len(need))
		o.row(k, t, Reservation{}, v)
		return v[i] < need[i]
	}
	for s.Lacking.Start = w.Start; !lacks(s.Lacking.Start); s.Lacking.Start++ {
	}
	edge := o.lastEdge()
	for s.Lacking.End = s.Lacking.Start + 1; s.Lacking.End < bookahead.MaxTime && lacks(s.Lacking.End); s.Lacking.End++ {
		if s.Lacking.End > edge {
			s.Lacking.End = bookahead.MaxTime
			break
		}
	}
	cause := s.Lacking.Intersect(w)
	for _, res := range o.on(cause, []int{k}) {
		if o.uses(res, k, i) > 0 {
			s.Reservations = append(s.Reservations, res.ID)
		}
	}
	for _, c := range o.closures {
		if !c.Added && slices.Contains(c.Servers, k) && c.Overlaps(cause) {
			s.Closures = append(s.Closures, c.ID)
		}
	}
	return s, true
}

// lastEdge is the last time at which anything changes.
func (o *oracle) lastEdge() bookahead.Time {
	edge := o.end()
	for _, c := range o.closures {
		edge = max(edge, c.Start)
		if c.End < bookahead.MaxTime {
			edge = max(edge, c.End)
		}
	}
	return edge
}
