package desk

import (
	"errors"
	"fmt"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/effort"
	"github.com/bookahead/bookahead/internal/limits"
)

// grants returns the waiting bookings that find a place once a command has been applied, in the order of their turns.
// Each is booked on a clone as soon as it has found its place, so that the next one sees it. A clone is made only if a
// booking waits and the command may make room.
//
//	waiting   #4 priority 9, 3 units    #6 priority 5, 2 units    #2 priority 5, 1 unit
//	free      2 units
//	granted   #2, which leaves 1 unit; #4 and #6 wait on
//
// A booking of lower priority that fits does not wait for one that does not. Afterwards no booking waits that has a
// place, as far as the searches of grantAll reach.
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

// mayGrant reports whether a booking waits, or may wait once the command has been applied.
func (b *books) mayGrant(by *Decision) bool {
	waits := func(one Decision) bool { return one.Booking > b.last && len(one.Places) == 0 } // a Book within a batch
	return len(b.waiting) > 0 || slices.ContainsFunc(by.Batch, waits)
}

// makesRoom reports whether a command may make room for a waiting booking. An Advance may: holds expire, horizons move
// on, and Notice and Ahead count from the clock.
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

// jointWaits reports whether a quota of unit-ticks counts two steps of a waiting booking. Then even a command that takes
// units may give it a place: while its first place breaks the quota it has none, and when others take that place, its
// steps lie elsewhere, further apart. Two steps of 3 and 2 ticks, and at most 4 unit-ticks in each 6 ticks:
//
//	step 0    ▒▒▒                      5 in the first 6 ticks are too much, and there is no later place
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

// waitsInSteps reports whether a command of a batch makes a booking of several steps wait. Its quotas may be set later in
// the batch, so they are not looked at.
func (b *books) waitsInSteps(c Command, by *Decision) bool {
	k, ok := plainCommand(c).(Book)
	return ok && by.Booking > b.last && len(by.Places) == 0 && slices.ContainsFunc(k.Shapes, Shape.stepped)
}

// ahead reports whether a part has not begun. When running parts last longer, it may come to lie on other servers or
// nodes, which makes room on the old ones.
func (k *Booking) ahead(now bookahead.Time) bool {
	return slices.ContainsFunc(k.Places, func(p Place) bool { return p.Start > now })
}

// grantRounds is how many rounds of turns the waiting bookings have at most after one command.
const grantRounds = 16

// grantAll grants places to the waiting bookings that find one, in turn. If a round granted a place that may have made
// room for others (jointWaits), another round follows, up to grantRounds, and as long as steps are left.
func (b *books) grantAll() (granted []Moved, err error) {
	left := b.config.Effort
	for range grantRounds {
		round, err := b.grantRound(&left)
		granted = append(granted, round...)
		if err != nil || len(round) == 0 || left == 0 || !b.jointWaits() {
			return granted, err
		}
	}
	return granted, nil
}

// grantRound gives each waiting booking one turn. A request that no search takes has no place: it may have come to wait
// because an earlier step of it had no room. A turn has an equal share of the steps that are left of Config.Effort, or a few
// searches for each part if that is more. A booking that takes more than its share waits on. The command is not refused for
// that: a Cancel makes room, however many bookings wait.
//
// All rounds together take as many steps as a command may, and the few searches of each waiting part once more: a round
// begins only while steps are left, and once none are left it takes no more than those searches.
func (b *books) grantRound(left *int64) (granted []Moved, err error) {
	turns := int64(len(b.waiting))
	for i, x := range b.waiting {
		k, _ := b.booking(x.id)
		share, err := effort.New(bookahead.Effort{Steps: max(*left/(turns-int64(i)), b.least(&k.Request))})
		if err != nil {
			return nil, err
		}
		s := stage{books: b, meter: &share}
		y, err := s.find(&k.Request)
		*left = max(0, *left-share.Steps())
		switch {
		case err == bookahead.ErrUnavailable || errors.Is(err, bookahead.ErrInvalid) || errors.Is(err, bookahead.ErrStopped):
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
