package desk

import (
	"cmp"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
)

// Quotas returns the quotas, by name. Their slices belong to the desk, and must not be changed. O(q) for q quotas.
func (d *Desk) Quotas() (list []SetQuota) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	for _, q := range d.b.rules {
		list = append(list, q.SetQuota)
	}
	return list
}

// OverQuota returns the excesses over the quotas, by quota and owner: units at once from now on, then the Periods that are
// not over, then the periods of Every, then windows that are not over, each by time, and then waiting bookings. An owner who
// is listed keeps the bookings, and gets no more there. O(n log n) for n places that are counted, and O(w) for w waiting
// bookings, for each quota of Waiting.
func (d *Desk) OverQuota() (list []Excess) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	for _, q := range d.b.rules {
		from := len(list)
		for of, a := range d.b.accounts.of(q.id) {
			for _, x := range q.bounds.Over(a.use, d.b.now, nil) {
				over := Excess{Quota: q.Name, Owner: of.owner, Interval: x.Interval, Length: x.Length, Use: greatest(x.Use), Bound: q.Ticks}
				if x.Length == 0 {
					over.Bound = q.Units
				}
				list = append(list, over)
			}
		}
		list = append(list, d.b.overWaiting(q)...)
		slices.SortStableFunc(list[from:], func(x, y Excess) int { return cmp.Compare(x.Owner, y.Owner) })
	}
	return list
}

// QuotaUse returns the use that a quota counts in w: the most units at once, and the unit-ticks. If the quota is for Each,
// it is the use of the owner, and otherwise the use of all, whatever owner is. The desk knows the use as far back as the
// quota needs it: for a Window before now, and from the start of the present period on. Earlier use counts as 0. For a
// number beyond an int64 stands the greatest int64.
//
// The error wraps bookahead.ErrInvalid if there is no such quota, or w is empty. O(k log n) for k changes of the use
// in w.
func (d *Desk) QuotaUse(name, owner string, w bookahead.Interval) (most, ticks int64, err error) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	i, ok := d.b.ruleAt(name)
	if !ok {
		return 0, 0, limits.Invalid("name", name, "is no quota")
	}
	if w.Empty() {
		return 0, 0, limits.Invalid("w", w, "is empty")
	}
	q := d.b.rules[i]
	w.Start = max(w.Start, q.bounds.Since(d.b.now))
	if w.Empty() {
		return 0, 0, nil
	}
	a, _ := d.b.accounts.get(q.account(owner))
	return greatest(a.use.Most(w)), greatest(a.use.Area(w)), nil
}
