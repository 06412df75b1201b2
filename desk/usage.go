package desk

import (
	"cmp"
	"maps"
	"math/big"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
)

// Use returns how much of the Capacity of a schedule in w each owner uses, by owner. It counts the places of live
// bookings, holds included; the places of bookings that are over and kept, also of holds that were never committed;
// and the past pieces of both. Buffers do not count. Owners without any use are left out.
//
// The error wraps bookahead.ErrInvalid if there is no such schedule, or if the schedule is a broker, whose schedules
// may count different things, or bookahead.ErrStopped if Effort, of a step for each part in w, does not suffice. O(log n
// + k + o log o) for k parts in w of o owners, and on nodes O(s r) more
// for a part on s nodes with r resources.
func (d *Desk) Use(w bookahead.Interval, on string, e bookahead.Effort) ([]Use, error) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	s, err := d.b.counted(on)
	if err != nil {
		return nil, err
	}
	m, err := d.b.meter(e)
	if err != nil {
		return nil, err
	}
	sums := map[string][]area{}
	for span := range s.calendar.Overlapping(w) {
		if !m.Go(1) {
			return nil, givenUp("use", &m, m.Err())
		}
		id, index := inCalendar(span.ID)
		k, _ := d.b.booking(id)
		sum := sums[k.Owner]
		if sum == nil {
			sum = make([]area, s.resources())
			sums[k.Owner] = sum
		}
		x := k.at(index)
		x.count(sum, w)
	}
	var list []Use
	for _, owner := range slices.Sorted(maps.Keys(sums)) {
		u := Use{Owner: owner}
		for _, a := range sums[owner] {
			u.Ticks = append(u.Ticks, a.big())
		}
		list = append(list, u)
	}
	return list, nil
}

// count adds the use of a piece in w to a sum: for each resource, or in units.
func (x *Piece) count(sum []area, w bookahead.Interval) {
	in := x.Intersect(w)
	if x.Each == nil {
		sum[0].add(x.Units, in.Len())
		return
	}
	for r := range sum {
		for _, share := range x.Nodes {
			sum[r].add(share.Tasks*x.Each[r], in.Len()) // no overflow: the node has as much
		}
		if x.Head >= 0 && x.HeadTakes != nil {
			sum[r].add(x.HeadTakes[r], in.Len())
		}
	}
}

// Capacity returns how much of a schedule there is in w: unit-ticks, and on nodes one number for each resource. Use
// returns the same numbers for each owner; their ratio is the share in use. At each tick the capacity is that of the
// AddSchedule and the extensions, less the closed units; before the AddSchedule there is none. Outages that are over
// count for Config.Keep ticks, as bookings do, so w should not begin before that. The horizon does not bound w. A schedule
// of the caller's own has the Capacity that its Frame had at first. The numbers belong to the caller.
//
// The error wraps bookahead.ErrInvalid if there is no such schedule, or if the schedule is a broker, whose schedules may
// count different things. O(k log k) for k outages on the schedule and the servers that they name, and on nodes
// O(n r) more for n nodes with r resources.
func (d *Desk) Capacity(w bookahead.Interval, on string) ([]*big.Int, error) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	s, err := d.b.counted(on)
	if err != nil {
		return nil, err
	}
	w.Start = max(w.Start, s.since)
	var list []*Outage
	for _, outages := range [][]Outage{d.b.over, d.b.outages} {
		for i := range outages {
			if outages[i].On == on {
				list = append(list, &outages[i])
			}
		}
	}
	var all []*big.Int
	for _, a := range s.capacity(w, list) {
		all = append(all, a.big())
	}
	return all, nil
}

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
