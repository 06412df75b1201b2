package desk

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
	"github.com/bookahead/bookahead/internal/quota"
)

// Quota bounds what some bookings have together: units at once, or units times ticks in each of some periods, or in any
// window of a length, or how many of them wait. A booking counts if it is of one of the Owners and has the Label; of it,
// the parts on the schedules On count. The earliest place of a Request is the earliest at which no quota is broken, unless
// a quota of Ticks counts two of its steps (below). A quota gives way to no Force. Quotas of Ticks may agree on a start so
// late that the search gives up: the request is invalid then (MaxLeaps).
//
//	units 3 │      ▒▒▒          at most 3 units at once,
//	      2 │▒▒▒▒▒▒▒▒▒          or 24 unit-ticks in [0, 10),
//	      1 │▒▒▒▒▒▒▒▒▒▒▒        or 20 in any 8 ticks
//	        0        10
//
// A quota of Ticks that counts two steps of a shape (Part.After) leaves no place that is the first: to start one step later may
// let another start earlier. So at first the steps are searched for so that none of them breaks a quota alone. If all
// together break none either, that place is booked. Otherwise the steps are booked at their least distances, as one rigid shape, at the earliest start that
// schedules, terms and all quotas allow: each gap is Least, or as much more as the buffers between parts on one schedule
// need. If no start will do either, there is no place. With at most 4 unit-ticks in each 6 ticks, for steps of 3 and 2:
//
//	period    0     6     12
//	first     ▒▒▒░░               5 in the first period: too much
//	rigid       ▒▒▒░░             4 and 1: booked
//	wider     ▒▒▒   ░░            3 and 2: not looked for
//
// So a place with wider gaps may start earlier, or be the only one, and is not found. A rigid place is looked for from the
// start of that first one on, so a later Ready may find a place where an earlier one finds none. Whoever asks for such steps may have
// a place when others take the first one, as the steps lie further apart then; one that waits gets it.
type Quota struct {
	// Owners are those whose bookings count; nil stands for all.
	Owners []string
	// Label counts only bookings that have it; "" counts all.
	Label string
	// Each gives every owner the quota for himself; otherwise they have it together.
	Each bool
	// On names the schedules whose parts count; nil stands for all. Of a broker all schedules are named, or none.
	On []string
	// Resource counts that resource of the tasks on nodes, and nothing elsewhere; "" counts units, servers and tasks. One of
	// the schedules that count has it: a name that none of them knows would set no bound at all, and is invalid.
	Resource string
	// Units is how much there may be at once; 0 sets no bound.
	Units int64
	// Ticks is how many unit-ticks there may be in each period, and in any Window; 0 sets no bound.
	Ticks int64
	// Periods are those of Ticks, by start, which do not overlap. Every, with From, is periods of that length without end.
	Periods []bookahead.Interval
	From    bookahead.Time
	Every   bookahead.Duration
	// Window is the length of any window for Ticks.
	Window bookahead.Duration
	// Waiting is how many bookings that count may wait at once, whatever they wait for: On and Resource make no
	// difference. One more is refused as bookahead.ErrUnavailable, and Refusal.Waiting names the quota. 0 sets no bound.
	Waiting int64
	// None lets those that count book nothing: there may be 0 units at once, as the quota counts them. Units, Ticks and
	// Waiting are 0 then. Bookings stay, and may change to a part of their places, as beyond any bound. Nobody begins to
	// wait for a booking that counts in each of its shapes. Whoever waits already waits on, for another quota.
	None bool
}

// SetQuota sets a quota, or another one under its name. Bookings beyond it stay, and OverQuota lists them; they may
// change to a part of the places that they have, as Terms say of Notice. Whoever waits beyond it waits on.
//
// A new quota counts the bookings that the desk has, and not those that it has forgotten (Config.Keep). In the place of
// another it keeps what that one has counted of forgotten bookings, if Label, Each, On and Resource are the same: of
// each owner that both count with Each, and otherwise if the owners are the same, or more.
type SetQuota struct {
	// Name is at most MaxText bytes, and not empty.
	Name string
	Quota
}

// DropQuota ends a quota.
type DropQuota struct{ Name string }

// Bounds of quotas.
const (
	MaxQuotas = 1 << 10
	// MaxQuotaList is how many Owners, schedules and Periods a quota may name.
	MaxQuotaList = 1 << 10
)

func (SetQuota) verb() string  { return "setQuota" }
func (DropQuota) verb() string { return "dropQuota" }

func (c SetQuota) check() error {
	err := checkName(c.Name)
	if err == nil {
		err = c.Quota.check()
	}
	return err
}

func (c DropQuota) check() error { return checkName(c.Name) }

func checkName(name string) error {
	if name == "" {
		return limits.Invalid("Quota.Name", name, "is empty")
	}
	return checkText("Quota.Name", name)
}

func (q *Quota) check() error {
	err := checkTexts("Quota.Owners", q.Owners, MaxQuotaList)
	if err == nil {
		err = checkTexts("Quota.On", q.On, MaxQuotaList)
	}
	if err == nil {
		err = checkText("Quota.Label", q.Label)
	}
	if err == nil {
		err = checkText("Quota.Resource", q.Resource)
	}
	if err != nil {
		return err
	}
	if q.None && (q.Units != 0 || q.Ticks != 0 || q.Waiting != 0) {
		return limits.Invalid("Quota.None", q.None, "is given with Units, Ticks or Waiting")
	}
	given := len(q.Periods) > 0 || q.Every != 0 || q.Window != 0
	switch {
	case q.Units < 0:
		return limits.Invalid("Quota.Units", q.Units, "is negative")
	case q.Ticks < 0:
		return limits.Invalid("Quota.Ticks", q.Ticks, "is negative")
	case q.From < 0:
		return limits.Invalid("Quota.From", q.From, "is negative")
	case q.Every < 0:
		return limits.Invalid("Quota.Every", q.Every, "is negative")
	case q.Window < 0:
		return limits.Invalid("Quota.Window", q.Window, "is negative")
	case q.Waiting < 0:
		return limits.Invalid("Quota.Waiting", q.Waiting, "is negative")
	case q.From > 0 && q.Every == 0:
		return limits.Invalid("Quota.From", q.From, "is given without Every")
	case q.Ticks > 0 && !given:
		return limits.Invalid("Quota.Ticks", q.Ticks, "are given without Periods, Every or Window")
	case q.Ticks == 0 && given:
		return limits.Invalid("Quota.Ticks", q.Ticks, "sets no bound, but Periods, Every or Window are given")
	case len(q.Periods) > MaxQuotaList:
		return limits.Invalid("Quota.Periods", len(q.Periods), fmt.Sprintf("are more than %d", MaxQuotaList))
	}
	end := bookahead.Time(0)
	for i, p := range q.Periods {
		if p.Empty() || p.Start < end {
			return limits.Invalid(fmt.Sprintf("Quota.Periods[%d]", i), p, fmt.Sprintf("is empty, or begins before %d", end))
		}
		end = p.End
	}
	return nil
}

// checkTexts checks a list of texts, of which each is there once.
func checkTexts(field string, list []string, most int) error {
	if len(list) > most {
		return limits.Invalid(field, len(list), fmt.Sprintf("are more than %d", most))
	}
	seen := map[string]bool{}
	for i, text := range list {
		if len(text) <= MaxText && !seen[text] {
			seen[text] = true
			continue
		}
		at := fmt.Sprintf("%s[%d]", field, i)
		return cmp.Or(checkText(at, text), limits.Invalid(at, text, "is there twice"))
	}
	return nil
}

func (c SetQuota) decide(b *books) (Decision, error) {
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

func (c DropQuota) decide(b *books) (Decision, error) {
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

// setRule puts a rule in force, instead of that of its name. The accounts stay if the same is counted, and
// need not reach further back than those before.
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

// countsLike reports whether two quotas count the same, whatever they allow.
func (q *rule) countsLike(o *rule) bool { return q.countsOn(o) && maps.Equal(q.owners, o.owners) }

// countsOn is countsLike, whoever the owners are.
func (q *rule) countsOn(o *rule) bool {
	return q.Label == o.Label && q.Each == o.Each && q.Resource == o.Resource && (q.on == nil) == (o.on == nil) && slices.Equal(q.on, o.on)
}

// knowsPastOf reports whether the accounts say of forgotten bookings what another rule counts of them: that has an account
// for each owner, or counts all whom this one counts.
func (q *rule) knowsPastOf(o *rule) bool {
	all := o.owners == nil || q.owners != nil
	for owner := range q.owners {
		all = all && (o.owners == nil || o.owners[owner])
	}
	return q.countsOn(o) && (q.Each || all)
}

// keepPast opens accounts with what those of another rule know of forgotten bookings. What that one needed no more
// is left out, whether or not it was swept already.
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
		b.accounts.remove(of)
	}
}

func (c *SetQuota) code(x coder) {
	x.text("name", &c.Name)
	c.Quota.code(x)
}

func (c *DropQuota) code(x coder) { x.text("name", &c.Name) }

func (q *Quota) code(x coder) {
	texts(x, "owners", &q.Owners)
	x.text("label", &q.Label)
	flag(x, "each", &q.Each)
	texts(x, "on", &q.On)
	x.text("resource", &q.Resource)
	number(x, "units", &q.Units)
	number(x, "ticks", &q.Ticks)
	intervals(x, "periods", &q.Periods)
	number(x, "from", &q.From)
	number(x, "every", &q.Every)
	number(x, "window", &q.Window)
	number(x, "waiting", &q.Waiting)
	flag(x, "none", &q.None)
}
