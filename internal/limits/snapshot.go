package limits

import (
	"math"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/snapshot"
)

// Write writes the capacity, the clock and the horizon.
func (l *Limits) Write(w *snapshot.Writer) {
	w.Uint(uint64(l.Capacity))
	w.Uint(uint64(l.Now))
	w.Uint(uint64(l.horizon))
}

// Read reads the output of Write, for a pool.
func Read(r *snapshot.Reader) Limits {
	capacity := int64(r.Uint("capacity", math.MaxInt64))
	now, horizon := r.Time("now"), r.Time("horizon")
	if r.Err() != nil {
		return Limits{}
	}
	l, err := New(capacity, now, bookahead.Duration(horizon))
	r.Check(err)
	return l
}

// Horizon returns how many ticks ahead of the clock can be booked; 0 means to the
// end of the axis.
func (l *Limits) Horizon() bookahead.Duration { return l.horizon }

// Frame implements bookahead.Keeper.
func (l *Limits) Frame() bookahead.Frame {
	return bookahead.Frame{Now: l.Now, Horizon: l.End, Capacity: l.Capacity, Servers: l.Servers}
}
