package desk

import (
	"errors"
	"fmt"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
)

// grants returns who of those that wait finds a place once a command has been applied, in the order of their
// turn. Each is booked on a clone as soon as it has found one, so that the next sees it. A clone is made only if
// somebody waits, and the command may make room.
//
//	waiting   #4 priority 9, 3 units    #6 priority 5, 2 units    #2 priority 5, 1 unit
//	free      2 units
//	granted   #2, which leaves 1 unit; #4 and #6 wait on
//
// A booking of lower priority that fits does not wait for one that does not. After each command nobody waits who
// has a place that so many searches find as grantAll allows.
func (b *books) grants(c Command, by *Decision) ([]Moved, error) {
	if by.same || !b.mayGrant(by) || !b.makesRoom(c, by) {
		return nil, nil
	}
	trial := b.clone()
	trial.told = nil
	err := c.apply(&trial, by)
	if err != nil {
		return nil, fmt.Errorf("desk: %s: %w", c.verb(), err)
	}
	return trial.grantAll()
}

// mayGrant reports whether somebody waits, or may wait once the command has been applied.
func (b *books) mayGrant(by *Decision) bool {
	waits := func(one Decision) bool { return one.Booking > b.last && len(one.Places) == 0 } // of a batch
	return len(b.waiting) > 0 || slices.ContainsFunc(by.Batch, waits)
}

// makesRoom reports whether a command may make room for somebody. An Advance may: holds expire, horizons move on,
// and terms look ahead from the clock.
func (b *books) makesRoom(c Command, by *Decision) bool {
	switch c := plainCommand(c).(type) {
	case AddSchedule, Commit:
		return false
	case BookSeries, Continue:
		return b.jointWaits()
	case Book, Close:
		return len(by.Moved) > 0 || b.jointWaits()
	case Overrun:
		k, ok := b.booking(c.ID)
		return len(by.Moved) > 0 || !ok || k.ahead(b.now) || b.jointWaits()
	case Cancel:
		k, ok := b.booking(c.ID)
		return !ok || k.State != Waiting
	case Batch:
		any := false
		for i, one := range c.Commands {
			any = any || b.makesRoom(one, &by.Batch[i]) || b.waitsInSteps(one, &by.Batch[i])
		}
		return any
	}
	return true
}

// jointWaits reports whether a quota of unit-ticks counts two steps of a booking that waits. Its first place may break the
// quota, and so it may get one when others take that place: its steps lie elsewhere then, and further apart.
//
//	step 0    ▒▒▒                      5 unit-ticks in the first 6 ticks are too much, and there is no later place
//	step 1       ░░
//	others       ████                  now step 1 comes at 7, and the quota allows both
//	step 1           ░░
func (b *books) jointWaits() bool {
	if len(b.rules) == 0 {
		return false
	}
	s := stage{books: b}
	return slices.ContainsFunc(b.waiting, func(x turn) bool {
		if !x.steps {
			return false
		}
		k, _ := b.booking(x.id)
		return slices.ContainsFunc(k.Shapes, func(shape Shape) bool { return len(s.joint(&k.Request, shape)) > 0 })
	})
}

// waitsInSteps reports whether a command of a batch lets a booking of several steps wait. Its quotas may be set by the
// batch too, so they are not looked at.
func (b *books) waitsInSteps(c Command, by *Decision) bool {
	k, ok := plainCommand(c).(Book)
	return ok && by.Booking > b.last && len(by.Places) == 0 && slices.ContainsFunc(k.Shapes, Shape.stepped)
}

// ahead reports whether a part has not begun: when the others last longer, it may come to lie on other servers or nodes.
func (k *Booking) ahead(now bookahead.Time) bool {
	return slices.ContainsFunc(k.Places, func(p Place) bool { return p.Start > now })
}

// leastLeaps is how many searches a waiting booking may take at least in its turn, beside one for each step. 4096 that wait
// take 65 536 then, which is MaxLeaps.
const leastLeaps = 16

// counter returns what counts the searches of a shape: all shapes of a booking that waits have one together.
func (s *stage) counter(steps int) *int {
	if s.leaps == nil {
		return new(int)
	}
	s.spare(steps)
	return s.leaps
}

// spare lets a booking that waits search once for each step beside its share.
func (s *stage) spare(steps int) {
	if s.leaps != nil {
		*s.leaps -= steps
	}
}

// grantRounds is how many turns all that wait have at most after one command.
const grantRounds = 16

// grantAll grants places to all that wait and find one, in turn. Another round follows one that granted a place if that may
// have made room for somebody (jointWaits), up to grantRounds.
func (b *books) grantAll() (granted []Moved, err error) {
	for range grantRounds {
		round, err := b.grantRound()
		granted = append(granted, round...)
		if err != nil || len(round) == 0 || !b.jointWaits() {
			return granted, err
		}
	}
	return granted, nil
}

// grantRound is one turn of all that wait. A request that no search takes is one without a place: it may have come to wait
// because an earlier step of it had no room. All that wait share MaxLeaps, as the command keeps others waiting so
// long; so a chain that takes more than its share waits on.
func (b *books) grantRound() (granted []Moved, err error) {
	each := max(leastLeaps, MaxLeaps/max(1, len(b.waiting)))
	for _, x := range b.waiting {
		k, _ := b.booking(x.id)
		leaps := MaxLeaps - each
		s := stage{books: b, leaps: &leaps}
		y, err := s.find(&k.Request)
		switch {
		case err == bookahead.ErrUnavailable || errors.Is(err, bookahead.ErrInvalid):
			continue
		case err != nil:
			return nil, err
		}
		m := Moved{x.id, y.shape, y.places}
		err = b.grant(&m)
		if err != nil {
			return nil, err
		}
		granted = append(granted, m)
	}
	return granted, nil
}

// grant books a waiting booking in the place that was decided.
func (b *books) grant(m *Moved) error {
	old, ok := b.booking(m.Booking)
	if !ok || old.State != Waiting {
		return limits.Invalid("Decision.Granted", m.Booking, "does not wait")
	}
	on, err := b.placed(&old.Request, m.Shape, m.Places, nil)
	if err != nil {
		return fmt.Errorf("booking %d, which waits: %w", m.Booking, err)
	}
	k := *old
	k.State, k.Expiry, k.Shape, k.Places, k.on = Booked, 0, m.Shape, m.Places, on
	k.Interval = spanOf(k.Places)
	k.ids, err = settle(b.real, b.now, 0, old, nil, k.Shapes[k.Shape], k.Places, on)
	if err != nil {
		return fmt.Errorf("booking %d, which waits: %w", m.Booking, err)
	}
	b.becomes(old, &k, WasBooked)
	return nil
}

// checkGranted checks that places are granted by a whole command; grant checks that each booking waits.
func (d *Decision) checkGranted() error {
	if len(d.Granted) > MaxWaiting {
		return limits.Invalid("Decision.Granted", len(d.Granted), fmt.Sprintf("are more than %d", MaxWaiting))
	}
	for i := range d.Granted {
		err := checkPlaces(fmt.Sprintf("Decision.Granted[%d].Places", i), d.Granted[i].Places)
		if err != nil {
			return err
		}
	}
	for i := range d.Batch {
		if len(d.Batch[i].Granted) > 0 {
			return limits.Invalid(fmt.Sprintf("Decision.Batch[%d].Granted", i), len(d.Batch[i].Granted), "are granted before the end of the batch")
		}
	}
	return nil
}
