package desk

import (
	"cmp"
	"slices"

	"github.com/bookahead/bookahead"
)

// demand is a request that others give way to.
type demand struct {
	request  *Request
	rule     Force
	priority int64
	own      *Booking // that is placed anew; nil if a new one is booked
	overrun  bool     // bookings that have begun do not give way
}

func (c *Book) demand() demand {
	return demand{request: &c.Request, rule: c.Force, priority: c.Priority}
}

// force makes room for a demand on the stage, and returns its place, and where those that give way go.
// Bookings are taken out, the least important first, until the demand fits. Those that fit where they were
// beside the demand are put back, the most important first; the others are placed anew. Here 3 units
// for a pool of 4 have to end by tick 8, and lower numbers are less important:
//
//	unit 3   111111        ······        NNNNNN
//	unit 2   222222        ······        NNNNNN
//	unit 1   33333333      ······        NNNNNN111111     1 comes after the demand,
//	unit 0   44444444      44444444      44444444        and so would 2 and 3
//
// The stage is one that nothing was written to. The error is bookahead.ErrUnavailable if all of those that
// give way do not make enough room, or wraps bookahead.ErrInvalid.
func (s *stage) force(d demand) (spot, []Moved, error) {
	room, x, out, err := s.makeRoom(&d)
	if err != nil {
		return spot{}, nil, err
	}
	err = room.place(&d, x)
	if err != nil {
		return spot{}, nil, err
	}
	stays := func(_ *Booking, out []*Booking) (*stage, error) {
		beside := &stage{books: s.books}
		err := beside.takeOut(out)
		if err == nil {
			err = beside.place(&d, x)
		}
		return beside, err
	}
	room, out, err = room.putBack(out, stays)
	if err != nil {
		return spot{}, nil, err
	}
	moved, err := room.placeAnew(out)
	return x, moved, err
}

// makeRoom finds out who has to be taken out for a demand: so many of its rivals, the least important
// first. It returns the stage without them, and the place of the demand there. Whoever is taken out
// makes room and never takes any, so the number is found by halving.
func (s *stage) makeRoom(d *demand) (*stage, spot, []*Booking, error) {
	list := s.rivals(d)
	if len(list) == 0 {
		return nil, spot{}, nil, bookahead.ErrUnavailable
	}
	few, enough := 0, len(list)
	without, room := s.clone(), s.clone() // few are out of the one, and enough are out of the other
	err := room.takeOut(list)
	if err != nil {
		return nil, spot{}, nil, err
	}
	x, err := room.fits(d)
	if err != nil {
		return nil, spot{}, nil, err
	}
	for few+1 < enough {
		half := (few + enough) / 2
		trial := without.clone()
		err := trial.takeOut(list[few:half])
		if err != nil {
			return nil, spot{}, nil, err
		}
		y, err := trial.fits(d)
		switch err {
		case nil:
			enough, room, x = half, trial, y
		case bookahead.ErrUnavailable:
			few, without = half, trial
		default:
			return nil, spot{}, nil, err
		}
	}
	return room, x, list[:enough], nil
}

// fits returns the place that a demand has on the stage, which is not written to.
func (s *stage) fits(d *demand) (spot, error) {
	if d.own == nil {
		return s.find(d.request)
	}
	return s.clone().findAnew(d.own, d.request)
}

// place books a demand on the stage.
func (s *stage) place(d *demand, x spot) error {
	k := d.own
	if k == nil {
		k = &Booking{} // without reservations, under an ID that no booking has
	}
	return s.move(k, d.request.Shapes[x.shape], x.places, x.on)
}

// takeOut releases all that bookings have from now on.
func (s *stage) takeOut(list []*Booking) error {
	for _, k := range list {
		err := s.move(k, nil, nil, nil)
		if err != nil {
			return err
		}
	}
	return nil
}

// rivals returns the bookings that may give way to a demand, and lie where it may lie: the least important
// first.
func (s *stage) rivals(d *demand) []*Booking {
	gives := func(k *Booking) bool {
		own := d.own != nil && k.ID == d.own.ID
		return !own && (d.rule == Anybody || k.Priority < d.priority) && !(d.overrun && k.begun(s.now))
	}
	if d.own != nil && d.own.begun(s.now) {
		return s.inTheWay(s.reachOn(d), gives)
	}
	return s.inTheWay(s.reach(d.request), gives)
}

// reach is where and when a part may lie. Servers are nil if it may lie on any.
type reach struct {
	on      int32
	when    bookahead.Interval
	servers []int
}

// reach returns where the parts of a request may lie.
func (s *stage) reach(r *Request) (list []reach) {
	when := bookahead.Interval{Start: max(s.now, r.Ready), End: bookahead.MaxTime}
	if r.Deadline != 0 {
		when.End = r.Deadline
	}
	for _, shape := range r.Shapes {
		for i := range shape {
			for _, k := range s.behind(shape[i].On) {
				list = append(list, reach{k, when, shape[i].named()})
			}
		}
	}
	return list
}

// reachOn returns where the parts of a booking lie that has begun and goes on.
func (s *stage) reachOn(d *demand) (list []reach) {
	for i := range d.own.Places {
		p := &d.request.Shapes[0][i]
		start := d.own.Places[i].Start
		when := bookahead.Interval{Start: max(s.now, start), End: start + bookahead.Time(p.Duration)}
		list = append(list, reach{d.own.on[i], when, p.named()})
	}
	return list
}

// named returns the servers or nodes to which a part is limited; nil if it is not.
func (p *Part) named() []int {
	if p.Tasks != nil {
		return p.Tasks.Nodes
	}
	return p.Servers
}

// inTheWay returns the bookings that lie within reach and give way: the least important first, and of
// equals the one that was booked last.
func (b *books) inTheWay(list []reach, gives func(*Booking) bool) (rivals []*Booking) {
	seen := map[BookingID]bool{}
	for _, x := range list {
		for k := range b.holders(x) {
			if !seen[k.ID] && gives(k) {
				rivals = append(rivals, k)
			}
			seen[k.ID] = true
		}
	}
	slices.SortFunc(rivals, func(k, q *Booking) int {
		return cmp.Or(cmp.Compare(k.Priority, q.Priority), cmp.Compare(q.ID, k.ID))
	})
	return rivals
}
