package desk

import (
	"fmt"
	"maps"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/effort"
	"github.com/bookahead/bookahead/internal/limits"
	"github.com/bookahead/bookahead/internal/quota"
)

func (c SetQuota) decide(b *books, _ *effort.Meter) (Decision, error) {
	_, err := b.resolve(&c)
	return Decision{}, err
}

func (c SetQuota) apply(b *books, _ *Decision) error {
	q, err := b.resolve(&c)
	if err != nil {
		return err
	}
	b.setRule(q)
	b.tell(Event{At: b.now, What: WasSet, Quota: c.Name})
	return nil
}

func (c DropQuota) decide(b *books, _ *effort.Meter) (Decision, error) {
	_, ok := b.ruleAt(c.Name)
	if !ok {
		return Decision{}, bookahead.ErrNotFound
	}
	return Decision{}, nil
}

func (c DropQuota) apply(b *books, _ *Decision) error {
	i, ok := b.ruleAt(c.Name)
	if !ok {
		return bookahead.ErrNotFound
	}
	b.dropAccounts(b.rules[i].id)
	b.rules = slices.Delete(slices.Clone(b.rules), i, i+1)
	b.tell(Event{At: b.now, What: WasDropped, Quota: c.Name})
	return nil
}

// resolve returns the rule of a quota, without the number of its accounts.
func (b *books) resolve(c *SetQuota) (*rule, error) {
	_, known := b.ruleAt(c.Name)
	if !known && len(b.rules) == MaxQuotas {
		return nil, limits.Invalid("Quota.Name", c.Name, fmt.Sprintf("is one too many: there are %d quotas", MaxQuotas))
	}
	q := &rule{SetQuota: *c}
	q.Owners, q.On, q.Periods = cloneOf(c.Owners), cloneOf(c.On), cloneOf(c.Periods)
	for i, name := range q.On {
		_, ok := b.names[name]
		if !ok {
			return nil, limits.Invalid(fmt.Sprintf("Quota.On[%d]", i), name, "is no schedule")
		}
		q.on = append(q.on, b.behind(name)...)
	}
	slices.Sort(q.on)
	q.on = slices.Compact(q.on)
	if len(q.Owners) > 0 {
		q.owners = map[string]bool{}
		for _, owner := range q.Owners {
			q.owners[owner] = true
		}
	}
	for _, s := range b.schedules {
		if s.of == nil {
			continue
		}
		err := b.countsBroker(q, "Quota.On", s.name, s.of)
		if err != nil {
			return nil, err
		}
	}
	if !b.knowsResource(q) {
		return nil, limits.Invalid("Quota.Resource", c.Resource, "is no resource of a schedule that counts")
	}
	q.bounds = quota.Bounds{Units: c.Units, None: c.None, Ticks: c.Ticks, Periods: q.Periods, From: c.From, Every: c.Every, Window: c.Window}
	return q, nil
}

// setRule puts a rule in force, in the place of the rule of that name. The accounts stay if the new rule counts
// alike, and looks no further back: then they have all that it needs.
func (b *books) setRule(q *rule) {
	i, ok := b.ruleAt(q.Name)
	var old *rule
	b.rules = slices.Clone(b.rules)
	if ok {
		old, b.rules[i] = b.rules[i], q
	} else {
		b.rules = slices.Insert(b.rules, i, q)
	}
	if old != nil && old.countsLike(q) && q.bounds.Since(b.now) >= old.bounds.Since(b.now) {
		q.id = old.id
		return
	}
	b.ruleIDs++
	q.id = b.ruleIDs
	if old != nil && old.knowsPastOf(q) {
		b.keepPast(old, q)
	}
	if old != nil {
		b.dropAccounts(old.id)
	}
	for _, r := range b.all.All(b.now) {
		b.chargeOne(q, r.Booking, 1)
	}
}

// countsLike reports whether two quotas count the same use, whatever bounds they set.
func (q *rule) countsLike(o *rule) bool { return q.countsOn(o) && maps.Equal(q.owners, o.owners) }

// countsOn is countsLike without a look at the owners.
func (q *rule) countsOn(o *rule) bool {
	return q.Label == o.Label && q.Each == o.Each && q.Resource == o.Resource && (q.on == nil) == (o.on == nil) && slices.Equal(q.on, o.on)
}

// knowsPastOf reports whether the accounts of q have the use by forgotten bookings that rule o counts: q has an
// account for each owner, or o counts all whom q counts.
func (q *rule) knowsPastOf(o *rule) bool {
	all := o.owners == nil || q.owners != nil
	for owner := range q.owners {
		all = all && (o.owners == nil || o.owners[owner])
	}
	return q.countsOn(o) && (q.Each || all)
}

// keepPast opens accounts of q with the use by forgotten bookings in the accounts of old. Use that old needed no more
// is left out even if no sweep has dropped it yet, since the answer must not depend on the time of the sweep.
func (b *books) keepPast(old, q *rule) {
	since := old.bounds.Since(b.now)
	for of, a := range b.accounts.of(old.id) {
		if !q.Each || q.counts(of.owner, []string{q.Label}) {
			b.openAccount(accountOf{q.id, of.owner}, a.past.Pieces(since))
		}
	}
}

// openAccount opens an account with a past.
func (b *books) openAccount(of accountOf, past []quota.Piece) {
	b.write(of, func(a *account) {
		for _, p := range past {
			a.use.AddPiece(b.accounts.owner, p)
			a.past.AddPiece(b.accounts.owner, p)
		}
	})
}

// dropAccounts closes the accounts of a rule.
func (b *books) dropAccounts(id uint32) {
	for of := range b.accounts.of(id) {
		b.accounts.Remove(of)
	}
}

func (c SetTerms) decide(b *books, _ *effort.Meter) (Decision, error) {
	err := c.suits(b)
	if err == nil {
		err = atMost("SetTerms.Open", int64(len(c.Open)), 0, b.config.Limits.Open, "Open")
	}
	return Decision{}, err
}

// suits checks the command, but for Config.Limits: an entry of a log may have been accepted under others.
func (c SetTerms) suits(b *books) error {
	k, ok := b.names[c.On]
	switch {
	case !ok:
		return limits.Invalid("SetTerms.On", c.On, "is no schedule")
	case b.schedules[k].of != nil:
		return limits.Invalid("SetTerms.On", c.On, fmt.Sprintf("is a broker: set those of %q", b.schedules[k].kind.(Broker).Of))
	case c.Needs != 0 && c.Needs <= b.now:
		return limits.Invalid("SetTerms.Needs", c.Needs, fmt.Sprintf("is not after now, %d", b.now))
	}
	return nil
}

func (c SetTerms) apply(b *books, _ *Decision) error {
	err := c.suits(b)
	if err != nil {
		return err
	}
	at := b.schedules[b.names[c.On]]
	at.terms = nil
	if !c.Terms.zero() {
		t := c.Terms.clone()
		at.terms = &t
	}
	b.tell(Event{At: b.now, What: WasSet, Schedule: c.On})
	return nil
}

// need is the tick at which a schedule needs more opening hours.
type need struct {
	at bookahead.Time
	on string
}

// needs returns the schedules that need more opening hours after now, up to a tick: by tick, then in their order. No
// schedule is returned twice, since the clock moves past its tick.
func (b *books) needs(to bookahead.Time) (list []need) {
	for _, s := range b.schedules {
		if s.terms != nil && s.terms.Needs > b.now && s.terms.Needs <= to {
			list = append(list, need{s.terms.Needs, s.name})
		}
	}
	slices.SortStableFunc(list, func(x, y need) int { return int(min(1, max(-1, x.at-y.at))) })
	return list
}

// tellNeeds tells of the needs up to a tick, and returns the needs after it.
func (b *books) tellNeeds(list []need, to bookahead.Time) []need {
	for len(list) > 0 && list[0].at <= to {
		b.tell(Event{At: list[0].at, What: NeedsMore, Schedule: list[0].on})
		list = list[1:]
	}
	return list
}
