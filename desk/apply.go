package desk

import (
	"fmt"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/effort"
	"github.com/bookahead/bookahead/internal/limits"
)

// operation is a Command as the desk carries it out. Each command of this package is one, and so is a type of the caller's
// that embeds one.
type operation interface {
	Command
	// decide makes the Decision, and changes nothing but a trial. It counts its steps. The error is
	// bookahead.ErrUnavailable, bookahead.ErrNotFound, or wraps bookahead.ErrInvalid or bookahead.ErrStopped.
	decide(b *books, m *effort.Meter) (Decision, error)
	// apply carries the decision out. It cannot fail after decide on the same state; it may fail in a log that was
	// tampered with.
	apply(b *books, by *Decision) error
}

// operationOf returns a command as an operation. The error wraps bookahead.ErrInvalid.
func operationOf(c Command) (operation, error) {
	o, ok := c.(operation)
	if !ok {
		return nil, limits.Invalid("command", fmt.Sprintf("%T", c), "is none of this package, and embeds none")
	}
	return o, nil
}

// releaseMoved releases the places of bookings that give way. Until settleMoved the books have them as they were, but without
// reservations. closed is as in vacate.
func (b *books) releaseMoved(moved []Moved, closed int32) error {
	for _, m := range moved {
		old, err := b.live(m.Booking)
		if err != nil {
			return fmt.Errorf("booking %d, which gives way: %w", m.Booking, err)
		}
		_, err = moveReservations(b.schedule, b.now, closed, old, old.ids, nil, nil, nil)
		if err != nil {
			return fmt.Errorf("booking %d, which gives way: %w", m.Booking, err)
		}
		k := *old
		k.ids = make([]bookahead.ID, len(old.ids))
		b.all.Set(bookahead.ID(k.ID), record{&k})
	}
	return nil
}

// settleMoved books the bookings that have given way in their new places, in turn. Bookings without a new place are displaced.
func (b *books) settleMoved(moved []Moved) error {
	for _, m := range moved {
		old, err := b.live(m.Booking)
		switch {
		case err != nil:
		case len(m.Places) == 0:
			err = b.finish(old, Displaced, WasDisplaced, b.now)
		default:
			err = b.moveTo(old, &m)
		}
		if err != nil {
			return fmt.Errorf("booking %d, which gives way: %w", m.Booking, err)
		}
	}
	return nil
}

// moveTo books a booking that has given way in its new place. If it had begun, it becomes a booking of the rest of its
// shape, from now on.
func (b *books) moveTo(old *Booking, m *Moved) error {
	k := *old
	if old.begun(b.now) {
		err := old.checkPast()
		if err != nil {
			return err
		}
		k.Past, k.pastOn = old.pastOfAll(b.now)
		rest, _ := old.restAt(b.now)
		k.askOtherwise(rest)
	}
	if k.bent() {
		k.askOtherwise(k.laid(m.Places))
	}
	on, err := b.checkDecided(&k.Request, m.Shape, m.Places, nil)
	if err != nil {
		return err
	}
	k.Shape, k.Places, k.on = m.Shape, m.Places, on
	k.ids, err = moveReservations(b.schedule, b.now, 0, old, old.ids, k.Shapes[k.Shape], k.Places, on)
	if err != nil {
		return err
	}
	k.Interval = k.extent()
	if k.State == Running {
		k.State = Booked // until its new time has come
	}
	started := k.begin(b.now) && old.State != Running
	k.nextDue = k.due(b.config.Keep)
	b.replace(old, &k)
	b.aboutPlaces(old, &k, WasMoved)
	if started {
		b.about(&k, HasStarted, b.now, bookahead.Interval{}, k.Interval)
	}
	return nil
}

// checkDecided returns the schedules that a decision names. It checks that the places are those of the shape, and lie ahead: an
// entry may come from elsewhere, and the books must agree afterwards, whatever it says. Parts of begun, if there are any,
// have begun already, and keep their starts:
//
//	begun    ████▒▒▒▒        part 0 may end elsewhere, but not start elsewhere;
//	             ▒▒▒▒        part 1 may lie anywhere from now on
//	now          ▲
func (b *books) checkDecided(r *Request, shape int, places, begun []Place) ([]int32, error) {
	if shape < 0 || shape >= len(r.Shapes) || len(places) != len(r.Shapes[shape]) || begun != nil && len(begun) != len(places) {
		return nil, limits.Invalid("Decision.Shape", shape, fmt.Sprintf("with %d places is none of the request", len(places)))
	}
	err := b.knows(r)
	if err == nil && r.bent() { // its parts are those of the places
		err = r.check()
	}
	if err != nil {
		return nil, err
	}
	on := make([]int32, len(places))
	for i := range places {
		err := b.suits(&r.Shapes[shape][i], &places[i])
		if err == nil && (begun == nil || begun[i].Start > b.now) {
			err = b.ahead(&places[i])
		} else if err == nil && (places[i].Start != begun[i].Start || places[i].On != begun[i].On) {
			err = limits.Invalid("On", places[i].On, fmt.Sprintf("from %d on is not where the part has begun", places[i].Start))
		}
		if err != nil {
			return nil, fmt.Errorf("Decision.Places[%d]: %w", i, err)
		}
		if begun != nil && begun[i].Start <= b.now && !b.goesOn(&begun[i], &places[i]) {
			return nil, limits.Invalid(fmt.Sprintf("Decision.Places[%d]", i), places[i].Interval, fmt.Sprintf("erases the past of %v", begun[i].Interval))
		}
		on[i] = b.names[places[i].On]
	}
	if spanOf(places).End <= b.now {
		return nil, limits.Invalid("Decision.Places", spanOf(places), fmt.Sprintf("are over by now, %d", b.now))
	}
	return on, nil
}

// suits checks that a place can be the place of a part.
func (b *books) suits(part *Part, p *Place) error {
	k, ok := b.names[p.On]
	switch {
	case !ok || part.On != p.On && !slices.Contains(b.behind(part.On), k):
		return limits.Invalid("On", p.On, fmt.Sprintf("is no schedule of %q", part.On))
	case b.schedules[k].of != nil:
		return limits.Invalid("On", p.On, "is a broker, which has no units")
	case (b.schedules[k].Machine() == nil) != (part.Tasks == nil):
		return limits.Invalid("On", p.On, "is not of the kind that the part asks for")
	case (b.schedules[k].Machine() == nil) != (p.Nodes == nil):
		return limits.Invalid("Nodes", p.Nodes, fmt.Sprintf("are not those of a place on %q", p.On))
	case p.Units != part.Units:
		return limits.Invalid("Units", p.Units, fmt.Sprintf("are not the %d of the part", part.Units))
	}
	_, counts := b.schedules[k].kind.(Servers)
	if counts && p.Servers == nil {
		return limits.Invalid("Servers", p.Servers, "are not named")
	}
	return nil
}

// goesOn reports whether a part that has begun can have another place: a part that is over stays as it is, and
// a part that runs ends after now.
func (b *books) goesOn(old, p *Place) bool {
	if old.End <= b.now {
		return p.equal(old)
	}
	return p.End > b.now
}

// ahead checks that a place begins now or later.
func (b *books) ahead(p *Place) error {
	if p.Start < b.now || p.Empty() {
		return limits.Invalid("Interval", p.Interval, fmt.Sprintf("is empty, or begins before now, %d", b.now))
	}
	return nil
}

// begunAt returns the places of a booking if its time has come, and nil before.
func (k *Booking) begunAt(now bookahead.Time) []Place {
	if k.begun(now) {
		return k.withPast()
	}
	return nil
}
