package desk

import (
	"fmt"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/account"
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
	b.accounts.Drop(&b.rules[i].Rule)
	b.rules = slices.Delete(slices.Clone(b.rules), i, i+1)
	b.tell(Event{At: b.now, What: WasDropped, Quota: c.Name})
	return nil
}

// resolve returns the rule of a quota, which is not in force yet.
func (b *books) resolve(c *SetQuota) (*quotaRule, error) {
	_, known := b.ruleAt(c.Name)
	if !known && len(b.rules) == MaxQuotas {
		return nil, limits.Invalid("Quota.Name", c.Name, fmt.Sprintf("is one too many: there are %d quotas", MaxQuotas))
	}
	q := &quotaRule{set: *c, Rule: account.Rule{Name: c.Name, Label: c.Label, Each: c.Each, Resource: c.Resource}}
	q.set.Owners, q.set.On, q.set.Periods = cloneOf(c.Owners), cloneOf(c.On), cloneOf(c.Periods)
	for i, name := range c.On {
		_, ok := b.names[name]
		if !ok {
			return nil, limits.Invalid(fmt.Sprintf("Quota.On[%d]", i), name, "is no schedule")
		}
		q.On = append(q.On, b.behind(name)...)
	}
	slices.Sort(q.On)
	q.On = slices.Compact(q.On)
	if len(c.Owners) > 0 {
		q.Owners = map[string]bool{}
		for _, owner := range c.Owners {
			q.Owners[owner] = true
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
	q.Bounds = quota.Bounds{Units: c.Units, None: c.None, Ticks: c.Ticks, Periods: q.set.Periods, From: c.From, Every: c.Every, Window: c.Window}
	return q, nil
}

// setRule puts a rule in force, in the place of the rule of that name.
func (b *books) setRule(q *quotaRule) {
	i, ok := b.ruleAt(q.Name)
	var old *account.Rule
	b.rules = slices.Clone(b.rules)
	if ok {
		old, b.rules[i] = &b.rules[i].Rule, q
	} else {
		b.rules = slices.Insert(b.rules, i, q)
	}
	if !b.accounts.Set(&q.Rule, old, b.now) {
		return
	}
	for _, r := range b.all.All(b.now) {
		b.chargeOne(q, r.Booking, 1)
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
