package volume

import (
	"fmt"
	"iter"
	"math"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/effort"
	"github.com/bookahead/bookahead/internal/limits"
)

// pool is a schedule that counts units, and tells how many are free.
type pool interface {
	bookahead.Keeper
	bookahead.Profiler
}

// Search returns the plan with the least cost, and books nothing. A step of Effort is a look at a stretch of free
// units, at a pair of them for each number of stretches, or, 16 times, at the numbers of stretches for one: 128 MiB of
// them take up to 340 MB.
//
// The error is bookahead.ErrUnavailable if there is no plan between now and the horizon, bookahead.ErrStopped if the
// effort ends before one is known, and wraps bookahead.ErrInvalid if the request makes no sense or s is not a pool that
// tells its free units. It is a query.
func Search(s bookahead.Schedule, r Request, e bookahead.Effort) (p Plan, err error) {
	err = r.Validate()
	if err != nil {
		return p, err
	}
	m, err := effort.New(e)
	if err != nil {
		return p, err
	}
	ok := bookahead.View(s, func(x pool) { p, err = search(x, r, &m) })
	if !ok {
		return p, limits.Invalid("schedule", fmt.Sprintf("%T", s), "is no Keeper that tells its free units")
	}
	return p, err
}

func search(s pool, r Request, m *effort.Meter) (Plan, error) {
	frame := s.Frame()
	if frame.Servers > 0 {
		return Plan{}, limits.Invalid("schedule", fmt.Sprintf("%T", s), "knows its servers, and is no pool")
	}
	w := frame.Window()
	w.Start = max(w.Start, r.Ready)
	if r.Deadline != 0 {
		w.End = min(w.End, r.Deadline)
	}
	if w.Empty() {
		return Plan{}, bookahead.ErrUnavailable
	}
	free := rates(s, w, r)
	p, err := fill(free, r, m)
	if err != nil || r.Stretches == 0 && r.Price == 0 {
		return p, err
	}
	return bend(free, r, p, m)
}

// rates yields the units that a plan may have at most, where it may have Least or more.
func rates(s pool, w bookahead.Interval, r Request) iter.Seq[bookahead.Step] {
	most := r.Most
	if most == 0 {
		most = math.MaxInt64
	}
	list, _ := bookahead.Fill(s, w, r.Least, most)
	return list
}
