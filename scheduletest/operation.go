package scheduletest

import (
	"fmt"

	"github.com/bookahead/bookahead"
)

// operation is one step of a sequence of the small scope: an act in one of the worlds.
type operation struct {
	act   act
	world uint8
	n     uint8 // which request, which change, or how many ticks
	id    uint8 // the ID of a reservation
}

type act uint8

const (
	search act = iota
	askAll
	reserve
	release
	rebooking
	advance
	cloning
	saving
)

// String names the operation and its world. It is for the log of an operation that panics; other
// operations log their calls.
func (p operation) String() string {
	name := [...]string{"Search", "all queries", "Reserve", "Release", "Rebook", "Advance", "Clone", "snapshot"}[p.act]
	return fmt.Sprintf("%s (number %d, ID %d) in the %s", name, p.n, p.id, worldNames[p.world])
}

var worldNames = [...]string{"schedule", "clone"}

// operations lists the operations that are possible. Operations that mostly change nothing come
// first, as the state need not be made again after them.
func (x *scope) operations() []operation {
	var all []operation
	for i, w := range x.worlds {
		add := func(a act, n int, id bookahead.ID) {
			all = append(all, operation{a, uint8(i), uint8(n), uint8(id)})
		}
		for n, r := range x.requests {
			if !bookahead.Request(r).Fixed() { // a fixed request has one place, which needs no search
				add(search, n, 0)
			}
		}
		add(askAll, 0, 0)
		for n := range x.requests {
			add(reserve, n, 0)
		}
		for id := range w.o.Last {
			add(release, 0, id+1)
		}
		if _, ok := w.s.(bookahead.Keeper); ok {
			for _, res := range w.o.List() {
				for n := range x.changes() {
					add(rebooking, n, res.ID)
				}
			}
		}
		add(advance, 1, 0)
		add(advance, 2, 0)
		if has[bookahead.Cloner](w.s) && len(x.worlds) == 1 {
			add(cloning, 0, 0)
		}
		if has[bookahead.Snapshotter](w.s) {
			add(saving, 0, 0)
		}
	}
	return all
}

// run runs an operation, and checks its answer against the oracle. If offers are given, they are
// the answers of Search, and Reserve must book them.
func (x *scope) run(p operation, offers [][]bookahead.Offer) {
	x.begin(p)
	w := &x.worlds[p.world]
	now := w.o.Now()
	switch p.act {
	case search:
		x.seek(x.t, *w, x.requests[p.n].at(now))
	case askAll:
		x.t.Logf("op all queries")
		x.t.queries(func() { x.askAll(*w) })
	case reserve:
		x.book(*w, x.requests[p.n].at(now), offers, p)
	case release:
		x.releaseID(x.t, *w, bookahead.ID(p.id))
	case rebooking:
		res, _ := w.o.Reservation(bookahead.ID(p.id))
		x.bookAnew(x.t, *w, res.ID, x.changes()[p.n](res.Offer, now, x.tick))
	case advance:
		x.advanceTo(x.t, *w, now+bookahead.Time(p.n)*x.tick)
	case cloning:
		x.cloneOf(x.t, *w)
	case saving:
		x.readInto(x.t, w, x.empty(w.s))
	}
}

// book reserves, and writes the reservation into the oracle.
func (x *scope) book(w world, r bookahead.Request, offers [][]bookahead.Offer, p operation) {
	got, err := x.reserveOnly(x.t, w, r)
	judge(x.t, w.o, r, got.Offer, err)
	if err != nil {
		return
	}
	if offers != nil && !sameOffer(got.Offer, offers[p.world][p.n]) {
		x.t.Fatalf("reserved %v, but Search offered %v", got, offers[p.world][p.n])
	}
	enter(x.t, w.o, got)
}

// begin notes which operation runs, and logs its world if there are two.
func (x *scope) begin(p operation) {
	x.running = p
	if len(x.worlds) > 1 {
		x.t.Logf("in the %s:", worldNames[p.world])
	}
}

// alteration makes a request for Rebook out of a reservation.
type alteration func(o bookahead.Offer, now, tick bookahead.Time) bookahead.Request

// changes lists the changes that Rebook tries.
func (x *scope) changes() []alteration {
	if x.target.Servers {
		return changes[:]
	}
	return changes[:len(changes)-1]
}

var changes = [...]alteration{
	func(o bookahead.Offer, _, tick bookahead.Time) bookahead.Request { // longer
		return bookahead.At(o.Start, o.Len()+bookahead.Duration(tick), o.Units)
	},
	func(o bookahead.Offer, now, tick bookahead.Time) bookahead.Request { // shorter, with other units
		end := max(o.Start, now) + tick
		return bookahead.At(o.Start, bookahead.Duration(end-o.Start), 1+o.Units%2)
	},
	func(o bookahead.Offer, _, tick bookahead.Time) bookahead.Request { // at another time
		return bookahead.At(o.Start+2*tick, o.Len(), o.Units)
	},
	func(o bookahead.Offer, now, _ bookahead.Time) bookahead.Request { // as soon as it can be, with other units
		return bookahead.Request{Ready: now, Duration: o.Len(), Units: 1 + o.Units%2}
	},
	func(o bookahead.Offer, _, tick bookahead.Time) bookahead.Request { // on another server, or one of two
		r := bookahead.At(o.Start, o.Len(), 1)
		r.Servers = []int{1 - o.Servers[0]}
		return r
	},
}

// empty returns an empty schedule that reads a snapshot of s.
func (x *scope) empty(s bookahead.Schedule) bookahead.Schedule {
	if !x.target.Made {
		return zeroOf(x.t, s)
	}
	return x.target.empty(x.t)
}

// askAll makes every query, and checks the answers.
func (x *scope) askAll(w world) {
	now := w.o.Now()
	for start := range ticks {
		for end := start + 2; end <= ticks; end++ { // verifyUntil asks for single ticks
			x.compareRange(x.t, w, bookahead.Interval{Start: now + start*x.tick, End: now + end*x.tick}, true)
		}
	}
	x.verifyUntil(x.t, w, w.o.Until()+1)
	for n, r := range x.requests {
		r := r.at(now)
		x.seek(x.t, w, r)
		if r.Deadline == 0 {
			x.latestOf(x.t, w.s, w.o, r)
			x.openingsOf(x.t, w.s, w.o, r)
		}
		if n < 2 {
			x.offersOf(x.t, w, r, 2*int(ticks))
		}
	}
	x.blocksIn(x.t, w, bookahead.Interval{Start: now - 1, End: w.o.Until() + 1})
	for _, res := range w.o.List() {
		for _, change := range x.changes() {
			x.searchAnew(x.t, w, res.ID, change(res.Offer, now, x.tick))
		}
	}
	x.listOf(x.t, w, always)
	x.listOf(x.t, w, bookahead.Interval{Start: now + x.tick, End: now + 2*x.tick})
}
