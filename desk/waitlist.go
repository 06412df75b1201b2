package desk

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/account"
	"github.com/bookahead/bookahead/internal/effort"
	"github.com/bookahead/bookahead/internal/limits"
)

// searchable checks that a search could take each step of a request. A search without a place stops at the first step
// that has no room, so later steps may never have been checked; a booking must not wait for a step that no search takes.
func (s *trial) searchable(r *Request) error {
	bare := *s
	bare.unruled = true
	for i, shape := range r.Shapes {
		for _, st := range bare.steps(r, shape) {
			err := st.refused()
			if err != bookahead.ErrUnavailable {
				return fmt.Errorf("desk: Request.Shapes[%d]: %w", i, err)
			}
		}
	}
	return nil
}

// decideWait decides that a booking waits.
func (c *Book) decideWait(b *books) (Decision, error) {
	if len(b.waiting) >= MaxWaiting || c.waits().lapse() <= b.now || !b.mayWait(&c.Request) {
		return Decision{}, bookahead.ErrUnavailable
	}
	return Decision{Booking: b.last + 1}, nil
}

// applyWait enters a booking that waits.
func (c *Book) applyWait(b *books, by *Decision) error {
	err := b.fit(&c.Request)
	k := c.waits()
	switch {
	case err != nil:
		return err
	case c.Wait <= b.now || k.lapse() <= b.now:
		return limits.Invalid("Book.Wait", c.Wait, fmt.Sprintf("is not after now, %d, or the Deadline %d cannot be met", b.now, c.Deadline))
	case len(b.waiting) >= MaxWaiting:
		return limits.Invalid("Decision.Places", 0, fmt.Sprintf("are none, but %d bookings wait already", MaxWaiting))
	case len(by.Moved) > 0 || by.Shape != 0:
		return limits.Invalid("Decision.Moved", len(by.Moved), "give way, or a shape is chosen, for a booking that waits")
	}
	k.Request = c.Request.Clone()
	k.nextDue = k.due(b.config.Keep)
	b.enter(k)
	b.about(k, IsWaiting, b.now, bookahead.Interval{}, k.Interval)
	return nil
}

// waits returns the booking that will wait. It shares its slices with the command.
func (c *Book) waits() *Booking {
	k := &Booking{Key: c.Key, Request: c.Request, State: Waiting, Expiry: c.Wait}
	k.Interval = k.wished()
	return k
}

// queue is the waiting bookings that count for one account of a quota.
type queue struct {
	rule *quotaRule
	list []*Booking // in the order of their turn
}

// queues returns the queues in which a booking of a request would wait, one for each quota that bounds them, by name. One
// pass over the waiting bookings serves all quotas: O(w q) for w bookings and q such quotas.
func (b *books) queues(r *Request) (list []queue) {
	for _, q := range b.rules {
		if q.set.Waiting > 0 && q.Counts(r.Owner, r.Labels) {
			list = append(list, queue{rule: q})
		}
	}
	for i := 0; len(list) > 0 && i < len(b.waiting); i++ {
		k, _ := b.booking(b.waiting[i].id)
		for j := range list {
			q := list[j].rule
			if q.Counts(k.Owner, k.Labels) && q.Key(k.Owner) == q.Key(r.Owner) {
				list[j].list = append(list[j].list, k)
			}
		}
	}
	return list
}

// full reports whether no more bookings may wait in a queue.
func (x *queue) full() bool { return int64(len(x.list)) >= x.rule.set.Waiting }

// obstacle returns a full queue as an obstacle: one more may wait when enough of the others have lapsed.
func (x *queue) obstacle() Obstacle {
	o := Obstacle{Quota: x.rule.Name, Units: 1, Bound: x.rule.set.Waiting, Use: int64(len(x.list)), kind: kindBooking}
	var lapses []bookahead.Time
	for _, k := range x.list {
		lapses = append(lapses, k.lapse())
		o.Bookings = append(o.Bookings, k.ID)
	}
	slices.Sort(lapses)
	o.Until = lapses[o.Use-o.Bound]
	o.More = len(o.Bookings) > MaxNamed
	o.Bookings = o.Bookings[:min(len(o.Bookings), MaxNamed)]
	return o
}

// bars reports whether a quota that allows nothing counts a part of each shape.
func (b *books) bars(q *quotaRule, r *Request) bool {
	counted := func(p Part) bool { return b.asked(q, &p) > 0 }
	free := func(s Shape) bool { return !slices.ContainsFunc(s, counted) }
	return q.set.None && q.Counts(r.Owner, r.Labels) && !slices.ContainsFunc(r.Shapes, free)
}

// mayWait reports whether all quotas let one more booking of a request wait.
func (b *books) mayWait(r *Request) bool {
	return !slices.ContainsFunc(b.rules, func(q *quotaRule) bool { return b.bars(q, r) }) &&
		!slices.ContainsFunc(b.queues(r), func(x queue) bool { return x.full() })
}

// waitsNot returns the quotas that do not let a booking of a request wait, by name.
func (b *books) waitsNot(r *Request) (list []Obstacle) {
	for _, q := range b.rules {
		if b.bars(q, r) {
			list = append(list, Obstacle{Quota: q.Name, Units: 1, Until: bookahead.MaxTime, kind: kindBooking})
		}
	}
	for _, x := range b.queues(r) {
		if x.full() {
			list = append(list, x.obstacle())
		}
	}
	slices.SortFunc(list, func(x, y Obstacle) int { return cmp.Compare(x.Quota, y.Quota) })
	return list
}

// overWaiting returns the accounts of a quota in which more bookings wait than it allows, in no order.
func (b *books) overWaiting(q *quotaRule) (list []Excess) {
	if q.set.Waiting == 0 {
		return nil
	}
	waits := map[account.Key]int64{}
	for _, x := range b.waiting {
		k, _ := b.booking(x.id)
		if q.Counts(k.Owner, k.Labels) {
			waits[q.Key(k.Owner)]++
		}
	}
	for of, n := range waits {
		if n > q.set.Waiting {
			list = append(list, Excess{Quota: q.Name, Owner: of.Owner, Interval: bookahead.Interval{Start: b.now, End: b.now}, Use: n, Bound: q.set.Waiting, Waiting: true})
		}
	}
	return list
}

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
	first, known := b.gainers(c)
	if known && len(first) == 0 {
		return nil, nil
	}
	o, err := operationOf(c)
	if err != nil {
		return nil, err
	}
	trial := b.clone()
	trial.told = nil
	err = o.apply(&trial, by)
	if err != nil {
		return nil, fmt.Errorf("desk: %s: %w", c.verb(), err)
	}
	if !known {
		first = trial.waiting
	}
	return trial.grantAll(first)
}

// mayGrant reports whether a booking waits, or may wait once the command has been applied.
func (b *books) mayGrant(by *Decision) bool {
	waits := func(one Decision) bool { return one.Booking > b.last && len(one.Places) == 0 } // a Book within a batch
	return len(b.waiting) > 0 || slices.ContainsFunc(by.Batch, waits)
}

// makesRoom reports whether a command may make room for a waiting booking. An Advance may: holds expire, horizons move
// on, and Notice and Ahead count from the clock.
func (b *books) makesRoom(c Command, by *Decision) bool {
	switch c := actOf(c).(type) {
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
	s := trial{books: b}
	return slices.ContainsFunc(b.waiting, func(x turn) bool {
		if !x.steps {
			return false
		}
		k, _ := b.booking(x.id)
		return slices.ContainsFunc(k.Shapes, func(shape Shape) bool { return len(s.jointQuotas(&k.Request, shape)) > 0 })
	})
}

// waitsInSteps reports whether a command of a batch makes a booking of several steps wait. Its quotas may be set later in
// the batch, so they are not looked at.
func (b *books) waitsInSteps(c Command, by *Decision) bool {
	k, ok := actOf(c).(Book)
	return ok && by.Booking > b.last && len(by.Places) == 0 && slices.ContainsFunc(k.Shapes, Shape.stepped)
}

// ahead reports whether a part has not begun. When running parts last longer, it may come to lie on other servers or
// nodes, which makes room on the old ones.
func (k *Booking) ahead(now bookahead.Time) bool {
	return slices.ContainsFunc(k.Places, func(p Place) bool { return p.Start > now })
}

// grantRounds is how many rounds of turns the waiting bookings have at most after one command.
const grantRounds = 16

// budget is the steps of all turns after one command: a part for all alike, and a reserve for those that need more. Each is
// Config.Effort, so that a command has at most twice that for those who wait, however many they are.
type budget struct{ left, reserve int64 }

// part returns how many steps one of n turns has if all have the same.
func (x *budget) part(n int64) int64 { return x.left / n }

// share returns how many steps one of n turns may take, of which it needs at least some.
func (x *budget) share(n, least int64) int64 {
	part := x.part(n)
	return max(part, min(least, part+x.reserve))
}

// spend takes off what one of n turns has used. What goes beyond its part comes from the reserve, and so it leaves the others
// their parts.
func (x *budget) spend(n, steps int64) {
	part := min(steps, x.part(n))
	x.left -= part
	x.reserve -= steps - part
}

// grantAll grants places to the waiting bookings that find one, in turn. The first round is for some of them, and any other for
// all. If a round granted a place that may have made
// room for others (jointWaits), another round follows, up to grantRounds, and as long as steps are left.
func (b *books) grantAll(first []turn) (granted []Moved, err error) {
	steps := budget{b.config.Effort, b.config.Effort}
	for list, n := first, 0; n < grantRounds; list, n = b.waiting, n+1 {
		round, err := b.grantRound(list, &steps)
		granted = append(granted, round...)
		if err != nil || len(round) == 0 || steps.left == 0 || !b.jointWaits() {
			return granted, err
		}
	}
	return granted, nil
}

// grantRound gives each of some waiting bookings one turn. If one finds no place, no other that asks for the same is searched
// for: places that are granted meanwhile make no room. A request that no search takes has no place: it may have come to wait
// because an earlier step of it had no room. A turn has an equal part of the steps that are left, or a few searches for each
// part of its request if that is more and the reserve has them. A booking that takes more than its share waits on. The
// command is not refused for that: a Cancel makes room, however many bookings wait.
func (b *books) grantRound(waiting []turn, steps *budget) (granted []Moved, err error) {
	refused := map[likeness]bool{}
	for i, x := range waiting {
		turns := int64(len(waiting) - i)
		k, _ := b.booking(x.id)
		like, known := b.likenessOf(&k.Request)
		if known && refused[like] {
			continue
		}
		most := steps.share(turns, b.least(&k.Request))
		if most == 0 {
			continue
		}
		share, err := effort.New(bookahead.Effort{Steps: most})
		if err != nil {
			return nil, err
		}
		s := trial{books: b, meter: &share}
		y, err := s.find(&k.Request)
		steps.spend(turns, share.Steps())
		if known && err == bookahead.ErrUnavailable {
			refused[like] = true
		}
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
	k := *old
	if k.bent() {
		k.askOtherwise(k.laid(m.Places))
	}
	on, err := b.checkDecided(&k.Request, m.Shape, m.Places, nil)
	if err != nil {
		return fmt.Errorf("booking %d, which waits: %w", m.Booking, err)
	}
	k.State, k.Expiry, k.Shape, k.Places, k.on = Booked, 0, m.Shape, m.Places, on
	k.Interval = spanOf(k.Places)
	k.ids, err = moveReservations(b.schedule, b.now, 0, old, nil, k.Shapes[k.Shape], k.Places, on)
	if err != nil {
		return fmt.Errorf("booking %d, which waits: %w", m.Booking, err)
	}
	b.becomes(old, &k, WasBooked)
	return nil
}
