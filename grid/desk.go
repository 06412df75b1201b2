package grid

import (
	"errors"
	"fmt"
	"sync"

	"github.com/google/btree"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
)

// Desk takes holds on a schedule: while a client negotiates with several
// providers, each keeps a place for it, but not for ever (Schneider & Linnert,
// §3).
//
//	Hold ──► held ──Commit──► booked ──► as by Reserve
//	           ├────Cancel──► free
//	           └────expiry──► free
//
// A hold is a real booking, so that nobody else gets the place meanwhile. Its ID is that
// of a reservation, with which it ends. Without holds a Desk keeps the laws that its
// schedule keeps; an expiry frees units, and so Advance changes answers about the future
// (law 7). The schedule is used through the Desk alone.
//
// Clients may negotiate at the same time: any number of goroutines may call its
// methods.
type Desk struct {
	mu       sync.RWMutex
	s        bookahead.Keeper
	now      bookahead.Time
	held     map[bookahead.ID]hold
	expiries *btree.BTreeG[event] // when each hold is over
}

// hold is a reservation that is not committed yet.
type hold struct {
	expiry bookahead.Time
	end    bookahead.Time // of the reservation
}

// over returns when a hold is forgotten: at its expiry, or with its reservation.
func (h hold) over() bookahead.Time { return min(h.expiry, h.end) }

var _ interface {
	bookahead.Keeper
	bookahead.Opener
	bookahead.LatestSearcher
	bookahead.Cloner
	bookahead.Snapshotter
	holder
} = (*Desk)(nil)

// NewDesk returns a desk for the schedule, whose clock is moved to now. The error
// wraps bookahead.ErrInvalid if the schedule is nil, or its clock ahead of that. It
// takes what Advance takes.
func NewDesk(s bookahead.Keeper, now bookahead.Time) (*Desk, error) {
	if err := limits.CheckNil("schedule", s); err != nil {
		return nil, err
	}
	if err := s.Advance(now); err != nil {
		return nil, err
	}
	return newDeskOf(s, now), nil
}

// newDeskOf returns a desk that holds nothing, for a schedule whose clock stands at
// now.
func newDeskOf(s bookahead.Keeper, now bookahead.Time) *Desk {
	return &Desk{s: s, now: now, held: map[bookahead.ID]hold{}, expiries: btree.NewG(32, earlier)}
}

// Hold books the place that Search would return, until the tick expiry, which must
// be after now: then it is released, unless it has been committed. The reservation
// may have begun by then. If it ends before, the hold is over too. A Reserve, and
// O(log h) for h holds.
func (d *Desk) Hold(r bookahead.Request, expiry bookahead.Time) (bookahead.Reservation, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if expiry <= d.now {
		return bookahead.Reservation{}, limits.Invalid("expiry", int64(expiry), fmt.Sprintf("is not after now, %d", d.now))
	}
	res, err := d.s.Reserve(r)
	if err != nil {
		return res, err
	}
	d.enter(res.ID, hold{expiry, res.End})
	return res, nil
}

// Commit makes a reservation of a hold, for which no expiry counts any more. It
// returns bookahead.ErrNotFound if the ID is not held: it has expired or ended, was
// cancelled, released or committed, or never held. O(log h).
func (d *Desk) Commit(id bookahead.ID) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, ok := d.held[id]; !ok {
		return bookahead.ErrNotFound
	}
	d.drop(id)
	return nil
}

// Cancel releases a hold. It returns bookahead.ErrNotFound if the ID is not held. A
// Release, and O(log h).
func (d *Desk) Cancel(id bookahead.ID) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, ok := d.held[id]; !ok {
		return bookahead.ErrNotFound
	}
	return d.release(id)
}

// Held returns the tick at which a hold expires, and whether the ID is held. O(1).
func (d *Desk) Held(id bookahead.ID) (expiry bookahead.Time, ok bool) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	h, ok := d.held[id]
	return h.expiry, ok
}

// Schedule returns the schedule, for queries that it can answer and the desk
// cannot, such as Blocks. Whatever writes must go through the desk, but for closures: they may
// be made at the schedule itself, while nobody uses the desk, or if the schedule is behind
// bookahead.Locked. After UnmarshalBinary it is another.
func (d *Desk) Schedule() bookahead.Keeper {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.s
}

// Search implements bookahead.Schedule, as the schedule does. What is held is
// booked.
func (d *Desk) Search(r bookahead.Request) (bookahead.Offer, error) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.s.Search(r)
}

// RangeQuery implements bookahead.Schedule, as the schedule does.
func (d *Desk) RangeQuery(w bookahead.Interval) (bookahead.Availability, error) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.s.RangeQuery(w)
}

// Reserve implements bookahead.Schedule, as the schedule does: it is a Hold and its
// Commit.
func (d *Desk) Reserve(r bookahead.Request) (bookahead.Reservation, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.s.Reserve(r)
}

// Release implements bookahead.Schedule, for what is held too. It takes what the
// schedule takes, and O(log h) for h holds.
func (d *Desk) Release(id bookahead.ID) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.release(id)
}

func (d *Desk) release(id bookahead.ID) error {
	err := d.s.Release(id)
	if err == nil || err == bookahead.ErrNotFound { // not if others have released it
		d.drop(id)
	}
	return err
}

// Advance implements bookahead.Schedule, and releases the holds that have expired
// by now, in the order in which they do: of those that run, what is left from now
// on. If one cannot be released, the schedule has been used elsewhere; the clock
// has moved nevertheless, and the error says which. It takes what the schedule
// takes, and a Release for each hold that expires.
func (d *Desk) Advance(now bookahead.Time) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.s.Advance(now); err != nil {
		return err
	}
	d.now = now
	var failed []error
	for e, ok := d.expiries.Min(); ok && e.Time <= now; e, ok = d.expiries.Min() {
		d.expiries.DeleteMin()
		d.drop(e.id)
		if err := d.s.Release(e.id); err != nil && err != bookahead.ErrNotFound { // not if it has ended
			failed = append(failed, fmt.Errorf("grid: hold %d has expired: %w", e.id, err))
		}
	}
	return errors.Join(failed...)
}

// SearchFor implements bookahead.Keeper, as the schedule does.
func (d *Desk) SearchFor(id bookahead.ID, r bookahead.Request) (bookahead.Offer, error) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.s.SearchFor(id, r)
}

// Rebook implements bookahead.Keeper, as the schedule does. A hold expires when it would
// have, or ends with its reservation.
func (d *Desk) Rebook(id bookahead.ID, r bookahead.Request) (bookahead.Reservation, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	res, err := d.s.Rebook(id, r)
	h, ok := d.held[id]
	if ok && err == nil {
		d.drop(id)
		d.enter(id, hold{h.expiry, res.End})
	}
	if err == bookahead.ErrNotFound { // others may have released it
		d.drop(id)
	}
	return res, err
}

// enter remembers a hold.
func (d *Desk) enter(id bookahead.ID, h hold) {
	d.held[id] = h
	d.expiries.ReplaceOrInsert(event{h.over(), id})
}

// drop forgets a hold, if there is one.
func (d *Desk) drop(id bookahead.ID) {
	h, ok := d.held[id]
	if !ok {
		return
	}
	d.expiries.Delete(event{h.over(), id})
	delete(d.held, id)
}
