package desk

import (
	"cmp"
	"fmt"
	"iter"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
)

// Waiting yields the bookings that wait when the walk begins, in the order of their turns: by priority, the greatest
// first, then by ID. O(w) for w of them.
func (d *Desk) Waiting() iter.Seq[Booking] {
	return func(yield func(Booking) bool) {
		for _, k := range d.whoWaits() {
			if !yield(*k) {
				return
			}
		}
	}
}

// whoWaits lists the waiting bookings, so that the lock is not held while the caller walks along them.
func (d *Desk) whoWaits() (list []*Booking) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	for _, x := range d.b.waiting {
		k, _ := d.b.booking(x.id)
		list = append(list, k)
	}
	return list
}

// turn is the place of a waiting booking in the order of turns.
type turn struct {
	priority int64
	id       BookingID
	steps    bool // some shape has several steps
}

func turnOf(k *Booking) turn {
	return turn{k.Priority, k.ID, slices.ContainsFunc(k.Shapes, Shape.stepped)}
}

// stepped reports whether a shape has several steps.
func (x Shape) stepped() bool {
	return slices.ContainsFunc(x, func(p Part) bool { return p.After != nil })
}

func (x turn) compare(y turn) int {
	return cmp.Or(cmp.Compare(y.priority, x.priority), cmp.Compare(x.id, y.id))
}

// waiting lists the waiting bookings in the order of their turns. A change makes a new slice, since clones share the
// old one; with MaxWaiting turns a slice has 96 KiB.
type waiting []turn

func (x *waiting) add(k *Booking) {
	if k.State != Waiting {
		return
	}
	i, _ := slices.BinarySearchFunc(*x, turnOf(k), turn.compare)
	*x = slices.Concat((*x)[:i], waiting{turnOf(k)}, (*x)[i:])
}

func (x *waiting) remove(k *Booking) {
	i, ok := slices.BinarySearchFunc(*x, turnOf(k), turn.compare)
	if k.State == Waiting && ok {
		*x = slices.Concat((*x)[:i], (*x)[i+1:])
	}
}

// searchable checks that a search could take each step of a request. A search without a place stops at the first step
// that has no room, so later steps may never have been checked; a booking must not wait for a step that no search takes.
func (s *stage) searchable(r *Request) error {
	bare := *s
	bare.unruled = true
	for i, shape := range r.Shapes {
		for _, st := range bare.steps(r, shape) {
			err := st.refused()
			if err != bookahead.ErrUnavailable {
				return fmt.Errorf("desk: Request.Shapes[%d]: %w", i, err)
			}
		}
	}
	return nil
}

// decideWait decides that a booking waits.
func (c *Book) decideWait(b *books) (Decision, error) {
	if len(b.waiting) >= MaxWaiting || c.waits().lapse() <= b.now || !b.mayWait(&c.Request) {
		return Decision{}, bookahead.ErrUnavailable
	}
	return Decision{Booking: b.last + 1}, nil
}

// applyWait enters a booking that waits.
func (c *Book) applyWait(b *books, by *Decision) error {
	err := b.fit(&c.Request)
	k := c.waits()
	switch {
	case err != nil:
		return err
	case c.Wait <= b.now || k.lapse() <= b.now:
		return limits.Invalid("Book.Wait", c.Wait, fmt.Sprintf("is not after now, %d, or the Deadline %d cannot be met", b.now, c.Deadline))
	case len(b.waiting) >= MaxWaiting:
		return limits.Invalid("Decision.Places", 0, fmt.Sprintf("are none, but %d bookings wait already", MaxWaiting))
	case len(by.Moved) > 0 || by.Shape != 0:
		return limits.Invalid("Decision.Moved", len(by.Moved), "give way, or a shape is chosen, for a booking that waits")
	}
	k.Request = c.Request.clone()
	k.change = k.due(b.config.Keep)
	b.enter(k)
	b.about(k, IsWaiting, b.now, bookahead.Interval{}, k.Interval)
	return nil
}

// waits returns the booking that will wait. It shares its slices with the command.
func (c *Book) waits() *Booking {
	k := &Booking{Key: c.Key, Request: c.Request, State: Waiting, Expiry: c.Wait}
	k.Interval = k.wished()
	return k
}

// wished returns the Interval of a waiting booking: empty, at the earliest start.
func (k *Booking) wished() bookahead.Interval {
	ready := max(k.Ready, 0)
	return bookahead.Interval{Start: ready, End: ready}
}

// lapse returns the tick from which on a booking waits no longer: its Expiry, or the tick after the last start that
// meets the Deadline.
//
//	now      5  6  7  8  9 10        Deadline 10, a shape of 3 ticks:
//	               ██████████        it can begin at 7,
//	                  ▲              and so it lapses at 8
func (k *Booking) lapse() bookahead.Time {
	if k.Deadline == 0 {
		return k.Expiry
	}
	last := k.Ready // a start at which some shape meets the deadline
	for _, shape := range k.Shapes {
		last = max(last, k.Deadline-bookahead.Time(shape.least()-shape.lead()))
	}
	return min(k.Expiry, last+1)
}

// lead returns how many ticks the first step may begin before the clock: its first part begins so much later.
func (x Shape) lead() bookahead.Duration {
	least := x[0].Offset
	for i := 1; i < len(x) && x[i].After == nil; i++ {
		least = min(least, x[i].Offset)
	}
	return least
}

// given returns a booking that its owner may give up, since it holds a place or waits. The error is
// bookahead.ErrNotFound.
func (b *books) given(id BookingID) (*Booking, error) {
	k, ok := b.booking(id)
	if ok && k.State == Waiting {
		return k, nil
	}
	return b.live(id)
}

// verifyWaiting checks D14 for a booking that waits: the list has its turn.
func (v *verifier) verifyWaiting(k *Booking) error {
	if k.State != Waiting {
		return nil
	}
	v.waits++
	i, ok := slices.BinarySearchFunc(v.waiting, turnOf(k), turn.compare)
	if !ok || v.waiting[i] != turnOf(k) {
		return broken("D14", "%v of priority %d waits, and the list lacks it, or its steps", k, k.Priority)
	}
	return nil
}

// verifyTurns checks the other half of D14: the list has no other turns, and is in order.
func (v *verifier) verifyTurns() error {
	sorted := slices.IsSortedFunc(v.waiting, turn.compare)
	if len(v.waiting) != v.waits || v.waits > MaxWaiting || !sorted {
		return broken("D14", "%d bookings wait, and %d are listed, of at most %d; in order: %t", v.waits, len(v.waiting), MaxWaiting, sorted)
	}
	return nil
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
