package desk

import (
	"fmt"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
	"github.com/bookahead/bookahead/nodes"
)

// checkOutages checks that the outages are exactly the closures of the schedules.
func (b *books) checkOutages() error {
	closures := make([]map[bookahead.ClosureID]bookahead.Closure, len(b.schedules))
	for k, s := range b.schedules {
		closures[k] = map[bookahead.ClosureID]bookahead.Closure{}
		if s.of != nil {
			continue
		}
		for c := range s.Closures() {
			closures[k][c.ID] = c
		}
	}
	last := OutageID(0)
	for i := range b.outages {
		o := &b.outages[i]
		err := checkText("Outage.Title", o.Title)
		if err == nil {
			err = o.Force.check()
		}
		if err != nil {
			return err
		}
		if o.ID <= last || o.ID > b.lastOutage {
			return limits.Invalid("Outage.ID", o.ID, fmt.Sprintf("does not lie behind %d, up to %d", last, b.lastOutage))
		}
		last = o.ID
		k, err := b.closable("Outage.On", o.On)
		if err != nil {
			return err
		}
		c, ok := closures[k][o.closure]
		if !ok || !o.is(c) {
			return limits.Invalid("Outage", o.String(), "is not the closure of its schedule")
		}
		delete(closures[k], o.closure)
	}
	for k, left := range closures {
		if len(left) > 0 {
			return limits.Invalid("closures", len(left), fmt.Sprintf("of %q are of no outage", b.schedules[k].name))
		}
	}
	return nil
}

// checkOver checks the outages that are over and kept.
func (b *books) checkOver() error {
	for i := range b.over {
		o := &b.over[i]
		err := checkText("Outage.Title", o.Title)
		if err == nil {
			err = o.Force.check()
		}
		if err != nil {
			return err
		}
		k, err := b.closable("Outage.On", o.On)
		if err != nil {
			return err
		}
		f := b.schedules[k].Frame()
		outside := slices.ContainsFunc(o.Servers, func(k int) bool { return k < 0 || k >= f.Servers })
		if o.Empty() || o.Start < 0 || o.End > b.now || b.config.Keep <= bookahead.Duration(b.now-o.End) || o.Units < 0 || outside || o.ID > b.lastOutage {
			return limits.Invalid("Outage", o.String(), "cannot be an outage that is over and kept")
		}
	}
	return nil
}

// is reports whether an outage is a closure of a schedule.
func (o *Outage) is(c bookahead.Closure) bool {
	if o.added != c.Added || o.Interval != c.Interval || !slices.Equal(o.Servers, c.Servers) {
		return false
	}
	return o.Units == c.Units || o.Units == 0 && len(o.Servers) > 0
}

// check checks a booking against the schedules, so that later code meets no number that it does not expect.
func (x *restorer) check(k *Booking) error {
	b := &x.b
	err := checkText("Booking.Key", k.Key)
	if err == nil {
		err = k.Request.checkKept()
	}
	if err == nil {
		err = b.knows(&k.Request)
	}
	if err == nil && k.State == Waiting {
		err = x.checkWaiting(k)
	}
	if err == nil && k.asked != nil {
		err = k.asked.checkKept()
	}
	if err == nil {
		err = checkPlaces("Booking.Places", k.usual())
	}
	if err != nil {
		return err
	}
	if k.Start < 0 || k.End < k.Start || k.Expiry < 0 {
		return limits.Invalid("Booking.Interval", k.Interval, "ends before it starts, or begins before 0")
	}
	// The invariants below look schedules up by these numbers, so the numbers come first.
	k.on = x.memory.on.take(len(k.Places))
	for i := range k.Places {
		p := &k.Places[i]
		on, ok := b.names[p.On]
		if !ok || b.schedules[on].of != nil || (b.schedules[on].Machine() == nil) != (p.Nodes == nil) || !p.bounded() {
			return limits.Invalid(fmt.Sprintf("Booking.Places[%d]", i), p.On, "has no such place")
		}
		k.on = append(k.on, on)
	}
	err = x.checkPast(k)
	if err == nil {
		err = x.v.verifyPlaces(k.ID, k)
	}
	for i := 0; err == nil && i < len(k.Places); i++ {
		p := k.piece(i, bookahead.MaxTime)
		if !p.suits(b.schedules[k.on[i]]) {
			err = limits.Invalid(fmt.Sprintf("Booking.Places[%d]", i), p.On, "is of another kind than its part")
		}
	}
	if err == nil {
		err = x.v.verifyState(k)
	}
	if err == nil && k.State.Live() {
		err = x.v.verifyParts(k)
	}
	return err
}

// checkPast checks that the past pieces are places on the schedules, and suit the kinds.
func (x *restorer) checkPast(k *Booking) error {
	for i := range k.Past {
		p := &k.Past[i]
		err := p.Place.checkItem("Booking.Past", i)
		if err != nil {
			return err
		}
		on, ok := x.b.names[p.On]
		if !ok || x.b.schedules[on].of != nil || !p.bounded() || !p.suits(x.b.schedules[on]) {
			return limits.Invalid(fmt.Sprintf("Booking.Past[%d]", i), p.On, "has no such place")
		}
		k.pastOn = append(k.pastOn, on)
	}
	return nil
}

// suits reports whether a piece can lie on a schedule: on nodes it has an amount of each resource.
func (x *Piece) suits(at *schedule) bool {
	if at.Machine() == nil {
		return x.Nodes == nil && x.Each == nil && x.HeadTakes == nil && x.Part >= -1
	}
	least := func(v nodes.Vector) bool { return len(v) == at.resources() && slices.Min(v) >= 0 }
	return x.Nodes != nil && least(x.Each) && (x.HeadTakes == nil) == (x.Head < 0) && (x.HeadTakes == nil || least(x.HeadTakes)) && x.Part >= -1
}

// usual returns the places as they were before a booking was over: since then the places that it has not reached are
// empty.
func (k *Booking) usual() []Place {
	if k.State.Live() {
		return k.Places
	}
	places := append([]Place(nil), k.Places...)
	for i := range places {
		// checkPlaces refuses empty places, so an empty one is checked with one tick.
		p := &places[i]
		if p.Start == p.End && p.Start < bookahead.MaxTime {
			p.End++
		}
	}
	return places
}

// bounded reports whether all servers or nodes of a place are numbers that a schedule may have.
func (p *Place) bounded() bool {
	const most = 1 << 24
	highest := p.Head
	if len(p.Servers) > 0 {
		highest = max(highest, p.Servers[len(p.Servers)-1])
	}
	if len(p.Nodes) > 0 {
		highest = max(highest, p.Nodes[len(p.Nodes)-1].Node)
	}
	return highest < most
}

// checkKept checks a request that a booking has come to have. It does not look at the times: a booking that has begun
// may have been changed and overrun past them.
func (r *Request) checkKept() error {
	kept := *r
	kept.Ready, kept.Deadline = 0, 0
	return kept.check()
}

// agrees checks that the structure of a schedule suits its kind.
func (s *schedule) agrees(now bookahead.Time) error {
	f := s.Frame()
	horizon, units := bookahead.Duration(0), int64(0)
	switch k := s.kind.(type) {
	case Pool:
		horizon, units = k.Horizon, k.Units
	case Servers:
		horizon, units = k.Horizon, k.Count
	case Nodes:
		horizon, units = k.Horizon, int64(len(k.Nodes))
	}
	end := bookahead.MaxTime
	if horizon != 0 {
		end = now + bookahead.Time(horizon)
	}
	switch {
	case f.Now != now:
		return limits.Invalid("clock", f.Now, fmt.Sprintf("is not that of the desk, %d", now))
	case f.Horizon != end:
		return limits.Invalid("horizon", f.Horizon, fmt.Sprintf("is not %d, as the kind says", end))
	}
	_, pool := s.kind.(Pool) // all units of a pool may be closed now
	// An Extend adds nodes to the kind, so a machine may have begun with fewer. Other kinds keep their number.
	if s.Machine() != nil && (s.Given < 1 || s.Given > units) || s.Machine() == nil && s.Given != units {
		return limits.Invalid("given", s.Given, fmt.Sprintf("are not those of the kind, %d", units))
	}
	if s.Machine() != nil && units != int64(f.Servers) {
		return limits.Invalid("nodes", f.Servers, fmt.Sprintf("are not the %d that the kind has", units))
	}
	if s.Machine() != nil && !s.kind.(Nodes).describes(s.Machine().Config()) {
		return limits.Invalid("kind", s.kind, "does not describe the machine")
	}
	// An Extend adds servers to the structure alone, so there may be more than the kind has.
	if units < 1 || !pool && units > int64(f.Servers) {
		return limits.Invalid("servers", f.Servers, fmt.Sprintf("are fewer than the %d that the kind has", units))
	}
	return nil
}

// checkTerms checks the terms and tails of a schedule in a snapshot.
func (s *schedule) checkTerms(now bookahead.Time) error {
	if s.terms != nil {
		err := SetTerms{s.name, *s.terms}.check()
		if err == nil && s.terms.zero() {
			err = limits.Invalid("terms", s.name, "allow everything, and such terms are never written")
		}
		if err != nil {
			return err
		}
	}
	return s.checkTails(now)
}

// checkWaiting checks that a booking that was read can wait: searches rely on its request as it is.
func (x *restorer) checkWaiting(k *Booking) error {
	err := k.Request.check()
	if err == nil {
		err = x.b.fit(&k.Request)
	}
	if err == nil && len(x.b.waiting) >= MaxWaiting {
		err = limits.Invalid("Booking.State", k.State, fmt.Sprintf("is the state of more than %d bookings", MaxWaiting))
	}
	return err
}

// check checks that a series could have been booked.
func (s *keptSeries) check(b *books) error {
	err := b.knows(&s.Request)
	switch {
	case err != nil:
		return err
	case s.Needs < 0 || s.Shift < 0:
		return limits.Invalid("Series.Needs", s.Needs, fmt.Sprintf("or Shift %d is negative", s.Shift))
	case s.first == nil:
		return s.Request.checkSeries()
	}
	f := s.first
	err = BookSeries{Key: s.Key, Request: s.Request, At: f.at, Partly: f.partly, Shift: f.shift, Needs: f.needs}.check()
	if err != nil {
		return err
	}
	if s.Shift > f.shift {
		return limits.Invalid("Series.Shift", s.Shift, fmt.Sprintf("is more than the %d that were allowed", f.shift))
	}
	for i, k := range f.refused {
		if !f.partly || k < 0 || k >= len(f.at) || i > 0 && k <= f.refused[i-1] {
			return limits.Invalid("Series.Refused", k, "is no window that was refused")
		}
	}
	booked := BookingID(len(f.at) - len(f.refused))
	if booked == 0 || f.booking < 1 || f.booking > b.last || b.last-f.booking < booked-1 {
		return limits.Invalid("Series.Booking", f.booking, fmt.Sprintf("begins no %d bookings, up to %d", booked, b.last))
	}
	return nil
}
