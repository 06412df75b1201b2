package scheduletest

import (
	"iter"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/scheduletest/internal/oracle"
)

// closureOf returns the closure of an ID.
func closureOf(s bookahead.Closable, id bookahead.ClosureID) (c bookahead.Closure) {
	for c := range s.Closures() {
		if c.ID == id {
			return c
		}
	}
	return c
}

// resurrects gives back missing units along with those released.
type resurrects struct{ spoiltPool }

func (p *resurrects) Release(id bookahead.ID) error {
	res, _ := p.Reservation(id)
	over := overbookedIn(&p.Oracle, res.Interval)
	err := p.spoiltPool.Release(id)
	for _, o := range over {
		p.units(o.Interval, -min(o.Units, res.Units))
	}
	return err
}

// endFreesUnits gives back booked units too when a closure ends.
type endFreesUnits struct{ spoiltPool }

func (p *endFreesUnits) End(id bookahead.ClosureID, at bookahead.Time) error {
	over := overbookedIn(&p.Oracle, always)
	err := p.spoiltPool.End(id, at)
	for _, o := range over {
		if err == nil && len(overbookedIn(&p.Oracle, o.Interval)) == 0 {
			p.units(o.Interval, -o.Units)
		}
	}
	return err
}

// endFreesServers takes servers away from the reservations that hold them when a closure ends.
type endFreesServers struct{ spoiltServers }

func (s *endFreesServers) End(id bookahead.ClosureID, at bookahead.Time) error {
	over := overbookedIn(&s.Oracle, always)
	err := s.spoiltServers.End(id, at)
	for _, o := range over {
		if err == nil && len(overbookedIn(&s.Oracle, o.Interval)) == 0 {
			s.Add(bookahead.Offer{Interval: o.Interval, Servers: o.Servers}, -1)
		}
	}
	return err
}

// endOpens opens the servers of a closure when it ends, even if another closure covers them.
type endOpens struct{ spoiltServers }

func (s *endOpens) End(id bookahead.ClosureID, at bookahead.Time) error {
	c := closureOf(s, id)
	err := s.spoiltServers.End(id, at)
	for _, x := range s.Terms {
		for _, k := range c.Servers {
			if err == nil && x.Start >= max(at, c.Start, s.Clock) && x.Start < c.End {
				x.Shut[k] = 0
			}
		}
	}
	return err
}

// opensEarly counts the closures of a server as one, which ends with the first.
type opensEarly struct{ spoiltServers }

func (s *opensEarly) RangeQuery(w bookahead.Interval) (bookahead.Availability, error) {
	a, err := s.spoiltServers.RangeQuery(w)
	if err != nil || w.Len() != 1 || a.Window.Empty() {
		return a, err
	}
	for k := range s.Frame().Servers {
		n, first := 0, bookahead.MaxTime
		for _, c := range s.Changes {
			if !c.Added && slices.Contains(c.Servers, k) {
				n, first = n+1, min(first, c.End)
			}
		}
		held := len(slices.Collect(s.ReservationsOn(w, []int{k}))) > 0
		if n > 1 && w.Start >= first && !held && !slices.Contains(a.Servers, k) {
			a.Servers = append(a.Servers, k)
			a.Free++
		}
	}
	slices.Sort(a.Servers)
	return a, err
}

// cloneOpens is a pool whose clones forget the closures.
type cloneOpens struct{ spoiltPool }

func (p *cloneOpens) Clone() bookahead.Schedule {
	c := *p.Copy()
	c.Changes = nil
	return &cloneOpens{spoiltPool{c}}
}

// snapshotOpens writes no closures.
type snapshotOpens struct{ written }

func (p *snapshotOpens) MarshalBinary() ([]byte, error) {
	c := p.written
	c.Changes = nil
	return c.MarshalBinary()
}

// cutAtHorizon ends closures until further notice at the horizon.
type cutAtHorizon struct {
	spoiltPool
	cut map[bookahead.ClosureID]bool
}

func (p *cutAtHorizon) Close(c bookahead.Closure) (bookahead.Closure, error) {
	open := c.End == bookahead.MaxTime && p.Horizon > 0 && c.Start < p.Until()
	if open {
		c.End = p.Until()
	}
	got, err := p.spoiltPool.Close(c)
	if err == nil && open {
		got.End = bookahead.MaxTime
		p.cut[got.ID] = true
	}
	return got, err
}

func (p *cutAtHorizon) Closures() iter.Seq[bookahead.Closure] {
	list := closuresOf(&p.Oracle)
	for i := range list {
		if p.cut[list[i].ID] {
			list[i].End = bookahead.MaxTime
		}
	}
	return slices.Values(list)
}

// wrongOverbooked lists overbooked stretches in a wrong way.
type wrongOverbooked struct {
	spoiltPool
	wrong func(p *oracle.Oracle, list []bookahead.Overbooking, w bookahead.Interval) []bookahead.Overbooking
}

func (p *wrongOverbooked) Overbooked(w bookahead.Interval) iter.Seq[bookahead.Overbooking] {
	return slices.Values(p.wrong(&p.Oracle, overbookedIn(&p.Oracle, w), w))
}

func overbookedForgotten(_ *oracle.Oracle, list []bookahead.Overbooking, _ bookahead.Interval) []bookahead.Overbooking {
	return list[:min(len(list), 1)]
}

// overbookedAtZero reports a capacity of 0 as overbooked.
func overbookedAtZero(p *oracle.Oracle, list []bookahead.Overbooking, w bookahead.Interval) []bookahead.Overbooking {
	if len(list) == 0 && w.Contains(p.Clock) && p.Frame().Capacity == 0 {
		list = append(list, bookahead.Overbooking{Interval: bookahead.Interval{Start: p.Clock, End: p.Clock + 1}, Units: 1})
	}
	return list
}

// overbookedUncut lists stretches whole, also where they leave the window.
func overbookedUncut(p *oracle.Oracle, _ []bookahead.Overbooking, w bookahead.Interval) []bookahead.Overbooking {
	return slices.DeleteFunc(overbookedIn(p, always), func(o bookahead.Overbooking) bool { return !o.Overlaps(w) })
}

// overbookedNear leaves out stretches far ahead.
func overbookedNear(p *oracle.Oracle, list []bookahead.Overbooking, _ bookahead.Interval) []bookahead.Overbooking {
	return slices.DeleteFunc(list, func(o bookahead.Overbooking) bool { return o.Start >= later(p.Clock, span/2) })
}

// refusesOverbooked refuses to rebook a reservation that is overbooked.
func refusesOverbooked(p *oracle.Oracle, id bookahead.ID, r bookahead.Request) (bookahead.Offer, error) {
	o, err := p.SearchFor(id, r)
	if err == nil && len(overbookedIn(p, o.Interval)) > 0 {
		return bookahead.Offer{}, bookahead.ErrUnavailable
	}
	return o, err
}

// negativeIsFree takes a negative number for a large one.
type negativeIsFree struct{ spoiltPool }

func (p *negativeIsFree) Search(r bookahead.Request) (bookahead.Offer, error) {
	if p.Check(r) == nil && r.Units <= p.Capacity {
		for o := range p.Overbooked(always) {
			w := bookahead.Interval{Start: max(r.Ready, o.Start), End: max(r.Ready, o.Start) + bookahead.Time(r.Duration)}
			if w.End <= o.End && w.End <= p.Until() && (r.Deadline == 0 || w.End <= r.Deadline) {
				return bookahead.Offer{Interval: w, Units: r.Units}, nil
			}
		}
	}
	return p.spoiltPool.Search(r)
}

func (p *negativeIsFree) Reserve(r bookahead.Request) (bookahead.Reservation, error) {
	return p.as(p, r)
}

func frameOfTheGiven(p *oracle.Oracle, f *bookahead.Frame) { f.Capacity = p.Capacity }

// extensionStays keeps the units of an extension that has been ended.
type extensionStays struct{ spoiltPool }

func (p *extensionStays) End(id bookahead.ClosureID, at bookahead.Time) error {
	c := closureOf(p, id)
	err := p.spoiltPool.End(id, at)
	if err == nil && c.Added {
		p.units(bookahead.Interval{Start: max(at, c.Start, p.Clock), End: min(c.End, p.Clock+2*span)}, -c.Units)
	}
	return err
}

// startOverdue closes from the given Start, even if that lies before now.
type startOverdue struct{ spoiltPool }

func (p *startOverdue) Close(c bookahead.Closure) (bookahead.Closure, error) {
	got, err := p.spoiltPool.Close(c)
	if err == nil {
		got.Start = c.Start
	}
	return got, err
}

// missesRebooked has an index that does not follow a Rebook.
type missesRebooked struct {
	spoiltPool
	missed bookahead.ID
}

func (p *missesRebooked) Track(on bool) {
	p.missed = 0
	p.spoiltPool.Track(on)
}

func (p *missesRebooked) Rebook(id bookahead.ID, r bookahead.Request) (bookahead.Reservation, error) {
	res, err := p.spoiltPool.Rebook(id, r)
	if err == nil && p.Tracks {
		p.missed = id
	}
	return res, err
}

func (p *missesRebooked) ReservationsOn(w bookahead.Interval, servers []int) iter.Seq[bookahead.Reservation] {
	list := slices.Collect(p.spoiltPool.ReservationsOn(w, servers))
	return slices.Values(slices.DeleteFunc(list, func(res bookahead.Reservation) bool { return res.ID == p.missed }))
}

// countsEnded counts all reservations that were not released.
type countsEnded struct{ spoiltPool }

func (p *countsEnded) Live() (int, bool) { return len(p.Booked), p.Tracks }

// putsNothingBack lifts reservations for good.
type putsNothingBack struct{ spoiltPool }

func (p *putsNothingBack) Clone() bookahead.Schedule {
	return &putsNothingBack{spoiltPool{*p.Copy()}}
}

func (p *putsNothingBack) Adopt(clone bookahead.Schedule) { *p = *clone.(*putsNothingBack) }

func (p *putsNothingBack) Lift(id bookahead.ID) (func() error, error) {
	_, err := p.spoiltPool.Lift(id)
	return func() error { return bookahead.ErrUnavailable }, err
}

// adoptsLess forgets the last ID that its clone has given.
type adoptsLess struct{ spoiltPool }

func (p *adoptsLess) Clone() bookahead.Schedule {
	return &adoptsLess{spoiltPool{*p.Copy()}}
}

func (p *adoptsLess) Adopt(clone bookahead.Schedule) {
	*p = *clone.(*adoptsLess)
	p.Last -= min(p.Last, 1)
}

// pushesApart closes no time twice: a closure begins where an earlier one ends.
type pushesApart struct{ spoiltPool }

func (p *pushesApart) Close(c bookahead.Closure) (bookahead.Closure, error) {
	for _, other := range p.Changes {
		if other.Overlaps(c.Interval) && other.End < c.End {
			c.Start = max(c.Start, other.End)
		}
	}
	return p.spoiltPool.Close(c)
}

var changeFaults = []fault{
	{"release resurrects", false, func(t Target, c Config) bookahead.Schedule { return &resurrects{spoil(t, c)} }},
	{"end gives back booked units", false, func(t Target, c Config) bookahead.Schedule { return &endFreesUnits{spoil(t, c)} }},
	{"end gives back booked servers", true, func(t Target, c Config) bookahead.Schedule { return &endFreesServers{spoilServers(t, c)} }},
	{"end opens a server closed twice", true, func(t Target, c Config) bookahead.Schedule { return &endOpens{spoilServers(t, c)} }},
	{"server opens with the first of two", true, func(t Target, c Config) bookahead.Schedule { return &opensEarly{spoilServers(t, c)} }},
	{"clone without closures", false, func(t Target, c Config) bookahead.Schedule { return &cloneOpens{spoil(t, c)} }},
	{"snapshot without closures", false, func(t Target, c Config) bookahead.Schedule { return &snapshotOpens{written{spoil(t, c)}} }},
	{"closure cut at the horizon", false, func(t Target, c Config) bookahead.Schedule {
		return &cutAtHorizon{spoil(t, c), map[bookahead.ClosureID]bool{}}
	}},
	{"overbooked forgets a stretch", false, func(t Target, c Config) bookahead.Schedule {
		return &wrongOverbooked{spoil(t, c), overbookedForgotten}
	}},
	{"overbooked at capacity zero", false, func(t Target, c Config) bookahead.Schedule {
		return &wrongOverbooked{spoil(t, c), overbookedAtZero}
	}},
	{"overbooked uncut", false, func(t Target, c Config) bookahead.Schedule { return &wrongOverbooked{spoil(t, c), overbookedUncut} }},
	{"overbooked only near", false, func(t Target, c Config) bookahead.Schedule {
		return &wrongOverbooked{spoil(t, c), overbookedNear}
	}},
	{"rebook refused where overbooked", false, func(t Target, c Config) bookahead.Schedule { return &wrongRebook{spoil(t, c), refusesOverbooked} }},
	{"negative is free", false, func(t Target, c Config) bookahead.Schedule { return &negativeIsFree{spoil(t, c)} }},
	{"frame of the given units", false, func(t Target, c Config) bookahead.Schedule { return &wrongFrame{spoil(t, c), frameOfTheGiven} }},
	{"extension stays", false, func(t Target, c Config) bookahead.Schedule { return &extensionStays{spoil(t, c)} }},
	{"closure starts before now", false, func(t Target, c Config) bookahead.Schedule { return &startOverdue{spoil(t, c)} }},
	{"closures pushed apart", false, func(t Target, c Config) bookahead.Schedule { return &pushesApart{spoil(t, c)} }},
	{"index misses a rebook", false, func(t Target, c Config) bookahead.Schedule { return &missesRebooked{spoiltPool: spoil(t, c)} }},
	{"live counts ended ones", false, func(t Target, c Config) bookahead.Schedule { return &countsEnded{spoil(t, c)} }},
	{"displace puts nothing back", false, func(t Target, c Config) bookahead.Schedule { return &putsNothingBack{spoil(t, c)} }},
	{"adopted without the next ID", false, func(t Target, c Config) bookahead.Schedule { return &adoptsLess{spoil(t, c)} }},
}
