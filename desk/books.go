package desk

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/account"
	"github.com/bookahead/bookahead/internal/cow"
	"github.com/bookahead/bookahead/internal/ledger"
	"github.com/bookahead/bookahead/internal/limits"
	"github.com/bookahead/bookahead/internal/spans"
)

// books is the state of a desk.
type books struct {
	config    Config
	now       bookahead.Time
	schedules []*schedule
	names     map[string]int32 // the index of each schedule; a new map for each new schedule
	all       ledger.Ledger[record]
	keys      cow.Map[string, BookingID] // by the callers' keys
	owners    owners
	agenda    agenda
	waiting   waiting
	series    seriesBooks
	rules     []*quotaRule // quotas, by name; a new slice when it changes
	accounts  account.Accounts
	outages   []Outage // by ID, those that are not over; a new slice when it changes

	over []Outage // the outages that are over and kept; a new slice when it changes

	last       BookingID // the last that was given
	entries    uint64    // how many were accepted
	events     uint64    // how many were told
	lastOutage OutageID

	told    []Event   // of the command under way
	batch   []Outcome // of the commands of the batch under way
	dropped *Booking  // the last booking that was forgotten as soon as it was over
}

// record is a booking in the ledger. A change makes a new Booking, since clones and callers have the old one.
type record struct{ *Booking }

// Span keeps a booking in the ledger until it is taken out.
func (record) Span() bookahead.Interval { return bookahead.Interval{Start: 0, End: bookahead.MaxTime} }

func newBooks(c Config) books {
	c.Effort, c.Limits = cmp.Or(c.Effort, DefaultEffort), c.Limits.withDefaults()
	return books{config: c, now: c.Origin, names: map[string]int32{}}
}

func (b *books) clone() books {
	c := *b
	c.schedules = make([]*schedule, len(b.schedules))
	for k, s := range b.schedules {
		c.schedules[k] = s.clone()
		c.schedules[k].calendar = s.calendar.Clone()
	}
	c.all, c.keys, c.owners, c.agenda = b.all.Clone(), b.keys.Clone(), b.owners.clone(), b.agenda.clone()
	c.series = b.series.clone()
	c.accounts = b.accounts.Clone()
	return c
}

// schedule returns a schedule of the books, to write to.
func (b *books) schedule(k int32) *schedule { return b.schedules[k] }

// behind returns the schedules for which a name stands: the schedules of a broker, or the schedule itself.
func (b *books) behind(name string) []int32 {
	k := b.names[name]
	of := b.schedules[k].of
	if of == nil {
		return []int32{k}
	}
	return of
}

// counted returns a schedule whose units can be counted: any but a broker.
func (b *books) counted(on string) (*schedule, error) {
	k, ok := b.names[on]
	if !ok {
		return nil, limits.Invalid("on", on, "is no schedule")
	}
	s := b.schedules[k]
	if s.of != nil {
		return nil, limits.Invalid("on", on, fmt.Sprintf("is a broker: ask for %q", s.kind.(Broker).Of))
	}
	return s, nil
}

// closable returns a schedule that has closures. The error wraps bookahead.ErrInvalid.
func (b *books) closable(field, name string) (int32, error) {
	k, ok := b.names[name]
	if !ok {
		return 0, limits.Invalid(field, name, "is no schedule")
	}
	at := b.schedules[k]
	if at.of != nil {
		return 0, limits.Invalid(field, name, fmt.Sprintf("is of kind %s, which has no closures", at.kind.kind()))
	}
	return k, nil
}

// changeable returns a schedule for a command that changes its capacity throughout w. The error wraps
// bookahead.ErrInvalid, and names the kind of a schedule that has no closures.
func (b *books) changeable(command, name string, w bookahead.Interval) (int32, error) {
	k, err := b.closable(command+".On", name)
	if err == nil && w.End <= b.now {
		err = limits.Invalid(command+".Interval", w, fmt.Sprintf("ends by now, %d", b.now))
	}
	return k, err
}

// outage returns the index of an outage, and whether it is there.
func (b *books) outage(id OutageID) (int, bool) {
	return slices.BinarySearchFunc(b.outages, id, func(o Outage, id OutageID) int { return cmp.Compare(o.ID, id) })
}

// booking returns a booking by its ID.
func (b *books) booking(id BookingID) (*Booking, bool) {
	r, ok := b.all.Get(bookahead.ID(id), b.now)
	return r.Booking, ok
}

// live returns a booking that holds a place. The error is bookahead.ErrNotFound.
func (b *books) live(id BookingID) (*Booking, error) {
	k, ok := b.booking(id)
	if !ok || !k.State.Live() {
		return nil, bookahead.ErrNotFound
	}
	return k, nil
}

// cancellable returns a booking that its owner may give up, since it holds a place or waits. The error is
// bookahead.ErrNotFound.
func (b *books) cancellable(id BookingID) (*Booking, error) {
	k, ok := b.booking(id)
	if ok && k.State == Waiting {
		return k, nil
	}
	return b.live(id)
}

// running returns a booking that runs. The error is bookahead.ErrNotFound if the booking is over, and wraps
// bookahead.ErrInvalid if it is a hold, or has not begun.
func (b *books) running(field string, id BookingID) (*Booking, error) {
	k, err := b.live(id)
	if err == nil && k.State != Running {
		err = limits.Invalid(field, id, fmt.Sprintf("is %v, and not running", k.State))
	}
	return k, err
}

// enter enters a new booking in all books. Its ID is given here.
func (b *books) enter(k *Booking) {
	b.last = BookingID(b.all.Add(record{k}, b.now))
	k.ID = b.last
	if k.Key != "" {
		b.keys.Set(k.Key, k.ID)
	}
	b.index(k)
	b.charge(k, 1)
}

// replace puts a booking in the place of the booking that has its ID. It leaves alone each index that has the same entry
// for both, since most changes touch few.
func (b *books) replace(old, k *Booking) {
	b.all.Set(bookahead.ID(k.ID), record{k})
	b.count(old, -1)
	b.count(k, 1)
	b.recharge(old, k)
	if old.Owner != k.Owner || old.Interval != k.Interval {
		b.owners.remove(old)
		b.owners.add(k)
	}
	// New past pieces come behind the old ones, so the entries of the old ones stay.
	same := len(old.Places) == len(k.Places)
	for i := range old.Places {
		same = same && old.Places[i].Interval == k.Places[i].Interval && old.on[i] == k.on[i]
	}
	if !same || len(old.Past) != len(k.Past) {
		b.removeEntries(old, 0, len(old.Places))
		b.enterEntries(k, 0, len(k.Places))
		b.enterEntries(k, len(k.Places)+len(old.Past), k.entries())
	}
	if old.nextDue != k.nextDue {
		b.agenda.remove(old)
		b.agenda.add(k)
	}
	if old.State != k.State {
		b.waiting.remove(old)
		b.waiting.add(k)
	}
}

// forget takes a booking that is over out of all books.
func (b *books) forget(k *Booking) {
	b.unindex(k)
	b.all.Remove(bookahead.ID(k.ID), b.now)
	if k.Key != "" {
		b.keys.Remove(k.Key)
	}
	if k.Series != 0 {
		b.removeSeries(k.Series)
	}
}

func (b *books) index(k *Booking) {
	b.count(k, 1)
	b.owners.add(k)
	b.enterParts(k)
	b.agenda.add(k)
	b.waiting.add(k)
}

func (b *books) unindex(k *Booking) {
	b.count(k, -1)
	b.owners.remove(k)
	b.removeParts(k)
	b.agenda.remove(k)
	b.waiting.remove(k)
}

// count adds n to the live bookings of each schedule of a booking, once, if the booking is live, and sees its buffers.
func (b *books) count(k *Booking, n int64) {
	if !k.State.Live() {
		return
	}
	for i, on := range k.on {
		at := b.schedules[on]
		at.longestBuffer = max(at.longestBuffer, k.Places[i].Before, k.Places[i].After)
		if !slices.Contains(k.on[:i], on) {
			at.live += n
		}
	}
}

// enterParts puts the parts and the past pieces of a booking on the calendars of their schedules.
func (b *books) enterParts(k *Booking) { b.enterEntries(k, 0, k.entries()) }

func (b *books) removeParts(k *Booking) { b.removeEntries(k, 0, k.entries()) }

// enterEntries puts some of the entries of a booking on the calendars.
func (b *books) enterEntries(k *Booking, from, to int) {
	for n := from; n < to; n++ {
		index, p, on := k.entry(n)
		if !p.Empty() {
			b.schedules[on].calendar.Add(k.span(index, *p))
		}
	}
}

func (b *books) removeEntries(k *Booking, from, to int) {
	for n := from; n < to; n++ {
		index, p, on := k.entry(n)
		if !p.Empty() {
			b.schedules[on].calendar.Remove(k.span(index, *p))
		}
	}
}

// span is a part or a past piece on a calendar: its ID has the ID of the booking and the index of the entry.
func (k *Booking) span(index int, p Place) spans.Span {
	return spans.Span{Interval: p.Interval, ID: bookahead.ID(k.ID)<<entryBits | bookahead.ID(index)}
}

// maxBookings is the greatest BookingID that leaves room for the index.
const maxBookings = 1<<(64-entryBits) - 1

// inCalendar returns the booking and the index in the ID of a span.
func inCalendar(id bookahead.ID) (BookingID, int) {
	return BookingID(id >> entryBits), int(id & (1<<entryBits - 1))
}

// tell adds an event.
func (b *books) tell(e Event) {
	b.events++
	e.Number = b.events
	b.told = append(b.told, e)
}

// about adds an event about a booking.
func (b *books) about(k *Booking, w What, at bookahead.Time, from, to bookahead.Interval) {
	b.tell(Event{At: at, What: w, Booking: k.ID, Owner: k.Owner, From: from, To: to, Series: k.Series})
}

// aboutPlaces adds an event about a booking, with its places before and after: old is the booking before.
func (b *books) aboutPlaces(old, k *Booking, w What) {
	e := Event{At: b.now, What: w, Booking: k.ID, Owner: k.Owner, From: old.Interval, To: k.Interval, Series: k.Series}
	if !slices.EqualFunc(old.Places, k.Places, func(p, q Place) bool { return p.equal(&q) }) {
		e.Before, e.After = old.Places, k.Places
	}
	b.tell(e)
}

// starts returns the bookings that begin after now, up to a tick, in order. No event until then changes the list.
// O(s log n + k log k) for k parts that begin on s schedules.
func (b *books) starts(to bookahead.Time) (list []due) {
	for _, s := range b.schedules {
		for span := range s.calendar.From(b.now + 1) {
			if span.Start > to {
				break
			}
			id, index := inCalendar(span.ID)
			k, _ := b.booking(id)
			if k.State == Booked && index < MaxParts && k.begins() == span.Start {
				list = append(list, due{span.Start, id})
			}
		}
	}
	slices.SortFunc(list, due.compare)
	return slices.Compact(list) // several parts may begin at once
}
