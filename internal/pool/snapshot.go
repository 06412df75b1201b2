package pool

import (
	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/ledger"
	"github.com/bookahead/bookahead/internal/limits"
	"github.com/bookahead/bookahead/internal/snapshot"
)

// kind is that of all pools that are exact to the tick. They answer every call
// alike, whatever their structure, and so they read each other's snapshots.
const kind = "pool"

// Encode returns the snapshot of a pool that is exact to the tick. O(n) for n
// reservations.
func (p *Pool) Encode() ([]byte, error) {
	w := snapshot.Begin(kind)
	p.Write(w)
	return w.End()
}

// Decode reads what Encode has written, and returns the pool with the
// profile that its reservations leave. O(n log n).
func Decode(data []byte) (Pool, []Step, error) {
	r := snapshot.Open(data, kind)
	p := Read(r)
	if err := r.Close(); err != nil {
		return Pool{}, nil, err
	}
	steps, err := p.steps()
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

// Read reads what Write has written. The caller must check that nothing is
// overbooked.
func Read(r *snapshot.Reader) Pool {
	p := Pool{Limits: limits.Read(r)}
	if r.Err() != nil {
		return p
	}
	p.Booked = ledger.Read(r, p.Frame().Window(), func(w bookahead.Interval) Booking {
		units := int64(r.Uint("units", uint64(p.Capacity)))
		if units < 1 {
			r.Fail("units", units, "are less than 1")
		}
		return Booking{w, units}
	})
	return p
}
