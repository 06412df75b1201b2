package desk

import (
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
