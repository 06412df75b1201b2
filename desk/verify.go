package desk

import "slices"

// Verify checks that all books of the desk agree with each other and with the schedules. It is meant for tests, and for a
// desk that was read from elsewhere. An error names the invariant that does not hold:
//
//	D1  a booking is kept under its own ID, and its places are those of one of its shapes
//	D2  its state agrees with the clock
//	D3  each part whose buffer is not over has its reservation: the same schedule, time, units, servers and nodes
//	D4  no schedule has another reservation, but for those of D15
//	D5  a calendar has the places and the past of all bookings that are kept, and no others
//	D6  a key leads to the booking that was asked for with it, and there are no other keys
//	D7  the list of owners has each booking once
//	D8  the agenda has each booking that is not Booked once, at the tick at which something happens to it next
//	D9  names lead to their schedules, whose clocks stand with that of the desk, and which are in order
//	D10 outages are in the order of their IDs, and no ID is beyond those that were given
//	D11 past pieces are over by now, and those of a part lead up to its place without a gap
//	D12 an account of a quota has the use of the bookings that count, as far back as it matters, and no other
//	D13 a series is kept under its ID and its key as long as it has a booking or needs one; its bookings are those that
//	    name it; the tick at which it needs more is noted
//	D14 the list of waiting bookings has each of them once, in the order of their turns, and nobody else
//	D15 the buffers that bookings leave behind have their reservations, and are not over
//
// O(n log n) for n bookings, and a Verify of each schedule.
func (d *Desk) Verify() error {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.b.verify()
}

// verifier gathers from the bookings the entries that the other books should have.
type verifier struct {
	*books
	kept      int
	keyed     int
	dated     int
	waits     int
	reserved  []reservedBy // by schedule
	calendars []int        // entries of each
	live      []int64      // bookings on each
	occurs    map[SeriesID][]BookingID
	expect    *books // books with the accounts that there should be
}

// verifier returns a verifier that has seen no bookings.
func (b *books) verifier() verifier {
	v := verifier{books: b, calendars: make([]int, len(b.schedules)), live: make([]int64, len(b.schedules)), expect: b.expected()}
	for _, s := range b.schedules {
		reserved := reservedBy{}
		for _, x := range s.Tails {
			reserved.set(x.ID, 0)
		}
		v.reserved = append(v.reserved, reserved)
	}
	return v
}

func (b *books) verify() error {
	v := b.verifier()
	err := v.verifySchedules()
	for id, r := range b.all.All(b.now) {
		if err == nil {
			err = v.verifyBooking(BookingID(id), r.Booking)
		}
	}
	if err == nil {
		err = v.verifyCounts()
	}
	if err == nil {
		err = v.verifySeries()
	}
	if err == nil {
		err = v.verifyAccounts()
	}
	return err
}

// verifySchedules checks D9.
func (v *verifier) verifySchedules() error {
	if len(v.names) != len(v.schedules) {
		return broken("D9", "%d names for %d schedules", len(v.names), len(v.schedules))
	}
	for k, s := range v.schedules {
		at, ok := v.names[s.name]
		if !ok || int(at) != k {
			return broken("D9", "schedule %d is not found by its name %q", k, s.name)
		}
		if s.of != nil {
			for _, of := range s.of {
				if of < 0 || int(of) >= k || v.schedules[of].of != nil {
					return broken("D9", "the broker %q stands for schedule %d", s.name, of)
				}
			}
			continue
		}
		if s.Frame().Now != v.now {
			return broken("D9", "the clock of %q stands at %d, and not at %d", s.name, s.Frame().Now, v.now)
		}
		err := s.checkTails(v.now)
		if err != nil {
			return err
		}
		err = s.Verify()
		if err != nil {
			return broken("D9", "%q: %v", s.name, err)
		}
	}
	return nil
}

// verifyBooking checks D1 and D2, that D3 holds for a booking, and that the other books have it.
func (v *verifier) verifyBooking(id BookingID, k *Booking) error {
	err := v.verifyPlaces(id, k)
	if err == nil {
		err = v.verifyState(k)
	}
	if err == nil && k.State.Live() {
		err = v.verifyParts(k)
	}
	if err != nil {
		return err
	}
	v.kept++
	for i, on := range k.on {
		if k.State.Live() && !slices.Contains(k.on[:i], on) {
			v.live[on]++
		}
	}
	v.occur(k)
	err = v.verifyWaiting(k)
	if err != nil {
		return err
	}
	v.verifyCharge(k)
	for n := range k.entries() {
		index, p, on := k.entry(n)
		if p.Empty() {
			continue // a part that was given up before it began
		}
		v.calendars[on]++
		if !inIndex(&v.schedules[on].calendar, k.span(index, *p)) {
			return broken("D5", "the calendar of %q lacks entry %d of %v", p.On, index, k)
		}
	}
	if k.Key != "" {
		v.keyed++
		at, ok := v.keys.Get(k.Key)
		if !ok || at != k.ID {
			return broken("D6", "the key %q of %v leads to %d", k.Key, k, at)
		}
	} else if k.asked != nil {
		return broken("D6", "%v has no key, and knows how it was asked for", k)
	}
	if !inIndex(&v.owners.Index, owned(k)) {
		return broken("D7", "%v is not among the bookings of %q", k, k.Owner)
	}
	at := k.due(v.config.Keep)
	if at != 0 {
		v.dated++
	}
	if k.nextDue != at || at != 0 && !inIndex(&v.agenda.Index, due{at, k.ID}.span()) {
		return broken("D8", "something happens to %v at %d, and the agenda has no entry there", k, at)
	}
	return nil
}

// verifyPlaces checks D1.
func (v *verifier) verifyPlaces(id BookingID, k *Booking) error {
	if k.ID != id || id == 0 || id > v.last {
		return broken("D1", "%v is kept as %d, of %d that were given", k, id, v.last)
	}
	if k.Shape < 0 || k.Shape >= len(k.Shapes) {
		return broken("D1", "%v has shape %d of %d", k, k.Shape, len(k.Shapes))
	}
	waited := len(k.Places) == 0 && !k.State.Live() // it never had a place
	if len(k.on) != len(k.Places) || len(k.Places) != len(k.Shapes[k.Shape]) && !waited {
		return broken("D1", "%v has %d places on %d schedules for %d parts", k, len(k.Places), len(k.on), len(k.Shapes[k.Shape]))
	}
	for i, p := range k.Places {
		at := k.on[i]
		if at < 0 || int(at) >= len(v.schedules) || v.schedules[at].name != p.On || v.schedules[at].of != nil {
			return broken("D1", "part %d of %v is on schedule %d, and not on %q", i, k, at, p.On)
		}
		outside := p.Start < k.Start || p.End > k.End
		if p.End < p.Start || p.Empty() && k.State.Live() || !p.Empty() && outside {
			return broken("D1", "part %d of %v has the wrong time %v", i, k, p.Interval)
		}
	}
	err := v.verifyPast(k)
	if err != nil || !k.State.Live() {
		return err
	}
	shape := k.Shapes[k.Shape]
	if k.Interval != k.extent() {
		return broken("D1", "%v has the %d places %v", k, len(k.Places), k.Places)
	}
	for i, p := range k.Places {
		if !slices.Contains(v.behind(shape[i].On), k.on[i]) || p.Units != shape[i].Units {
			return broken("D1", "part %d of %v is %d units on %q, not %d on %q", i, k, p.Units, p.On, shape[i].Units, shape[i].On)
		}
	}
	return nil
}

// verifyState checks D2.
func (v *verifier) verifyState(k *Booking) error {
	fits := false
	switch k.State {
	case Held:
		fits = v.now < k.Expiry && v.now < k.End
	case Booked:
		fits = !k.begun(v.now)
	case Running:
		fits = k.begun(v.now) && v.now < k.End
	case Waiting:
		fits = v.now < k.lapse() && len(k.Places)+len(k.Past)+len(k.ids)+k.Shape == 0 && k.Interval == k.wished()
	case Ended, Cancelled, Expired, Displaced:
		fits = len(k.ids) == 0
	}
	if !fits || (k.State != Held && k.State != Waiting && k.Expiry != 0) {
		return broken("D2", "the state of %v does not agree with the clock, %d, its expiry, %d, or its %d reservations", k, v.now, k.Expiry, len(k.ids))
	}
	return nil
}

// verifyParts checks D3 for a booking that is live.
func (v *verifier) verifyParts(k *Booking) error {
	if len(k.ids) != len(k.Places) {
		return broken("D3", "%v has %d reservations for %d parts", k, len(k.ids), len(k.Places))
	}
	for i, p := range k.Places {
		id := k.ids[i]
		if p.clean(v.now) {
			continue
		}
		other, twice := v.reserved[k.on[i]].set(id, k.ID)
		if twice {
			return broken("D3", "reservation %d on %q is of %v and of %d", id, p.On, k, other)
		}
		found, err := v.schedules[k.on[i]].Place(id)
		if err != nil {
			return broken("D3", "part %d of %v has no reservation %d on %q: %v", i, k, id, p.On, err)
		}
		has := Place(found)
		has.On = p.On
		in := p
		in.Interval, in.Before, in.After = p.reserved(), 0, 0
		if in.Start <= v.now && has.Start <= v.now {
			has.Start = in.Start // a reservation may be younger than its part
		}
		if !has.equal(&in) {
			return broken("D3", "part %d of %v is %v, but reservation %d is %v", i, k, p, id, has)
		}
		if !v.schedules[k.on[i]].Takes(id, k.Shapes[k.Shape][i].Tasks) {
			return broken("D3", "part %d of %v has reservation %d on %q, which is of other tasks", i, k, id, p.On)
		}
	}
	return nil
}

// verifyCounts checks that the books have nothing but the bookings: D4 to D8, and D10.
func (v *verifier) verifyCounts() error {
	for k, s := range v.schedules {
		if s.calendar.Len() != v.calendars[k] {
			return broken("D5", "the calendar of %q has %d entries, not %d", s.name, s.calendar.Len(), v.calendars[k])
		}
		if s.live != v.live[k] {
			return broken("D5", "%q counts %d live bookings, not %d", s.name, s.live, v.live[k])
		}
		err := s.calendar.Verify()
		if err != nil {
			return broken("D5", "the calendar of %q: %v", s.name, err)
		}
		n := s.Len()
		if n != v.reserved[k].n {
			return broken("D4", "%q has %d reservations, and bookings have %d of them", s.name, n, v.reserved[k].n)
		}
	}
	switch {
	case v.keys.Len() != v.keyed:
		return broken("D6", "%d keys for %d bookings that have one", v.keys.Len(), v.keyed)
	case v.owners.Len() != v.kept:
		return broken("D7", "the owners have %d bookings of %d", v.owners.Len(), v.kept)
	case v.agenda.Len() != v.dated:
		return broken("D8", "the agenda has %d entries for %d bookings", v.agenda.Len(), v.dated)
	}
	last := OutageID(0)
	for _, o := range v.outages {
		if o.ID <= last || o.ID > v.lastOutage {
			return broken("D10", "outage %d comes after %d, of %d that were given", o.ID, last, v.lastOutage)
		}
		last = o.ID
	}
	return v.verifyTurns()
}

// verifyPast checks D11.
func (v *verifier) verifyPast(k *Booking) error {
	if len(k.pastOn) != len(k.Past) || len(k.Past) > MaxPast {
		return broken("D11", "%v has %d past pieces on %d schedules", k, len(k.Past), len(k.pastOn))
	}
	next := map[int]*Place{} // what follows a piece of each part
	for n := len(k.Past) - 1; n >= 0; n-- {
		x, on := &k.Past[n], k.pastOn[n]
		if on < 0 || int(on) >= len(v.schedules) || v.schedules[on].name != x.On || v.schedules[on].of != nil {
			return broken("D11", "piece %d of %v is on schedule %d, and not on %q", n, k, on, x.On)
		}
		if x.Empty() || x.Start < k.Start || x.End > min(v.now, k.End) {
			return broken("D11", "piece %d of %v has the wrong time %v", n, k, x.Interval)
		}
		if x.Part < 0 {
			continue
		}
		if x.Part >= len(k.Places) {
			return broken("D11", "piece %d of %v is of part %d", n, k, x.Part)
		}
		after := next[x.Part]
		if after == nil {
			after = &k.Places[x.Part]
		}
		if after.Start != x.End || after.On != x.On {
			return broken("D11", "piece %d of %v, %v on %q, does not lead up to %v on %q", n, k, x.Interval, x.On, after.Interval, after.On)
		}
		next[x.Part] = &x.Place
	}
	return nil
}

// verifyWaiting checks D14 for a booking that waits: the list has its turn.
func (v *verifier) verifyWaiting(k *Booking) error {
	if k.State != Waiting {
		return nil
	}
	v.waits++
	i, ok := slices.BinarySearchFunc(v.waiting, turnOf(k), turn.compare)
	if !ok || v.waiting[i] != turnOf(k) {
		return broken("D14", "%v of priority %d waits, and the list lacks it, or its steps", k, k.Priority)
	}
	return nil
}

// verifyTurns checks the other half of D14: the list has no other turns, and is in order.
func (v *verifier) verifyTurns() error {
	sorted := slices.IsSortedFunc(v.waiting, turn.compare)
	if len(v.waiting) != v.waits || v.waits > MaxWaiting || !sorted {
		return broken("D14", "%d bookings wait, and %d are listed, of at most %d; in order: %t", v.waits, len(v.waiting), MaxWaiting, sorted)
	}
	return nil
}

// verifyCharge counts a booking for D12.
func (v *verifier) verifyCharge(k *Booking) { v.expect.charge(k, 1) }

// verifyAccounts checks D12, after all bookings have been counted.
func (v *verifier) verifyAccounts() error {
	for i, q := range v.rules {
		if i > 0 && v.rules[i-1].Name >= q.Name {
			return broken("D12", "quota %q comes behind %q", q.Name, v.rules[i-1].Name)
		}
	}
	err := v.accounts.Verify(v.counting(), &v.expect.accounts, v.now)
	if err != nil {
		return broken("D12", "%v", err)
	}
	return nil
}

// expected returns books with nothing but the quotas and the use by forgotten bookings.
func (b *books) expected() *books {
	return &books{now: b.now, schedules: b.schedules, names: b.names, rules: b.rules, accounts: b.accounts.Remembered(b.counting(), b.now)}
}

// occur notes the series of a booking.
func (v *verifier) occur(k *Booking) {
	if k.Series == 0 {
		return
	}
	if v.occurs == nil {
		v.occurs = map[SeriesID][]BookingID{}
	}
	v.occurs[k.Series] = append(v.occurs[k.Series], k.ID)
}

// verifySeries checks D13.
func (v *verifier) verifySeries() error {
	keyed, dated, kept := 0, 0, 0
	for id, r := range v.series.all.All(v.now) {
		s := r.keptSeries
		if s.ID != SeriesID(id) || s.ID > v.series.last {
			return broken("D13", "series %d is kept as %d, of %d that were given", s.ID, id, v.series.last)
		}
		err := s.verify(v.books)
		if err != nil {
			return err
		}
		list := slices.DeleteFunc(slices.Clone(s.bookings), func(id BookingID) bool {
			_, ok := v.booking(id)
			return !ok
		})
		if !slices.Equal(list, v.occurs[s.ID]) || len(list) != s.kept {
			return broken("D13", "series %d has the bookings %v, %d of them, and %v are of it", s.ID, list, s.kept, v.occurs[s.ID])
		}
		if len(list) > 0 {
			kept++
		}
		at, ok := v.series.keys.Get(s.Key)
		if s.Key != "" {
			keyed++
		}
		if (s.Key != "") != (s.first != nil) || s.Key != "" && (!ok || at != s.ID) {
			return broken("D13", "the key %q of series %d leads to %d", s.Key, s.ID, at)
		}
		if s.Needs > v.now {
			dated++
		}
		if s.Needs > v.now && !inIndex(&v.series.needs.Index, s.due().span()) {
			return broken("D13", "series %d needs more at %d, and no entry is there", s.ID, s.Needs)
		}
	}
	if kept != len(v.occurs) || v.series.keys.Len() != keyed || v.series.needs.Len() != dated {
		return broken("D13", "%d series of %d are kept, with %d keys of %d and %d dates of %d",
			kept, len(v.occurs), keyed, v.series.keys.Len(), dated, v.series.needs.Len())
	}
	return nil
}

// verify checks that a series has a reason to be kept, and that the bookings of its first command belong to it.
func (s *keptSeries) verify(b *books) error {
	if s.kept == 0 && s.Needs == 0 {
		return broken("D13", "series %d has no booking, and needs none", s.ID)
	}
	if s.first == nil {
		return nil
	}
	booked := len(s.first.at) - len(s.first.refused)
	for id := s.first.booking; id < s.first.booking+BookingID(booked); id++ {
		k, ok := b.booking(id)
		if ok && k.Series != s.ID {
			return broken("D13", "series %d was booked with %v, which is of series %d", s.ID, k, k.Series)
		}
	}
	return nil
}
