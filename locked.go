package bookahead

import (
	"iter"
	"slices"
	"sync"
)

// Locked returns k behind a read-write lock, so that any number of goroutines may use it: queries
// and clones run side by side, writes alone. From then on use k only through the result. No
// ability is lost: the functions of this package work on the result, and View and Update lead to
// every ability of k. Reservations are collected under the lock and yielded without it, so that
// the loop may use the schedule: O(k) memory for k reservations. A Schedule that is no Keeper
// must bring a lock of its own.
func Locked(k Keeper) Keeper { return &locked{s: k} }

// locked is a schedule behind a lock.
type locked struct {
	mu sync.RWMutex
	s  Keeper
}

var _ Keeper = (*locked)(nil)

// View calls f with s as an A, under the read lock if there is one, and reports whether s is an
// A. View is the way to an ability that only some schedules have, and to several queries that
// must see the same state:
//
//	bookahead.View(s, func(p bookahead.Profiler) { ... p.Blocks(w) ... })
//
// View opens Locked and nothing else: it never opens a schedule that keeps books about another,
// such as a grid.Broker. f must not write, keep its argument, or use s otherwise.
func View[A any](s Schedule, f func(A)) bool {
	if l, ok := s.(*locked); ok {
		l.mu.RLock()
		defer l.mu.RUnlock()
		return View(l.s, f)
	}
	a, ok := s.(A)
	if ok {
		f(a)
	}
	return ok
}

// Update is View under the write lock, for steps that must happen together. f may write. f must
// not keep its argument, or use s otherwise.
func Update[A any](s Schedule, f func(A)) bool {
	if l, ok := s.(*locked); ok {
		l.mu.Lock()
		defer l.mu.Unlock()
		return Update(l.s, f)
	}
	a, ok := s.(A)
	if ok {
		f(a)
	}
	return ok
}

// Search implements Schedule under the read lock.
func (l *locked) Search(r Request) (Offer, error) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.s.Search(r)
}

// Reserve implements Schedule under the write lock.
func (l *locked) Reserve(r Request) (Reservation, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.s.Reserve(r)
}

// Release implements Schedule under the write lock.
func (l *locked) Release(id ID) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.s.Release(id)
}

// RangeQuery implements Schedule under the read lock.
func (l *locked) RangeQuery(w Interval) (Availability, error) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.s.RangeQuery(w)
}

// Advance implements Schedule under the write lock.
func (l *locked) Advance(now Time) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.s.Advance(now)
}

// Frame implements Keeper under the read lock.
func (l *locked) Frame() Frame {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.s.Frame()
}

// Reservation implements Keeper under the read lock.
func (l *locked) Reservation(id ID) (Reservation, error) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.s.Reservation(id)
}

// Reservations implements Keeper. The reservations are collected under the read lock and yielded
// without it.
func (l *locked) Reservations(w Interval) iter.Seq[Reservation] {
	return func(yield func(Reservation) bool) {
		l.mu.RLock()
		list := slices.Collect(l.s.Reservations(w))
		l.mu.RUnlock()
		slices.Values(list)(yield)
	}
}

// SearchFor implements Keeper under the read lock.
func (l *locked) SearchFor(id ID, r Request) (Offer, error) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.s.SearchFor(id, r)
}

// Rebook implements Keeper under the write lock.
func (l *locked) Rebook(id ID, r Request) (Reservation, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.s.Rebook(id, r)
}

// copied returns a copy of the schedule behind a lock of its own, and nil if the schedule cannot
// be copied. It takes the read lock.
func (l *locked) copied() Schedule {
	l.mu.RLock()
	defer l.mu.RUnlock()
	c, ok := Clone(l.s)
	if !ok {
		return nil
	}
	return Locked(c)
}
