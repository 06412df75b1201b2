package desk

import (
	"cmp"
	"reflect"
	"slices"

	"github.com/bookahead/bookahead"
)

// decide returns the oracle's verdict on a command.
func (o *ideal) decide(c Command) verdict {
	switch c := c.(type) {
	case AddSchedule:
		return o.add(c)
	case Book:
		return o.book(c)
	case Commit:
		return o.commit(c)
	case Change:
		return o.change(c)
	case Overrun:
		return o.overrun(c)
	case Cancel:
		return o.cancel(c)
	case End:
		return o.end(c)
	case Advance:
		return o.advance(c)
	case SetQuota:
		return o.setQuota(c)
	case DropQuota:
		return o.dropQuota(c)
	case SetTerms:
		return o.setTerms(c)
	case BookSeries:
		return o.bookSeries(c)
	case Continue:
		return o.goOn(c)
	case CancelSeries:
		return o.cancelSeries(c)
	case Batch:
		return o.batch(c)
	}
	panic(c.verb())
}

func (o *ideal) add(c AddSchedule) verdict {
	bad := c.Name == "" || len(c.Name) > MaxText || o.boards[c.Name] != nil
	switch k := c.Kind.(type) {
	case Pool:
		bad = bad || k.Units < 1
	case Servers:
		bad = bad || k.Count < 1
	case Nodes:
		bad = bad || len(k.Nodes) == 0
	case Broker:
		bad = bad || len(k.Of) == 0
		for _, name := range k.Of {
			bad = bad || o.boards[name] == nil || o.boards[name].of != nil
		}
	default:
		bad = true
	}
	if bad {
		return refuse(invalid)
	}
	return verdict{then: func() {
		o.boards[c.Name] = newBoard(c.Kind, o.now)
		o.order = append(o.order, c.Name)
		o.tell(WasAdded, nil, o.now, bookahead.Interval{}, bookahead.Interval{})
		o.told[0].Schedule = c.Name
	}}
}

func (o *ideal) book(c Book) verdict {
	if len(c.Key) > MaxText || c.Hold < 0 || c.Wait < 0 || c.Hold != 0 && c.Wait != 0 || o.senseless(&c.Request) {
		return refuse(invalid)
	}
	id, known := o.keys[c.Key]
	if known {
		e := o.kept[id]
		a, b := c.Request, e.asked.Request
		a.Labels, b.Labels = slices.Sorted(slices.Values(a.Labels)), slices.Sorted(slices.Values(b.Labels))
		if !reflect.DeepEqual(a, b) {
			return refuse(invalid)
		}
		return verdict{e: e, none: true}
	}
	if c.Hold != 0 && c.Hold <= o.now || c.Wait != 0 && c.Wait <= o.now || o.unfit(&c.Request) {
		return refuse(invalid)
	}
	if o.unsearchable(&c.Request) {
		return verdict{error: invalid, doubt: o.hasTerms()}
	}
	shape, times, ok := o.search(&c.Request, 0)
	if !ok && c.Wait != 0 {
		return o.wait(c)
	}
	if !ok {
		return refuse(unavailable)
	}
	e := &entry{asked: c, Booking: Booking{ID: o.last + 1, Key: c.Key, Request: c.Request, State: Booked, Shape: shape}}
	if c.Hold != 0 {
		e.State, e.Expiry = Held, c.Hold
	}
	return verdict{e: e, times: times, then: func() {
		o.last++
		if e.Key != "" {
			o.keys[e.Key] = e.ID
		}
		o.enter(e, WasBooked, bookahead.Interval{})
	}}
}

// enter puts a booking on the list, and starts it if its time has come.
func (o *ideal) enter(e *entry, w What, from bookahead.Interval) {
	o.tell(w, e, o.now, from, e.Interval)
	if e.State == Booked && e.Start <= o.now {
		e.State = Running
		o.tell(HasStarted, e, o.now, bookahead.Interval{}, e.Interval)
	}
	o.put(e)
}

// enterAnew puts a booking on the list that was changed.
func (o *ideal) enterAnew(e, old *entry) {
	n := len(o.told)
	o.enter(e, WasChanged, old.Interval)
	if !reflect.DeepEqual(old.Places, e.Places) {
		o.told[n].Before, o.told[n].After = old.Places, e.Places
	}
}

// put puts a booking on the list.
func (o *ideal) put(e *entry) {
	switch e.State {
	case Held:
		e.next = min(e.Expiry, e.End)
	case Waiting:
		e.next = o.lapse(e)
	case Booked:
		e.next = e.Start
	case Running:
		e.next = e.End
	default:
		e.next = e.End + o.keep
	}
	o.kept[e.ID] = e
	for _, q := range o.limits {
		q.known[e.ID] = e
	}
}

// live returns a copy of a booking that has a place.
func (o *ideal) live(id BookingID) *entry {
	e := o.kept[id]
	if e == nil || e.State != Held && e.State != Booked && e.State != Running {
		return nil
	}
	c := *e
	return &c
}

func (o *ideal) commit(c Commit) verdict {
	e := o.live(c.ID)
	if e == nil || e.State != Held {
		return refuse(notFound)
	}
	e.State, e.Expiry = Booked, 0
	return verdict{e: e, then: func() { o.enter(e, WasCommitted, e.Interval) }}
}

func (o *ideal) cancel(c Cancel) verdict {
	e := o.live(c.ID)
	if o.kept[c.ID] != nil && o.kept[c.ID].State == Waiting {
		w := *o.kept[c.ID]
		e = &w
	}
	if e == nil {
		return refuse(notFound)
	}
	return verdict{e: e, then: func() { o.close(e, Cancelled, WasCancelled, o.now) }}
}

func (o *ideal) end(c End) verdict {
	e := o.live(c.ID)
	switch {
	case e == nil:
		return refuse(notFound)
	case e.State != Running:
		return refuse(invalid)
	}
	return verdict{e: e, then: func() { o.close(e, Ended, HasEnded, o.now) }}
}

// close ends a booking at a tick.
func (o *ideal) close(e *entry, state State, w What, at bookahead.Time) {
	o.lift(e)
	if e.State == Running {
		o.leaveBuffers(e)
	}
	was := e.Interval
	var places []Place
	for _, p := range e.Places {
		p.End = max(p.Start, min(p.End, at))
		places = append(places, p)
	}
	if e.State == Waiting {
		e.Start, e.End = at, at
	}
	e.State, e.Expiry, e.Places = state, 0, places
	e.Start, e.End = min(e.Start, at), min(e.End, at)
	o.tell(w, e, at, was, e.Interval)
	o.put(e)
	o.dropAtOnce(e)
}

func (o *ideal) change(c Change) verdict {
	if o.senseless(&c.To) {
		return refuse(invalid)
	}
	old := o.live(c.ID)
	switch {
	case old == nil:
		return refuse(notFound)
	case o.unfit(&c.To):
		return refuse(invalid)
	}
	if c.To.Ready == old.Ready && c.To.Deadline == old.Deadline && reflect.DeepEqual(c.To.Shapes, old.Shapes) {
		e := *old
		e.Request = c.To
		if o.worsens(old, &e) || !o.staysAdmitted(old, &c.To) {
			return refuse(unavailable)
		}
		return verdict{e: &e, then: func() { o.enterAnew(&e, old) }}
	}
	if old.Start <= o.now {
		return o.longer(old, c.To)
	}
	if o.unsearchable(&c.To) {
		return verdict{error: invalid, doubt: o.hasTerms()}
	}
	o.lift(old)
	shape, times, ok := o.search(&c.To, old.ID)
	var on []string
	part, within, less := o.within(old, c.To)
	if less && (!ok || spanned(within).End < spanned(times).End) {
		shape, times, ok = part, within, true
		for _, p := range old.Places {
			on = append(on, p.On)
		}
	}
	o.weigh(old, 1)
	if !ok {
		return refuse(unavailable)
	}
	e := *old
	e.Request, e.Shape, e.Places, e.stays = c.To, shape, nil, on
	return verdict{e: &e, old: old, times: times, then: func() { o.enterAnew(&e, old) }}
}

func (o *ideal) overrun(c Overrun) verdict {
	old := o.live(c.ID)
	switch {
	case old == nil:
		return refuse(notFound)
	case old.State != Running || c.Until <= old.End:
		return refuse(invalid)
	}
	to := old.Request
	to.Shapes = []Shape{slices.Clone(old.Shapes[old.Shape])}
	if to.Deadline != 0 {
		to.Deadline = max(to.Deadline, c.Until)
	}
	for i, p := range old.Places {
		if p.End == old.End {
			to.Shapes[0][i].Duration = bookahead.Duration(c.Until - old.began[i])
		}
	}
	return o.longer(old, to)
}

// longer is change for a booking that has begun.
func (o *ideal) longer(old *entry, to Request) verdict {
	if len(to.Shapes) != 1 || len(to.Shapes[0]) != len(old.Places) {
		return refuse(invalid)
	}
	bad, late, several := false, false, false
	var times []bookahead.Interval
	var seats []seat
	for i, p := range old.Places {
		part := to.Shapes[0][i]
		w := bookahead.Interval{Start: old.began[i], End: old.began[i] + bookahead.Time(part.Duration)}
		times = append(times, w)
		over := p.End <= o.now
		late = late || to.Deadline != 0 && w.End > to.Deadline
		bad = bad || part.On != old.Shapes[old.Shape][i].On || over && !reflect.DeepEqual(part, old.Shapes[old.Shape][i]) || !over && w.End <= o.now
		if over {
			continue
		}
		part.On = p.On
		for _, s := range seats {
			several = several || s.part.On == p.On && o.boards[p.On].units == 0
		}
		s := seat{part: &part, Interval: w, buffers: [2]bookahead.Duration{p.Before, p.After}}
		if p.Start <= o.now {
			s.old = &old.Places[i]
		}
		seats = append(seats, s)
	}
	switch {
	case bad:
		return verdict{error: invalid, doubt: late}
	case late || !o.mayGoOn(old, &to):
		return refuse(unavailable)
	}
	o.lift(old)
	o.weighOver(old, 1)
	ok := o.fits(seats)
	o.weighOver(old, -1)
	o.weigh(old, 1)
	if !ok || o.worsens(old, o.goesOn(old, to)) {
		return refuse(unavailable)
	}
	e := *old
	e.Request, e.Shape = to, 0
	return verdict{e: &e, old: old, times: times, doubt: several, then: func() { o.enterAnew(&e, old) }}
}

func (o *ideal) advance(c Advance) verdict {
	if c.Now < o.now {
		return refuse(invalid)
	}
	return verdict{then: func() {
		needs := o.needs(c.Now)
		for {
			var e *entry
			for _, x := range o.kept {
				if e == nil || cmp.Or(cmp.Compare(x.next, e.next), startsLast(x, e), cmp.Compare(x.ID, e.ID)) < 0 {
					e = x
				}
			}
			if e == nil || e.next > c.Now {
				break
			}
			needs = o.tellNeeds(needs, e.next)
			o.happen(*e)
		}
		o.tellNeeds(needs, c.Now)
		o.now = c.Now
		for _, b := range o.boards {
			b.forget(o.now)
		}
		o.tell(WasAdvanced, nil, o.now, bookahead.Interval{}, bookahead.Interval{})
	}}
}

// startsLast compares two entries to which something happens at one tick.
func startsLast(x, e *entry) int {
	switch {
	case x.State != Booked && e.State == Booked:
		return -1
	case x.State == Booked && e.State != Booked:
		return 1
	}
	return 0
}

// happen lets the next thing happen to a booking.
func (o *ideal) happen(e entry) {
	switch e.State {
	case Held, Waiting:
		o.close(&e, Expired, HasExpired, e.next)
	case Booked:
		e.State = Running
		o.tell(HasStarted, &e, e.next, bookahead.Interval{}, e.Interval)
		o.put(&e)
	case Running:
		e.State = Ended
		o.tell(HasEnded, &e, e.next, e.Interval, e.Interval)
		o.put(&e)
		o.dropAtOnce(&e)
	default:
		delete(o.kept, e.ID)
		delete(o.keys, e.Key)
	}
}

// dropAtOnce forgets a booking that is over, if none is kept.
func (o *ideal) dropAtOnce(e *entry) {
	if o.keep == 0 {
		delete(o.kept, e.ID)
		delete(o.keys, e.Key)
	}
}
