package scheduletest

import (
	"maps"
	"slices"

	"github.com/bookahead/bookahead"
)

// outdated remembers which request found no place, and does not forget it when a reservation is
// released. To see the fault, the same request must come twice, with only a Release in between:
// 100 000 random operations do not get there.
type outdated struct {
	spoiltPool
	failed bookahead.Request
}

func (p *outdated) Search(r bookahead.Request) (bookahead.Offer, error) {
	if r.Units > 0 && same(r, p.failed) {
		return bookahead.Offer{}, bookahead.ErrUnavailable
	}
	o, err := p.spoiltPool.Search(r)
	if err == bookahead.ErrUnavailable && r.Deadline == 0 && r.Ready < p.Until() {
		p.failed = r
	}
	return o, err
}

func same(a, b bookahead.Request) bool {
	return a.Ready == b.Ready && a.Duration == b.Duration && a.Units == b.Units && a.Deadline == b.Deadline
}

func (p *outdated) Reserve(r bookahead.Request) (bookahead.Reservation, error) {
	res, err := p.as(p, r)
	if err == nil {
		p.failed = bookahead.Request{}
	}
	return res, err
}

func (p *outdated) Advance(now bookahead.Time) error {
	p.failed = bookahead.Request{}
	return p.spoiltPool.Advance(now)
}

// sharesNothing copies nothing for a clone if there are no reservations, and so shares the empty
// map.
type sharesNothing struct{ spoiltPool }

func (p *sharesNothing) Clone() bookahead.Schedule {
	c := *p
	c.Used = slices.Clone(p.Used)
	if len(p.Booked) > 0 {
		c.Booked = maps.Clone(p.Booked)
	}
	return &c
}

// forgetsTheLast loses units of a reservation that ends just at the horizon.
type forgetsTheLast struct{ written }

func (p *forgetsTheLast) UnmarshalBinary(data []byte) error {
	if err := p.written.UnmarshalBinary(data); err != nil {
		return err
	}
	for _, res := range p.List() {
		if res.End == p.Until() && p.Horizon > 0 && res.Units > 1 {
			p.units(res.Interval, -1)
		}
	}
	return nil
}
