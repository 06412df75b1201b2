package desk

import (
	"maps"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/account"
	"github.com/bookahead/bookahead/internal/effort"
	"github.com/bookahead/bookahead/internal/quota"
)

// neverAgree reports whether the quotas alone refuse the steps for ever, however much room the schedules have: no chain
// begins in a whole round of all periods from the present starts on, where nothing is booked any more.
// It takes a quarter of the steps that are left at most, and is no proof if it is stopped.
func neverAgree(steps []*step, now bookahead.Time, m *effort.Meter) bool {
	part := m.Part(m.Left() / 4)
	defer m.Add(&part)
	var all account.Claims
	list := make([]*step, len(steps))
	for i, st := range steps {
		x := *st
		// All schedules have room for the copies: if even their chain is not found, there is none.
		x.free, x.apart, x.meter = true, nil, &part
		all, list[i] = append(all, st.claims...), &x
	}
	from := list[0].from
	if steps[0].free || len(all) == 0 || !all.Repeat(from) {
		return false
	}
	err := chain(list, from, now, &part)
	return err == bookahead.ErrUnavailable || list[0].from >= all.RoundFrom(from)
}

// stepsOfClaim is how many steps a claim on a quota counts, and the change of an account by a part.
const stepsOfClaim = 8

// quotaClaims returns the claims of parts at fixed distances on some quotas, and counts them: if the meter refuses that, the next
// search is stopped.
func (s *trial) quotaClaims(rules []*quotaRule, r *Request, parts []Part) (list account.Claims) {
	for _, q := range rules {
		if !s.asks(q.Name) {
			continue
		}
		c, ok := s.claim(q, r, parts)
		if ok {
			list = append(list, account.Claim{Claim: c, Name: q.Name})
		}
	}
	s.meter.Spend(int64(len(rules) + stepsOfClaim*len(list)))
	return list
}

// asks reports whether a quota is asked on the trial.
func (s *trial) asks(name string) bool { return !s.unruled && !slices.Contains(s.without, name) }

// claim returns the claim of parts at fixed distances on one quota; false if the quota counts none of them.
func (s *trial) claim(q *quotaRule, r *Request, parts []Part) (quota.Claim, bool) {
	if !q.Counts(r.Owner, r.Labels) {
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
	return quota.NewClaim(&q.Bounds, s.use.Used(&s.accounts, &q.Rule, r.Owner, s.now), uses), true
}

// asked returns how much a quota counts of a part, wherever the part will lie.
func (b *books) asked(q *quotaRule, p *Part) int64 {
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
		next, err := list.Next(start, lastStart(r.Deadline, p.Duration), s.meter)
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
	free.use.Charge(s.postings(k, k.elsewhere(nil, nil, nil, s.now)))
	list := free.quotaClaims(s.rules, r, []Part{*p})
	for {
		start := place.Start
		next, err := list.Next(start, lastStart(r.Deadline, p.Duration), s.meter)
		if err != nil || next == start {
			return place, notBefore(start, err)
		}
		place, err = s.searchFor(at, id, p, r, next)
		if err != nil {
			return place, notBefore(next, err)
		}
	}
}

// postings returns the changes of accounts if a booking lies as another state has it, and not as it does on the trial. It
// counts them as quotaClaims does.
func (s *trial) postings(k, as *Booking) account.Postings {
	if len(s.rules) == 0 {
		return account.Postings{}
	}
	list := s.use.Post(&s.accounts, s.now)
	old := s.placedAs(k)
	steps := len(s.rules)
	var room fewUses
	for _, q := range s.rules {
		if old != nil && q.Counts(old.Owner, old.Labels) {
			steps += stepsOfClaim * list.Add(&q.Rule, old.Owner, s.usesOf(room[:0], q, old), -1)
		}
		if q.Counts(as.Owner, as.Labels) {
			steps += stepsOfClaim * list.Add(&q.Rule, as.Owner, s.usesOf(room[:0], q, as), 1)
		}
	}
	s.meter.Spend(int64(steps))
	return list
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
func (s *trial) recordMove(k, as *Booking, list account.Postings) {
	if len(s.rules) == 0 {
		return
	}
	s.use.Charge(list)
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
