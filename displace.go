package bookahead

import (
	"cmp"
	"fmt"
	"slices"
)

// Displacer is a schedule that Displace can work on. Only Displace needs the methods.
type Displacer interface {
	Keeper
	Cloner
	Closable

	// Overbooks reports whether a reservation lies on an overbooked stretch. It is a query.
	Overbooks(id ID) bool

	// Lift takes a reservation out as Release does. The function that Lift returns puts the
	// reservation back as it was: same ID, time and servers, and the Start that it had. That
	// function returns ErrUnavailable, and changes nothing, if the units or servers that the
	// reservation had from now on are no longer free. The error of Lift is ErrNotFound.
	Lift(id ID) (back func() error, err error)

	// ReserveAs is Reserve under the ID of a reservation that was lifted. Errors are those of
	// Reserve.
	ReserveAs(id ID, r Request) (Reservation, error)

	// Adopt takes over the state of its clone, which must not be used any more.
	Adopt(clone Schedule)
}

// Force says which request Displace makes room for, and which reservations may have to give way.
// The zero value only clears overbooked stretches: the reservation that was made last goes first,
// and each one is placed anew as early as possible. The functions must not use the schedule.
type Force struct {
	// Request is booked whatever is in its way; nil if there is nothing to book.
	Request *Request
	// Order sorts the reservations: the first in order goes first. Where Order returns 0, or is
	// nil, the higher ID goes first.
	Order func(a, b Reservation) int
	// Spare reports whether a reservation must stay; nil spares none. If spared reservations
	// alone overbook a stretch, wherever it lies, Displace returns ErrUnavailable, because a pool
	// cannot say which of them is in the way. (A machine of package nodes lists them.)
	Spare func(Reservation) bool
	// Again returns the request by which a reservation is placed anew, or false to drop the
	// reservation. A nil Again asks for the same number of units, on any servers, no earlier than
	// before: for the same duration, or for the rest of it if the reservation is running. A
	// schedule remembers no more of a request, because a unit is as good as another: for a
	// reservation that must lie on certain servers, or end by a deadline, Again says so. A view of
	// adjacent servers places it by the view's own rules. (A machine of package nodes remembers.)
	Again func(old Reservation) (Request, bool)
}

// Displacement is the result of Displace.
type Displacement struct {
	// Booked is the reservation of Force.Request.
	Booked Reservation
	// Moved are the reservations that lie elsewhere now, in the order in which they were placed.
	// They keep their IDs.
	Moved []Move
	// Dropped are the reservations that are not booked any more, the least important last.
	Dropped []Reservation
}

// Move is a reservation before and after. If the reservation was running, From is over by now.
type Move struct{ From, To Reservation }

// Displace books a request by force, and clears overbooked stretches:
//
//  1. It takes reservations out, in the order of f, until nothing is overbooked and
//     the request fits. It takes out only a reservation that is in the way at that moment:
//     one on an overbooked stretch, or, while the request does not fit, one between the
//     ready time and the deadline.
//  2. It books the request, by Reserve.
//  3. It goes back through the reservations taken out, the most important first, and puts
//     back each one that fits where it was.
//  4. It places the others by their own requests, the most important first.
//
// A running reservation ends at now if it is not put back; apart from this, Displace never moves
// a reservation that has begun. Displace works on a clone, so that an error changes nothing. The
// error is ErrUnavailable if the reservations that may go do not make enough room. It wraps
// ErrInvalid if the request, or a request from Again, makes no sense, or if s is no Displacer,
// also behind Locked, or cannot be cloned.
//
// Displace does not look for the fewest reservations to move or drop: the order decides.
//
// It takes a Clone, and one Search, Release and Reserve, or two, for each reservation taken out;
// and ReservationsOn, to find the reservations in the way.
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

// displacing is a running Displace, on a clone.
type displacing struct {
	Displacer
	Force
	out  []lifted
	done Displacement
}

// lifted is a reservation that was taken out, and the function that puts it back.
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

// overbooked reports whether a stretch is overbooked.
func (p *displacing) overbooked() bool {
	for range p.Overbooked(p.Frame().ahead()) {
		return true
	}
	return false
}

// inTheWay returns the reservations that may be taken out, in the order in which they go.
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

// room returns the time in which the request may lie: from its ready time to its deadline.
func (p *displacing) room() Interval {
	return p.Frame().Between(p.Request.Ready, p.Request.Deadline)
}

// competes reports whether a reservation lies where the request may lie.
func (p *displacing) competes(res Reservation) bool {
	return p.room().Overlaps(res.Interval) && res.on(p.Request.Servers)
}

// stretches returns the overbooked stretches. Without an index each ReservationsOn is a scan of
// all reservations, so stretches then returns one stretch around them all.
func (p *displacing) stretches() []Overbooking {
	list := slices.Collect(p.Overbooked(p.Frame().ahead()))
	tracked := false
	View(p.Displacer, func(t Tracker) { _, tracked = t.Live() })
	if tracked || len(list) == 0 {
		return list
	}
	all := Overbooking{Interval: Interval{list[0].Start, list[len(list)-1].End}}
	for _, o := range list {
		all.Servers = append(all.Servers, o.Servers...)
	}
	slices.Sort(all.Servers)
	all.Servers = slices.Compact(all.Servers)
	return []Overbooking{all}
}

// putBack puts back each reservation that fits where it was, and places the others, the most
// important first. The reservation that was taken out last is the most important.
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

// again places a reservation by its own request. It returns ErrUnavailable to drop the
// reservation.
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
