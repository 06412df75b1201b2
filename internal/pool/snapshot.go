package pool

import (
	"fmt"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/closures"
	"github.com/bookahead/bookahead/internal/ledger"
	"github.com/bookahead/bookahead/internal/limits"
	"github.com/bookahead/bookahead/internal/snapshot"
)

// The kinds of snapshots of pools that are exact to the tick. Such pools answer every call alike,
// whatever their structure, and so read each other's snapshots. A pool whose capacity never
// changes does not read a snapshot with closures.
const (
	kind       = "pool"
	kindClosed = "pool with closures"
)

// Encode returns the snapshot of a pool that is exact to the tick. O(n) for n
// reservations.
func (p *Pool) Encode() ([]byte, error) {
	if p.closed == nil {
		w := snapshot.Begin(kind)
		p.Write(w)
		return w.End()
	}
	w := snapshot.Begin(kindClosed)
	p.Write(w)
	w.Uint(uint64(p.closed.base))
	p.closed.Write(w, func(c bookahead.Closure) { w.Uint(uint64(c.Units)) })
	return w.End()
}

// Decode reads the output of Encode for a pool whose capacity has never changed, and returns the
// pool with the steps that its reservations leave. O(n log n).
func Decode(data []byte) (Pool, []Step, error) { return decode(data, kind) }

// DecodeClosed is Decode for a pool that may have closures.
func DecodeClosed(data []byte) (Pool, []Step, error) { return decode(data, kind, kindClosed) }

func decode(data []byte, kinds ...string) (Pool, []Step, error) {
	r := snapshot.Open(data, kinds...)
	p := Read(r)
	if r.Err() == nil && r.Kind() == kindClosed {
		p.closed = readClosed(r, &p)
	}
	err := r.Close()
	if err != nil {
		return Pool{}, nil, err
	}
	steps, err := p.steps()
	if err != nil {
		return Pool{}, nil, err
	}
	return p, steps, nil
}

// readClosed reads the closures of a pool, and its units from the start.
func readClosed(r *snapshot.Reader, p *Pool) *closed {
	x := &closed{base: int64(r.Uint("units from the start", uint64(p.Capacity)))}
	x.steps = []Step{{p.Now, x.base}}
	if x.base < 1 || p.Capacity > Most {
		r.Fail("units from the start", x.base, fmt.Sprintf("are less than 1, or the capacity %d cannot change", p.Capacity))
	}
	x.List = closures.Read(r, p.Now, func(c *bookahead.Closure) {
		c.Units = int64(r.Uint("units of a closure", 2*Most))
		r.Check(x.check(*c))
		x.sum(*c, 1)
	})
	switch {
	case !x.Ever():
		r.Fail("last closure", 0, "is none, but the kind says that there were closures")
	case x.base+x.added > p.Capacity:
		r.Fail("capacity", p.Capacity, "is less than the units with the extensions")
	}
	if r.Err() != nil {
		return nil
	}
	x.generate(p.Now)
	return x
}

// Write writes the limits and the reservations.
func (p *Pool) Write(w *snapshot.Writer) {
	p.Limits.Write(w)
	p.Booked.Write(w, p.Now, func(b Booking) { w.Uint(uint64(b.Units)) })
}

// Read reads the output of Write. The caller must check that nothing is overbooked.
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
