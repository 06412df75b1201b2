package nodes

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/bookahead/bookahead"
)

// Force names the request for which Displace makes room, and the reservations that may have to give way.
// The zero value makes room for no request and only clears overbooked nodes: the reservation booked last
// goes first, and each reservation that goes is placed anew as early as possible. The functions must not
// use the machine.
type Force struct {
	// Request is booked whatever is in its way; nil books nothing.
	Request *Request
	// Order sorts the reservations: the first goes first. If Order returns 0 or is nil, the higher ID
	// goes first.
	Order func(a, b Reservation) int
	// Spare reports whether a reservation must stay; nil spares none. A spared reservation stays on a closed
	// node too, and Displacement.Spared lists it.
	Spare func(Reservation) bool
	// Swap lets a running reservation keep its tasks on the nodes that have room for them, as Swap does: only the tasks of
	// its other nodes move, now and at the same terms. If they find no room, or no task can stay, all of its tasks move, by
	// Again.
	Swap bool
	// Again returns the request by which a reservation is placed anew, or false to drop the
	// reservation. Nil stands for Reservation.Again: the same tasks on the same terms, such as one rack,
	// for the same duration or the rest of it, no earlier than before.
	Again func(old Reservation) (Request, bool)
}

// Displacement lists the changes that Displace has made.
type Displacement struct {
	// Booked is the reservation of Force.Request.
	Booked Reservation
	// Moved are the reservations that have another place now, in the order in which they were placed.
	// They keep their IDs.
	Moved []Move
	// Dropped are the reservations that are not booked any more, the least important last.
	Dropped []Reservation
	// Spared are the reservations that still hold a closed node, because Force.Spare spares them, by start,
	// then by ID.
	Spared []Reservation
}

// Move is a reservation before and after. A reservation that was running has held From until now; after a swap, To has
// the same Start.
type Move struct{ From, To Reservation }

// Displace books a request by force, and clears nodes that closures have left overbooked. It takes the
// same steps as bookahead.Displace:
//
//  1. Take out reservations, one by one in the order of f, until only spared reservations hold closed nodes
//     and the request fits. A reservation goes only if it is in the way when its turn comes: it lies on an overbooked
//     stretch, or on nodes that the request may use, between the request's ready time and deadline.
//  2. Book the request.
//  3. Put back the reservations that fit where they were, the most important first.
//  4. Place the others anew, the most important first: with Swap, only the tasks of running ones that must go.
//
// So a node is drained in one call: Close it, and spare the reservations that are running. They finish, later
// ones move, and Spared names those for which the drain must wait.
//
// Displace does all of this on a clone, so that an error changes nothing. The error is
// bookahead.ErrUnavailable if the reservations that are not spared do not make enough room, and wraps
// bookahead.ErrInvalid if the request or a request of Again is invalid. Displace takes a Clone, a Search
// and a Reserve of the request, and for each reservation taken out a Release and up to two times a Search
// and a Reserve; with Swap, for each running one that is moved, a look at all nodes more. It finds the reservations in the way as Overbooked and ReservationsOn do, with the
// overbooked stretches and the time of the request as windows.
func (m *Machine) Displace(f Force) (Displacement, error) {
	x := displacing{Machine: m.Clone(), Force: f}
	err := x.clear()
	if err != nil {
		return Displacement{}, err
	}
	if f.Request != nil {
		x.done.Booked, err = x.Reserve(*f.Request)
		if err != nil {
			return Displacement{}, err
		}
	}
	err = x.putBack()
	if err != nil {
		return Displacement{}, err
	}
	x.done.Spared = x.stillHeld()
	*m = *x.Machine
	return x.done, nil
}

// displacing is a Displace under way, on a clone.
type displacing struct {
	*Machine
	Force
	room    bookahead.Interval // the time in which the request may lie
	allowed []int              // the nodes that the request may use, ascending
	out     []lifted
	done    Displacement
}

// lifted is a reservation that has been taken out.
type lifted struct {
	Reservation
	booking *booking
	lost    []int    // the nodes that it cannot keep
	rest    *booking // its part on the others, which is booked until it is placed; nil for none
}

// clear takes reservations out until only spared ones hold closed nodes and the request fits.
func (x *displacing) clear() error {
	fits, err := x.fits()
	if err != nil {
		return err
	}
	if !fits {
		x.aim()
	}
	for _, res := range x.inTheWay(fits) {
		b, _ := x.booked.get(res.ID, x.bounds.Now)
		if (fits || !x.competes(b)) && !x.overbooks(b) {
			continue
		}
		err = x.Release(res.ID)
		if err != nil {
			return err
		}
		x.out = append(x.out, lifted{Reservation: res, booking: b})
		if !fits {
			fits, err = x.fits()
			if err != nil {
				return err
			}
		}
	}
	if !fits {
		return bookahead.ErrUnavailable
	}
	return nil
}

// fits reports whether the request can be booked.
func (x *displacing) fits() (bool, error) {
	if x.Request == nil {
		return true, nil
	}
	_, err := x.search(*x.Request)
	if errors.Is(err, bookahead.ErrUnavailable) {
		return false, nil
	}
	return err == nil, err
}

// aim notes the time and the nodes in which the request may lie.
func (x *displacing) aim() {
	r := x.Request
	x.room = bookahead.Interval{Start: max(x.bounds.Now, r.Ready), End: x.bounds.End}
	if r.Deadline != 0 {
		x.room.End = min(x.room.End, r.Deadline)
	}
	var q query
	_ = x.ask(*r, &q)   // no error: fits has asked the same before
	x.allowed = []int{} // not nil, which would stand for all
	for _, p := range q.parts {
		x.allowed = slices.AppendSeq(x.allowed, p.in(q.allowed))
	}
	slices.Sort(x.allowed)
}

// competes reports whether a booking lies in the time and on a node that the request may use.
func (x *displacing) competes(b *booking) bool { return b.Overlaps(x.room) && b.on(x.allowed) }

// overbooks reports whether a booking holds a node while it is closed.
func (x *displacing) overbooks(b *booking) bool {
	free := make(Vector, x.wide)
	for k := range b.takes {
		x.index.nodes[k].least(x.bounds.Ahead(b.Interval), free)
		if slices.Min(free) < 0 {
			return true
		}
	}
	return false
}

// stillHeld returns the reservations that hold a closed node. All others have been taken out, so that only
// spared ones are left.
func (x *displacing) stillHeld() (list []Reservation) {
	seen := map[bookahead.ID]bool{}
	stretches, held := x.stretches()
	for _, w := range stretches {
		for id, b := range x.booked.overlapping(w, x.bounds.Now) {
			if !seen[id] && b.on(held) && x.overbooks(b) {
				seen[id] = true
				list = append(list, x.reservation(id, b.clone()))
			}
		}
	}
	slices.SortFunc(list, func(a, b Reservation) int { return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.ID, b.ID)) })
	return list
}

// inTheWay returns the reservations that may be taken out, in the order of f. It looks only at the
// reservations that overlap an overbooked stretch, or the time of the request if the request does not fit.
func (x *displacing) inTheWay(fits bool) []Reservation {
	seen := map[bookahead.ID]bool{}
	var list []Reservation
	add := func(w bookahead.Interval, is func(*booking) bool) {
		for id, b := range x.booked.overlapping(w, x.bounds.Now) {
			if seen[id] || !is(b) {
				continue
			}
			seen[id] = true
			res := x.reservation(id, b.clone())
			if x.Spare == nil || !x.Spare(res) {
				list = append(list, res)
			}
		}
	}
	stretches, held := x.stretches()
	for _, w := range stretches {
		add(w, func(b *booking) bool { return b.on(held) && x.overbooks(b) })
	}
	if !fits {
		add(x.room, x.competes)
	}
	slices.SortFunc(list, func(a, b Reservation) int {
		c := 0
		if x.Order != nil {
			c = x.Order(a, b)
		}
		return cmp.Or(c, cmp.Compare(b.ID, a.ID))
	})
	return list
}

// stretches returns the times at which a closed node is held, and all nodes to which this happens,
// ascending. Times that touch are joined.
func (x *displacing) stretches() (list []bookahead.Interval, held []int) {
	is := make([]bool, len(x.given))
	for o := range x.Overbooked(bookahead.Interval{Start: x.bounds.Now, End: bookahead.MaxTime}) {
		last := len(list) - 1
		if last >= 0 && list[last].End == o.Start {
			list[last].End = o.End
		} else {
			list = append(list, o.Interval)
		}
		for _, k := range o.Servers {
			is[k] = true
		}
	}
	held = []int{} // not nil, which would stand for all
	for k := range is {
		if is[k] {
			held = append(held, k)
		}
	}
	return list, held
}

// putBack puts back the reservations that fit where they were, and then places the others, the most
// important first.
func (x *displacing) putBack() error {
	var others []lifted
	for _, old := range slices.Backward(x.out) {
		if !x.hasRoom(old.booking) {
			others = append(others, old)
			continue
		}
		x.take(old.booking, x.bounds.Ahead(old.booking.Interval), -1)
		x.booked.restore(old.ID, old.booking)
	}
	for i := range others {
		x.holdRest(&others[i])
	}
	for _, old := range others {
		err := x.again(old)
		if err != nil {
			return fmt.Errorf("Force.Again of reservation #%d: %w", old.ID, err)
		}
	}
	return nil
}

// holdRest books the part of a running reservation that can stay where it is, if there is one and Force.Swap says so. Nobody
// takes its nodes then, who is placed before it.
func (x *displacing) holdRest(old *lifted) {
	if !x.Force.Swap || old.Start > x.bounds.Now {
		return
	}
	old.lost = slices.Collect(x.lost(old.booking))
	rest := old.booking.without(old.lost)
	if len(rest.shares) > 0 || rest.head >= 0 {
		old.rest = rest
		x.take(rest, x.bounds.Ahead(rest.Interval), -1)
	}
}

// hasRoom reports whether its nodes have room for a booking from now on. The booking must not be booked
// itself.
func (m *Machine) hasRoom(b *booking) bool {
	for range m.lost(b) {
		return false
	}
	return true
}

// lost yields the nodes that have no room for a booking from now on, which must not be booked itself.
func (m *Machine) lost(b *booking) iter.Seq[int] {
	return func(yield func(int) bool) {
		free := make(Vector, m.wide)
		for k, v := range m.takes(b) {
			m.index.nodes[k].least(m.bounds.Ahead(b.Interval), free)
			if !enough(free, v) && !yield(k) {
				return
			}
		}
	}
}

// again places a reservation by a swap or by its own request, or drops it.
func (x *displacing) again(old lifted) error {
	if old.rest != nil {
		b, err := x.swapped(old.booking, old.rest, old.lost)
		x.take(old.rest, x.bounds.Ahead(old.rest.Interval), 1)
		if err == nil {
			x.take(b, x.bounds.Ahead(b.Interval), -1)
			x.booked.restore(old.ID, b)
			x.done.Moved = append(x.done.Moved, Move{old.Reservation, x.reservation(old.ID, b)})
			return nil
		}
	}
	r, ok := old.Reservation.Again(x.bounds.Now), true
	if x.Again != nil {
		r, ok = x.Again(old.Reservation)
	}
	if ok {
		b, err := x.search(r)
		if err == nil {
			b.terms = x.terms.pack(&r)
			x.take(b, b.Interval, -1)
			x.booked.restore(old.ID, b)
			x.done.Moved = append(x.done.Moved, Move{old.Reservation, x.reservation(old.ID, b)})
			return nil
		}
		if !errors.Is(err, bookahead.ErrUnavailable) {
			return err
		}
	}
	x.done.Dropped = append(x.done.Dropped, old.Reservation)
	return nil
}
