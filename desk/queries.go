package desk

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/effort"
	"github.com/bookahead/bookahead/internal/limits"
	"github.com/bookahead/bookahead/internal/site"
)

// Booking returns a booking by its ID, as long as the desk keeps it, also when it is over. The error is
// bookahead.ErrNotFound. O(1).
func (d *Desk) Booking(id BookingID) (Booking, error) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	k, ok := d.b.booking(id)
	if !ok {
		return Booking{}, bookahead.ErrNotFound
	}
	return *k, nil
}

// ByKey returns a booking by the key that Book gave it, as long as the desk keeps it, also when it is over. The error is
// bookahead.ErrNotFound; "" is nobody's key. O(1).
func (d *Desk) ByKey(key string) (Booking, error) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	id, ok := d.b.keys.Get(key)
	if !ok {
		return Booking{}, bookahead.ErrNotFound
	}
	k, _ := d.b.booking(id)
	return *k, nil
}

// Bookings yields the bookings that a filter asks for, by start, then by ID, each once: the live ones, and those that
// are over and kept. They are the bookings of the moment when the walk begins: the desk may be changed meanwhile.
//
// If Effort, of a step for each booking that is looked at, does not suffice, the only pair has an error that wraps
// bookahead.ErrStopped.
//
// With a schedule and a window it takes O(log n + k log k) for k parts there, and without On as much for each schedule.
// With an owner it takes O(log n + k log k) for the k bookings of the owner, those that overlap the window if there is one.
// With an owner and a schedule, it takes the smaller number. With Series it looks at the bookings of the series alone, and
// without any of these at all n
// bookings. Among the bookings that remain, it looks for the label and the states.
func (d *Desk) Bookings(f Filter, e bookahead.Effort) iter.Seq2[Booking, error] {
	return func(yield func(Booking, error) bool) {
		list, err := d.find(&f, e)
		if err != nil {
			yield(Booking{}, err)
			return
		}
		for _, k := range list {
			if !yield(*k, nil) {
				return
			}
		}
	}
}

// find holds the lock only while it finds the bookings. They may be read later, since a booking never changes: another
// takes its place.
func (d *Desk) find(f *Filter, e bookahead.Effort) ([]*Booking, error) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	m, err := d.b.meter(e)
	if err != nil {
		return nil, err
	}
	list, err := d.b.filtered(f, &m)
	return list, givenUp("bookings", &m, err)
}

// InTheWay returns the bookings to notify before a schedule is closed in w: those that hold units of the schedule, or of
// the schedules of a broker, in w from the clock on, also by the buffers of parts that are not over. They come by start,
// then by ID. Servers limits them to bookings that hold one of these servers or nodes; nil stands for all. The error wraps
// bookahead.ErrInvalid if there is no such schedule, or if servers are named of a pool or a broker. O(log n + k log k) for
// k of n bookings.
func (d *Desk) InTheWay(on string, w bookahead.Interval, servers []int) ([]Booking, error) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	b := &d.b
	k, ok := b.names[on]
	if !ok {
		return nil, limits.Invalid("on", on, "is no schedule")
	}
	switch kind := b.schedules[k].kind.(type) {
	case Pool, Broker:
		if servers != nil {
			return nil, limits.Invalid("servers", servers, fmt.Sprintf("are named, but %q is of kind %s", on, kind.kind()))
		}
	}
	w.Start = max(w.Start, b.now)
	var list []Booking
	seen := map[BookingID]bool{}
	for _, at := range b.behind(on) {
		for k := range b.holders(reach{at, w, servers}) {
			if !seen[k.ID] {
				list = append(list, *k)
			}
			seen[k.ID] = true
		}
	}
	slices.SortFunc(list, func(k, q Booking) int { return cmp.Or(cmp.Compare(k.Start, q.Start), cmp.Compare(k.ID, q.ID)) })
	return list, nil
}

// Waiting yields the bookings that wait when the walk begins, in the order of their turns: by priority, the greatest
// first, then by ID. O(w) for w of them.
func (d *Desk) Waiting() iter.Seq[Booking] {
	return func(yield func(Booking) bool) {
		for _, k := range d.whoWaits() {
			if !yield(*k) {
				return
			}
		}
	}
}

// whoWaits lists the waiting bookings, so that the lock is not held while the caller walks along them.
func (d *Desk) whoWaits() (list []*Booking) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	for _, x := range d.b.waiting {
		k, _ := d.b.booking(x.id)
		list = append(list, k)
	}
	return list
}

// Series returns a series by its ID, as long as the desk keeps the series. The error is bookahead.ErrNotFound. O(1).
// Bookings yields its occurrences for a Filter with Series.
func (d *Desk) Series(id SeriesID) (Series, error) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	s, err := d.b.seriesOf(id)
	if err != nil {
		return Series{}, err
	}
	return s.Series, nil
}

// SeriesByKey returns a series by the key that BookSeries gave it, as long as the desk keeps the series. The error is
// bookahead.ErrNotFound; "" is nobody's key. O(1).
func (d *Desk) SeriesByKey(key string) (Series, error) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	id, ok := d.b.series.keys.Get(key)
	if !ok {
		return Series{}, bookahead.ErrNotFound
	}
	s, err := d.b.seriesOf(id)
	if err != nil {
		return Series{}, err
	}
	return s.Series, nil
}

// AllSeries returns all series that the desk keeps, by ID. A series whose Needs is not after now waits for a Continue.
// O(n) for n series.
func (d *Desk) AllSeries() []Series {
	d.mu.RLock()
	defer d.mu.RUnlock()
	list := make([]Series, 0, d.b.series.all.Len())
	for _, r := range d.b.series.all.All(d.b.now) {
		list = append(list, r.Series)
	}
	return list
}

// filtered returns the bookings of a filter, by start, then by ID.
func (b *books) filtered(f *Filter, m *effort.Meter) ([]*Booking, error) {
	list := b.matches(f, m)
	if m.Stopped() {
		return nil, m.Err()
	}
	slices.SortFunc(list, func(x, y *Booking) int {
		return cmp.Or(cmp.Compare(x.Start, y.Start), cmp.Compare(x.ID, y.ID))
	})
	return slices.Compact(list), nil // a booking comes once for each of its parts
}

// tries is how many bookings of the owner, or on the schedules, are looked at before the other of these two ways is
// tried.
const tries = 256

// matches returns the bookings of a filter in any order, and some of them more than once; too few if the meter has stopped.
func (b *books) matches(f *Filter, m *effort.Meter) []*Booking {
	noPlace := f.On == "" && f.Window == bookahead.Interval{}
	var list []*Booking
	switch {
	case f.Series != 0:
		list = b.ofSeries(f, m)
	case f.Owner == "" && noPlace:
		for _, r := range b.all.All(b.now) {
			if !m.Go(1) {
				break
			}
			if f.admits(r.Booking) {
				list = append(list, r.Booking)
			}
		}
	case f.Owner == "":
		list, _ = take(b.onCalendars(f), -1, m)
	case noPlace:
		list, _ = take(b.ofOwner(f), -1, m)
	default:
		// Both the owner and the calendars lead to these bookings, and nobody knows which way is shorter. So each is
		// tried in turn, for longer and longer: one hour of a desk with one owner does not read the whole desk, and an
		// owner with one booking does not read a busy hour.
		done := false
		for most := tries; !done && !m.Stopped(); most *= 4 {
			list, done = take(b.ofOwner(f), most, m)
			if !done {
				list, done = take(b.onCalendars(f), most, m)
			}
		}
	}
	return list
}

// take returns the bookings of a walk that are not nil, and whether the walk has ended within so many steps; -1 sets no
// bound.
func take(walk iter.Seq[*Booking], most int, m *effort.Meter) (list []*Booking, done bool) {
	for k := range walk {
		if most == 0 || !m.Go(1) {
			return nil, false
		}
		most--
		if k != nil {
			list = append(list, k)
		}
	}
	return list, true
}

// onCalendars walks along the parts on the calendars where a filter looks. It yields the booking of each part, or nil if
// the filter does not admit it, so that take counts every step.
func (b *books) onCalendars(f *Filter) iter.Seq[*Booking] {
	w := f.Window
	if w == (bookahead.Interval{}) {
		w.End = bookahead.MaxTime
	}
	return func(yield func(*Booking) bool) {
		for _, on := range b.meant(f.On) {
			for span := range b.schedules[on].calendar.Overlapping(w) {
				id, _ := inCalendar(span.ID)
				k, _ := b.booking(id)
				if !f.admits(k) {
					k = nil
				}
				if !yield(k) {
					return
				}
			}
		}
	}
}

// ofOwner walks along the bookings of the owner of a filter. It yields nil for a booking that the filter does not admit.
func (b *books) ofOwner(f *Filter) iter.Seq[*Booking] {
	w := f.Window
	anywhere := f.On == "" && w == bookahead.Interval{}
	if w == (bookahead.Interval{}) {
		w.End = bookahead.MaxTime
	}
	w.Start = max(w.Start, 0) // nothing is booked before
	if w.Empty() {
		return func(func(*Booking) bool) {}
	}
	var on []int32 // nil for all
	if f.On != "" {
		on = b.meant(f.On)
	}
	return func(yield func(*Booking) bool) {
		for id := range b.owners.of(f.Owner, w) {
			k, _ := b.booking(id)
			if k.Owner != f.Owner {
				continue // no step, since it depends on the process which owners lie together
			}
			if !f.admits(k) || !anywhere && !k.lies(w, on) {
				k = nil
			}
			if !yield(k) {
				return
			}
		}
	}
}

// ofSeries returns the bookings that a filter with a series asks for.
func (b *books) ofSeries(f *Filter, m *effort.Meter) (list []*Booking) {
	s, err := b.seriesOf(f.Series)
	if err != nil {
		return nil
	}
	w, anywhere := f.Window, f.On == "" && f.Window == bookahead.Interval{}
	if w == (bookahead.Interval{}) {
		w.End = bookahead.MaxTime
	}
	on := b.meant(f.On)
	for _, id := range s.bookings {
		if !m.Go(1) {
			break
		}
		k, ok := b.booking(id)
		if ok && f.admits(k) && (anywhere || k.lies(w, on)) {
			list = append(list, k)
		}
	}
	return list
}

// meant returns the schedules for which the On of a filter stands: all for "", and none for an unknown name.
func (b *books) meant(name string) (list []int32) {
	if name != "" {
		_, ok := b.names[name]
		if !ok {
			return []int32{}
		}
		return b.behind(name)
	}
	for i := range b.schedules {
		list = append(list, int32(i))
	}
	return list
}

// lies reports whether a part or a past piece has ticks of w on one of some schedules; nil stands for all.
func (k *Booking) lies(w bookahead.Interval, on []int32) bool {
	for n := range k.entries() {
		_, p, at := k.entry(n)
		if p.Overlaps(w) && (on == nil || slices.Contains(on, at)) {
			return true
		}
	}
	return false
}

// admits reports whether a booking has the owner, label and state that a filter asks for.
func (f *Filter) admits(k *Booking) bool {
	return (f.Owner == "" || k.Owner == f.Owner) &&
		(f.Label == "" || slices.Contains(k.Labels, f.Label)) &&
		(len(f.States) == 0 || slices.Contains(f.States, k.State))
}

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
	sums := map[string][]site.Area{}
	for span := range s.calendar.Overlapping(w) {
		if !m.Go(1) {
			return nil, givenUp("use", &m, m.Err())
		}
		id, index := inCalendar(span.ID)
		k, _ := d.b.booking(id)
		sum := sums[k.Owner]
		if sum == nil {
			sum = make([]site.Area, s.resources())
			sums[k.Owner] = sum
		}
		x := k.at(index)
		x.count(sum, w)
	}
	var list []Use
	for _, owner := range slices.Sorted(maps.Keys(sums)) {
		u := Use{Owner: owner}
		for _, a := range sums[owner] {
			u.Ticks = append(u.Ticks, a.Big())
		}
		list = append(list, u)
	}
	return list, nil
}

// count adds the use of a piece in w to a sum: for each resource, or in units.
func (x *Piece) count(sum []site.Area, w bookahead.Interval) {
	in := x.Intersect(w)
	if x.Each == nil {
		sum[0].Add(x.Units, in.Len())
		return
	}
	for r := range sum {
		for _, share := range x.Nodes {
			sum[r].Add(share.Tasks*x.Each[r], in.Len()) // no overflow: the node has as much
		}
		if x.Head >= 0 && x.HeadTakes != nil {
			sum[r].Add(x.HeadTakes[r], in.Len())
		}
	}
}

// Quotas returns the quotas, by name. Their slices belong to the desk, and must not be changed. O(q) for q quotas.
func (d *Desk) Quotas() (list []SetQuota) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	for _, q := range d.b.rules {
		list = append(list, q.set)
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
		for owner, use := range d.b.accounts.Of(&q.Rule) {
			for _, x := range q.Bounds.Over(use, d.b.now, nil) {
				over := Excess{Quota: q.Name, Owner: owner, Interval: x.Interval, Length: x.Length, Use: greatest(x.Use), Bound: q.Bounds.Ticks}
				if x.Length == 0 {
					over.Bound = q.Bounds.Units
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
	w.Start = max(w.Start, q.Bounds.Since(d.b.now))
	if w.Empty() {
		return 0, 0, nil
	}
	use := d.b.accounts.Used(&q.Rule, owner, d.b.now)
	return greatest(use.Most(w)), greatest(use.Area(w)), nil
}
