package scheduletest

import (
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/bookahead/bookahead"
)

// poolOracle is the oracle for pools: a cell for each tick since the origin holds the number of
// units booked. Every method looks at each tick, so the oracle is useful only where little time
// is booked.
type poolOracle struct {
	axis
	used []int64
}

var _ oracle = (*poolOracle)(nil)

// free counts the units that are free throughout w.
func (p *poolOracle) free(w bookahead.Interval) int64 {
	free := p.spare(w.Start)
	last := max(p.settled(), p.cells())
	for t := w.Start; t < w.End && t <= last; t++ {
		free = min(free, p.spare(t))
	}
	return free
}

// cells returns the tick after the last cell.
func (p *poolOracle) cells() bookahead.Time { return p.origin + bookahead.Time(len(p.used)) }

// usedAt counts the units booked at a tick.
func (p *poolOracle) usedAt(t bookahead.Time) int64 {
	if t >= p.cells() {
		return 0
	}
	return p.used[t-p.origin]
}

// spare counts the units that are free at a tick.
func (p *poolOracle) spare(t bookahead.Time) int64 {
	left := p.capacityAt(t) - p.usedAt(t)
	if p.own.Contains(t) {
		return max(0, left-p.own.Units) + p.own.Units
	}
	return max(0, left)
}

func (p *poolOracle) add(w bookahead.Interval, units int64) {
	w = p.rounded(w)
	for t := max(w.Start, p.origin); t < w.End; t++ {
		for t-p.origin >= bookahead.Time(len(p.used)) {
			p.used = append(p.used, 0)
		}
		p.used[t-p.origin] += units
	}
}

func (p *poolOracle) place(r bookahead.Request) (bookahead.Time, error) {
	if err := p.check(r); err != nil {
		return 0, err
	}
	return p.starts(r, p.fits(r))
}

// fits returns the function that reports whether the units of r are free throughout a
// window.
func (p *poolOracle) fits(r bookahead.Request) func(bookahead.Interval) bool {
	return func(w bookahead.Interval) bool { return p.free(w) >= r.Units }
}

func (p *poolOracle) share(_ bookahead.Request, w bookahead.Interval, _ []int) (kept, others []int, n int64) {
	return nil, nil, p.free(w)
}

func (p *poolOracle) allows(r bookahead.Request, o bookahead.Offer) error {
	if err := p.misplaced(r, o); err != nil {
		return err
	}
	if o.Servers != nil {
		return fmt.Errorf("offer %v of a pool names servers", o)
	}
	free := p.free(o.Interval)
	if free < o.Units {
		return fmt.Errorf("offer %v overbooks: %d are free", o, free)
	}
	return nil
}

func (p *poolOracle) book(o bookahead.Offer) bookahead.ID {
	p.add(o.Interval, o.Units)
	return p.enter(o)
}

func (p *poolOracle) restore(id bookahead.ID, o bookahead.Offer) {
	p.add(o.Interval, o.Units)
	p.booked[id] = o
}

func (p *poolOracle) most() int64 { return p.largest() }

func (p *poolOracle) without(res bookahead.Reservation) oracle {
	c := p.clone().(*poolOracle)
	_ = c.Release(res.ID)
	c.own = res
	c.own.Interval = c.rounded(res.Interval)
	return c
}

func (p *poolOracle) clone() oracle {
	c := *p
	c.used = slices.Clone(p.used)
	c.booked = maps.Clone(p.booked)
	return &c
}

// Search implements bookahead.Schedule.
func (p *poolOracle) Search(r bookahead.Request) (bookahead.Offer, error) {
	start, err := p.place(r)
	if err != nil {
		return bookahead.Offer{}, err
	}
	w := bookahead.Interval{Start: start, End: start + bookahead.Time(r.Duration)}
	return bookahead.Offer{Interval: w, Units: r.Units}, nil
}

// Reserve implements bookahead.Schedule.
func (p *poolOracle) Reserve(r bookahead.Request) (bookahead.Reservation, error) {
	o, err := p.Search(r)
	if err != nil {
		return bookahead.Reservation{}, err
	}
	return bookahead.Reservation{ID: p.book(o), Offer: o}, nil
}

// Release implements bookahead.Schedule.
func (p *poolOracle) Release(id bookahead.ID) error {
	o, err := p.strike(id)
	if err != nil {
		return err
	}
	p.add(o.Interval, -o.Units)
	return nil
}

// RangeQuery implements bookahead.Schedule.
func (p *poolOracle) RangeQuery(w bookahead.Interval) (bookahead.Availability, error) {
	w, err := p.window(w)
	if err != nil || w.Empty() {
		return bookahead.Availability{}, err
	}
	return bookahead.Availability{Window: w, Free: p.free(w)}, nil
}

// Openings implements bookahead.Opener.
func (p *poolOracle) Openings(r bookahead.Request) iter.Seq[bookahead.Interval] {
	return func(yield func(bookahead.Interval) bool) {
		if p.check(r) == nil {
			slices.Values(p.openings(r, p.fits(r)))(yield)
		}
	}
}

// SearchFor implements bookahead.Keeper.
func (p *poolOracle) SearchFor(id bookahead.ID, r bookahead.Request) (bookahead.Offer, error) {
	return rebooked(p, p, id, r)
}

// Rebook implements bookahead.Keeper.
func (p *poolOracle) Rebook(id bookahead.ID, r bookahead.Request) (bookahead.Reservation, error) {
	return rebook(p, id, r)
}
