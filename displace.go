package bookahead

import (
	"cmp"
	"fmt"
	"slices"
)

// Displacer is a schedule that Displace can put in order. Only Displace needs the methods.
type Displacer interface {
	Keeper
	Cloner
	Closable

	// Overbooks reports whether a reservation lies on a stretch that is overbooked where it
	// lies. It is a query.
	Overbooks(id ID) bool

	// Lift takes a reservation out as Release does. The function that it returns puts it
	// back as it was: same ID, time and servers, and the Start that it had. That function
	// returns ErrUnavailable, and changes nothing, if what the reservation had from now on is
	// not free. The error of Lift is ErrNotFound.
	Lift(id ID) (back func() error, err error)

	// ReserveAs is Reserve under the ID of a reservation that was lifted. Errors are those of
	// Reserve.
	ReserveAs(id ID, r Request) (Reservation, error)

	// Adopt makes the schedule what its clone is, which must not be used any more.
	Adopt(clone Schedule)
}

// Force says what Displace makes room for, and who may have to give way. The zero value only
// clears what is overbooked: what was reserved last goes first, and each of those that go is
// placed anew as early as it can be. The functions must not use the schedule.
type Force struct {
	// Request is booked whatever is in its way; nil if nothing is.
	Request *Request
	// Order sorts the reservations: those that go first come first. Where it says 0, or is
	// nil, the higher ID goes first.
	Order func(a, b Reservation) int
	// Spare reports whether a reservation must stay; nil spares none. Where those that are spared
	// overbook a stretch by themselves, wherever it lies, Displace returns ErrUnavailable.
	Spare func(Reservation) bool
	// Again returns the request by which a reservation is placed anew, or false if it is
	// dropped. If it is nil, that is the same number of units for the same time, or for the
	// rest of it if the reservation is running, no earlier than it was, on any servers.
	Again func(old Reservation) (Request, bool)
}

// Displacement is what Displace has done.
type Displacement struct {
	// Booked is the reservation of Force.Request.
	Booked Reservation
	// Moved are the reservations that lie elsewhere now, in the order in which they were
	// placed. They keep their IDs.
	Moved []Move
	// Dropped are those that are not booked any more, the least important last.
	Dropped []Reservation
}

// Move is a reservation as it was, and as it is. Of one that was running, From is over by now.
type Move struct{ From, To Reservation }

// Displace books a request by force, and clears what closures have left overbooked:
//
//  1. It takes reservations out, one by one in the order of f, until nothing is overbooked and
//     the request fits. It takes those only that are in the way at that moment: on an overbooked
//     stretch, or between the ready time and the deadline while the request does not fit.
//  2. It books the request, by Reserve.
//  3. It goes back through those that it has taken out, the most important first, and puts back
//     where they were those that fit there.
//  4. It places the others by their own requests, the most important first.
//
// One that was running ends at now if it is not put back; nothing else moves a
// reservation that has begun. All of that is tried on a clone. The error is ErrUnavailable if
// those that are not spared do not make enough room, and wraps ErrInvalid if the request or one that
// Again returns does not make sense, or if s is no Displacer, also behind Locked, or cannot be
// cloned.
//
// Those that lie elsewhere or are dropped in the end need not be the fewest: the order decides.
//
// It takes a Clone, and for each reservation that it takes out a Search, a Release and a Reserve
// or two; to find those in the way, what ReservationsOn takes.
func Displace(s Schedule, f Force) (d Displacement, err error) {
	if !Update(s, func(s Displacer) { d, err = f.displace(s) }) {
		return d, invalid("schedule", fmt.Sprintf("%T", s), "is no Displacer")
	}
	return d, err
}

func (f Force) displace(s Displacer) (Displacement, error) {
	clone, ok := s.Clone().(Displacer)
	if !ok {
		return Displacement{}, invalid("schedule", fmt.Sprintf("%T", s), "cannot be cloned")
	}
	p := displacing{Displacer: clone, Force: f}
	err := p.clear()
	if err != nil {
		return Displacement{}, err
	}
	if f.Request != nil {
		p.done.Booked, err = p.Reserve(*f.Request)
		if err != nil {
			return Displacement{}, err
		}
	}
	err = p.putBack()
	if err != nil {
		return Displacement{}, err
	}
	s.Adopt(clone)
	return p.done, nil
}

// displacing is a Displace under way, on a clone.
type displacing struct {
	Displacer
	Force
	out  []lifted
	done Displacement
}

// lifted is a reservation that has been taken out, and the way back.
type lifted struct {
	Reservation
	back func() error
}

// clear takes reservations out until nothing is overbooked and the request fits.
func (p *displacing) clear() error {
	fits, err := p.fits()
	if err != nil {
		return err
	}
	for _, res := range p.inTheWay(fits) {
		if (fits || !p.competes(res)) && !p.Overbooks(res.ID) {
			continue
		}
		back, err := p.Lift(res.ID)
		if err != nil {
			return err
		}
		p.out = append(p.out, lifted{res, back})
		if !fits {
			fits, err = p.fits()
			if err != nil {
				return err
			}
		}
	}
	if !fits || p.overbooked() {
		return ErrUnavailable
	}
	return nil
}

// fits reports whether the request can be booked.
func (p *displacing) fits() (bool, error) {
	if p.Request == nil {
		return true, nil
	}
	_, err := p.Search(*p.Request)
	if err == ErrUnavailable {
		return false, nil
	}
	return err == nil, err
}

// overbooked reports whether anything is.
func (p *displacing) overbooked() bool {
	for range p.Overbooked(p.Frame().ahead()) {
		return true
	}
	return false
}

// inTheWay returns the reservations that may be taken out, in order.
func (p *displacing) inTheWay(fits bool) []Reservation {
	seen := map[ID]bool{}
	var list []Reservation
	add := func(w Interval, servers []int) {
		for res := range ReservationsOn(p.Displacer, w, servers) {
			if !seen[res.ID] && (p.Spare == nil || !p.Spare(res)) {
				list = append(list, res)
			}
			seen[res.ID] = true
		}
	}
	for _, o := range p.stretches() {
		add(o.Interval, o.Servers)
	}
	if !fits {
		add(p.room(), p.Request.Servers)
	}
	slices.SortFunc(list, func(a, b Reservation) int {
		c := 0
		if p.Order != nil {
			c = p.Order(a, b)
		}
		return cmp.Or(c, cmp.Compare(b.ID, a.ID))
	})
	return list
}

// room returns the time in which the request may lie.
func (p *displacing) room() Interval {
	w := p.Frame().Window()
	w.Start = max(w.Start, p.Request.Ready)
	if p.Request.Deadline != 0 {
		w.End = min(w.End, p.Request.Deadline)
	}
	return w
}

// competes reports whether a reservation lies where the request may.
func (p *displacing) competes(res Reservation) bool {
	return p.room().Overlaps(res.Interval) && res.on(p.Request.Servers)
}

// stretches returns the overbooked stretches, or one around them all where each question who is
// in the way is a scan. Where more units are missing than servers are named, as in a grid.Binder,
// all reservations are in the way, and no servers are named.
func (p *displacing) stretches() []Overbooking {
	list := slices.Collect(p.Overbooked(p.Frame().ahead()))
	named := true
	for i, o := range list {
		if int64(len(o.Servers)) < o.Units {
			list[i].Servers, named = nil, false
		}
	}
	tracked := false
	View(p.Displacer, func(t Tracker) { _, tracked = t.Live() })
	if tracked || len(list) == 0 {
		return list
	}
	all := Overbooking{Interval: Interval{list[0].Start, list[len(list)-1].End}}
	for _, o := range list {
		if named {
			all.Servers = append(all.Servers, o.Servers...)
		}
	}
	slices.Sort(all.Servers)
	all.Servers = slices.Compact(all.Servers)
	return []Overbooking{all}
}

// putBack puts those back that fit where they were, and places the others, the most important
// first.
func (p *displacing) putBack() error {
	var others []Reservation
	for _, x := range slices.Backward(p.out) {
		err := x.back()
		if err == ErrUnavailable {
			others = append(others, x.Reservation)
		} else if err != nil {
			return err
		}
	}
	for _, old := range others {
		to, err := p.again(old)
		switch {
		case err == nil:
			p.done.Moved = append(p.done.Moved, Move{old, to})
		case err == ErrUnavailable:
			p.done.Dropped = append(p.done.Dropped, old)
		default:
			return fmt.Errorf("Force.Again of reservation #%d: %w", old.ID, err)
		}
	}
	return nil
}

// again places a reservation by its own request. It returns ErrUnavailable if there is none.
func (p *displacing) again(old Reservation) (Reservation, error) {
	if p.Again != nil {
		r, ok := p.Again(old)
		if !ok {
			return Reservation{}, ErrUnavailable
		}
		return p.ReserveAs(old.ID, r)
	}
	start := max(old.Start, p.Frame().Now)
	return p.ReserveAs(old.ID, Request{Ready: start, Duration: Duration(old.End - start), Units: old.Units})
}

// ahead returns the time from now to the end of the axis.
func (f Frame) ahead() Interval { return Interval{f.Now, MaxTime} }
