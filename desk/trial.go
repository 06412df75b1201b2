package desk

import (
	"errors"
	"fmt"
	"maps"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/account"
	"github.com/bookahead/bookahead/internal/effort"
)

// trial is the schedules as they would be: those of the books, but a clone of each that the trial has written to. A trial
// without clones costs nothing, so each search has a trial, even if it takes nobody out.
//
//	books    gpus   disk   line
//	trial    ▲      clone  ▲         disk has been written to
type trial struct {
	*books
	meter     *effort.Meter
	clones    map[int32]*schedule
	moved     *moves
	use       account.Trial     // the accounts that a trial has changed
	liveDelta map[int32]int64   // how many more live bookings a schedule has than in the books
	closed    int32             // the schedule that a closure clears, where nothing is cleaned, as its index and 1; 0 for none
	milder    map[string]*Terms // the terms that hold on some schedules instead of theirs; nil for none
	without   []string          // the names of quotas that are not asked
	unruled   bool              // no quota is asked
	unasked   bool              // no owner asks for a place, and so Notice and Ahead are not asked
	relaxed   []*Part           // the parts whose units are always free: Why tries whether they are in the way
}

// moves are the reservations of the bookings that a trial has moved. A clone has moves of its own, and looks into those
// before them, which do not change any more.
type moves struct {
	holds  map[BookingID]holding
	as     map[BookingID]*Booking       // how they lie now, if there are quotas
	tails  map[BookingID][]bookahead.ID // the tails that bookings have left, by part; 0 where there is none
	before *moves
}

// holding is the reservations of a booking, and the schedules of its parts: none for a booking that is taken out.
type holding struct {
	ids []bookahead.ID
	on  []int32
}

// at returns a schedule to read.
func (s *trial) at(k int32) *schedule {
	c, ok := s.clones[k]
	if ok {
		return c
	}
	return s.schedules[k]
}

// clone returns a copy, for a trial within a trial. It costs a clone of each schedule that was written to. The error wraps
// bookahead.ErrStopped.
func (s *trial) clone() (*trial, error) {
	steps := int64(0)
	for _, at := range s.clones {
		steps += at.Steps(0)
	}
	if !s.meter.Spend(steps) {
		return nil, s.meter.Err()
	}
	if s.moved != nil && s.moved.holds != nil {
		s.moved = &moves{before: s.moved}
	}
	c := &trial{
		books: s.books, meter: s.meter, clones: make(map[int32]*schedule, len(s.clones)), use: maps.Clone(s.use), liveDelta: maps.Clone(s.liveDelta),
		closed: s.closed, milder: s.milder, without: s.without, unruled: s.unruled, relaxed: s.relaxed, unasked: s.unasked,
	}
	if s.moved != nil {
		c.moved = &moves{before: s.moved.before}
	}
	for k, at := range s.clones {
		c.clones[k] = at.clone()
	}
	return c, nil
}

// open returns a schedule to write to: a clone, which the first write makes.
func (s *trial) open(k int32) *schedule {
	c, ok := s.clones[k]
	if !ok {
		if s.clones == nil {
			s.clones = map[int32]*schedule{}
		}
		c = s.schedules[k].clone()
		s.clones[k] = c
	}
	return c
}

// held returns the reservations of a booking on the trial, by part; 0 where it has none.
func (s *trial) held(k *Booking) []bookahead.ID { return s.holding(k).ids }

// holding returns the reservations of a booking on the trial, and where they are.
func (s *trial) holding(k *Booking) holding {
	for m := s.moved; m != nil; m = m.before {
		x, ok := m.holds[k.ID]
		if ok {
			return x
		}
	}
	return holding{k.ids, k.on}
}

// move gives a booking other places on the trial. Without places the booking is taken out.
func (s *trial) move(k *Booking, shape Shape, places []Place, on []int32) error {
	was := s.holding(k)
	err := s.spendOn(was.on, k.Places)
	if err == nil {
		err = s.spendOn(on, places)
	}
	if err != nil {
		return err
	}
	ids, err := moveReservations(s.open, s.now, s.closed, k, was.ids, shape, places, on)
	if err == nil {
		s.note(k, ids, on)
	}
	if err == nil && len(s.rules) > 0 {
		as := k.elsewhere(shape, places, on, s.now)
		s.recordMove(k, as, s.postings(k, as))
	}
	return err
}

// note remembers on the trial the reservations of a booking, and counts the booking on the schedules where it lies now.
func (s *trial) note(k *Booking, ids []bookahead.ID, on []int32) {
	s.count(s.holding(k).on, -1)
	s.count(on, 1)
	if s.moved == nil {
		s.moved = &moves{}
	}
	if s.moved.holds == nil {
		s.moved.holds = map[BookingID]holding{}
	}
	s.moved.holds[k.ID] = holding{ids, on}
}

// meter returns the meter of a command or a query: no number of steps stands for that of the desk.
func (b *books) meter(e bookahead.Effort) (effort.Meter, error) {
	if e.Steps == 0 {
		e.Steps = b.config.Effort
	}
	return effort.New(e)
}

// givenUp adds to the error of a command or a query that has used up its steps how many they were. The error itself says
// how far the search came.
func givenUp(verb string, m *effort.Meter, err error) error {
	if !errors.Is(err, bookahead.ErrStopped) {
		return err
	}
	return fmt.Errorf("desk: %s: given up after %d steps: %w", verb, m.Steps(), err)
}

// spend counts a search for some units on a schedule, or a write. The error wraps bookahead.ErrStopped.
func (s *trial) spend(at *schedule, units int64) error {
	if !s.meter.Spend(at.Steps(units)) {
		return s.meter.Err()
	}
	return nil
}

// stepsOfTaken is how many steps a write counts for each server that it takes or gives back, and for each node.
const stepsOfTaken = 16

// spendOn counts a write of places on their schedules. A booking that a trial has moved may lie on more schedules than its
// places say; the write counts as much for these as without servers.
func (s *trial) spendOn(on []int32, places []Place) error {
	for i, k := range on {
		units, taken := int64(0), 0
		if i < len(places) {
			units, taken = places[i].Units, len(places[i].Servers)+len(places[i].Nodes)
		}
		if !s.meter.Spend(s.at(k).Steps(units) + stepsOfTaken*int64(taken)) {
			return s.meter.Err()
		}
	}
	return nil
}

// looks counts n looks, each a step.
func (s *trial) looks(n int) error {
	if !s.meter.Spend(int64(n)) {
		return s.meter.Err()
	}
	return nil
}

// shareSearches is how many searches for each part of a request a share has at least.
const shareSearches = 16

// least returns how many steps the share of a request has at least, while there are any.
func (b *books) least(r *Request) (steps int64) {
	for _, shape := range r.Shapes {
		for i := range shape {
			for _, k := range b.behind(shape[i].On) {
				steps += shareSearches * (b.schedules[k].Steps(shape[i].Units) + int64(len(b.rules)))
			}
		}
	}
	return steps
}
