package grid

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/snapshot"
)

const kindOfDesk = "grid.Desk"

// MarshalBinary implements encoding.BinaryMarshaler: the snapshot of the schedule, the
// clock, and when each hold expires. Clients may ask the desk meanwhile. The error
// wraps bookahead.ErrInvalid if the schedule is not a bookahead.Snapshotter. It takes what
// the schedule takes, and O(h log h) for h holds.
func (d *Desk) MarshalBinary() ([]byte, error) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	inner, err := bookahead.Snapshot(d.s)
	if err != nil {
		return nil, fmt.Errorf("grid: schedule: %w", err)
	}
	w := snapshot.Begin(kindOfDesk)
	w.Bytes(inner)
	w.Uint(uint64(d.now))
	before := bookahead.ID(0)
	for _, id := range slices.Sorted(maps.Keys(d.held)) {
		if _, err := d.s.Reservation(id); err != nil {
			continue // others have released it
		}
		w.Uint(uint64(id - before))
		w.Uint(uint64(d.held[id].expiry - d.now))
		before = id
	}
	w.Uint(0) // no more
	return w.End()
}

// UnmarshalBinary implements encoding.BinaryUnmarshaler, as bookahead.Snapshotter
// says, but not into a zero value: the receiver must have a schedule of the same
// kind, of any state, which is a bookahead.Cloner. The desk gets another such schedule,
// which Schedule returns, and leaves its own alone. Holds expire as they would have, by
// the desk's clock: those whose time has come meanwhile do so at the next Advance. A hold
// of a reservation that the schedule does not list is refused. It takes what the schedule
// takes, and O(h log h) for h holds.
func (d *Desk) UnmarshalBinary(data []byte) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	r := snapshot.Open(data, kindOfDesk)
	inner := r.Bytes("schedule")
	if r.Err() != nil {
		return r.Close()
	}
	s, err := readLike("schedule", d.s, inner)
	if err != nil {
		return err
	}
	read := newDeskOf(s, r.Time("now"))
	// The schedule's clock may be ahead: that of a Broker is if a provider's is stuck.
	if now := read.s.Frame().Now; now < read.now {
		r.Fail("now", read.now, fmt.Sprintf("is ahead of the schedule's, %d", now))
	}
	read.hold(r)
	if err := r.Close(); err != nil {
		return err
	}
	d.s, d.now, d.held, d.expiries = read.s, read.now, read.held, read.expiries // not the lock
	return nil
}

// hold reads the holds of a desk that has its schedule. Each is of a reservation: with
// an ID that is still to be given it would release whoever gets that ID.
func (d *Desk) hold(r *snapshot.Reader) {
	id := bookahead.ID(0)
	for {
		step := r.Uint("ID", math.MaxUint64-uint64(id))
		if step == 0 {
			return
		}
		id += bookahead.ID(step)
		res, err := d.s.Reservation(id)
		if err != nil {
			r.Fail("ID", id, "is held, but not booked")
		}
		left := bookahead.Time(r.Uint("time to the expiry", uint64(bookahead.MaxTime-d.now)))
		if left == 0 {
			r.Fail("time to the expiry", left, fmt.Sprintf("is over, of hold %d", id))
		}
		if r.Err() != nil {
			return
		}
		d.enter(id, hold{d.now + left, res.End})
	}
}
