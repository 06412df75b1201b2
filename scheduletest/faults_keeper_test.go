package scheduletest

import (
	"cmp"
	"iter"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/scheduletest/internal/oracle"
)

// wrongFrame returns wrong limits.
type wrongFrame struct {
	spoiltPool
	wrong func(p *oracle.Oracle, f *bookahead.Frame)
}

func (p *wrongFrame) Frame() bookahead.Frame {
	f := p.spoiltPool.Frame()
	p.wrong(&p.Oracle, &f)
	return f
}

func frameOfTheOrigin(p *oracle.Oracle, f *bookahead.Frame) { f.Now = p.Origin }

func frameThatStays(p *oracle.Oracle, f *bookahead.Frame) {
	if p.Horizon > 0 {
		f.Horizon = p.Origin + bookahead.Time(p.Horizon)
	}
}

func frameOfTheFree(p *oracle.Oracle, f *bookahead.Frame) {
	f.Capacity, _ = p.Free(bookahead.Interval{Start: p.Clock, End: later(p.Clock, 1)})
}

func frameWithServers(_ *oracle.Oracle, f *bookahead.Frame) { f.Servers = 1 }

// frameWithoutServers knows its servers, but has the Frame of a pool.
type frameWithoutServers struct{ spoiltServers }

func (s *frameWithoutServers) Frame() bookahead.Frame {
	f := s.spoiltServers.Frame()
	f.Servers = 0
	return f
}

// barelyFramed has only the five methods, and Frame.
type barelyFramed struct {
	bookahead.Schedule
	keeper *wrongFrame
}

func (p *barelyFramed) Frame() bookahead.Frame { return p.keeper.Frame() }

func newBarelyFramed(t Target, c Config) bookahead.Schedule {
	k := &wrongFrame{spoil(t, c), frameOfTheFree}
	return &barelyFramed{k, k}
}

// foundAfterItsEnd finds every reservation that was not released.
type foundAfterItsEnd struct{ spoiltPool }

func (p *foundAfterItsEnd) Reservation(id bookahead.ID) (bookahead.Reservation, error) {
	o, ok := p.Booked[id]
	if !ok {
		return bookahead.Reservation{}, bookahead.ErrNotFound
	}
	return bookahead.Reservation{ID: id, Offer: o}, nil
}

// wrongList lists reservations in a wrong way.
type wrongList struct {
	spoiltPool
	list func(p *oracle.Oracle, w bookahead.Interval) []bookahead.Reservation
}

func (p *wrongList) Reservations(w bookahead.Interval) iter.Seq[bookahead.Reservation] {
	return slices.Values(p.list(&p.Oracle, w))
}

func listByID(p *oracle.Oracle, w bookahead.Interval) []bookahead.Reservation {
	list := slices.Collect(p.Reservations(w))
	slices.SortFunc(list, func(a, b bookahead.Reservation) int { return cmp.Compare(a.ID, b.ID) })
	return list
}

// listWithoutTouch leaves out reservations of which only the last tick lies in the window.
func listWithoutTouch(p *oracle.Oracle, w bookahead.Interval) []bookahead.Reservation {
	return slices.DeleteFunc(slices.Collect(p.Reservations(w)), func(res bookahead.Reservation) bool { return res.End == w.Start+1 })
}

// listClosed takes the window for [Start, End].
func listClosed(p *oracle.Oracle, w bookahead.Interval) []bookahead.Reservation {
	w.End = later(w.End, 1)
	return slices.Collect(p.Reservations(w))
}

func listWithEnded(p *oracle.Oracle, w bookahead.Interval) []bookahead.Reservation {
	past := *p
	past.Clock = p.Origin
	return slices.Collect(past.Reservations(w))
}

// listCut cuts the reservations to the window.
func listCut(p *oracle.Oracle, w bookahead.Interval) []bookahead.Reservation {
	list := slices.Collect(p.Reservations(w))
	for i := range list {
		list[i].Interval = list[i].Intersect(w)
	}
	return list
}

// listOnce yields nothing in a second loop.
type listOnce struct{ spoiltPool }

func (p *listOnce) Reservations(w bookahead.Interval) iter.Seq[bookahead.Reservation] {
	list := slices.Collect(p.spoiltPool.Reservations(w))
	return func(yield func(bookahead.Reservation) bool) {
		for len(list) > 0 {
			next := list[0]
			list = list[1:]
			if !yield(next) {
				return
			}
		}
	}
}

// listsItsOwn yields the servers that it keeps.
type listsItsOwn struct{ spoiltServers }

func (s *listsItsOwn) Reservations(w bookahead.Interval) iter.Seq[bookahead.Reservation] {
	return func(yield func(bookahead.Reservation) bool) {
		for res := range s.spoiltServers.Reservations(w) {
			res.Servers = s.Booked[res.ID].Servers
			if !yield(res) {
				return
			}
		}
	}
}

// wrongOpenings lists wrong openings.
type wrongOpenings struct {
	spoiltPool
	wrong func(list []bookahead.Interval) []bookahead.Interval
}

func (p *wrongOpenings) Openings(r bookahead.Request) iter.Seq[bookahead.Interval] {
	return slices.Values(p.wrong(slices.Collect(p.spoiltPool.Openings(r))))
}

// openingsThatTouch are ranges that could be one.
func openingsThatTouch(list []bookahead.Interval) (parts []bookahead.Interval) {
	for _, w := range list {
		if w.End-w.Start == 2 {
			parts = append(parts, bookahead.Interval{Start: w.Start, End: w.Start + 1}, bookahead.Interval{Start: w.Start + 1, End: w.End})
		} else {
			parts = append(parts, w)
		}
	}
	return parts
}

// openingsTooLong include the end, at which the request does not fit any more.
func openingsTooLong(list []bookahead.Interval) []bookahead.Interval {
	if len(list) > 0 {
		list[len(list)-1].End = later(list[len(list)-1].End, 1)
	}
	return list
}

// openingsMissed go on after the next range.
func openingsMissed(list []bookahead.Interval) []bookahead.Interval {
	if len(list) > 1 {
		list = slices.Delete(list, 1, 2)
	}
	return list
}

func openingsBackwards(list []bookahead.Interval) []bookahead.Interval {
	slices.Reverse(list)
	return list
}

// firstOpening takes the last start of the first opening for the last of all openings.
type firstOpening struct{ spoiltPool }

func (p *firstOpening) SearchLatest(r bookahead.Request) (bookahead.Offer, error) {
	o, err := p.Search(r)
	for starts := range p.Openings(r) {
		o.Start = starts.End - 1
		o.End = o.Start + bookahead.Time(r.Duration)
		break
	}
	return o, err
}

// notTheLatest finds the first place instead of the last.
type notTheLatest struct{ spoiltPool }

func (p *notTheLatest) SearchLatest(r bookahead.Request) (bookahead.Offer, error) { return p.Search(r) }

// tooManyIsInvalid refuses more units than it has, as if that were a mistake.
type tooManyIsInvalid struct{ spoiltPool }

func (p *tooManyIsInvalid) Search(r bookahead.Request) (bookahead.Offer, error) {
	if r.Units > p.Capacity {
		return bookahead.Offer{}, invalid("Request.Units", r.Units)
	}
	return p.spoiltPool.Search(r)
}

func (p *tooManyIsInvalid) Reserve(r bookahead.Request) (bookahead.Reservation, error) {
	return p.as(p, r)
}

// tooLongIsInvalid refuses requests longer than the horizon, as if they were mistakes.
type tooLongIsInvalid struct{ spoiltPool }

func (p *tooLongIsInvalid) Search(r bookahead.Request) (bookahead.Offer, error) {
	if p.Horizon > 0 && r.Duration > p.Horizon {
		return bookahead.Offer{}, invalid("Request.Duration", r.Duration)
	}
	return p.spoiltPool.Search(r)
}

func (p *tooLongIsInvalid) Reserve(r bookahead.Request) (bookahead.Reservation, error) {
	return p.as(p, r)
}

// foreignIsUnavailable takes an index that it does not know for a server that is taken.
type foreignIsUnavailable struct{ spoiltServers }

func (s *foreignIsUnavailable) Search(r bookahead.Request) (bookahead.Offer, error) {
	if r.Validate() == nil && slices.ContainsFunc(r.Servers, func(k int) bool { return int64(k) >= s.Capacity }) {
		return bookahead.Offer{}, bookahead.ErrUnavailable
	}
	return s.spoiltServers.Search(r)
}

// wrongWindow names the window that was asked for, or none.
type wrongWindow struct {
	spoiltPool
	uncut bool
}

func (p *wrongWindow) RangeQuery(w bookahead.Interval) (bookahead.Availability, error) {
	a, err := p.spoiltPool.RangeQuery(w)
	if err == nil && p.uncut {
		a.Window = w
	} else {
		a.Window = bookahead.Interval{}
	}
	return a, err
}

var keeperFaults = []fault{
	{"frame of the origin", false, func(t Target, c Config) bookahead.Schedule { return &wrongFrame{spoil(t, c), frameOfTheOrigin} }},
	{"frame that stays", false, func(t Target, c Config) bookahead.Schedule { return &wrongFrame{spoil(t, c), frameThatStays} }},
	{"frame of the free units", false, func(t Target, c Config) bookahead.Schedule { return &wrongFrame{spoil(t, c), frameOfTheFree} }},
	{"frame of a pool with servers", false, func(t Target, c Config) bookahead.Schedule { return &wrongFrame{spoil(t, c), frameWithServers} }},
	{"frame of the free units, of no keeper", false, newBarelyFramed},
	{"frame without servers", true, func(t Target, c Config) bookahead.Schedule { return &frameWithoutServers{spoilServers(t, c)} }},
	{"found after its end", false, func(t Target, c Config) bookahead.Schedule { return &foundAfterItsEnd{spoil(t, c)} }},
	{"listed by ID", false, func(t Target, c Config) bookahead.Schedule { return &wrongList{spoil(t, c), listByID} }},
	{"list without a touch", false, func(t Target, c Config) bookahead.Schedule { return &wrongList{spoil(t, c), listWithoutTouch} }},
	{"list of a closed window", false, func(t Target, c Config) bookahead.Schedule { return &wrongList{spoil(t, c), listClosed} }},
	{"list with ended ones", false, func(t Target, c Config) bookahead.Schedule { return &wrongList{spoil(t, c), listWithEnded} }},
	{"list that is cut", false, func(t Target, c Config) bookahead.Schedule { return &wrongList{spoil(t, c), listCut} }},
	{"list that yields once", false, func(t Target, c Config) bookahead.Schedule { return &listOnce{spoil(t, c)} }},
	{"list of its own servers", true, func(t Target, c Config) bookahead.Schedule { return &listsItsOwn{spoilServers(t, c)} }},
	{"openings that touch", false, func(t Target, c Config) bookahead.Schedule { return &wrongOpenings{spoil(t, c), openingsThatTouch} }},
	{"openings a tick too long", false, func(t Target, c Config) bookahead.Schedule { return &wrongOpenings{spoil(t, c), openingsTooLong} }},
	{"opening missed", false, func(t Target, c Config) bookahead.Schedule { return &wrongOpenings{spoil(t, c), openingsMissed} }},
	{"openings backwards", false, func(t Target, c Config) bookahead.Schedule { return &wrongOpenings{spoil(t, c), openingsBackwards} }},
	{"not the latest", false, func(t Target, c Config) bookahead.Schedule { return &notTheLatest{spoil(t, c)} }},
	{"latest of the first opening", false, func(t Target, c Config) bookahead.Schedule { return &firstOpening{spoil(t, c)} }},
	{"too many units are invalid", false, func(t Target, c Config) bookahead.Schedule { return &tooManyIsInvalid{spoil(t, c)} }},
	{"too long is invalid", false, func(t Target, c Config) bookahead.Schedule { return &tooLongIsInvalid{spoil(t, c)} }},
	{"foreign servers are unavailable", true, func(t Target, c Config) bookahead.Schedule { return &foreignIsUnavailable{spoilServers(t, c)} }},
	{"window uncut", false, func(t Target, c Config) bookahead.Schedule { return &wrongWindow{spoil(t, c), true} }},
	{"no window", false, func(t Target, c Config) bookahead.Schedule { return &wrongWindow{spoil(t, c), false} }},
}
