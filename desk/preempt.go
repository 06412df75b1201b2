package desk

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/site"
)

// demand is a request that others give way to.
type demand struct {
	request  *Request
	rule     Force
	priority int64
	own      *Booking // the booking that is placed anew; nil for a new one
	overrun  bool     // bookings that have begun do not give way
}

func (c Book) demand() demand {
	return demand{request: &c.Request, rule: c.Force, priority: c.Priority}
}

// preempt makes room for a demand on the trial. It returns the place of the demand, and the moves of those that give way.
// Bookings are taken out, the least important first, until the demand fits. Those that fit where they were beside the
// demand are put back, the most important first; the others are placed anew, the most important first. Here N wants 3
// units of 4 from tick 1 to 8, and booking 1 is the least important:
//
//	unit 3    111111       NNNNNN 111111
//	unit 2    222222       NNNNNN 222222
//	unit 1    33333333     NNNNNN 33333333
//	unit 0    44444444      44444444
//
// Nothing was written to the trial before. The error is bookahead.ErrUnavailable if the demand has no room without all that
// may give way, or wraps bookahead.ErrInvalid.
func (s *trial) preempt(d demand) (spot, []Moved, error) {
	room, x, out, err := s.leastRivals(&d)
	if err != nil {
		return spot{}, nil, err
	}
	err = room.place(&d, x)
	if err != nil {
		return spot{}, nil, err
	}
	full := func() (*trial, error) {
		return &trial{books: s.books, meter: s.meter, milder: s.milder, without: s.without}, nil
	}
	stays := func(_ *Booking, beside *trial) error {
		err := beside.place(&d, x)
		if errors.Is(err, bookahead.ErrUnavailable) { // the error comes with the part that has no room
			return bookahead.ErrUnavailable
		}
		return err
	}
	room, out, err = room.reinstate(out, full, stays)
	if err != nil {
		return spot{}, nil, err
	}
	moved, err := room.relocate(out)
	return x, moved, err
}

// leastRivals finds which bookings to take out for a demand: as few of its rivals as will do, from the least important on. It
// returns the trial without them, the place of the demand there, and the bookings.
//
// Taking a booking out makes room and never takes any. So 1, 3, 7, 15 ... rivals are tried until the demand fits, and then
// the numbers between by halving: O(log k) searches, and O(k) releases, if k give way. For k = 6:
//
//	taken out    1     3     7     5     6
//	fits         no    no    yes   no    yes
//
// (Steps that a quota counts together may lose their place when less is in their way. Then more bookings may be taken out
// than need be.)
func (s *trial) leastRivals(d *demand) (room *trial, x spot, out []*Booking, err error) {
	list := s.rivals(d)
	err = s.looks(len(list))
	if err != nil {
		return nil, spot{}, nil, err
	}
	few, without := 0, s // the demand does not fit on without, where few rivals are out
	enough := len(list) + 1
	for few+1 < enough {
		n := min(2*few+1, len(list))
		if room != nil {
			n = (few + enough) / 2
		}
		trial, err := without.clone()
		if err == nil {
			err = trial.takeOut(list[few:n])
		}
		if err != nil {
			return nil, spot{}, nil, err
		}
		y, err := trial.fits(d)
		switch err {
		case nil:
			enough, room, x = n, trial, y
		case bookahead.ErrUnavailable:
			few, without = n, trial
		default:
			return nil, spot{}, nil, notFewer(few, err)
		}
	}
	if room == nil {
		return nil, spot{}, nil, bookahead.ErrUnavailable
	}
	return room, x, list[:enough], nil
}

// notFewer adds to the error of a search that was given up how many bookings it needs at least.
func notFewer(few int, err error) error {
	if errors.Is(err, bookahead.ErrStopped) {
		return fmt.Errorf("more than %d bookings have to give way: %w", few, err)
	}
	return err
}

// fits returns the place of a demand on the trial, and writes nothing to the trial.
func (s *trial) fits(d *demand) (spot, error) {
	if d.own == nil {
		return s.find(d.request)
	}
	trial, err := s.clone()
	if err != nil {
		return spot{}, err
	}
	return trial.findAnew(d.own, d.request)
}

// place books a demand on the trial.
func (s *trial) place(d *demand, x spot) error {
	k := d.own
	if k == nil {
		k = &Booking{} // without reservations, under an ID that no booking has
	}
	err := s.spendOn(x.on, x.places)
	if err != nil {
		return err
	}
	shape := x.shapeOf(d.request)
	as := k.elsewhere(shape, x.places, x.on, s.now).relabelled(d.request)
	if d.own != nil && k.begun(s.now) {
		as = k.goingOn(d.request, x, s.now)
	}
	postings := s.postings(k, as)
	if postings.Breaks(s.asks, s.meter) {
		return bookahead.ErrUnavailable
	}
	ids, err := moveReservations(s.open, s.now, s.closed, k, s.held(k), shape, x.places, x.on)
	if err != nil {
		return err
	}
	s.note(k, ids, x.on)
	s.recordMove(k, as, postings)
	return nil
}

// takeOut releases the rest of each booking, from now on.
func (s *trial) takeOut(list []*Booking) error {
	for _, k := range list {
		ids := s.held(k)
		err := s.move(k, nil, nil, nil)
		if err != nil {
			return err
		}
		s.noteTails(k, ids)
	}
	return nil
}

// rivals returns the bookings that may give way to a demand, and lie where the demand may lie: the least important first.
func (s *trial) rivals(d *demand) []*Booking {
	gives := func(k *Booking) bool {
		own := d.own != nil && k.ID == d.own.ID
		return !own && (d.rule == Anybody || k.Priority < d.priority) && !(d.overrun && k.begun(s.now))
	}
	if d.own != nil && d.own.begun(s.now) {
		return s.inTheWay(s.reachOn(d), gives)
	}
	return s.inTheWay(s.reach(d.request), gives)
}

// reach is where and when a part may lie. Servers is nil if the part may lie on any.
type reach struct {
	on      int32
	when    bookahead.Interval
	servers []int
}

// reach returns where the parts of a request may lie.
func (s *trial) reach(r *Request) (list []reach) {
	for _, shape := range r.Shapes {
		for i := range shape {
			for _, k := range s.behind(shape[i].On) {
				list = append(list, reach{k, s.reachOf(r, k), shape[i].named()})
			}
		}
	}
	return list
}

// reachOn returns where the parts of a booking lie that has begun and goes on.
func (s *trial) reachOn(d *demand) (list []reach) {
	places := d.own.withPast()
	for i := range places {
		p := &d.request.Shapes[0][i]
		start := places[i].Start
		when := bookahead.Interval{Start: max(s.now, start), End: addTicks(start, addUp(p.Duration, places[i].After))}
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
// equals the one with the greatest number.
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

// reachOf returns the time in which a request may hold units of a schedule, with the buffers there.
func (s *trial) reachOf(r *Request, on int32) bookahead.Interval {
	before, after := bookahead.Duration(0), bookahead.Duration(0)
	t := s.terms(s.at(on))
	if t != nil {
		before, after = t.Before, t.After
	}
	when := bookahead.Interval{Start: max(s.now, max(0, r.Ready)-bookahead.Time(before)), End: bookahead.MaxTime}
	if r.Deadline != 0 {
		when.End = addTicks(max(0, r.Deadline), after)
	}
	return when
}

// evict lets bookings give way that a closure leaves without units, and returns their moves. The trial has the closure,
// and closed makes another such trial. Bookings are taken out, the least important first, while they lie on an overbooked
// stretch of the closure; the rest goes as in preempt. Bookings that may not give way stay.
func (s *trial) evict(on int32, c *Close, closed func() (*trial, error)) ([]Moved, error) {
	x := reach{on, bookahead.Interval{Start: max(c.Start, s.now), End: c.End}, nil}
	if len(c.Servers) > 0 {
		x.servers = c.Servers
	}
	gives := func(k *Booking) bool { return c.Force == Anybody || k.Priority < c.Priority }
	var out []*Booking
	for _, k := range s.inTheWay([]reach{x}, gives) {
		if !s.isIn(k, x) {
			continue
		}
		err := s.takeOut([]*Booking{k})
		if err != nil {
			return nil, err
		}
		out = append(out, k)
	}
	stays := func(k *Booking, beside *trial) error {
		if beside.isIn(k, x) {
			return bookahead.ErrUnavailable
		}
		return nil
	}
	room, out, err := s.reinstate(out, closed, stays)
	if err != nil {
		return nil, err
	}
	return room.relocate(out)
}

// isIn reports whether a booking lies, within reach, on a stretch that is overbooked on the trial now.
func (s *trial) isIn(k *Booking, x reach) bool {
	at := s.at(x.on)
	for i := range k.Places {
		p := &k.Places[i]
		if k.on[i] != x.on || p.End <= s.now || !p.reserved().Overlaps(x.when) || !p.holds(x.servers) {
			continue
		}
		// Each booking on a closed node overbooks it, and a query would read all nodes.
		if at.Machine() != nil || at.Overbooks((*site.Place)(p), x.when) {
			return true
		}
	}
	return false
}

// holders yields the bookings that hold a place, or its buffer, within reach. A booking comes once for each such part that
// is not over.
func (b *books) holders(x reach) iter.Seq[*Booking] {
	return func(yield func(*Booking) bool) {
		at := b.schedules[x.on]
		around := bookahead.Interval{Start: x.when.Start - bookahead.Time(at.longestBuffer), End: addTicks(max(0, x.when.End), at.longestBuffer)}
		for span := range at.calendar.Overlapping(around) {
			id, index := inCalendar(span.ID)
			k, ok := b.booking(id)
			if !ok || !k.State.Live() || index >= MaxParts {
				continue
			}
			p := &k.Places[index]
			if p.End > b.now && p.reserved().Overlaps(x.when) && p.holds(x.servers) && !yield(k) {
				return
			}
		}
	}
}

// noteTails remembers which reservations of a booking, of those that it had on the trial, are tails now.
func (s *trial) noteTails(k *Booking, had []bookahead.ID) {
	if k.State != Running {
		return
	}
	if s.moved.tails == nil {
		s.moved.tails = map[BookingID][]bookahead.ID{}
	}
	ids := make([]bookahead.ID, len(had))
	for i, id := range had {
		if id != 0 && s.at(k.on[i]).IsTail(id) {
			ids[i] = id
		}
	}
	s.moved.tails[k.ID] = ids
}

// tailsOf returns the tails that a booking has left on the trial, by part; 0 where there is none.
func (s *trial) tailsOf(k *Booking) []bookahead.ID {
	for m := s.moved; m != nil; m = m.before {
		ids, ok := m.tails[k.ID]
		if ok {
			return ids
		}
	}
	return nil
}
