// Package oracle is a schedule that is right because it is simple. Package scheduletest runs a
// structure and an oracle side by side, and compares their answers. The door is small:
//
//	New                    an oracle of cells: one for each tick, or for each tick and server
//	NewSteps               an oracle of steps, whose work does not depend on the size of a number
//	an Oracle's methods    those of a bookahead.Keeper, Opener, Closable and Tracker, and
//	                       Place, Allows, Anew, TakeOut and Reasons, which say how an answer must be
//	Book, Restore, Move    write the structure's answer, so that both go on from the same state
//	                       even where the structure is free to choose
//
// The two kinds differ in their timeline alone: an oracle of cells looks at every tick, and an
// oracle of steps only at those at which something begins or ends. The suite compares the kinds
// with each other, and a test compares both with a naive schedule, because they share the rest.
// The fields are exported because the suite's own tests spoil them.
//
// The package knows no test: it imports neither testing nor rapid.
package oracle

import (
	"cmp"
	"iter"
	"maps"
	"slices"

	"github.com/bookahead/bookahead"
)

// Rules are the size of a schedule, and the limits of its representation.
type Rules struct {
	Capacity int64              // units, or servers
	Origin   bookahead.Time     // the time of the clock at first
	Horizon  bookahead.Duration // how far ahead can be booked; 0 means to the end of the axis
	Servers  bool               // it knows its servers; otherwise it is a pool
	Bounded  bool               // it needs a horizon
	Slot     bookahead.Duration // to whose multiples a booking is rounded outwards; 0 means 1
	Step     bookahead.Duration // between the starts that Search tries; 0 means 1
	Attempts int                // how many starts Search tries; 0 means all
}

// Oracle is a schedule by some rules. It chooses the free servers of lowest index.
type Oracle struct {
	Rules
	Clock   bookahead.Time
	Last    bookahead.ID                     // the ID given last
	Booked  map[bookahead.ID]bookahead.Offer // not released; some may have ended
	Tracks  bool                             // the index is on
	Used    []int64                          // for each tick since the origin, the units booked
	Held    [][]int8                         // or for each server, how many reservations hold it
	Changes []bookahead.Closure              // the closures that are not over, by ID
	Named   bookahead.ClosureID              // the ID of a closure given last
	Terms   []Term                           // by start

	timeline timeline
	servers  int                   // with those that were added; 0 for a pool
	own      bookahead.Reservation // see without
}

var (
	_ bookahead.Opener   = (*Oracle)(nil)
	_ bookahead.Closable = (*Oracle)(nil)
	_ bookahead.Tracker  = (*Oracle)(nil)
)

// timeline is the way in which an oracle looks at time: at each tick, or at each step.
type timeline interface {
	// marks yields the ticks from first to last, in order, at which a window of d ticks may begin
	// to fit or cease to: first, and others. After the last of them nothing changes.
	marks(o *Oracle, first, last, d bookahead.Time) iter.Seq[bookahead.Time]
	// look returns a function that returns the units that are free throughout a window, and the
	// servers, which are nil for a pool. It holds until the next change.
	look(o *Oracle) func(w bookahead.Interval) (n int64, servers []int)
	// missing returns the units, and the servers, that are booked at a tick and not there.
	missing(o *Oracle, t bookahead.Time) (n int64, servers []int)
	// add adds an offer to the cells, or takes it off if by is -1.
	add(o *Oracle, offer bookahead.Offer, by int64)
}

// New returns an oracle of cells. If the error is ErrInvalid, the oracle has those sizes all the
// same.
func New(r Rules) (*Oracle, error) { return open(r, ticks{}) }

// NewSteps returns an oracle of steps, as New does.
func NewSteps(r Rules) (*Oracle, error) { return open(r, steps{}) }

func open(r Rules, by timeline) (*Oracle, error) {
	r.Slot, r.Step = max(r.Slot, 1), max(r.Step, 1)
	o := &Oracle{Rules: r, Clock: r.Origin, Booked: map[bookahead.ID]bookahead.Offer{}, timeline: by}
	if r.Servers {
		o.servers = int(r.Capacity)
	}
	return o, r.validate()
}

// Now returns the time of the clock.
func (o *Oracle) Now() bookahead.Time { return o.Clock }

// Until returns the end of the time that can be booked.
func (o *Oracle) Until() bookahead.Time {
	if o.Horizon == 0 {
		return bookahead.MaxTime
	}
	return o.Clock + bookahead.Time(o.Horizon)
}

// Busy returns the tick from which on nothing is booked, and nothing changes.
func (o *Oracle) Busy() bookahead.Time {
	t := max(o.Clock, o.settled(), o.own.End)
	for _, offer := range o.Booked {
		t = max(t, o.rounded(offer.Interval).End)
	}
	return t
}

// Most returns the largest number of units that a request may have.
func (o *Oracle) Most() int64 {
	if o.Servers {
		return int64(o.servers)
	}
	return o.largest()
}

// List returns the reservations that have not ended, by ID.
func (o *Oracle) List() (all []bookahead.Reservation) {
	for id := bookahead.ID(1); id <= o.Last; id++ {
		if offer, ok := o.Booked[id]; ok && offer.End > o.Clock {
			all = append(all, bookahead.Reservation{ID: id, Offer: offer})
		}
	}
	return all
}

// Copy returns an independent copy.
func (o *Oracle) Copy() *Oracle {
	c := *o
	c.Booked = maps.Clone(o.Booked)
	c.Used = slices.Clone(o.Used)
	c.Held = slices.Clone(o.Held)
	for t := range c.Held {
		c.Held[t] = slices.Clone(c.Held[t])
	}
	return &c
}

// Add adds an offer to the cells alone, or takes it off if by is -1.
func (o *Oracle) Add(offer bookahead.Offer, by int64) { o.timeline.add(o, offer, by) }

// Book enters an offer, and returns its ID.
func (o *Oracle) Book(offer bookahead.Offer) bookahead.ID {
	o.Last++
	o.Restore(o.Last, offer)
	return o.Last
}

// Restore enters an offer under an ID that has been released.
func (o *Oracle) Restore(id bookahead.ID, offer bookahead.Offer) {
	offer.Servers = slices.Clone(offer.Servers)
	o.Add(offer, 1)
	o.Booked[id] = offer
}

// Free returns the units, and the servers, that are free throughout w, which begins now or later.
func (o *Oracle) Free(w bookahead.Interval) (n int64, servers []int) { return o.timeline.look(o)(w) }

// Share counts the units that are free throughout w and that r allows. If these are servers, it
// lists the servers in own apart from the others.
func (o *Oracle) Share(r bookahead.Request, w bookahead.Interval, own []int) (kept, others []int, n int64) {
	n, servers := o.allowed(r)(w)
	for _, k := range servers {
		if slices.Contains(own, k) {
			kept = append(kept, k)
		} else {
			others = append(others, k)
		}
	}
	return kept, others, n
}

// allowed returns the function that returns the units, or the servers, that are free throughout
// a window and that r allows.
func (o *Oracle) allowed(r bookahead.Request) func(bookahead.Interval) (int64, []int) {
	look := o.timeline.look(o)
	if r.Servers == nil || !o.Servers {
		return look
	}
	return func(w bookahead.Interval) (int64, []int) {
		_, servers := look(w)
		servers = slices.DeleteFunc(servers, func(k int) bool { return !slices.Contains(r.Servers, k) })
		return int64(len(servers)), servers
	}
}

// fits returns the function that reports whether r fits in a window.
func (o *Oracle) fits(r bookahead.Request) func(bookahead.Interval) bool {
	allowed := o.allowed(r)
	return func(w bookahead.Interval) bool {
		n, _ := allowed(w)
		return n >= r.Units
	}
}

// starts returns the first and the last tick at which r may begin.
func (o *Oracle) starts(r bookahead.Request) (first, last bookahead.Time) {
	end := o.Until()
	if r.Deadline != 0 {
		end = min(end, r.Deadline)
	}
	return max(r.Ready, o.Clock), end - bookahead.Time(r.Duration)
}

// Place returns the earliest start of r, as Search does.
func (o *Oracle) Place(r bookahead.Request) (bookahead.Time, error) {
	err := o.Check(r)
	if err != nil {
		return 0, err
	}
	return o.FirstStart(r, o.fits(r))
}

// FirstStart returns the first start that the representation can express and for which fits
// returns true. Between two marks, only the first of those starts can be the first that fits.
func (o *Oracle) FirstStart(r bookahead.Request, fits func(bookahead.Interval) bool) (bookahead.Time, error) {
	d, by := bookahead.Time(r.Duration), bookahead.Time(o.Step)
	first, last := o.starts(r)
	tried := bookahead.Time(-1)
	for t := range o.timeline.marks(o, first, last, d) {
		next := (t - first) / by
		if (t-first)%by > 0 {
			next++
		}
		if o.Attempts > 0 && next >= bookahead.Time(o.Attempts) || next > (last-first)/by {
			break
		}
		if next == tried {
			continue
		}
		tried = next
		start := first + tried*by
		if fits(bookahead.Interval{Start: start, End: start + d}) {
			return start, nil
		}
	}
	return 0, bookahead.ErrUnavailable
}

// Search implements bookahead.Schedule.
func (o *Oracle) Search(r bookahead.Request) (bookahead.Offer, error) {
	start, err := o.Place(r)
	if err != nil {
		return bookahead.Offer{}, err
	}
	offer := bookahead.Offer{Interval: bookahead.Interval{Start: start, End: start + bookahead.Time(r.Duration)}, Units: r.Units}
	if o.Servers {
		_, servers := o.allowed(r)(offer.Interval)
		offer.Servers = servers[:r.Units]
	}
	return offer, nil
}

// Reserve implements bookahead.Schedule.
func (o *Oracle) Reserve(r bookahead.Request) (bookahead.Reservation, error) {
	offer, err := o.Search(r)
	if err != nil {
		return bookahead.Reservation{}, err
	}
	return bookahead.Reservation{ID: o.Book(offer), Offer: offer}, nil
}

// Release implements bookahead.Schedule.
func (o *Oracle) Release(id bookahead.ID) error {
	res, err := o.Reservation(id)
	if err != nil {
		return err
	}
	delete(o.Booked, id)
	o.Add(res.Offer, -1)
	return nil
}

// RangeQuery implements bookahead.Schedule.
func (o *Oracle) RangeQuery(w bookahead.Interval) (a bookahead.Availability, err error) {
	if w.End <= w.Start {
		return a, invalid("window", w)
	}
	w.Start, w.End = max(w.Start, o.Clock), min(w.End, o.Until())
	if w.Start < w.End {
		a.Window = w
		a.Free, a.Servers = o.Free(w)
	} else if o.Servers {
		a.Servers = []int{}
	}
	return a, nil
}

// Advance implements bookahead.Schedule.
func (o *Oracle) Advance(now bookahead.Time) error {
	_, err := now.Add(o.Horizon)
	if now < o.Clock || err != nil {
		return invalid("now", now)
	}
	o.Clock = now
	o.forget()
	return nil
}

// Openings implements bookahead.Opener.
func (o *Oracle) Openings(r bookahead.Request) iter.Seq[bookahead.Interval] {
	return func(yield func(bookahead.Interval) bool) {
		if o.Check(r) != nil {
			return
		}
		d, fits := bookahead.Time(r.Duration), o.fits(r)
		first, last := o.starts(r)
		var run bookahead.Interval // up to the next mark at which r does not fit
		for t := range o.timeline.marks(o, first, last, d) {
			fit := fits(bookahead.Interval{Start: t, End: t + d})
			switch {
			case fit && run.Empty():
				run = bookahead.Interval{Start: t, End: last + 1}
			case !fit && !run.Empty():
				run.End = t
				if !yield(run) {
					return
				}
				run = bookahead.Interval{}
			}
		}
		if !run.Empty() {
			yield(run)
		}
	}
}

// Frame implements bookahead.Keeper.
func (o *Oracle) Frame() bookahead.Frame {
	f := bookahead.Frame{Now: o.Clock, Horizon: o.Until(), Capacity: o.capacityAt(o.Clock), Servers: o.servers}
	if o.Servers {
		f.Capacity = 0
		for k := range o.servers {
			if !o.shut(k, o.Clock) {
				f.Capacity++
			}
		}
	}
	return f
}

// Reservation implements bookahead.Keeper.
func (o *Oracle) Reservation(id bookahead.ID) (bookahead.Reservation, error) {
	offer, ok := o.Booked[id]
	if !ok || offer.End <= o.Clock {
		return bookahead.Reservation{}, bookahead.ErrNotFound
	}
	offer.Servers = slices.Clone(offer.Servers)
	return bookahead.Reservation{ID: id, Offer: offer}, nil
}

// Reservations implements bookahead.Keeper.
func (o *Oracle) Reservations(w bookahead.Interval) iter.Seq[bookahead.Reservation] {
	return func(yield func(bookahead.Reservation) bool) {
		list := slices.DeleteFunc(o.List(), func(res bookahead.Reservation) bool {
			return max(res.Start, w.Start) >= min(res.End, w.End)
		})
		slices.SortStableFunc(list, func(x, y bookahead.Reservation) int { return cmp.Compare(x.Start, y.Start) })
		for _, res := range list {
			res.Servers = slices.Clone(res.Servers)
			if !yield(res) {
				return
			}
		}
	}
}

// Track implements bookahead.Tracker. The oracle has no index, and only notes whether it is on.
func (o *Oracle) Track(on bool) { o.Tracks = on }

// Live implements bookahead.Tracker.
func (o *Oracle) Live() (int, bool) { return len(o.List()), o.Tracks }

// ReservationsOn implements bookahead.Tracker.
func (o *Oracle) ReservationsOn(w bookahead.Interval, servers []int) iter.Seq[bookahead.Reservation] {
	return func(yield func(bookahead.Reservation) bool) {
		for res := range o.Reservations(w) {
			if (servers == nil || common(res.Servers, servers)) && !yield(res) {
				return
			}
		}
	}
}

// common reports whether two lists share a server.
func common(a, b []int) bool {
	return slices.ContainsFunc(a, func(k int) bool { return slices.Contains(b, k) })
}
