package desk

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/bookahead/bookahead"
)

// course is a series of the oracle. It never changes: another one takes its place.
type course struct {
	Series
	asked   BookSeries
	booked  []BookingID // by window of asked; 0 where one is refused
	refused []bookahead.Interval
}

// withKey returns the series that has a key; nil if none has.
func (o *ideal) withKey(key string) *course {
	for _, s := range o.series {
		if key != "" && s.Key == key {
			return s
		}
	}
	return nil
}

// within returns the request of the occurrence in a window.
func within(r Request, w bookahead.Interval) Request {
	r.Ready, r.Deadline = w.Start, w.End
	r.Shapes = slices.Clone(r.Shapes)
	for i := range r.Shapes {
		r.Shapes[i] = slices.Clone(r.Shapes[i])
		for j := range r.Shapes[i] {
			p := &r.Shapes[i][j]
			if p.Duration == 0 {
				p.Duration = max(1, bookahead.Duration(w.End-w.Start)-p.Offset) // too long for the window then
			}
		}
	}
	return r
}

// delayed returns windows that are some ticks late.
func delayed(at Occurrences, ticks bookahead.Duration) (list Occurrences) {
	for _, w := range at {
		list = append(list, bookahead.Interval{Start: w.Start + bookahead.Time(ticks), End: w.End + bookahead.Time(ticks)})
	}
	return list
}

// senselessWindows reports whether no series can lie in some windows.
func senselessWindows(at Occurrences) bool {
	for i, w := range at {
		if w.End <= w.Start || w.Start < 0 || i > 0 && (w.Start < at[i-1].Start || w.Start == at[i-1].Start && w.End < at[i-1].End) {
			return true
		}
	}
	return len(at) == 0
}

// tooShort reports whether a shape is longer than a window.
func tooShort(r *Request, at Occurrences) bool {
	for _, w := range at {
		long := func(p Part) bool { return w.End-w.Start < bookahead.Time(p.Offset+max(1, p.Duration)) }
		if !slices.ContainsFunc(r.Shapes, func(s Shape) bool { return !slices.ContainsFunc(s, long) }) {
			return true
		}
	}
	return false
}

// senselessSeries reports whether no desk could make sense of a series.
func (o *ideal) senselessSeries(c *BookSeries) bool {
	for _, p := range slices.Concat(c.Shapes...) {
		if p.After != nil || p.Duration < 0 || p.Offset < 0 {
			return true
		}
	}
	one := within(c.Request, ticks(0, 1000))
	return len(c.Key) > MaxText || c.Ready != 0 || c.Deadline != 0 || o.senseless(&one) || senselessWindows(c.At) || tooShort(&c.Request, c.At) ||
		c.Shift < 0 || c.Partly && c.Shift != 0 || c.Needs < 0
}

// unfitSeries reports whether an occurrence does not suit the schedules of this desk.
func (o *ideal) unfitSeries(r *Request, at Occurrences) bool {
	return slices.ContainsFunc(at, func(w bookahead.Interval) bool {
		one := within(*r, w)
		return o.unfit(&one)
	})
}

// unsearchableSeries reports whether a schedule cannot look for an occurrence.
func (o *ideal) unsearchableSeries(r *Request, at Occurrences) bool {
	return slices.ContainsFunc(at, func(w bookahead.Interval) bool {
		one := within(*r, w)
		return o.unsearchable(&one)
	})
}

func (o *ideal) bookSeries(c BookSeries) verdict {
	if o.senselessSeries(&c) {
		return refuse(invalid)
	}
	old := o.withKey(c.Key)
	if old != nil {
		a, b := c, old.asked
		a.Labels, b.Labels = slices.Sorted(slices.Values(a.Labels)), slices.Sorted(slices.Values(b.Labels))
		if !reflect.DeepEqual(a, b) {
			return refuse(invalid)
		}
		return verdict{none: true, answer: Outcome{Series: old.ID, Occurrences: old.booked, Refused: old.refused}}
	}
	if c.Needs != 0 && c.Needs <= o.now || o.unfitSeries(&c.Request, c.At) {
		return refuse(invalid)
	}
	s := &course{asked: c, Series: Series{ID: o.lastSeries + 1, Key: c.Key, Request: c.Request, Needs: c.Needs}}
	v := refuse(unavailable)
	for s.Shift = 0; s.Shift <= c.Shift && v.error == unavailable; s.Shift++ {
		at := delayed(c.At, s.Shift)
		if c.Shift > 0 && !o.hasRoom(&c.Request, at) {
			continue
		}
		v = o.occur(s, at, c.Partly, true)
	}
	s.Shift--
	if c.Shift > 0 {
		v.refused = nil // the search for a shift ends at any window
	}
	s.booked, s.refused = v.answer.Occurrences, v.answer.Refused
	return v
}

// hasRoom reports whether each occurrence has a place while no other is booked, without which they have none together.
func (o *ideal) hasRoom(r *Request, at Occurrences) bool {
	for _, w := range at {
		one := within(*r, w)
		_, _, ok := o.search(&one, 0)
		if !ok {
			return o.unsearchableSeries(r, at)
		}
	}
	return true
}

func (o *ideal) goOn(c Continue) verdict {
	s := o.series[c.ID]
	switch {
	case c.Needed < 1 || c.Needs < 0 || c.Needs != 0 && c.Needs <= c.Needed || senselessWindows(c.At):
		return refuse(invalid)
	case s == nil:
		return refuse(notFound)
	case s.Needs != c.Needed:
		return refuse(needed)
	case tooShort(&s.Request, c.At) || c.Needs != 0 && c.Needs <= o.now || o.unfitSeries(&s.Request, c.At):
		return refuse(invalid)
	}
	next := *s
	next.Needs = c.Needs
	return o.occur(&next, c.At, c.Partly, false)
}

// occur books the occurrences of a series in turn, each at its earliest place, on a copy of the oracle. Where the desk
// may choose servers or nodes, a copy of it is asked to book the same in turn, occurrence by occurrence.
func (o *ideal) occur(s *course, at Occurrences, partly, some bool) verdict {
	if o.unsearchableSeries(&s.Request, at) {
		return verdict{error: invalid, doubt: true}
	}
	v := verdict{answer: Outcome{Series: s.ID}}
	x := o.clone()
	var d *Desk
	var list []*entry
	for i := 0; i < len(at) && v.error == fine; i++ {
		one := within(s.Request, at[i])
		shape, times, ok := x.search(&one, 0)
		if !ok {
			v.at(i, at[i], some)
			if partly {
				v.error = fine
			}
			v.answer.Occurrences, v.answer.Refused = append(v.answer.Occurrences, 0), append(v.answer.Refused, at[i])
			x.tell(WasRefused, nil, x.now, at[i], bookahead.Interval{})
			x.told[len(x.told)-1].Owner, x.told[len(x.told)-1].Series = s.Owner, s.ID
			continue
		}
		if d == nil {
			d = o.whatIf()
		}
		out, err := d.b.carryOut(Book{Request: one})
		e := &entry{asked: Book{Request: one}, Booking: Booking{ID: x.last + 1, Request: one, State: Booked, Shape: shape, Series: s.ID}}
		if err == nil {
			err = x.take(e, nil, times, out.Booking)
		}
		if err != nil {
			return verdict{bad: fmt.Errorf("window %v as a Book: %w", at[i], err)}
		}
		x.last++
		x.enter(e, WasBooked, bookahead.Interval{})
		list = append(list, e)
		v.answer.Occurrences = append(v.answer.Occurrences, e.ID)
	}
	if v.error != fine || some && len(list) == 0 {
		return verdict{error: unavailable, refused: v.refused}
	}
	v.refused = nil
	x.series[s.ID] = s
	x.lastSeries = max(x.lastSeries, s.ID)
	v.then = func() { *o = *x }
	v.placed = list
	return v
}

// at says that a window has no place.
func (v *verdict) at(i int, w bookahead.Interval, first bool) {
	v.error = unavailable
	if v.refused == nil {
		v.refused = &OccurrenceError{"Continue.At", i, w}
		if first {
			v.refused.Field = "BookSeries.At"
		}
	}
}

// carryOut decides on a command and applies it, and nobody who waits is granted a place, as within a batch.
func (b *books) carryOut(c Command) (Outcome, error) {
	var e pending
	err := b.decide(c, &e)
	if err != nil {
		return Outcome{}, err
	}
	e.Decision.Granted = nil
	return b.apply(&e)
}

func (o *ideal) cancelSeries(c CancelSeries) verdict {
	s := o.series[c.ID]
	if s == nil {
		return refuse(notFound)
	}
	return verdict{answer: Outcome{Series: c.ID}, then: func() {
		for id := BookingID(1); id <= o.last; id++ {
			e := o.live(id)
			if e != nil && e.Series == c.ID && e.Start > o.now && e.Start >= c.From {
				o.close(e, Cancelled, WasCancelled, o.now)
			}
		}
		o.tell(WasCancelled, nil, o.now, bookahead.Interval{}, bookahead.Interval{})
		last := &o.told[len(o.told)-1]
		last.Owner, last.Series = s.Owner, c.ID
		next := *s
		next.Needs = 0
		o.series[c.ID] = &next
	}}
}

// prune forgets the series that need nothing, and of which no booking is kept.
func (o *ideal) prune() {
	kept := map[SeriesID]bool{}
	for _, e := range o.kept {
		kept[e.Series] = true
	}
	for id, s := range o.series {
		if s.Needs == 0 && !kept[id] {
			delete(o.series, id)
		}
	}
}

// batch carries the commands out on a copy, one by one, beside a copy of the desk.
func (o *ideal) batch(c Batch) verdict {
	for _, one := range c.Commands {
		if one.check() != nil {
			return refuse(invalid) // before the others are looked at
		}
	}
	x, d := o.clone(), o.whatIf()
	x.withinBatch = true
	x.look = func(id BookingID) Booking {
		k, _ := d.Booking(id)
		return k
	}
	v := verdict{}
	var told []Event
	for i, one := range c.Commands {
		before := d.Clone()
		x.whatIf = before.Clone
		out, err := d.b.carryOut(one)
		bad := x.judge(one, out, err)
		if bad != nil {
			return verdict{bad: fmt.Errorf("command %d, %+v, by itself: %w", i, one, bad)}
		}
		if err != nil {
			return refuse(kindWithin(err))
		}
		v.answer.Batch = append(v.answer.Batch, out)
		told = append(told, out.Events...)
	}
	v.then = func() {
		x.told, x.look, x.withinBatch = told, o.look, false
		*o = *x
	}
	return v
}

// answers compares the parts of an answer that are about series and batches. A wish of a batch that has been granted is shown
// as it is now; whether it was to be granted is compared elsewhere.
func (o *ideal) answers(v *verdict, out *Outcome) error {
	a := &v.answer
	same := out.Series == a.Series && slices.Equal(out.Occurrences, a.Occurrences) && slices.Equal(out.Refused, a.Refused) && len(out.Batch) == len(a.Batch)
	if !same {
		return fmt.Errorf("answers %+v, and not %+v", *out, *a)
	}
	for i := range a.Batch {
		x, y := out.Batch[i], a.Batch[i]
		if len(x.Events) == 0 {
			x.Events, y.Events = nil, nil
		}
		e := o.kept[y.Booking.ID]
		if y.Booking.State == Waiting && e != nil && (e.State == Booked || e.State == Running) {
			y.Booking = o.look(e.ID)
		}
		if len(out.Batch[i].Events) != len(a.Batch[i].Events) || !reflect.DeepEqual(x, y) {
			return fmt.Errorf("command %d of the batch answers\n%+v, and not\n%+v", i, out.Batch[i], a.Batch[i])
		}
	}
	return nil
}
