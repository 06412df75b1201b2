package desk

import (
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
)

// brokered is a part on a broker as a grid.Member: its Search returns the earliest start on any of the schedules.
type brokered struct {
	*trial
	of      []int32
	part    *Part
	request *Request
}

// Search implements grid.Member.
func (x brokered) Search(r bookahead.Request) (best bookahead.Offer, err error) {
	refused := error(bookahead.ErrUnavailable)
	for _, k := range x.of {
		o, err := x.searchOn(x.at(k), r)
		if err == bookahead.ErrUnavailable {
			continue
		}
		if err != nil {
			return bookahead.Offer{}, err
		}
		if refused != nil || o.Start < best.Start {
			best, refused = o, nil
		}
	}
	return best, refused
}

// searchOn returns the earliest place on one schedule of the broker, within the terms of that schedule.
func (x brokered) searchOn(at *schedule, r bookahead.Request) (bookahead.Offer, error) {
	if x.terms(at) == nil {
		err := x.spend(at, r.Units)
		if err != nil {
			return bookahead.Offer{}, err
		}
		return x.member(at, x.part).Search(r)
	}
	wish := *x.request
	wish.Ready, wish.Deadline = r.Ready, r.Deadline
	found, err := x.findPart(&wish, x.part, at)
	p := &found.places[0]
	return bookahead.Offer{Interval: p.Interval, Units: p.Units, Servers: p.Servers}, err
}

// Reserve and Release implement grid.Member; a trial books nothing through it.
func (x brokered) Reserve(bookahead.Request) (bookahead.Reservation, error) {
	return bookahead.Reservation{}, limits.Invalid("broker", x.part.On, "is searched only")
}

func (x brokered) Release(bookahead.ID) error { return bookahead.ErrNotFound }

// bid is a schedule of a broker that has room for a part.
type bid struct {
	*trial
	on   int32
	part *Part
	at   bookahead.Interval
}

// policies score a bid, by their names in Broker.Policy: the bid with the highest score gets the part, and of several the
// first.
var policies = map[string]func(b *bid) float64{
	"":               func(*bid) float64 { return 0 },
	"first":          func(*bid) float64 { return 0 },
	"least-loaded":   (*bid).free,
	"shortest-queue": func(b *bid) float64 { return -float64(b.schedules[b.on].live + b.liveDelta[b.on]) },
}

// choose returns the schedule of a broker that gets a part of a request at an offered time, and the place there.
func (s *trial) choose(r *Request, of []int32, p Part, o bookahead.Offer) (on int32, place Place, err error) {
	policy := policies[s.schedules[s.names[p.On]].kind.(Broker).Policy]
	wish := *r
	wish.Ready, wish.Deadline = o.Start, o.End
	liked := 0.0
	on = -1
	for _, k := range of {
		x, err := s.findPart(&wish, &p, s.at(k))
		if err == bookahead.ErrUnavailable {
			continue
		}
		if err != nil {
			return 0, Place{}, err
		}
		likes := policy(&bid{s, k, &p, o.Interval})
		if on < 0 || likes > liked {
			on, place, liked = k, x.places[0], likes
			place.On = s.schedules[k].name
		}
	}
	if on < 0 {
		return 0, Place{}, bookahead.ErrUnavailable
	}
	return on, place, nil
}

// free returns the share of a schedule that is free throughout the part.
func (b *bid) free() float64 {
	at := b.trial.at(b.on)
	a, err := at.free(b.at, b.part.Tasks)
	if err != nil {
		return 0
	}
	all := at.Frame().Capacity
	if at.Machine() != nil {
		all = at.Size() // closed nodes too
	}
	return float64(a.Free) / float64(max(1, all))
}

// count adds n to the bookings of each schedule in a list, once, since a policy asks how many there are.
func (s *trial) count(on []int32, n int64) {
	if s.liveDelta == nil {
		s.liveDelta = map[int32]int64{}
	}
	for i, k := range on {
		if !slices.Contains(on[:i], k) {
			s.liveDelta[k] += n
		}
	}
}
