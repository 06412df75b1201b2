package desk

import (
	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
)

// brokered is a part on a broker, as grid.CoSearch asks for it: the earliest start on any of the schedules.
type brokered struct {
	*stage
	of   []int32
	part *Part
}

// Search implements grid.Member.
func (x brokered) Search(r bookahead.Request) (best bookahead.Offer, err error) {
	refused := error(bookahead.ErrUnavailable)
	for _, k := range x.of {
		o, err := x.member(x.at(k), x.part).Search(r)
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

// Reserve and Release implement grid.Member; a stage books nothing through it.
func (x brokered) Reserve(bookahead.Request) (bookahead.Reservation, error) {
	return bookahead.Reservation{}, limits.Invalid("broker", x.part.On, "is searched only")
}

func (x brokered) Release(bookahead.ID) error { return bookahead.ErrNotFound }

// bid is a schedule of a broker that has room for a part.
type bid struct {
	*stage
	on   int32
	part *Part
	at   bookahead.Interval
}

// policies return how much a bid is liked, by their names in Broker.Policy: the highest number gets the part,
// and of several the first.
var policies = map[string]func(b *bid) float64{
	"":               func(*bid) float64 { return 0 },
	"first":          func(*bid) float64 { return 0 },
	"least-loaded":   (*bid).free,
	"shortest-queue": func(b *bid) float64 { return -float64(b.schedules[b.on].live) },
}

// choose returns the schedule of a broker that gets a part at a time, and the place there.
func (s *stage) choose(of []int32, p Part, o bookahead.Offer) (on int32, place Place, err error) {
	policy := policies[s.schedules[s.names[p.On]].kind.(Broker).Policy]
	liked := 0.0
	on = -1
	for _, k := range of {
		x, err := s.findPart(fixedAt(o.Interval), &p, s.at(k))
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

// fixedAt returns a request for a time.
func fixedAt(w bookahead.Interval) *Request {
	r := bookahead.At(w.Start, bookahead.Duration(w.End-w.Start), 1)
	return &Request{Ready: r.Ready, Deadline: r.Deadline}
}

// free returns the share of a schedule that is free throughout the part.
func (b *bid) free() float64 {
	at := b.stage.at(b.on)
	if at.machine != nil {
		view, err := at.machine.Tasks(b.part.Tasks.Each, b.part.Tasks.PerNode)
		if err != nil {
			return 0
		}
		a, err := view.RangeQuery(b.at)
		if err != nil {
			return 0
		}
		return float64(a.Free) / float64(max(1, at.machine.Frame().Servers))
	}
	a, err := at.keeper.RangeQuery(b.at)
	if err != nil {
		return 0
	}
	return float64(a.Free) / float64(max(1, at.keeper.Frame().Capacity))
}
