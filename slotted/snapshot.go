package slotted

import (
	"iter"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
	"github.com/bookahead/bookahead/internal/pool"
	"github.com/bookahead/bookahead/internal/snapshot"
)

// kind is the kind of both forms, because they answer alike.
const kind = "slotted"

// write writes a pool. running is how many units are used in the running slot. Reservations that
// have ended in that slot still count there, so their units are written too.
func write(p *pool.Pool, r ring, running int64) ([]byte, error) {
	w := snapshot.Begin(kind)
	p.Write(w)
	w.Uint(uint64(r.width))
	w.Uint(uint64(running - r.live(p)))
	return w.End()
}

// live returns how many units are booked in the running slot by reservations that have not ended.
func (r ring) live(p *pool.Pool) (units int64) {
	for b := range r.slots(p) {
		if b.Start == bookahead.Time(r.slot(p.Now)) {
			units += b.Units
		}
	}
	return units
}

// slots yields the bookings of a pool, with slots in place of times.
func (r ring) slots(p *pool.Pool) iter.Seq[pool.Booking] {
	return func(yield func(pool.Booking) bool) {
		for b := range p.Bookings() {
			b.Start = max(b.Start, p.Now)
			from, to := r.span(b.Interval)
			b.Interval = bookahead.Interval{Start: bookahead.Time(from), End: bookahead.Time(to)}
			if !yield(b) {
				return
			}
		}
	}
}

// generate returns the free units of a pool in a ring, with slots in place of times. ended is how
// many units have ended in the running slot, where they still count. The error wraps
// bookahead.ErrInvalid.
func (r ring) generate(p *pool.Pool, ended int64) ([]pool.Step, error) {
	now := bookahead.Time(r.slot(p.Now))
	return pool.Steps(p.Capacity, now, func(yield func(pool.Booking) bool) {
		running := bookahead.Interval{Start: now, End: now + 1}
		if ended > 0 && !yield(pool.Booking{Interval: running, Units: ended}) {
			return
		}
		r.slots(p)(yield)
	})
}

// used yields each slot with used units, and how many are used.
func used(capacity int64, steps []pool.Step) iter.Seq2[int64, int64] {
	return func(yield func(int64, int64) bool) {
		for i, s := range steps[:len(steps)-1] {
			for slot := s.Start; slot < steps[i+1].Start; slot++ {
				if s.Free < capacity && !yield(int64(slot), capacity-s.Free) {
					return
				}
			}
		}
	}
}

// decoded is a snapshot as write makes it.
type decoded struct {
	pool  pool.Pool
	ring  ring
	ended int64 // units that ended in the running slot
}

// decode reads a snapshot for a receiver whose ring is made, and whose slots take each bytes.
func decode(data []byte, made ring, each uint64) (decoded, error) {
	r := snapshot.Open(data, kind)
	d := decoded{pool: pool.Read(r)}
	width := r.Time("width")
	d.ended = int64(r.Uint("units that ended in the slot that is running", uint64(d.pool.Capacity)))
	if r.Err() == nil && width < 1 {
		r.Fail("width", width, "is less than 1")
	}
	if r.Err() == nil {
		var err error
		d.ring, err = newRing(Config{Horizon: d.pool.Horizon(), Slot: bookahead.Duration(width)})
		r.Check(err)
		if width != made.width || d.ring.size > made.size {
			r.Afford("slots", uint64(d.ring.size), each)
		}
	}
	if err := r.Close(); err != nil {
		return d, err
	}
	if d.ended > 0 && d.ring.start(d.ring.slot(d.pool.Now)) == d.pool.Now {
		return d, limits.Invalid("snapshot: units that have ended", d.ended, "are in a slot that has only begun")
	}
	return d, nil
}
