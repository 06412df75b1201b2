package bookahead

import "sync"

// LockedSchedule guards a schedule with a read-write lock, so that any number
// of goroutines may use it: queries run side by side, writes alone.
type LockedSchedule struct {
	mu sync.RWMutex
	s  Schedule
}

var _ Schedule = (*LockedSchedule)(nil)

// Locked returns s behind a read-write lock. From then on s must only be used
// through it.
func Locked(s Schedule) *LockedSchedule { return &LockedSchedule{s: s} }

// Search implements Schedule under the read lock.
func (l *LockedSchedule) Search(r Request) (Offer, error) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.s.Search(r)
}

// Reserve implements Schedule under the write lock.
func (l *LockedSchedule) Reserve(r Request) (Reservation, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.s.Reserve(r)
}

// Release implements Schedule under the write lock.
func (l *LockedSchedule) Release(id ID) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.s.Release(id)
}

// RangeQuery implements Schedule under the read lock.
func (l *LockedSchedule) RangeQuery(w Interval) (Availability, error) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.s.RangeQuery(w)
}

// Advance implements Schedule under the write lock.
func (l *LockedSchedule) Advance(now Time) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.s.Advance(now)
}

// View calls f with the schedule under the read lock: for several queries that
// must see the same state, and for abilities such as Profiler. f must not
// write, nor keep the schedule, nor call l.
func (l *LockedSchedule) View(f func(s Schedule)) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	f(l.s)
}

// Update calls f with the schedule under the write lock: for several steps
// that must not be torn apart, and for Cloner. f must not keep the schedule, nor
// call l.
func (l *LockedSchedule) Update(f func(s Schedule)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	f(l.s)
}
