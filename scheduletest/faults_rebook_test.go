package scheduletest

import (
	"errors"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/scheduletest/internal/oracle"
)

// wrongRebook looks for another place in a wrong way, and books it.
type wrongRebook struct {
	spoiltPool
	find func(p *oracle.Oracle, id bookahead.ID, r bookahead.Request) (bookahead.Offer, error)
}

func (p *wrongRebook) SearchFor(id bookahead.ID, r bookahead.Request) (bookahead.Offer, error) {
	return p.find(&p.Oracle, id, r)
}

func (p *wrongRebook) Rebook(id bookahead.ID, r bookahead.Request) (bookahead.Reservation, error) {
	o, err := p.find(&p.Oracle, id, r)
	return move(&p.Oracle, id, o, err)
}

// wrongRebookOfServers is wrongRebook for servers.
type wrongRebookOfServers struct {
	spoiltServers
	find func(s *oracle.Oracle, id bookahead.ID, r bookahead.Request) (bookahead.Offer, error)
}

func (s *wrongRebookOfServers) SearchFor(id bookahead.ID, r bookahead.Request) (bookahead.Offer, error) {
	return s.find(&s.Oracle, id, r)
}

func (s *wrongRebookOfServers) Rebook(id bookahead.ID, r bookahead.Request) (bookahead.Reservation, error) {
	o, err := s.find(&s.Oracle, id, r)
	return move(&s.Oracle, id, o, err)
}

// move writes an offer into an oracle under the ID of a reservation.
func move(o *oracle.Oracle, id bookahead.ID, offer bookahead.Offer, err error) (bookahead.Reservation, error) {
	if err != nil {
		return bookahead.Reservation{}, err
	}
	res := bookahead.Reservation{ID: id, Offer: offer}
	o.Move(res)
	return res, nil
}

// running returns a reservation if it has begun.
func running(o *oracle.Oracle, id bookahead.ID) (bookahead.Reservation, bool) {
	res, err := o.Reservation(id)
	return res, err == nil && res.Start <= o.Clock
}

// ahead returns the part of w from now on.
func ahead(o *oracle.Oracle, w bookahead.Interval) bookahead.Interval {
	w.Start = max(w.Start, o.Clock)
	return w
}

// freeAhead returns the units that are free in the part of w from now on, on servers that r allows.
func freeAhead(o *oracle.Oracle, r bookahead.Request, w bookahead.Interval) int64 {
	_, _, n := o.Share(r, ahead(o, w), nil)
	return n
}

// ownUseNotFree looks for room beside the reservation's own use.
func ownUseNotFree(p *oracle.Oracle, id bookahead.ID, r bookahead.Request) (bookahead.Offer, error) {
	o, err := p.SearchFor(id, r)
	if err == nil && freeAhead(p, r, o.Interval) < r.Units {
		return bookahead.Offer{}, bookahead.ErrUnavailable
	}
	return o, err
}

// ownUseTwice takes the own use off twice.
func ownUseTwice(p *oracle.Oracle, id bookahead.ID, r bookahead.Request) (bookahead.Offer, error) {
	c := p.Copy()
	if res, err := p.Reservation(id); err == nil {
		c.Add(res.Offer, -1)
	}
	return c.SearchFor(id, r)
}

// readsReady applies the Ready of the request to a running reservation.
func readsReady(p *oracle.Oracle, id bookahead.ID, r bookahead.Request) (bookahead.Offer, error) {
	o, err := p.SearchFor(id, r)
	if res, ok := running(p, id); ok && err == nil && r.Ready > res.Start {
		return bookahead.Offer{}, bookahead.ErrUnavailable
	}
	return o, err
}

// lastsFromNow counts the Duration of a running reservation from now.
func lastsFromNow(p *oracle.Oracle, id bookahead.ID, r bookahead.Request) (bookahead.Offer, error) {
	if res, ok := running(p, id); ok && r.Duration > 0 && r.Duration < span {
		r.Duration += bookahead.Duration(p.Clock - res.Start)
		if r.Deadline != 0 {
			r.Deadline += p.Clock - res.Start
		}
	}
	return p.SearchFor(id, r)
}

// endsByNow lets a running reservation end now, or before.
func endsByNow(p *oracle.Oracle, id bookahead.ID, r bookahead.Request) (bookahead.Offer, error) {
	o, err := p.SearchFor(id, r)
	if res, ok := running(p, id); ok && r.Duration > 0 && r.Duration <= bookahead.Duration(p.Clock-res.Start) {
		return bookahead.Offer{}, bookahead.ErrUnavailable
	}
	return o, err
}

// beginsAnew moves a running reservation like one that waits.
func beginsAnew(p *oracle.Oracle, id bookahead.ID, r bookahead.Request) (bookahead.Offer, error) {
	res, ok := running(p, id)
	if !ok {
		return p.SearchFor(id, r)
	}
	c := p.Copy()
	_ = c.Release(res.ID)
	return c.Search(r)
}

// staysWhereItIs does not look for an earlier place if the old one will do.
func staysWhereItIs(p *oracle.Oracle, id bookahead.ID, r bookahead.Request) (bookahead.Offer, error) {
	if res, err := p.Reservation(id); err == nil && r.Validate() == nil && r.Ready <= res.Start {
		stay := bookahead.At(res.Start, r.Duration, r.Units)
		if o, err := p.SearchFor(id, stay); err == nil && (r.Deadline == 0 || o.End <= r.Deadline) {
			return o, nil
		}
	}
	return p.SearchFor(id, r)
}

// givingBackIsRefused finds no place where nothing else is free.
func givingBackIsRefused(p *oracle.Oracle, id bookahead.ID, r bookahead.Request) (bookahead.Offer, error) {
	o, err := p.SearchFor(id, r)
	res, _ := p.Reservation(id)
	if err == nil && o.End < res.End && o.Units <= res.Units && freeAhead(p, r, o.Interval) == 0 {
		return bookahead.Offer{}, bookahead.ErrUnavailable
	}
	return o, err
}

// tooManyAnewIsInvalid refuses more units than it has as invalid, in Rebook alone.
func tooManyAnewIsInvalid(p *oracle.Oracle, id bookahead.ID, r bookahead.Request) (bookahead.Offer, error) {
	o, err := p.SearchFor(id, r)
	if err == bookahead.ErrUnavailable && r.Units > p.Capacity {
		err = invalid("Request.Units", r.Units)
	}
	return o, err
}

// tooLongAnewIsInvalid refuses an end after the horizon as invalid, in Rebook alone.
func tooLongAnewIsInvalid(p *oracle.Oracle, id bookahead.ID, r bookahead.Request) (bookahead.Offer, error) {
	o, err := p.SearchFor(id, r)
	if res, ok := running(p, id); ok && err == bookahead.ErrUnavailable && r.Duration > bookahead.Duration(p.Until()-res.Start) {
		err = invalid("Request.Duration", r.Duration)
	}
	return o, err
}

// notFoundComesLast looks at the request before the ID.
func notFoundComesLast(p *oracle.Oracle, id bookahead.ID, r bookahead.Request) (bookahead.Offer, error) {
	o, err := p.SearchFor(id, r)
	if e := r.Validate(); err == bookahead.ErrNotFound && e != nil {
		err = e
	}
	return o, err
}

// searchForReleases takes a reservation out to look for its place, and leaves it out if
// there is none.
type searchForReleases struct{ spoiltPool }

func (p *searchForReleases) SearchFor(id bookahead.ID, r bookahead.Request) (bookahead.Offer, error) {
	o, err := p.spoiltPool.SearchFor(id, r)
	if err == bookahead.ErrUnavailable {
		_ = p.Release(id)
	}
	return o, err
}

// searchForMoves books the place that it finds, if that is not the old one.
type searchForMoves struct{ spoiltPool }

func (p *searchForMoves) SearchFor(id bookahead.ID, r bookahead.Request) (bookahead.Offer, error) {
	o, err := p.spoiltPool.SearchFor(id, r)
	if res, _ := p.Reservation(id); err == nil && !sameOffer(o, res.Offer) {
		_, err = p.Rebook(id, r)
	}
	return o, err
}

// rebookOfItsOwn takes the place after the one that SearchFor offers.
type rebookOfItsOwn struct{ spoiltPool }

func (p *rebookOfItsOwn) Rebook(id bookahead.ID, r bookahead.Request) (bookahead.Reservation, error) {
	if r.Validate() == nil && r.Deadline == 0 {
		r.Ready = max(r.Ready, p.Clock) + 1
	}
	return p.spoiltPool.Rebook(id, r)
}

// halfMove gives the old place back before it knows that there is a new one.
type halfMove struct{ spoiltPool }

func (p *halfMove) Rebook(id bookahead.ID, r bookahead.Request) (bookahead.Reservation, error) {
	res, err := p.spoiltPool.Rebook(id, r)
	if err == bookahead.ErrUnavailable {
		_ = p.Release(id)
	}
	return res, err
}

// halfMoveOfServers is halfMove for servers.
type halfMoveOfServers struct{ spoiltServers }

func (s *halfMoveOfServers) Rebook(id bookahead.ID, r bookahead.Request) (bookahead.Reservation, error) {
	res, err := s.spoiltServers.Rebook(id, r)
	if err == bookahead.ErrUnavailable {
		_ = s.Release(id)
	}
	return res, err
}

// newID releases, and reserves under another ID.
type newID struct{ spoiltPool }

func (p *newID) Rebook(id bookahead.ID, r bookahead.Request) (bookahead.Reservation, error) {
	res, err := p.spoiltPool.Rebook(id, r)
	if err == nil {
		_ = p.Release(id)
		res.ID = p.Book(res.Offer)
	}
	return res, err
}

// usesUpID keeps the ID, but uses up another one.
type usesUpID struct{ spoiltPool }

func (p *usesUpID) Rebook(id bookahead.ID, r bookahead.Request) (bookahead.Reservation, error) {
	res, err := p.spoiltPool.Rebook(id, r)
	if err == nil {
		p.Last++
	}
	return res, err
}

// keepsTheOldPlace books the new place, and does not give the old place back where the two do not
// overlap.
type keepsTheOldPlace struct{ spoiltPool }

func (p *keepsTheOldPlace) Rebook(id bookahead.ID, r bookahead.Request) (bookahead.Reservation, error) {
	old := p.Booked[id]
	res, err := p.spoiltPool.Rebook(id, r)
	if err == nil && !old.Overlaps(res.Interval) {
		p.units(old.Interval, 1)
	}
	return res, err
}

// swapsServers gives a running reservation other servers.
func swapsServers(s *oracle.Oracle, id bookahead.ID, r bookahead.Request) (bookahead.Offer, error) {
	o, err := s.SearchFor(id, r)
	res, ok := running(s, id)
	if !ok || err != bookahead.ErrUnavailable {
		return o, err
	}
	c := s.Copy()
	_ = c.Release(id)
	anew := bookahead.At(s.Clock, r.Duration-bookahead.Duration(s.Clock-res.Start), r.Units)
	anew.Servers = r.Servers
	o, err = c.Search(anew)
	if err == nil {
		o.Start = res.Start
	}
	return o, err
}

// without works out the offer of SearchFor with other servers: choose gets the own and the other
// servers that are free and allowed, and returns the servers to book.
func without(choose func(own, others []int, n int64) []int) func(*oracle.Oracle, bookahead.ID, bookahead.Request) (bookahead.Offer, error) {
	return func(s *oracle.Oracle, id bookahead.ID, r bookahead.Request) (bookahead.Offer, error) {
		o, err := s.SearchFor(id, r)
		if err != nil {
			return o, err
		}
		old, _ := s.Reservation(id)
		c := s.Copy()
		_ = c.Release(id)
		own, others, _ := c.Share(r, ahead(s, o.Interval), old.Servers)
		o.Servers = choose(own, others, r.Units)
		slices.Sort(o.Servers)
		return o, nil
	}
}

// leavesItsServers keeps its own servers only where there are too few others.
func leavesItsServers(own, others []int, n int64) []int {
	return slices.Concat(others, own)[:n]
}

// keepsTheHighest gives its lowest servers back.
func keepsTheHighest(own, others []int, n int64) []int {
	slices.Reverse(own)
	return slices.Concat(own, others)[:n]
}

// choosesTheHighest adds the last of the other servers, not those that Search would offer.
func choosesTheHighest(own, others []int, n int64) []int {
	slices.Reverse(others)
	return slices.Concat(own, others)[:n]
}

// ownServersNotFree looks for servers beside those that the reservation holds.
func ownServersNotFree(s *oracle.Oracle, id bookahead.ID, r bookahead.Request) (bookahead.Offer, error) {
	o, err := s.SearchFor(id, r)
	if old, _ := s.Reservation(id); err == nil && old.Overlaps(o.Interval) && freeAhead(s, r, o.Interval) < r.Units {
		return bookahead.Offer{}, bookahead.ErrUnavailable
	}
	return o, err
}

// keepsRuledOutServers applies the servers named only to the servers that it adds.
func keepsRuledOutServers(s *oracle.Oracle, id bookahead.ID, r bookahead.Request) (bookahead.Offer, error) {
	if old, err := s.Reservation(id); err == nil && s.Check(r) == nil && r.Servers != nil {
		r.Servers = slices.Concat(r.Servers, old.Servers)
		slices.Sort(r.Servers)
		r.Servers = slices.Compact(r.Servers)
	}
	return s.SearchFor(id, r)
}

// foreignAnewIsUnavailable does not check that the servers exist, in Rebook alone.
func foreignAnewIsUnavailable(s *oracle.Oracle, id bookahead.ID, r bookahead.Request) (bookahead.Offer, error) {
	o, err := s.SearchFor(id, r)
	if errors.Is(err, bookahead.ErrInvalid) && r.Validate() == nil && r.Servers != nil {
		err = bookahead.ErrUnavailable
	}
	return o, err
}

// onPool and onServers make a fault of a wrong way to look for a place.
func onPool(name string, find func(*oracle.Oracle, bookahead.ID, bookahead.Request) (bookahead.Offer, error)) fault {
	return fault{name, false, func(t Target, c Config) bookahead.Schedule { return &wrongRebook{spoil(t, c), find} }}
}

func onServers(name string, find func(*oracle.Oracle, bookahead.ID, bookahead.Request) (bookahead.Offer, error)) fault {
	return fault{name, true, func(t Target, c Config) bookahead.Schedule { return &wrongRebookOfServers{spoilServers(t, c), find} }}
}

var rebookFaults = []fault{
	onPool("rebook counts its own use", ownUseNotFree),
	onPool("rebook counts its own use twice", ownUseTwice),
	onPool("rebook reads Ready of a running one", readsReady),
	onPool("rebook of a running one lasts from now", lastsFromNow),
	onPool("rebook of a running one may end by now", endsByNow),
	onPool("rebook lets a running one begin anew", beginsAnew),
	onPool("rebook stays where it is", staysWhereItIs),
	onPool("rebook refuses to give back", givingBackIsRefused),
	onPool("rebook of too many units is invalid", tooManyAnewIsInvalid),
	onPool("rebook of too long is invalid", tooLongAnewIsInvalid),
	onPool("rebook looks at the ID last", notFoundComesLast),
	onServers("rebook swaps servers", swapsServers),
	onServers("rebook leaves its servers", without(leavesItsServers)),
	onServers("rebook keeps the highest", without(keepsTheHighest)),
	onServers("rebook chooses the highest", without(choosesTheHighest)),
	onServers("rebook counts its own servers", ownServersNotFree),
	onServers("rebook keeps servers that are ruled out", keepsRuledOutServers),
	onServers("rebook with foreign servers is unavailable", foreignAnewIsUnavailable),
	{"rebook gives back and fails", false, func(t Target, c Config) bookahead.Schedule { return &halfMove{spoil(t, c)} }},
	{"rebook of servers gives back and fails", true, func(t Target, c Config) bookahead.Schedule { return &halfMoveOfServers{spoilServers(t, c)} }},
	{"rebook under a new ID", false, func(t Target, c Config) bookahead.Schedule { return &newID{spoil(t, c)} }},
	{"rebook uses up an ID", false, func(t Target, c Config) bookahead.Schedule { return &usesUpID{spoil(t, c)} }},
	{"rebook keeps the old place", false, func(t Target, c Config) bookahead.Schedule { return &keepsTheOldPlace{spoil(t, c)} }},
	{"Rebook of its own", false, func(t Target, c Config) bookahead.Schedule { return &rebookOfItsOwn{spoil(t, c)} }},
	{"SearchFor releases", false, func(t Target, c Config) bookahead.Schedule { return &searchForReleases{spoil(t, c)} }},
	{"SearchFor moves", false, func(t Target, c Config) bookahead.Schedule { return &searchForMoves{spoil(t, c)} }},
}
