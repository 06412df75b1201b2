package desk

import (
	"fmt"
	"iter"
	"slices"

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
