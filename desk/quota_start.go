package desk

import (
	"fmt"
	"maps"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/cow"
	"github.com/bookahead/bookahead/internal/effort"
	"github.com/bookahead/bookahead/internal/quota"
)

// claims are the use that one step, or several at fixed distances, ask of all quotas that count them. Like a schedule, a
// quota returns the next start that it allows, so the search goes on from there until all agree:
//
//	schedule   ░░░░░░▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒     has room from 6 on
//	quota      ░░░░░░░░░▒▒▒▒▒▒▒▒▒▒▒▒▒     allows a start at 9, where the schedule has room too
type claims []claim

// claim is the use that is asked of one quota.
type claim struct {
	quota.Claim
	name string
}

// next returns the first start from s on that all quotas allow. The error is bookahead.ErrUnavailable if no start up to
// last will do. It is the same if the quotas have not agreed while their periods came round once, behind everything that
// is booked, since each later round is like this one:
//
//	3 of 10     │         │         │        5 ticks have to lie across this border
//	3 of 10          │         │             and across this one
//
// Each leap counts stepsOfLeap, and the looks at the use are steps too.
func (list claims) next(s, last bookahead.Time, m *effort.Meter) (bookahead.Time, error) {
	end := bookahead.MaxTime // the end of the first round
	for i, agreed := 0, 0; agreed < len(list); i++ {
		c := &list[i%len(list)]
		t, ok := c.Next(s, last, m)
		switch {
		case m.Stopped():
			return 0, list.stopped(c, t, m)
		case !ok:
			return 0, bookahead.ErrUnavailable
		}
		if t == s {
			agreed++
			continue
		}
		s, agreed = t, 0
		switch {
		case s >= end:
			return 0, bookahead.ErrUnavailable
		case !m.Spend(stepsOfLeap):
			return 0, list.stopped(c, s, m)
		// From s on every round is alike, so quotas that do not agree in the first one never do.
		case end == bookahead.MaxTime && list.repeat(s):
			end = addTicks(s, list.round())
		}
	}
	return s, nil
}

// stopped returns the error of a search that has used up its steps: up to a start, one of the quotas refuses each.
func (list claims) stopped(c *claim, s bookahead.Time, m *effort.Meter) error {
	if len(list) == 1 {
		return fmt.Errorf("quota %q has not allowed a start up to %d: %w", c.name, s, m.Err())
	}
	return fmt.Errorf("quota %q and others have not allowed the same start up to %d: %w", c.name, s, m.Err())
}

// repeat reports whether all quotas allow the same starts again one round later, from s on.
func (list claims) repeat(s bookahead.Time) bool {
	return !slices.ContainsFunc(list, func(c claim) bool { return !c.Repeats(s) })
}

// round returns after how many ticks the periods of all quotas begin together again, at most the length of the axis.
func (list claims) round() bookahead.Duration {
	all := bookahead.Duration(1)
	for i := range list {
		every := max(1, list[i].Every())
		a, b := all, every
		for b != 0 {
			a, b = b, a%b
		}
		if all/a > bookahead.Duration(bookahead.MaxTime)/every {
			return bookahead.Duration(bookahead.MaxTime)
		}
		all = all / a * every
	}
	return all
}

// neverAgree reports whether the quotas alone refuse the steps for ever, however much room the schedules have: no chain
// begins in a whole round of all periods from the present starts on, where nothing is booked any more.
// It takes a quarter of the steps that are left at most, and is no proof if it is stopped.
func neverAgree(steps []*step, now bookahead.Time, m *effort.Meter) bool {
	part := m.Part(m.Left() / 4)
	defer m.Add(&part)
	var all claims
	list := make([]*step, len(steps))
	for i, st := range steps {
		x := *st
		// All schedules have room for the copies: if even their chain is not found, there is none.
		x.free, x.apart, x.meter = true, nil, &part
		all, list[i] = append(all, st.claims...), &x
	}
	from := list[0].from
	if steps[0].free || len(all) == 0 || !all.repeat(from) {
		return false
	}
	err := chain(list, from, now, &part)
	return err == bookahead.ErrUnavailable || list[0].from >= addTicks(from, all.round())
}

// stepsOfClaim is how many steps a claim on a quota counts, and the change of an account by a part.
const stepsOfClaim = 8

// quotaClaims returns the claims of parts at fixed distances on some quotas, and counts them: if the meter refuses that, the next
// search is stopped.
func (s *trial) quotaClaims(rules []*rule, r *Request, parts []Part) (list claims) {
	for _, q := range rules {
		if !s.asks(q) {
			continue
		}
		c, ok := s.claim(q, r, parts)
		if ok {
			list = append(list, claim{c, q.Name})
		}
	}
	s.meter.Spend(int64(len(rules) + stepsOfClaim*len(list)))
	return list
}

// asks reports whether a quota is asked on the trial.
func (s *trial) asks(q *rule) bool { return !s.unruled && !slices.Contains(s.without, q.Name) }

// claim returns the claim of parts at fixed distances on one quota; false if the quota counts none of them.
func (s *trial) claim(q *rule, r *Request, parts []Part) (quota.Claim, bool) {
	if !q.counts(r.Owner, r.Labels) {
		return quota.Claim{}, false
	}
	var uses []quota.Use
	for i := range parts {
		p := &parts[i]
		amount := s.asked(q, p)
		if amount > 0 {
			start := bookahead.Time(p.Offset)
			uses = append(uses, quota.Use{Interval: bookahead.Interval{Start: start, End: start + bookahead.Time(p.Duration)}, Amount: amount})
		}
	}
	if uses == nil {
		return quota.Claim{}, false
	}
	return quota.NewClaim(&q.bounds, s.useOf(q, q.account(r.Owner)), uses), true
}

// asked returns how much a quota counts of a part, wherever the part will lie.
func (b *books) asked(q *rule, p *Part) int64 {
	if p.Tasks == nil {
		return b.amount(q, b.behind(p.On)[0], p.Units, nil, nil)
	}
	return b.amount(q, b.behind(p.On)[0], p.Units, p.Tasks.Each, p.Tasks.Head)
}

// lastStart returns the last start of a given length that meets a deadline.
func lastStart(deadline bookahead.Time, length bookahead.Duration) bookahead.Time {
	if deadline == 0 {
		deadline = bookahead.MaxTime
	}
	return deadline - bookahead.Time(length)
}

// findAllowed returns the place of a shape of one part that the quotas allow.
func (s *trial) findAllowed(r *Request, p *Part, at *schedule) (spot, error) {
	x, err := s.findPart(r, p, at)
	if err != nil || len(s.rules) == 0 {
		return x, err
	}
	list := s.quotaClaims(s.rules, r, []Part{*p})
	for {
		start := x.places[0].Start
		next, err := list.next(start, lastStart(r.Deadline, p.Duration), s.meter)
		if err != nil || next == start {
			return x, notBefore(start, err)
		}
		later := *r
		later.Ready = next
		x, err = s.findPart(&later, p, at)
		if err != nil {
			return x, notBefore(next, err)
		}
	}
}

// searchForAllowed is searchFor within the quotas. The use of the booking itself counts as free.
func (s *trial) searchForAllowed(k *Booking, at *schedule, id bookahead.ID, p *Part, r *Request) (Place, error) {
	place, err := s.searchFor(at, id, p, r, r.Ready)
	if err != nil || len(s.rules) == 0 {
		return place, err
	}
	free := *s
	free.use = maps.Clone(s.use)
	free.charge(s.postings(k, k.elsewhere(nil, nil, nil, s.now)))
	list := free.quotaClaims(s.rules, r, []Part{*p})
	for {
		start := place.Start
		next, err := list.next(start, lastStart(r.Deadline, p.Duration), s.meter)
		if err != nil || next == start {
			return place, notBefore(start, err)
		}
		place, err = s.searchFor(at, id, p, r, next)
		if err != nil {
			return place, notBefore(next, err)
		}
	}
}

// posting is a change of an account on a trial.
type posting struct {
	rule          *rule
	of            accountOf
	before, after quota.Steps
	when          bookahead.Interval // the changes lie in it
}

// postings returns the changes of accounts if a booking lies as another state has it, and not as it does on the trial. It
// counts them as quotaClaims does.
func (s *trial) postings(k, as *Booking) (list []posting) {
	if len(s.rules) == 0 {
		return nil
	}
	var by cow.Owner
	by.Renew() // the nodes of before stay as they are
	old := s.placedAs(k)
	steps := len(s.rules)
	for _, q := range s.rules {
		since := q.bounds.Since(s.now)
		from := len(list)
		add := func(k *Booking, sign int64) {
			if k == nil || !q.counts(k.Owner, k.Labels) {
				return
			}
			of := q.account(k.Owner)
			if len(list) == from || list[len(list)-1].of != of {
				use := s.useOf(q, of)
				list = append(list, posting{rule: q, of: of, before: use, after: use})
			}
			x := &list[len(list)-1]
			for w, amount := range s.uses(q, k) {
				w.Start = max(w.Start, since)
				if w.Empty() {
					continue
				}
				x.after.Add(by, w, sign*amount)
				steps += stepsOfClaim
				if x.when.Empty() {
					x.when = w
				}
				x.when.Start, x.when.End = min(x.when.Start, w.Start), max(x.when.End, w.End)
			}
		}
		add(old, -1)
		add(as, 1)
	}
	s.meter.Spend(int64(steps))
	return list
}

// charge carries out postings on the trial.
func (s *trial) charge(list []posting) {
	for _, x := range list {
		if s.use == nil {
			s.use = map[accountOf]quota.Steps{}
		}
		s.use[x.of] = x.after
	}
}

// breaks reports whether postings break a quota that was not broken before, or break it further.
func (s *trial) breaks(list []posting) bool {
	for i := range list {
		x := &list[i]
		if s.asks(x.rule) && !x.when.Empty() && x.rule.bounds.Worse(x.before, x.after, x.when, s.now, s.meter) {
			return true
		}
	}
	return false
}

// useOf returns the use that an account counts on the trial, as usedSince does.
func (s *trial) useOf(q *rule, of accountOf) quota.Steps {
	use, ok := s.use[of]
	if !ok {
		use = s.usedSince(q, of)
	}
	return use
}

// placedAs returns a booking as it lies on the trial; nil for a new booking, which has no number yet.
func (s *trial) placedAs(k *Booking) *Booking {
	if k.ID == 0 {
		return nil
	}
	for m := s.moved; m != nil; m = m.before {
		as, ok := m.as[k.ID]
		if ok {
			return as
		}
	}
	old, _ := s.booking(k.ID)
	return old
}

// recordMove remembers how a booking lies on the trial, after note has its reservations, and charges the accounts.
func (s *trial) recordMove(k, as *Booking, list []posting) {
	if len(s.rules) == 0 {
		return
	}
	s.charge(list)
	if s.moved.as == nil {
		s.moved.as = map[BookingID]*Booking{}
	}
	s.moved.as[k.ID] = as
}

// elsewhere returns a booking with its use until now, and with other places from now on.
func (k *Booking) elsewhere(shape Shape, places []Place, on []int32, now bookahead.Time) *Booking {
	as := *k
	as.Past, as.pastOn = k.pastOfAll(now)
	as.Shapes, as.Shape, as.Places, as.on = []Shape{shape}, 0, places, on
	return &as
}

// goingOn returns a booking for another request, in a place; a booking that has begun goes on there.
func (k *Booking) goingOn(to *Request, x spot, now bookahead.Time) *Booking {
	as := *k
	as.Request, as.Shape, as.Places, as.on = *to, x.shape, x.places, x.on
	as.split(k, now)
	return &as
}

// relabelled returns a booking that stays where it is, for another owner or with other labels.
func (k *Booking) relabelled(to *Request) *Booking {
	as := *k
	as.Owner, as.Labels = to.Owner, to.Labels
	return &as
}

// asBefore returns postings that start from the use before the command: a place may be used again as much as then.
func (s *trial) asBefore(list []posting) []posting {
	list = slices.Clone(list)
	for i := range list {
		list[i].before = s.usedSince(list[i].rule, list[i].of)
	}
	return list
}
