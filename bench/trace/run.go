package trace

import (
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/bench/replay"
)

// Planner is a planner that a trace can be run through. Every bookahead.Schedule is one. A planner that is
// no Schedule may answer ErrUnavailable wherever it has no place, and give its reservations
// any IDs.
type Planner interface {
	Search(bookahead.Request) (bookahead.Offer, error)
	Reserve(bookahead.Request) (bookahead.Reservation, error)
	Release(bookahead.ID) error
	Advance(bookahead.Time) error
}

// Opener makes a planner that holds some reservations from the start, and returns their IDs
// in the same order.
type Opener func(h Header, booked []bookahead.Offer) (Planner, []bookahead.ID, error)

// TurnedAway is the start of a request that found no place.
const TurnedAway bookahead.Time = -1

// Result is a line of results, with the answers behind its checksum.
type Result struct {
	Line
	// Starts are the answers to reserves and searches, in their order. TurnedAway is the
	// answer to a request without a place.
	Starts []bookahead.Time
}

// Run runs a trace through a planner, and times each call. The time of reading the clock is taken off, and
// opening the planner is not timed. Run stops after the first operation that ends beyond the limit; 0 is no limit.
// An error is a fault of the planner or of the trace, and names the operation. The trace need not come from a
// file, so that Run checks all of it first: if it is wrong, the
// planner is not opened.
func Run(t *Trace, planner string, open Opener, limit time.Duration) (Result, error) {
	if err := t.check(); err != nil {
		return Result{}, fmt.Errorf("%s: trace: %w", planner, err)
	}
	p, ids, err := open(t.Header, t.Booked)
	if err != nil {
		return Result{}, fmt.Errorf("%s: %w", planner, err)
	}
	if len(ids) != len(t.Booked) {
		return Result{}, fmt.Errorf("%s: %d IDs for %d reservations that are booked from the start", planner, len(ids), len(t.Booked))
	}
	d := newDriver(t, p, ids)
	runtime.GC()
	began, done := time.Now(), 0
	for i, o := range t.Operations {
		if err := d.do(o); err != nil {
			return Result{}, fmt.Errorf("%s: operation %d: %v: %w", planner, i+1, o, err)
		}
		done++
		if limit > 0 && d.stopped.Sub(began) > limit {
			break
		}
	}
	r := Result{Starts: d.starts}
	r.Line = Line{
		Planner: planner, Trace: t.Name, Operations: done, Of: len(t.Operations),
		Answers: len(d.starts), Accepted: d.accepted, Checksum: Checksum(d.starts), Seconds: d.stopped.Sub(began).Seconds(),
	}
	for k, calls := range d.took {
		*r.cost(Kind(k)) = TimingOf(calls)
	}
	return r, nil
}

// driver makes the calls, and keeps the reservations by their numbers in the trace.
type driver struct {
	p        Planner
	now      bookahead.Time
	booked   []held // by number, less 1
	starts   []bookahead.Time
	accepted int
	took     [kinds][]time.Duration // of each call, in order
	overhead time.Duration
	stopped  time.Time // when the last call was over
}

// held is a reservation that was numbered.
type held struct {
	id   bookahead.ID
	end  bookahead.Time
	live bool // it was accepted, and has not been released
}

func newDriver(t *Trace, p Planner, ids []bookahead.ID) *driver {
	d := &driver{p: p, now: t.Origin, overhead: replay.ClockOverhead(), stopped: time.Now()}
	var calls [kinds]int
	for _, o := range t.Operations {
		calls[o.Kind]++
	}
	for k, n := range calls {
		d.took[k] = make([]time.Duration, 0, n)
	}
	d.starts = make([]bookahead.Time, 0, calls[Reserve]+calls[Search])
	d.booked = make([]held, 0, len(ids)+calls[Reserve])
	for k, id := range ids {
		d.booked = append(d.booked, held{id, t.Booked[k].End, true})
	}
	return d
}

// do makes one call.
func (d *driver) do(o Operation) error {
	var err error
	switch o.Kind {
	case Reserve:
		var res bookahead.Reservation
		r := o.Request()
		started := time.Now()
		res, err = d.p.Reserve(r)
		d.stop(started, o.Kind)
		d.booked = append(d.booked, held{res.ID, res.End, err == nil})
		return d.answer(res.Start, err)
	case Search:
		var offer bookahead.Offer
		r := o.Request()
		started := time.Now()
		offer, err = d.p.Search(r)
		d.stop(started, o.Kind)
		return d.answer(offer.Start, err)
	case Release:
		b := &d.booked[o.Number-1]
		if !b.live || b.end <= d.now {
			return nil
		}
		b.live = false
		started := time.Now()
		err = d.p.Release(b.id)
		d.stop(started, o.Kind)
	case Advance:
		d.now = o.At
		started := time.Now()
		err = d.p.Advance(o.At)
		d.stop(started, o.Kind)
	}
	return err
}

func (d *driver) stop(started time.Time, k Kind) {
	d.stopped = time.Now()
	d.took[k] = append(d.took[k], max(0, d.stopped.Sub(started)-d.overhead))
}

// answer notes a start.
func (d *driver) answer(start bookahead.Time, err error) error {
	if errors.Is(err, bookahead.ErrUnavailable) {
		d.starts = append(d.starts, TurnedAway)
		return nil
	}
	if err == nil {
		d.starts = append(d.starts, start)
		d.accepted++
	}
	return err
}

// Each returns the Opener of a planner that starts empty. It reserves the booked lines one by one.
func Each(open func(Header) (Planner, error)) Opener {
	return func(h Header, booked []bookahead.Offer) (Planner, []bookahead.ID, error) {
		p, err := open(h)
		if err != nil {
			return nil, nil, err
		}
		ids := make([]bookahead.ID, len(booked))
		for k, b := range booked {
			res, err := p.Reserve(b.Request())
			if err != nil {
				return nil, nil, fmt.Errorf("booked %d, %v: %w", k+1, b, err)
			}
			ids[k] = res.ID
		}
		return p, ids, nil
	}
}

// Agrees reports whether another planner gave the same answers to the same trace, as far as that
// planner went. It is false if the planner went further than the run of r: there is nothing to compare.
func (r Result) Agrees(l Line) bool {
	return l.Trace == r.Trace && l.Answers <= len(r.Starts) && Checksum(r.Starts[:l.Answers]) == l.Checksum
}
