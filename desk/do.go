package desk

import (
	"iter"

	"github.com/bookahead/bookahead"
)

// Do carries out a command: it is Decide and Apply in one. Queries run beside the search, and wait for the write
// only. A command that fails changes nothing. Its error is bookahead.ErrUnavailable if there is no place,
// bookahead.ErrNotFound if there is no such booking, series, quota or outage, or else wraps bookahead.ErrInvalid or
// bookahead.ErrStopped (Config.Effort).
func (d *Desk) Do(c Command) (Outcome, error) {
	d.doing.Lock()
	defer d.doing.Unlock()
	if d.under == nil {
		d.under = new(pending)
	}
	e := d.under
	defer func() { *e = pending{} }()
	err := d.b.decide(c, e)
	if err != nil {
		return Outcome{}, err
	}
	return d.write(e)
}

// Decide returns the entry that Do would apply, and changes nothing. A log writes the entry before Apply. Its Number
// is 0 if the command changes nothing, since its key is known. Errors are those of Do.
func (d *Desk) Decide(c Command) (Entry, error) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	var e pending
	err := d.b.decide(c, &e)
	if err != nil {
		return Entry{}, err
	}
	e.Decision.handOut()
	return e.Entry, nil
}

// handOut takes off the fields that only this desk may use: the caller may change the others, and apply the entry to
// several desks.
func (d *Decision) handOut() {
	d.on = nil
	for i := range d.Batch {
		d.Batch[i].handOut()
	}
}

// Apply carries out an entry as it was decided, even by an earlier version of this package. The error wraps
// bookahead.ErrInvalid if the entry is not the next entry of this desk; nothing changes then. The cost is that of Do
// without the search, and a Clone unless the entry has one place at most.
func (d *Desk) Apply(e Entry) (Outcome, error) {
	err := e.check()
	if err != nil {
		return Outcome{}, err
	}
	d.doing.Lock()
	defer d.doing.Unlock()
	apply := d.adopt
	if e.whole() {
		apply = d.write
	}
	out, err := apply(&pending{Entry: e})
	return out, asInvalid(err)
}

// write applies an entry. The caller holds doing.
func (d *Desk) write(e *pending) (Outcome, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.b.apply(e)
}

// adopt applies an entry to a clone, and adopts the clone unless a write fails. The caller holds doing.
func (d *Desk) adopt(e *pending) (Outcome, error) {
	c := d.b.clone()
	out, err := c.apply(e)
	if err != nil {
		return Outcome{}, err
	}
	d.become(c)
	return out, nil
}

// applyAll applies entries, and passes over the first ones if the desk has them already. It returns how many of the list
// the desk has afterwards, and the outcomes of those that were applied. After an error the desk has the entries before it.
func (d *Desk) applyAll(list []Entry) (n int, out []Outcome, err error) {
	d.doing.Lock()
	defer d.doing.Unlock()
	had := 0
	for had < len(list) && list[had].Number <= d.b.entries {
		had++
	}
	if had == len(list) {
		return had, nil, nil
	}
	c := d.b.clone()
	out, err = c.applyAll(list[had:])
	if err != nil {
		var again error
		c = d.b.clone()
		out, again = c.applyAll(list[had : had+len(out)])
		if again != nil { // the same writes went well a moment ago
			return had, nil, asInvalid(again)
		}
	}
	d.become(c)
	return had + len(out), out, asInvalid(err)
}

// applyAll applies entries up to the first that fails, and returns the outcomes. After an error the caller throws the
// books away.
func (b *books) applyAll(list []Entry) (out []Outcome, err error) {
	for i := range list {
		o, err := b.apply(&pending{Entry: list[i]})
		if err != nil {
			return out, err
		}
		out = append(out, o)
	}
	return out, nil
}

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
	return Booking{Request: r.laid(by.Places), Interval: spanOf(by.Places), Shape: by.Shape, Places: by.Places}, nil
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
	q := inquiry{books: &c.b, meter: &m, Request: r.Clone()} // addresses tell its parts apart, and a clone has each part once
	if q.bent() {
		q.Shapes[0] = q.Shapes[0][:1]
	}
	f, err := q.answer(func() []Obstacle { return c.b.waitsNot(&q.Request) })
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
// A wish of several parts or shapes, or for work in pieces, varies in time only: Alternatives yields its earliest place until
// Vary.Until, with the shape that is booked there. A volume varies in its schedule, and in Volume.Most: each plan needs more units at
// once than the one before, and is done earlier, or lies on another schedule. With Vary.Units 4 and 6 for a volume of 48 and a Most of 8:
//
//	at most 4    ▒▒▒▒▒▒▒▒▒▒▒▒
//	at most 6    ▒▒▒▒▒▒▒▒          done by 8
//	at most 8    ▒▒▒▒▒▒            done by 6
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
