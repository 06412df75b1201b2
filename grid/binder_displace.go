package grid

import (
	"cmp"
	"fmt"
	"iter"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
)

// Overbooked implements bookahead.Closable. A stretch names the closed servers that running
// reservations hold. The pool may lack more units than these, or fewer, because other servers may be
// open and free. Units is the greater number. It takes an Overbooked of the pool, and O(u + k log k)
// for u servers held and k stretches.
func (b *Binder) Overbooked(w bookahead.Interval) iter.Seq[bookahead.Overbooking] {
	return func(yield func(bookahead.Overbooking) bool) {
		w.Start = max(w.Start, b.now)
		if b.closed == nil || w.Empty() {
			return
		}
		var s sweep
		bookahead.View(b.pool, func(p bookahead.Closable) {
			for o := range p.Overbooked(w) {
				s.units(o.Interval, o.Units)
			}
		})
		b.running.Ascend(func(e event) bool {
			b.lost(e.id, w, s.server)
			return true
		})
		slices.Values(s.list(true))(yield)
	}
}

// lost calls f for each stretch of w in which a reservation holds a closed server.
func (b *Binder) lost(id bookahead.ID, w bookahead.Interval, f func(bookahead.Interval, int)) {
	res := b.booked[id]
	w.End = min(w.End, res.End)
	for _, k := range res.Servers {
		if b.closed.shutFrom(k, w.Start) >= w.End {
			continue
		}
		for _, part := range b.closed.shutIn(k, w) {
			f(part, k)
		}
	}
}

// Overbooks implements bookahead.Displacer: it reports whether the pool lacks units while the
// reservation lasts, or the reservation runs on a server that is closed before its end. It takes an
// Overbooked of the pool, and O(u) for u servers.
func (b *Binder) Overbooks(id bookahead.ID) (found bool) {
	res, ok := b.booked[id]
	if !ok || b.closed == nil {
		return false
	}
	w := bookahead.Interval{Start: max(res.Start, b.now), End: res.End}
	b.lost(id, w, func(bookahead.Interval, int) { found = true })
	bookahead.View(b.pool, func(p bookahead.Closable) {
		for range p.Overbooked(w) {
			found = true
			return
		}
	})
	return found
}

// Lift implements bookahead.Displacer. A running reservation is put back on its servers, if they are
// free and open to its end. The error wraps bookahead.ErrInvalid if the pool is no
// bookahead.Displacer. It takes a Lift of the pool, and as much as Release without its pool.
func (b *Binder) Lift(id bookahead.ID) (back func() error, err error) {
	var inPool func() error
	ok := bookahead.Update(b.pool, func(p bookahead.Displacer) { inPool, err = p.Lift(id) })
	switch {
	case !ok:
		return nil, b.noDisplacer()
	case err != nil:
		return nil, err
	}
	old := b.booked[id]
	b.drop(id)
	return func() error { return b.putBack(old, inPool) }, nil
}

// putBack books a lifted reservation where it was.
func (b *Binder) putBack(old bookahead.Reservation, inPool func() error) error {
	_, again := b.booked[old.ID]
	if again || old.End <= b.now {
		return bookahead.ErrUnavailable
	}
	for _, k := range old.Servers {
		if !b.free.has(k) || b.closed != nil && b.closed.shutFrom(k, b.now) < old.End {
			return bookahead.ErrUnavailable
		}
	}
	err := bookahead.ErrNotFound
	bookahead.Update(b.pool, func(bookahead.Displacer) { err = inPool() })
	if err != nil {
		return err
	}
	keep := old.Servers
	old.Servers = nil
	b.enter(old, keep)
	return nil
}

// ReserveAs implements bookahead.Displacer. The error also wraps bookahead.ErrInvalid if the pool is no
// bookahead.Displacer. It takes a ReserveAs of the pool, and as much as Reserve without its pool.
func (b *Binder) ReserveAs(id bookahead.ID, r bookahead.Request) (res bookahead.Reservation, err error) {
	ok := bookahead.Update(b.pool, func(p bookahead.Displacer) { res, err = p.ReserveAs(id, r) })
	switch {
	case !ok:
		return res, b.noDisplacer()
	case err != nil:
		return res, err
	}
	b.enter(res, nil)
	return res, nil
}

func (b *Binder) noDisplacer() error {
	return limits.Invalid("pool", fmt.Sprintf("%T", b.pool), "is no bookahead.Displacer")
}

// Adopt implements bookahead.Displacer. The clone must be a Binder. The pool adopts the pool of the
// clone or, if it is no bookahead.Displacer, is replaced by it.
func (b *Binder) Adopt(clone bookahead.Schedule) {
	pool := b.pool
	*b = *clone.(*Binder)
	b.pool = adopt(pool, b.pool)
}

// Track implements bookahead.Tracker by that of the pool. It does nothing if the pool is no Tracker.
func (b *Binder) Track(on bool) {
	bookahead.Update(b.pool, func(p bookahead.Tracker) { p.Track(on) })
}

// Live implements bookahead.Tracker by that of the pool. It returns false if the pool is no Tracker.
func (b *Binder) Live() (n int, ok bool) {
	bookahead.View(b.pool, func(p bookahead.Tracker) { n, ok = p.Live() })
	return n, ok
}

// ReservationsOn implements bookahead.Tracker by that of the pool. If servers are given, it yields the
// running reservations that hold one of them, in O(r u) for r running reservations of u servers each.
// The reservations yielded name no servers, like those of Reservations.
func (b *Binder) ReservationsOn(w bookahead.Interval, servers []int) iter.Seq[bookahead.Reservation] {
	if servers == nil {
		return bookahead.ReservationsOn(b.pool, w, nil)
	}
	return func(yield func(bookahead.Reservation) bool) {
		var list []bookahead.Reservation
		wanted := map[int]bool{}
		for _, k := range servers {
			wanted[k] = true
		}
		b.running.Ascend(func(e event) bool {
			res := b.booked[e.id]
			if res.Overlaps(w) && slices.ContainsFunc(res.Servers, func(k int) bool { return wanted[k] }) {
				res.Servers = nil
				list = append(list, res)
			}
			return true
		})
		slices.SortFunc(list, func(x, y bookahead.Reservation) int {
			return cmp.Or(cmp.Compare(x.Start, y.Start), cmp.Compare(x.ID, y.ID))
		})
		slices.Values(list)(yield)
	}
}

// adopt gives a schedule the state of its clone, and returns the schedule. If the schedule is no
// bookahead.Displacer, it returns the clone instead.
func adopt[S bookahead.Schedule](s, clone S) S {
	adopted := false
	bookahead.Update(s, func(s bookahead.Schedule) {
		bookahead.View(clone, func(c bookahead.Schedule) {
			d, ok := s.(bookahead.Displacer)
			if ok {
				d.Adopt(c)
				adopted = true
			}
		})
	})
	if adopted {
		return s
	}
	return clone
}
