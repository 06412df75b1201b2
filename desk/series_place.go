package desk

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/effort"
	"github.com/bookahead/bookahead/internal/limits"
)

// wish makes the requests of the occurrences of a series. Windows of one length share their shapes.
type wish struct {
	*Request
	open   bool // a part lasts to the end of its window
	shapes map[bookahead.Duration][]Shape
}

func wishOf(r *Request) *wish {
	x := &wish{Request: r}
	for _, shape := range r.Shapes {
		for i := range shape {
			x.open = x.open || shape[i].Duration == 0
		}
	}
	return x
}

// in returns the request for a window.
func (x *wish) in(w bookahead.Interval) Request {
	r := *x.Request
	r.Ready, r.Deadline = w.Start, w.End
	if !x.open {
		return r
	}
	length := lengthOf(w)
	shapes, ok := x.shapes[length]
	if !ok {
		shapes = lasting(x.Shapes, length)
		if x.shapes == nil {
			x.shapes = map[bookahead.Duration][]Shape{}
		}
		x.shapes[length] = shapes
	}
	r.Shapes = shapes
	return r
}

// placing is the search for the places of a series.
type placing struct {
	*books
	meter  *effort.Meter
	wish   *wish
	field  string // of the windows
	at     Occurrences
	partly bool
	// coupled says that any two occurrences may matter to each other, even if their windows do not overlap.
	coupled bool
}

func (b *books) placing(m *effort.Meter, field string, r *Request, at Occurrences, partly bool) *placing {
	x := &placing{books: b, meter: m, wish: wishOf(r), field: field, at: at, partly: partly}
	x.coupled = slices.ContainsFunc(b.rules, func(q *quotaRule) bool { return q.Counts(r.Owner, r.Labels) }) || b.lieOn(r, (*schedule).reaches)
	return x
}

// check checks that the desk has the schedules of the request, and that there are IDs for all occurrences.
func (x *placing) check() error {
	err := x.inBounds()
	if err != nil {
		return err
	}
	if x.last > maxBookings-BookingID(len(x.at)) {
		return limits.Invalid("Booking.ID", uint64(x.last), fmt.Sprintf("leaves too few IDs for %d occurrences", len(x.at)))
	}
	for i, w := range x.at {
		if i > 0 && (!x.wish.open || lengthOf(w) == lengthOf(x.at[i-1])) {
			continue // the parts are those of the window before
		}
		r := x.wish.in(w)
		err := x.fit(&r)
		if err != nil {
			return err
		}
	}
	return nil
}

// inBounds checks how many occurrences there are, and how many parts they have together.
func (x *placing) inBounds() error {
	most := &x.config.Limits
	parts := x.wish.mostParts()
	return cmp.Or(
		atMost(x.field, int64(len(x.at)), 0, most.Occurrences, "Occurrences"),
		atMost("parts of "+x.field, int64(parts)*int64(len(x.at)), 0, most.Parts, "Parts"),
	)
}

// place returns the places of all occurrences at the least shift at which they fit, up to most. The error names the
// first window that has no place.
func (x *placing) place(most bookahead.Duration) (list []Decision, shift bookahead.Duration, err error) {
	known, clashes := false, []clash(nil)
	for {
		at := 0
		if most > 0 {
			shift, at, err = x.alone(shift, most)
		}
		tried := shift
		if err == nil {
			list, at, err = x.inTurn(shift)
			if err == bookahead.ErrUnavailable && shift < most {
				// Each fits alone, and all together do not, so the next shift is tried, or the next one that is not in vain. If
				// all are, the last one says which occurrence has no place.
				if !known {
					known, clashes = true, x.clashes()
				}
				next, ok := x.spread(clashes, shift+1, most)
				if !ok {
					next = most
				}
				shift = next
				continue
			}
		}
		switch {
		case err == nil:
			return list, shift, nil
		case err == bookahead.ErrUnavailable:
			err = &OccurrenceError{Field: x.field, Index: at, Window: later(x.at[at], tried)}
		case errors.Is(err, bookahead.ErrStopped):
			err = fmt.Errorf("%s[%d], at a shift of %d: %w", x.field, at, tried, err)
		default:
			err = fmt.Errorf("desk: %s[%d]: %w", x.field, at, err)
		}
		return nil, 0, err
	}
}

// alone returns the least shift, from a given one on, at which each occurrence has a place while no other is booked. At
// a lesser shift some occurrence has no place even alone, so all together have none. The error comes with the index of
// an occurrence that has no place.
//
// The earliest end of an occurrence never falls when the shift grows. So if an occurrence ends 3 ticks too late, each
// shift with a place is at least 3 ticks greater. The search leaps there, and asks all others again:
//
//	shift 0   window [0, 4)   earliest end  4
//	          window [7, 9)   earliest end 12    3 ticks too late
//	shift 3   window [3, 7)   earliest end  7
//	          window [10, 12) earliest end 12    found; shifts 1 and 2 were never tried
func (x *placing) alone(shift, most bookahead.Duration) (bookahead.Duration, int, error) {
	s := trial{books: x.books, meter: x.meter}
	for i, agreed := 0, 0; agreed < len(x.at); i = (i + 1) % len(x.at) {
		r := x.wish.in(later(x.at[i], shift))
		end := r.Deadline
		r.Deadline += bookahead.Time(most - shift)
		if r.Volume != nil { // a plan with a Price may end later than need be
			r.Volume = another(r.Volume)
			r.Volume.Price = 0
		}
		spot, err := s.find(&r)
		if err != nil {
			return shift, i, err
		}
		agreed++
		late := spot.end() - end
		if late > 0 {
			shift += bookahead.Duration(late)
			agreed = 1 // the occurrence has a place at its new shift
		}
	}
	return shift, 0, nil
}

// inTurn places the occurrences at a shift, each where the earlier ones leave room. With Partly a refused occurrence has
// the Booking 0; otherwise its index comes with the error. An occurrence is booked on the trial only if a later one may
// see it: a trial costs a Clone of each schedule and each Reserve twice, which is three times as much in all.
func (x *placing) inTurn(shift bookahead.Duration) (list []Decision, at int, err error) {
	s := trial{books: x.books, meter: x.meter}
	list, id, refused := make([]Decision, len(x.at)), x.last, -1
	for i, w := range x.at {
		r := x.wish.in(later(w, shift))
		spot, err := s.find(&r)
		if err == nil && x.seen(i) {
			err = s.spendOn(spot.on, spot.places)
			if err == nil {
				err = s.add(&Booking{Request: r}, &spot)
			}
		}
		if err == bookahead.ErrUnavailable && x.partly {
			if refused < 0 {
				refused = i
			}
			continue
		}
		if err == nil {
			err = checkLast(id)
		}
		if err != nil {
			return nil, i, err
		}
		// A policy of a broker counts bookings, so one that was not added to the trial is counted too.
		s.count(spot.on, 1)
		id++
		list[i] = Decision{Booking: id, Shape: spot.shape, Places: spot.places, on: spot.on}
	}
	if id == x.last && x.field == ofBookSeries {
		return nil, refused, bookahead.ErrUnavailable
	}
	return list, 0, nil
}

// reaches reports whether a booking on a schedule may matter in another window: its buffers may reach there, or it may
// cut short an idle period, by which servers are chosen unless Prefer is "lowest".
func (s *schedule) reaches() bool {
	k, ok := s.kind.(Servers)
	return s.terms != nil && s.terms.Before+s.terms.After > 0 || ok && k.Prefer != "lowest"
}

// lieOn reports whether a part of a request may lie on a schedule of some sort, or names such a broker.
func (b *books) lieOn(r *Request, sort func(*schedule) bool) bool {
	for _, shape := range r.Shapes {
		for i := range shape {
			on, ok := b.names[shape[i].On]
			if !ok {
				continue // check reports it
			}
			for _, k := range append([]int32{on}, b.schedules[on].of...) {
				if sort(b.schedules[k]) {
					return true
				}
			}
		}
	}
	return false
}

// seen reports whether an occurrence may matter to a later one: all are coupled, or its window overlaps a later window.
// No later window starts before the next one, so a look at the next is enough.
func (x *placing) seen(i int) bool {
	return i+1 < len(x.at) && (x.coupled || x.at[i].End > x.at[i+1].Start)
}

// add books a new booking on the trial. Nobody moves the booking there, so its reservations are not noted.
func (s *trial) add(k *Booking, x *spot) error {
	shape := x.shapeOf(&k.Request)
	_, err := moveReservations(s.open, s.now, 0, k, nil, shape, x.places, x.on)
	if err == nil && len(s.rules) > 0 {
		s.use.Charge(s.postings(k, k.elsewhere(shape, x.places, x.on, s.now)))
	}
	return err
}

// clash is a tick at which occurrences hold more units of a schedule together than an AddSchedule has given it.
type clash struct {
	on    int32
	tick  bookahead.Time // late by the shift
	units int64
}

// clashes returns where all occurrences of a series meet, however little is booked: their windows move together, and leave
// them too little room to get out of each other's way. An occurrence that is as long as its window, or nearly so, holds some
// ticks of it in every place:
//
//	window    ├──────────────┤
//	earliest  ████████████           the ticks that both have are held
//	latest       ████████████
//
// Only requests of one shape are looked at, on pools and servers. O(n p log n) for n occurrences of p parts.
func (x *placing) clashes() (list []clash) {
	if len(x.wish.Shapes) != 1 || x.wish.bent() {
		return nil
	}
	held := map[int32][]change{}
	for _, w := range x.at {
		r := x.wish.in(w)
		shape := r.Shapes[0]
		spare := w.End - w.Start - bookahead.Time(shape.least())
		for i := range shape {
			p := &shape[i]
			if p.Units > math.MaxInt64/int64(len(x.at)*len(shape)) {
				return nil // the sums may overflow
			}
			latest, end := w.Start+bookahead.Time(p.Offset)+spare, w.Start+bookahead.Time(p.Offset+p.Duration)
			if latest < end {
				on := x.names[p.On]
				held[on] = append(held[on], change{latest, p.Units}, change{end, -p.Units})
			}
		}
	}
	for on, at := range x.schedules {
		switch at.kind.(type) {
		case Pool, Servers:
			list = append(list, clashesOn(int32(on), at.Given, held[int32(on)])...)
		}
	}
	return list
}

// change is a change of a sum of units.
type change struct {
	at bookahead.Time
	by int64
}

// clashesOn returns the ticks from which on changes of a sum keep it above a number of units.
func clashesOn(on int32, units int64, changes []change) (list []clash) {
	slices.SortFunc(changes, func(a, b change) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.by, b.by)) })
	sum := int64(0)
	for _, s := range changes {
		sum += s.by
		if s.by > 0 && sum > units {
			list = append(list, clash{on, s.at, sum})
		}
	}
	return list
}

// spread returns the least shift, from a given one on, at which the schedules have units for all clashes, by extensions; false
// if there is none up to most. The answer is a lower bound: bookings may be in the way there. If the meter stops, so does the
// next search.
func (x *placing) spread(list []clash, shift, most bookahead.Duration) (bookahead.Duration, bool) {
	for i, agreed := 0, 0; agreed < len(list); i = (i + 1) % len(list) {
		if !x.meter.Spend(int64(1 + len(x.outages)*len(x.outages))) {
			break
		}
		c := &list[i]
		t, ok := x.hasUnits(c, c.tick+bookahead.Time(shift))
		if !ok || t-c.tick > bookahead.Time(most) {
			return 0, false
		}
		agreed++
		if bookahead.Duration(t-c.tick) > shift {
			shift, agreed = bookahead.Duration(t-c.tick), 1
		}
	}
	return shift, true
}

// hasUnits returns the first tick from t on at which a schedule has the units of a clash, with its extensions and without
// closures; false if there is none. O(k²) for k extensions.
func (b *books) hasUnits(c *clash, t bookahead.Time) (first bookahead.Time, ok bool) {
	at := b.schedules[c.on]
	extended := func(o *Outage) bool { return o.added && o.On == at.name }
	enough := func(t bookahead.Time) bool {
		lacks := c.units - at.Given
		for i := range b.outages {
			o := &b.outages[i]
			if extended(o) && o.Contains(t) {
				lacks -= min(lacks, max(o.Units, int64(len(o.Servers))))
			}
		}
		return lacks <= 0
	}
	if enough(t) {
		return t, true
	}
	for i := range b.outages {
		o := &b.outages[i]
		if extended(o) && o.Start > t && (!ok || o.Start < first) && enough(o.Start) {
			first, ok = o.Start, true
		}
	}
	return first, ok
}
