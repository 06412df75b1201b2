package desk

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/bookahead/bookahead"
)

// ideal is the oracle of a desk: a list of bookings, and a board for each schedule. It decides by trying
// everything, and shares no code with the desk. Where the desk may choose servers or nodes, it
// checks that they are free, and takes them over. The oracle ignores Force: no Book that the drawer
// draws needs it (TestDrawnBooksNeedNoForce). TestGivingWay checks who gives way, against a reference of its own.
type ideal struct {
	now    bookahead.Time
	keep   bookahead.Time
	boards map[string]*board
	order  []string
	kept   map[BookingID]*entry
	keys   map[string]BookingID
	last   BookingID
	events uint64
	told   []Event
	given  int                     // places to those that waited
	forms  map[string]int          // how often shapes of which a quota counts two steps had which form; all clones count
	look   func(BookingID) Booking // at the desk: where those that waited have come to lie
	limits map[string]*limit

	series      map[SeriesID]*course
	lastSeries  SeriesID
	whatIf      func() *Desk // a copy of the desk as it was before the command
	withinBatch bool         // those that wait have their turn at its end
}

// entry is a booking of the oracle. It never changes, but for its asked.
type entry struct {
	Booking
	asked Book
	next  bookahead.Time   // when something happens by itself
	began []bookahead.Time // when each part began, also with other units than it has by now
	stays []string         // the schedules of a part of its own place; nil elsewhere
}

func newIdeal(c Config) *ideal {
	return &ideal{
		now: c.Origin, keep: bookahead.Time(c.Keep),
		boards: map[string]*board{}, kept: map[BookingID]*entry{}, keys: map[string]BookingID{}, limits: map[string]*limit{}, series: map[SeriesID]*course{},
		forms: map[string]int{},
	}
}

func (o *ideal) clone() *ideal {
	c := *o
	c.boards, c.kept, c.keys = map[string]*board{}, maps.Clone(o.kept), maps.Clone(o.keys)
	for name, b := range o.boards {
		c.boards[name] = b.clone()
	}
	c.order, c.told = slices.Clip(o.order), nil
	c.limits, c.series = map[string]*limit{}, maps.Clone(o.series)
	for name, q := range o.limits {
		c.limits[name] = &limit{q.SetQuota, maps.Clone(q.known), q.since}
	}
	return &c
}

// String lists the bookings that are live, with their places.
func (o *ideal) String() string {
	var b strings.Builder
	for _, id := range slices.Sorted(maps.Keys(o.kept)) {
		e := o.kept[id]
		if !e.State.Live() {
			continue
		}
		fmt.Fprintf(&b, "%v:", e.Booking)
		for _, p := range e.Places {
			fmt.Fprintf(&b, " %q %d %v %v%v", p.On, p.Units, p.Interval, p.Servers, p.Nodes)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// The kinds of errors, and the doubts that an oracle may have.
const (
	fine        = ""
	invalid     = "invalid"
	notFound    = "not found"
	unavailable = "unavailable"
	needed      = "not needed"
)

// verdict is the answer of the oracle to a command.
type verdict struct {
	error string
	// doubt is true if the desk may also refuse as unavailable.
	doubt bool
	// e is the booking as it will be, but for its places, of which times are known.
	e     *entry
	times []bookahead.Interval
	old   *entry // that is placed anew
	// none is true if nothing changes.
	none bool
	// then carries it out, with the places of e set.
	then func()

	answer  Outcome          // its part about series and batches
	placed  []*entry         // the occurrences, as they lie on the desk
	refused *OccurrenceError // which the error is; nil for any
	bad     error            // found while the oracle asked a copy of the desk
}

func refuse(kind string) verdict { return verdict{error: kind} }

// judge compares the answer of a desk with that of the oracle, and follows it.
func (o *ideal) judge(c Command, out Outcome, err error) error {
	v := o.decide(c)
	if v.bad != nil {
		return fmt.Errorf("%s: %w", c.verb(), v.bad)
	}
	got := kindOf(err)
	if compound(c) {
		got = kindWithin(err)
	}
	if v.doubt && got == unavailable {
		return nil
	}
	if got != v.error {
		return fmt.Errorf("%s: %q (%v), and not %q", c.verb(), got, err, v.error)
	}
	if err != nil {
		if !reflect.DeepEqual(out, Outcome{}) {
			return fmt.Errorf("%s: an outcome beside an error: %v", c.verb(), out)
		}
		var at *OccurrenceError
		if v.refused != nil && (!errors.As(err, &at) || *at != *v.refused) {
			return fmt.Errorf("%s: %v, and not %v", c.verb(), err, v.refused)
		}
		return nil
	}
	o.told = nil
	if v.old != nil {
		o.lift(v.old)
	}
	if v.times != nil {
		err := o.take(v.e, v.old, v.times, out.Booking)
		if err != nil {
			return fmt.Errorf("%s: %w", c.verb(), err)
		}
	}
	if v.then != nil {
		v.then()
		var err error
		if !o.withinBatch {
			err = o.grant()
		}
		if err != nil {
			return fmt.Errorf("%s: %w", c.verb(), err)
		}
	}
	o.prune()
	err = o.answers(&v, &out)
	for i := 0; i < len(v.placed) && err == nil; i++ {
		k := o.look(v.placed[i].ID)
		err = v.placed[i].agrees(&k)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", c.verb(), err)
	}
	if v.e != nil {
		e := o.kept[v.e.ID]
		if e == nil {
			e = v.e // it is over, and forgotten
		}
		err := e.agrees(&out.Booking)
		if err != nil {
			return fmt.Errorf("%s: %w", c.verb(), err)
		}
	} else if out.Booking.ID != 0 {
		return fmt.Errorf("%s: is about booking %v", c.verb(), out.Booking)
	}
	if len(out.Events) != len(o.told) || len(o.told) > 0 && !reflect.DeepEqual(out.Events, o.told) {
		return fmt.Errorf("%s: events %+v, and not %+v", c.verb(), out.Events, o.told)
	}
	return nil
}

// agrees compares a booking with that of the desk.
func (e *entry) agrees(k *Booking) error {
	same := k.ID == e.ID && k.Series == e.Series && k.Key == e.Key && k.State == e.State && k.Expiry == e.Expiry && k.Interval == e.Interval &&
		k.Shape == e.Shape && slices.EqualFunc(k.Places, e.Places, samePlace) && slices.EqualFunc(k.Past, e.Past, samePiece) && reflect.DeepEqual(k.Request, e.Request)
	if !same {
		type whole Booking // which does not print as a Booking does
		return fmt.Errorf("booking\n%+v, and not\n%+v", whole(*k), whole(e.Booking))
	}
	return nil
}

func samePlace(p, q Place) bool { return reflect.DeepEqual(p, q) }

func samePiece(p, q Piece) bool { return reflect.DeepEqual(p, q) }

// take checks the places that the desk has chosen, and takes them. Nothing of the booking is on the boards.
func (o *ideal) take(e, old *entry, times []bookahead.Interval, got Booking) error {
	if got.Shape != e.Shape || len(got.Places) != len(times) {
		return fmt.Errorf("shape %d with places %v, and not shape %d at %v", got.Shape, got.Places, e.Shape, times)
	}
	was := e.Places
	if len(was) == 0 {
		e.began = nil
		for _, w := range times {
			e.began = append(e.began, w.Start)
		}
	}
	times = slices.Clone(times)
	shape := e.Shapes[e.Shape]
	defer func() { e.stays = nil }()
	chosen := make([]string, len(times)) // before any part is on the boards
	for i := range times {
		b := o.boards[shape[i].On]
		chosen[i] = shape[i].On
		if e.stays != nil {
			chosen[i] = e.stays[i]
		} else if b.of != nil && len(was) == 0 {
			chosen[i] = o.firstOf(b, seat{part: &shape[i], Interval: times[i], wish: &e.Request})
			if b.kind.(Broker).Policy != "" && slices.Contains(b.of, got.Places[i].On) {
				chosen[i] = got.Places[i].On // any of them
			}
		} else if b.of != nil {
			chosen[i] = was[i].On
		}
	}
	for i, p := range got.Places {
		part := &shape[i]
		if old != nil && i < len(was) && was[i].Start <= o.now {
			times[i].Start = was[i].Start
			piece := o.until(old, i)
			if was[i].Start < o.now && was[i].End > o.now && !o.same(piece, p, part) {
				times[i].Start = o.now
				piece.After = 0
				e.Past = append(slices.Clip(e.Past), piece)
			}
		}
		if p.Interval != times[i] || p.Units != part.Units || p.On != chosen[i] {
			return fmt.Errorf("part %d is %+v, and not %d units on %q at %v", i, p, part.Units, chosen[i], times[i])
		}
		b := o.boards[p.On]
		err := b.suits(p, part)
		if err == nil && i < len(was) && was[i].Start <= o.now && p.End > o.now {
			err = keeps(was[i], p)
		}
		if err != nil {
			return fmt.Errorf("part %d: %w", i, err)
		}
		before, after := b.terms.Before, b.terms.After
		if i < len(was) {
			before, after = was[i].Before, was[i].After
			if was[i].Start < p.Start {
				before = 0 // its time before is a past piece
			}
		}
		if p.Before != before || p.After != after {
			return fmt.Errorf("part %d, %+v, has not the buffers %d and %d", i, p, before, after)
		}
		b.put(p, part.Tasks, o.now, 1)
		if b.overbooked(o.cut(bookahead.Interval{Start: p.Start - bookahead.Time(before), End: p.End + bookahead.Time(after)})) {
			return fmt.Errorf("part %d, %+v, is not free", i, p)
		}
	}
	e.Places, e.Interval = got.Places, spanned(times)
	e.Start = slices.Min(e.began)
	return nil
}

// until returns the units that a part had until now, as a piece.
func (o *ideal) until(e *entry, i int) Piece {
	x := Piece{Place: e.Places[i], Part: i}
	x.End = o.now
	tasks := e.Shapes[e.Shape][i].Tasks
	if tasks != nil {
		x.Each, x.HeadTakes = tasks.Each, tasks.Head
	}
	return x
}

// same reports whether a place has the same units as a piece.
func (o *ideal) same(x Piece, p Place, part *Part) bool {
	p.Interval, p.Before, p.After = x.Interval, x.Before, x.After
	return reflect.DeepEqual(x.Place, p) && (part.Tasks == nil || reflect.DeepEqual(x.Each, part.Tasks.Each) && reflect.DeepEqual(x.HeadTakes, part.Tasks.Head))
}

// suits checks that the servers or nodes of a place are some that the part may have.
func (b *board) suits(p Place, part *Part) error {
	if (p.Servers != nil) != (b.servers > 0) || (p.Nodes != nil) != (b.given != nil) {
		return fmt.Errorf("%+v has servers or nodes, or none", p)
	}
	if b.servers > 0 {
		sorted := slices.IsSorted(p.Servers) && len(slices.Compact(slices.Clone(p.Servers))) == int(p.Units)
		for _, k := range p.Servers {
			if k < 0 || k >= b.servers || part.Servers != nil && !slices.Contains(part.Servers, k) {
				return fmt.Errorf("server %d is none of those allowed", k)
			}
		}
		if !sorted || len(p.Servers) != int(p.Units) {
			return fmt.Errorf("servers %v for %d units", p.Servers, p.Units)
		}
	}
	if b.given == nil {
		if p.Head != -1 {
			return fmt.Errorf("head %d without nodes", p.Head)
		}
		return nil
	}
	sum := int64(0)
	var list []int
	for _, s := range p.Nodes {
		if s.Tasks < 1 || part.Tasks.PerNode > 0 && s.Tasks > part.Tasks.PerNode {
			return fmt.Errorf("%d tasks on node %d", s.Tasks, s.Node)
		}
		sum += s.Tasks
		list = append(list, s.Node)
	}
	if p.Head >= 0 {
		list = append(list, p.Head)
	}
	one := part.Tasks.Within == ""
	for _, rack := range b.racks {
		one = one || !slices.ContainsFunc(list, func(k int) bool { return !slices.Contains(rack, k) })
	}
	barred := slices.ContainsFunc(list, func(k int) bool { return !allowed(part.Tasks, k) })
	if sum != p.Units || barred || !one || (p.Head >= 0) != (part.Tasks.Head != nil) {
		return fmt.Errorf("nodes %v and head %d do not suit %+v", p.Nodes, p.Head, *part.Tasks)
	}
	return nil
}

// keeps checks that a running part gains servers or nodes, or gives some up, but swaps none.
func keeps(was, p Place) error {
	less, more := false, false
	for _, k := range was.Servers {
		less = less || !slices.Contains(p.Servers, k)
	}
	for _, k := range p.Servers {
		more = more || !slices.Contains(was.Servers, k)
	}
	tasks := map[int]int64{}
	for _, s := range p.Nodes {
		tasks[s.Node] += s.Tasks
	}
	for _, s := range was.Nodes {
		tasks[s.Node] -= s.Tasks
	}
	for _, n := range tasks {
		less, more = less || n < 0, more || n > 0
	}
	if less && more || was.Head >= 0 && p.Head >= 0 && was.Head != p.Head || was.On != p.On {
		return fmt.Errorf("%v on %q, %v%v %d, runs, and swaps something for %q, %v%v %d", was, was.On, was.Servers, was.Nodes, was.Head, p.On, p.Servers, p.Nodes, p.Head)
	}
	return nil
}

// lift gives back the units that a booking still has on the boards.
func (o *ideal) lift(e *entry) { o.weigh(e, -1) }

func (o *ideal) weigh(e *entry, times int64) {
	shape := e.Shapes[e.Shape]
	for i, p := range e.Places {
		o.boards[p.On].put(p, shape[i].Tasks, o.now, times)
	}
}

// tell adds an event.
func (o *ideal) tell(w What, e *entry, at bookahead.Time, from, to bookahead.Interval) {
	o.events++
	x := Event{Number: o.events, At: at, What: w, From: from, To: to}
	if e != nil {
		x.Booking, x.Owner, x.Series = e.ID, e.Owner, e.Series
	}
	o.told = append(o.told, x)
}
