package desk

import (
	"cmp"
	"iter"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/effort"
)

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
	var on []int32 // nil for all
	if f.On != "" {
		on = b.meant(f.On)
	}
	return func(yield func(*Booking) bool) {
		for id := range b.owners.of(f.Owner) {
			k, _ := b.booking(id)
			if !f.admits(k) || !anywhere && !k.lies(w, on) {
				k = nil
			}
			if !yield(k) {
				return
			}
		}
	}
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
