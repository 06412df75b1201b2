package desk

import (
	"fmt"
	"iter"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
	"github.com/bookahead/bookahead/nodes"
)

// Search returns the place that a Book of the request would get now, and books nothing. The place is a Booking with
// Request, Interval, Shape and Places, without an ID and a State. Its slices are those of the request, and the caller's.
// For the place after it, ask again with a later Ready. It is a query.
//
// The error is bookahead.ErrUnavailable if there is no place, or wraps bookahead.ErrInvalid, or bookahead.ErrStopped if
// Effort does not suffice. With no number of steps the search may take as many as a Book (Config.Effort). The cost is that
// of Book without the Reserves.
func (d *Desk) Search(r Request, e bookahead.Effort) (Booking, error) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	m, err := d.b.meter(e)
	if err != nil {
		return Booking{}, err
	}
	c := Book{Request: r}
	err = c.check()
	if err != nil {
		return Booking{}, err
	}
	by, err := c.decide(&d.b, &m)
	if err != nil {
		return Booking{}, givenUp("search", &m, err)
	}
	return Booking{Request: r, Interval: spanOf(by.Places), Shape: by.Shape, Places: by.Places}, nil
}

// Free returns how many units of p.On are free throughout w, from now on, and which servers. With p.Servers it counts
// these alone. On nodes it counts free tasks that take p.Tasks.Each, at most PerNode on a node; the other fields of Tasks
// are zero. A task is free if one node has room for it throughout. Free reads neither the other fields of p nor the Terms
// of the schedule. Buffers of bookings are not free. It is a query.
//
// The error wraps bookahead.ErrInvalid if there is no such schedule, if the schedule is a broker, whose schedules may
// count different things, or if p does not suit the schedule. The cost is that of a RangeQuery, and on nodes that of
// nodes.Tasks.RangeQuery.
func (d *Desk) Free(w bookahead.Interval, p Part) (bookahead.Availability, error) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	k, ok := d.b.names[p.On]
	if !ok {
		return bookahead.Availability{}, limits.Invalid("Part.On", p.On, "is no schedule")
	}
	s := d.b.schedules[k]
	switch {
	case s.of != nil:
		return bookahead.Availability{}, limits.Invalid("Part.On", p.On, fmt.Sprintf("is a broker: ask for %q", s.kind.(Broker).Of))
	case s.machine != nil:
		return s.freeTasks(w, &p)
	case p.Tasks != nil:
		return bookahead.Availability{}, limits.Invalid("Part.Tasks", p.Tasks.Each, fmt.Sprintf("are asked for, but %q has no nodes", p.On))
	}
	return s.freeUnits(w, &p)
}

// Why finds the obstacles of a request that has no place by its Deadline. If the request has a place, but a later one
// than if nothing were in the way, Why finds the obstacles of the earlier place. There are no obstacles if the request
// has its best place, or if the clock is too late for its Deadline, whatever is booked. Nobody gives way, as in Search.
// It is a query.
//
// Each shape has three kinds of obstacles. An obstacle is in the way if the request would have a place once only this
// obstacle is left out:
//
//	units      that one part wants, within the horizon of its schedule    left out: the part needs no units
//	a rule     of the Terms of one schedule, such as Open                 left out: the Terms lack the rule
//	a quota    that counts the shape                                      left out: the quota is not asked
//
// Here a request wants 4 GPUs and 1 line from 0 to 4. If the line were free, there would be a place:
//
//	        0   4   8
//	GPUs    ░░░░                 4 of 8 are booked by #1
//	line    ████████             booked by #2
//
//	1 unit of "line" is taken by #2, and free at 8
//
// If no obstacle is in the way alone, they are left out one after another, in the order of Obstacles, until there is a
// place. Then each of them is put back, in the same order, if there is a place nevertheless. The obstacles that stay
// left out are in the way together. For 6 GPUs instead of 4 these are:
//
//	6 units of "gpus" are taken by #1, and free at 4
//	1 unit of "line" is taken by #2, and free at 8
//
// If a quota of unit-ticks counts two steps of a shape, an obstacle that is left out may open a place that breaks the
// quota (Quota says where such steps lie). Then the obstacle is in the way together with the quota, or with others.
//
// The error wraps bookahead.ErrInvalid, as in Search, or bookahead.ErrStopped if Effort does not suffice for all of the
// searches. With c parts, rules and quotas of all shapes, Why takes at most 5 c
// searches, and two for each shape. To name the bookings in the way takes O(log n + k) for each obstacle, for n bookings,
// and k parts in its Window until there are enough. To find the use of a quota takes O(k log n), for k changes of the use
// around the place.
func (d *Desk) Why(r Request, e bookahead.Effort) (Refusal, error) {
	c := d.Clone() // the many searches keep nobody waiting
	m, err := c.b.meter(e)
	if err == nil {
		err = r.check()
	}
	if err == nil {
		err = c.b.fit(&r)
	}
	if err != nil {
		return Refusal{}, err
	}
	q := inquiry{books: &c.b, meter: &m, Request: r.clone()} // addresses tell its parts apart, and a clone has each part once
	f, err := q.answer()
	return f, givenUp("why", &m, err)
}

// Alternatives yields the places for a wish of one part that no other place beats. A place beats another if it starts
// no later, on a schedule that is no worse, with no fewer units, for no shorter time, and is better in one of these.
// Here the wish is 8 GPUs for 6 ticks, and 4 GPUs, or 4 ticks, would do too:
//
//	           0           12  16      24
//	GPUs 4-7   ▒▒▒▒▒▒▒▒▒▒▒▒    ▒▒▒▒▒▒▒▒
//	GPUs 0-3                   ▒▒▒▒▒▒▒▒
//
//	8 GPUs for 6                       ██████    the wish itself, late
//	8 GPUs for 4           ████                  earlier, but shorter
//	4 GPUs for 6  ██████                         earlier still, but fewer
//	4 GPUs for 4  ████                           beaten by the one above: not yielded
//
// Of each combination of a schedule, units and a duration only the earliest start counts. The combinations are tried in
// the order of Vary.Keep, the best first. A place that beats another is no worse in its schedule, units and duration, so
// its combination was tried before. Hence each place is yielded as soon as it is found, no later place beats it, and a
// caller who stops early pays for no more.
//
// Each place is a Booking with Request, Interval and Places, without an ID and a State, as Search returns it. Its
// Request has the units, the duration and the schedule of the place, and a Ready and a Deadline that leave no other
// time. So a Book of this Request books that place, or is refused if the place is taken meanwhile. The Deadline of r is
// not read.
//
// A wish of several parts or shapes varies in time only: Alternatives yields its earliest place until
// Vary.Until, with the shape that is booked there.
//
// The walk uses a Clone of the desk, which is made when the walk begins. So the desk may change meanwhile, and the walk
// does not see the change.
//
// An error ends the walk. It wraps bookahead.ErrStopped if Effort does not suffice for all searches of the walk, and
// bookahead.ErrInvalid if the Request or Vary makes no sense, if one of the schedules
// does not suit the part, if a part that names servers would lie on another schedule, or if there are more than
// MaxCombinations. If there is no alternative, there is no error. The cost is that of a Clone, and a Search for each
// combination, unless a place before it starts at once; O(c) more for each of c combinations.
func (d *Desk) Alternatives(r Request, v Vary, e bookahead.Effort) iter.Seq2[Booking, error] {
	return func(yield func(Booking, error) bool) {
		c := d.Clone()
		m, err := c.b.meter(e)
		if err != nil {
			yield(Booking{}, err)
			return
		}
		x, err := c.b.variants(r, &v, &m)
		if err != nil {
			yield(Booking{}, err)
			return
		}
		x.walk(yield)
	}
}

// Schedule returns a copy of a schedule, on which a plan is made that a Book then asks for: with all reservations and
// outages, and, within w, closed outside of the opening hours (Terms.Open) and before the Notice is over. Nothing that is
// done to the copy changes the desk. With Open [2, 6) and [9, 12), and a clock at 0:
//
//	booked        ███░░░░░░░░░░
//	the copy      ███░░░▒▒▒░░░▒    ▒ is closed; w is [0, 13)
//
// The copy does not know the rest: quotas, Ahead, Longest and who may book; the buffers that a new booking would have, but
// for Before behind the clock; and opening hours outside of w. Book knows them all, and refuses a plan that breaks one.
//
// The closures of the copy are listed behind the outages of the schedule. The error wraps bookahead.ErrInvalid if w is
// empty; if there is no such schedule, or it is a broker, or of nodes, which Machine copies; or if an Own has no closures,
// and has gaps to close. The cost is that of a Clone, and a Close for each gap between opening hours.
func (d *Desk) Schedule(on string, w bookahead.Interval) (bookahead.Keeper, error) {
	s, err := d.copied(on, w)
	if err == nil && s.machine != nil {
		err = limits.Invalid("on", on, "is of kind nodes: Machine copies it")
	}
	if err != nil {
		return nil, err
	}
	return s.keeper, nil
}

// Machine returns a copy of a schedule of nodes, as Schedule does for all others. The error wraps bookahead.ErrInvalid if w
// is empty, or there is no such schedule of nodes.
func (d *Desk) Machine(on string, w bookahead.Interval) (*nodes.Machine, error) {
	s, err := d.copied(on, w)
	if err == nil && s.machine == nil {
		err = limits.Invalid("on", on, fmt.Sprintf("is of kind %s, and has no nodes: Schedule copies it", s.kind.kind()))
	}
	if err != nil {
		return nil, err
	}
	return s.machine, nil
}

// copied returns a copy of a schedule that is closed in w wherever its terms let nobody book. The
// desk may change while the copy is closed, which takes long where there are many gaps.
func (d *Desk) copied(on string, w bookahead.Interval) (*schedule, error) {
	if w.Empty() {
		return nil, limits.Invalid("w", w, "is empty")
	}
	c, gaps, err := d.cloned(on, w)
	if err != nil || len(gaps) == 0 {
		return c, err
	}
	all := c.whole()
	for _, gap := range gaps {
		all.Interval = gap
		_, err := c.shut(all)
		if err != nil {
			return nil, fmt.Errorf("desk: closing %q outside of its opening hours: %w", on, err)
		}
	}
	return c, nil
}

// cloned returns a clone of a schedule, and the stretches of w in which its terms let nobody book.
func (d *Desk) cloned(on string, w bookahead.Interval) (*schedule, []bookahead.Interval, error) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	at, err := d.b.counted(on)
	if err != nil {
		return nil, nil, err
	}
	if at.terms == nil {
		return at.clone(), nil, nil
	}
	gaps := at.terms.closed(w, d.b.now)
	if len(gaps) > 0 {
		_, err = d.b.closable("on", on)
		if err != nil {
			return nil, nil, err
		}
	}
	return at.clone(), gaps, nil
}

// closed returns the stretches of w, from now on, that no part may touch: those outside of the opening hours, and those
// before the first start that Notice and Before allow.
//
//	Open       ├──┤  ├─────────┤      ├───
//	Notice  ─────|
//	closed  ▒▒▒▒▒   ▒           ▒▒▒▒▒▒
func (t *Terms) closed(w bookahead.Interval, now bookahead.Time) (gaps []bookahead.Interval) {
	from := max(w.Start, now)
	may := bookahead.Interval{Start: max(from, addTicks(now, t.Notice), addTicks(now, t.Before)), End: w.End}
	open := t.Open
	if len(open) == 0 {
		open = []bookahead.Interval{may}
	}
	for _, x := range open {
		x = x.Intersect(may)
		if x.Empty() {
			continue
		}
		if from < x.Start {
			gaps = append(gaps, bookahead.Interval{Start: from, End: x.Start})
		}
		from = x.End
	}
	if from < w.End {
		gaps = append(gaps, bookahead.Interval{Start: from, End: w.End})
	}
	return gaps
}
