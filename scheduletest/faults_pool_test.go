package scheduletest

import (
	"maps"
	"runtime"
	"slices"

	"github.com/bookahead/bookahead"
)

type leakyRelease struct{ spoiltPool }

func (p *leakyRelease) Release(id bookahead.ID) error {
	o := p.Booked[id]
	err := p.spoiltPool.Release(id)
	if err == nil {
		p.units(bookahead.Interval{Start: o.End - 1, End: o.End}, o.Units)
	}
	return err
}

type endOffByOne struct{ spoiltPool }

func (p *endOffByOne) Reserve(r bookahead.Request) (bookahead.Reservation, error) {
	res, err := p.spoiltPool.Reserve(r)
	if err == nil {
		p.units(bookahead.Interval{Start: res.End - 1, End: res.End}, -res.Units)
	}
	return res, err
}

type lateStart struct{ spoiltPool }

func (p *lateStart) Search(r bookahead.Request) (bookahead.Offer, error) {
	o, err := p.spoiltPool.Search(r)
	if err == nil && o.Start%4 != 0 && r.Deadline == 0 && p.Horizon == 0 { // to the next slot edge
		o.Start += 4 - o.Start%4
		o.End = o.Start + bookahead.Time(r.Duration)
	}
	return o, err
}

func (p *lateStart) Reserve(r bookahead.Request) (bookahead.Reservation, error) { return p.as(p, r) }

// skipsRunningSlot is Kurowski's Algorithm 2 as printed: it begins with the
// first change at the ready time or later.
type skipsRunningSlot struct{ spoiltPool }

func (p *skipsRunningSlot) Search(r bookahead.Request) (bookahead.Offer, error) {
	at := func(t bookahead.Time) int64 { return freeAhead(&p.Oracle, r, bookahead.Interval{Start: t, End: t + 1}) }
	late := r
	if err := r.Validate(); err == nil && r.Deadline == 0 {
		for late.Ready > p.Clock && late.Ready < p.Busy() && at(late.Ready) == at(late.Ready-1) {
			late.Ready++
		}
	}
	return p.spoiltPool.Search(late)
}

func (p *skipsRunningSlot) Reserve(r bookahead.Request) (bookahead.Reservation, error) {
	return p.as(p, r)
}

type overbooks struct{ spoiltPool }

func (p *overbooks) Search(r bookahead.Request) (bookahead.Offer, error) {
	if r.Units > 1 { // looks at the first tick only
		probe := r
		probe.Duration = 1
		o, err := p.spoiltPool.Search(probe)
		o.End = o.Start + bookahead.Time(r.Duration)
		if _, full := p.spoiltPool.Search(r); err != nil || full != nil {
			return bookahead.Offer{}, full
		}
		return o, err
	}
	return p.spoiltPool.Search(r)
}

func (p *overbooks) Reserve(r bookahead.Request) (bookahead.Reservation, error) { return p.as(p, r) }

type freesRunningOnAdvance struct{ spoiltPool }

func (p *freesRunningOnAdvance) Advance(now bookahead.Time) error {
	err := p.spoiltPool.Advance(now)
	for _, res := range p.List() {
		if err == nil && res.Start < now {
			p.units(res.Interval, -res.Units)
			delete(p.Booked, res.ID)
		}
	}
	return err
}

type forgetsOnAdvance struct{ spoiltPool } // the booking, not its units

func (p *forgetsOnAdvance) Advance(now bookahead.Time) error {
	err := p.spoiltPool.Advance(now)
	for id, o := range p.Booked {
		if o.Start < now {
			delete(p.Booked, id)
		}
	}
	return err
}

type mutatingQuery struct{ spoiltPool }

func (p *mutatingQuery) RangeQuery(w bookahead.Interval) (bookahead.Availability, error) {
	a, err := p.spoiltPool.RangeQuery(w)
	if err == nil && a.Free > 0 && w.Len() > 3 && w.Start < p.Clock+2*span { // there are no cells far away
		p.units(bookahead.Interval{Start: max(w.Start, p.Clock), End: max(w.Start, p.Clock) + 1}, 1)
	}
	return a, err
}

type mutatingSearch struct{ spoiltPool } // keeps the cursor, as some planners do

func (p *mutatingSearch) Search(r bookahead.Request) (bookahead.Offer, error) {
	o, err := p.spoiltPool.Search(r)
	if err == nil && o.Start > p.Clock && r.Deadline == 0 {
		p.Clock++
	}
	return o, err
}

type errorBooks struct{ spoiltPool }

func (p *errorBooks) Reserve(r bookahead.Request) (bookahead.Reservation, error) {
	res, err := p.spoiltPool.Reserve(r)
	if err == bookahead.ErrUnavailable && p.Capacity > 1 {
		p.units(bookahead.Interval{Start: p.Clock, End: p.Clock + 1}, 1)
	}
	return res, err
}

type errorUsesID struct{ spoiltPool }

func (p *errorUsesID) Reserve(r bookahead.Request) (bookahead.Reservation, error) {
	res, err := p.spoiltPool.Reserve(r)
	if err == bookahead.ErrUnavailable {
		p.Last++
	}
	return res, err
}

type idReused struct{ spoiltPool }

func (p *idReused) Release(id bookahead.ID) error {
	err := p.spoiltPool.Release(id)
	if err == nil && id == p.Last {
		p.Last--
	}
	return err
}

type releasesTwice struct{ spoiltPool }

func (p *releasesTwice) Release(id bookahead.ID) error {
	o := p.Booked[id]
	err := p.spoiltPool.Release(id)
	if err == nil {
		p.Booked[id] = o
	}
	return err
}

// staleIndex remembers up to where the pool is full, and does not forget it after a release.
type staleIndex struct {
	spoiltPool
	full bookahead.Time
}

func (p *staleIndex) Reserve(r bookahead.Request) (bookahead.Reservation, error) {
	res, err := p.spoiltPool.Reserve(r)
	if err == nil && res.Units == p.Capacity && res.Start <= max(p.full, p.Clock) {
		p.full = max(p.full, res.End)
	}
	return res, err
}

func (p *staleIndex) Search(r bookahead.Request) (bookahead.Offer, error) {
	if r.Validate() == nil && r.Deadline == 0 {
		r.Ready = max(r.Ready, min(p.full, bookahead.MaxTime-bookahead.Time(r.Duration)))
	}
	return p.spoiltPool.Search(r)
}

type readyIgnored struct{ spoiltPool }

func (p *readyIgnored) Search(r bookahead.Request) (bookahead.Offer, error) {
	if r.Validate() == nil && p.Busy() == p.Clock {
		r.Ready = 0 // on an empty profile
	}
	return p.spoiltPool.Search(r)
}

func (p *readyIgnored) Reserve(r bookahead.Request) (bookahead.Reservation, error) { return p.as(p, r) }

type deadlineIgnored struct{ spoiltPool }

func (p *deadlineIgnored) Search(r bookahead.Request) (bookahead.Offer, error) {
	if r.Validate() == nil && r.Deadline > p.Clock {
		r.Deadline = 0
	}
	return p.spoiltPool.Search(r)
}

func (p *deadlineIgnored) Reserve(r bookahead.Request) (bookahead.Reservation, error) {
	return p.as(p, r)
}

type horizonIgnored struct{ spoiltPool }

func (p *horizonIgnored) Search(r bookahead.Request) (bookahead.Offer, error) {
	h := p.Horizon
	defer func() { p.Horizon = h }()
	p.Horizon = 0
	return p.spoiltPool.Search(r)
}

func (p *horizonIgnored) Reserve(r bookahead.Request) (bookahead.Reservation, error) {
	return p.as(p, r)
}

type twinsCountOnce struct{ spoiltPool } // two equal bookings that start together

func (p *twinsCountOnce) Reserve(r bookahead.Request) (bookahead.Reservation, error) {
	o, err := p.Search(r)
	if err != nil {
		return bookahead.Reservation{}, err
	}
	for _, twin := range p.List() {
		if twin.Interval == o.Interval && twin.Units == o.Units {
			p.Add(o, -1)
			break
		}
	}
	return bookahead.Reservation{ID: p.Book(o), Offer: o}, nil
}

type negativeUnits struct{ spoiltPool }

func (p *negativeUnits) Reserve(r bookahead.Request) (bookahead.Reservation, error) {
	if r.Units < 0 && r.Units > -p.Capacity {
		r.Units = -r.Units
	}
	return p.spoiltPool.Reserve(r)
}

type closedWindow struct{ spoiltPool } // [a, b] for [a, b)

func (p *closedWindow) RangeQuery(w bookahead.Interval) (bookahead.Availability, error) {
	a, err := p.spoiltPool.RangeQuery(w)
	if err == nil && w.End < p.Until() && w.Len() > 3 {
		last, _ := p.spoiltPool.RangeQuery(bookahead.Interval{Start: w.End, End: w.End + 1})
		a.Free = min(a.Free, last.Free)
	}
	return a, err
}

// sharedClone shares its cells with the copy.
type sharedClone struct{ spoiltPool }

func (p *sharedClone) Clone() bookahead.Schedule {
	for range 2 * span { // room for both, so that neither side has to grow
		p.Used = append(p.Used, 0)
	}
	c := *p
	c.Booked = map[bookahead.ID]bookahead.Offer{}
	for id, o := range p.Booked {
		c.Booked[id] = o
	}
	return &c
}

// cellsTaken gives its cells to the clone, and keeps a copy for itself. Two clones that are
// made at once take the same cells.
type cellsTaken struct{ spoiltPool }

func (p *cellsTaken) Clone() bookahead.Schedule {
	c := *p
	c.Booked = maps.Clone(p.Booked)
	runtime.Gosched()
	p.Used = slices.Clone(p.Used)
	return &c
}

// countsClones uses up an ID for each clone.
type countsClones struct{ spoiltPool }

func (p *countsClones) Clone() bookahead.Schedule {
	c := &countsClones{spoiltPool{*p.Copy()}}
	p.Last++
	return c
}

// sumWraps adds the units of a request to the used units, and so may overflow.
type sumWraps struct{ spoiltPool }

func (p *sumWraps) Search(r bookahead.Request) (bookahead.Offer, error) {
	if err := p.Check(r); err != nil {
		return bookahead.Offer{}, err
	}
	start, err := p.FirstStart(r, func(w bookahead.Interval) bool { return p.Capacity-freeAhead(&p.Oracle, r, w)+r.Units <= p.Capacity })
	if err != nil {
		return bookahead.Offer{}, err
	}
	return bookahead.Offer{Interval: bookahead.Interval{Start: start, End: start + bookahead.Time(r.Duration)}, Units: r.Units}, nil
}

func (p *sumWraps) Reserve(r bookahead.Request) (bookahead.Reservation, error) { return p.as(p, r) }

// losesWhenFull forgets a reservation when its ledger has to grow.
type losesWhenFull struct{ spoiltPool }

func (p *losesWhenFull) Reserve(r bookahead.Request) (bookahead.Reservation, error) {
	res, err := p.spoiltPool.Reserve(r)
	if err == nil && len(p.Booked) == 257 {
		delete(p.Booked, p.Last-200)
	}
	return res, err
}

// brokenSplit miscounts once there are more entries than fit into one node.
type brokenSplit struct{ spoiltPool }

func (p *brokenSplit) RangeQuery(w bookahead.Interval) (bookahead.Availability, error) {
	a, err := p.spoiltPool.RangeQuery(w)
	if err == nil && len(p.Booked) > 64 && w.Start%64 == 63 && a.Free > 0 {
		a.Free--
	}
	return a, err
}

// ownReserve takes the place after the one that Search offers.
type ownReserve struct{ spoiltPool }

func (p *ownReserve) Reserve(r bookahead.Request) (bookahead.Reservation, error) {
	if r.Validate() == nil && r.Deadline == 0 && r.Duration > 2 {
		r.Ready = max(r.Ready, p.Clock) + 1
	}
	return p.spoiltPool.Reserve(r)
}
