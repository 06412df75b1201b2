package slotted

import (
	"iter"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
	"github.com/bookahead/bookahead/internal/pool"
	"github.com/bookahead/bookahead/internal/snapshot"
)

// kind is that of both forms, which answer alike.
const kind = "slotted"

// write writes a pool whose slot that is running has so many units used: what has
// ended in that slot counts there as well.
func write(b []byte, p *pool.Pool, r ring, running int64) ([]byte, error) {
	w := snapshot.Begin(b, kind)
	p.Write(w)
	w.Uint(uint64(r.width))
	w.Uint(uint64(running - r.live(p)))
	return w.End()
}

// live returns how many units are booked in the slot that is running.
func (r ring) live(p *pool.Pool) (units int64) {
	for b := range r.slots(p) {
		if b.Start == bookahead.Time(r.slot(p.Now)) {
			units += b.Units
		}
	}
	return units
}

// slots yields the bookings of a pool, with their slots in the place of times.
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

// decoded is what write has written.
type decoded struct {
	pool   pool.Pool
	config Config
	steps  []pool.Step // slots in the place of times
}

// decode reads what write has written, for a receiver with a ring.
func decode(data []byte, made ring) (decoded, error) {
	r := snapshot.Open(data, kind)
	d := decoded{pool: pool.Read(r)}
	width := r.Time("width")
	d.config = Config{Origin: d.pool.Now, Horizon: d.pool.Horizon(), Slot: bookahead.Duration(width)}
	ended := pool.Booking{Units: int64(r.Uint("units that ended in the slot that is running", uint64(d.pool.Capacity)))}
	if r.Err() == nil && width < 1 {
		r.Fail("width", width, "is less than 1")
	}
	if r.Err() == nil {
		n, err := d.config.Slots()
		r.Check(err)
		if width != made.width || int64(n) > made.size {
			r.Afford("slots", uint64(n), 8)
		}
	}
	if err := r.Close(); err != nil {
		return d, err
	}
	lines := ring{width: width}
	now := bookahead.Time(lines.slot(d.pool.Now))
	ended.Interval = bookahead.Interval{Start: now, End: now + 1}
	if ended.Units > 0 && lines.start(int64(now)) == d.pool.Now {
		return d, limits.Invalid("snapshot: units that have ended", ended.Units, "are in a slot that has only begun")
	}
	var err error
	d.steps, err = pool.Steps(d.pool.Capacity, now, func(yield func(pool.Booking) bool) {
		if ended.Units > 0 && !yield(ended) {
			return
		}
		lines.slots(&d.pool)(yield)
	})
	return d, err
}

// used yields the slots with something used, and how much.
func (d *decoded) used() iter.Seq2[int64, int64] {
	return func(yield func(int64, int64) bool) {
		for i, s := range d.steps[:len(d.steps)-1] {
			for slot := s.Start; slot < d.steps[i+1].Start; slot++ {
				if s.Free < d.pool.Capacity && !yield(int64(slot), d.pool.Capacity-s.Free) {
					return
				}
			}
		}
	}
}
