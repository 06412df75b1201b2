package pool

import (
	"iter"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/ledger"
	"github.com/bookahead/bookahead/internal/limits"
	"github.com/bookahead/bookahead/internal/snapshot"
)

// kind is that of all pools that are exact to the tick. They answer every call
// alike, whatever their structure, and so they read each other's snapshots.
const kind = "pool"

// AppendBinary appends the snapshot of a pool that is exact to the tick. O(n) for
// n reservations.
func (p *Pool) AppendBinary(b []byte) ([]byte, error) {
	w := snapshot.Begin(b, kind)
	p.Write(w)
	return w.End()
}

// Decode reads what AppendBinary has written, and returns the pool with the
// profile that its reservations leave. O(n log n).
func Decode(data []byte) (Pool, []Step, error) {
	r := snapshot.Open(data, kind)
	p := Read(r)
	if err := r.Close(); err != nil {
		return Pool{}, nil, err
	}
	steps, err := Steps(p.Capacity, p.Now, p.Bookings())
	if err != nil {
		return Pool{}, nil, err
	}
	return p, steps, nil
}

// Write writes the limits and what is booked.
func (p *Pool) Write(w *snapshot.Writer) {
	p.Limits.Write(w)
	p.Booked.Write(w, p.Now, func(b Booking) { w.Uint(uint64(b.Units)) })
}

// Read reads what Write has written. That nothing is overbooked is for the caller
// to see.
func Read(r *snapshot.Reader) Pool {
	p := Pool{Limits: limits.Read(r)}
	if r.Err() != nil {
		return p
	}
	p.Booked = ledger.Read(r, p.Frame().Interval, func(w bookahead.Interval) Booking {
		units := int64(r.Uint("units", uint64(p.Capacity)))
		if units < 1 {
			r.Fail("units", units, "are less than 1")
		}
		return Booking{w, units}
	})
	return p
}

// Bookings yields what is booked, in the order of IDs.
func (p *Pool) Bookings() iter.Seq[Booking] {
	return func(yield func(Booking) bool) {
		for _, b := range p.Booked.All(p.Now) {
			if !yield(b) {
				return
			}
		}
	}
}

// Reservations does what bookahead.Lister says.
func (p *Pool) Reservations() iter.Seq[bookahead.Reservation] {
	return func(yield func(bookahead.Reservation) bool) {
		for id, b := range p.Booked.All(p.Now) {
			if !yield(b.reservation(id)) {
				return
			}
		}
	}
}

// Reservation does what bookahead.Lister says.
func (p *Pool) Reservation(id bookahead.ID) (bookahead.Reservation, error) {
	b, ok := p.Booked.Get(id, p.Now)
	if !ok {
		return bookahead.Reservation{}, bookahead.ErrNotFound
	}
	return b.reservation(id), nil
}

func (b Booking) reservation(id bookahead.ID) bookahead.Reservation {
	return bookahead.Reservation{ID: id, Offer: bookahead.Offer{Interval: b.Interval, Units: b.Units}}
}
