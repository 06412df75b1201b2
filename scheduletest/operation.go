package scheduletest

import (
	"fmt"

	"github.com/bookahead/bookahead"
)

// scope runs all short sequences of operations over a tiny domain: first all sequences of one
// operation, then all of two, and so on. Random sequences are long, and seldom repeat a request;
// some faults show only when an operation follows another at once, with the same arguments.
//
// If two sequences lead to the same memory, scope goes on with the first of them alone:
//
//	Reserve ──► ● ──Search───► ●  a cache was written: another state
//	            │
//	            ├──Advance──► ●  another state
//	            │
//	            └──Search────► ○  nothing was written: the same state again
//
// A state is made by repeating its sequence on a fresh schedule. A Clone or a snapshot of the
// state would be quicker, but both are under test as well.
type scope struct {
	domain
	machine
	t       *tape
	walker  *walker
	states  []state // in the order in which they were met
	met     map[fingerprint]int32
	running operation
	ran     int // operations, without those of replay; large states count for more than one
}

// state is the state to which a sequence leads.
type state struct {
	mark fingerprint
	from int32     // the state before the last operation of the sequence
	by   operation // the last operation
	next []way     // to the states one operation later, if operations were run in this one
}

// way leads to a state; times is how many operations do so.
type way struct{ to, times int32 }

// ticks is how many ticks ahead can be booked in the small scope.
const ticks bookahead.Time = 5

// domain holds the requests and the sizes from which the small scope makes its operations.
type domain struct {
	config   Config
	tick     bookahead.Time
	requests []relative
}

// relative is a request whose times count from now.
type relative bookahead.Request

func (r relative) at(now bookahead.Time) bookahead.Request {
	r.Ready += now
	if r.Deadline != 0 {
		r.Deadline += now
	}
	return bookahead.Request(r)
}

// newDomain returns the domain for a target: two units or servers, five ticks, and requests for
// one tick or three, for one unit or both, that are ready now or in two ticks. An Advance by one
// tick makes ready times odd. A tick is half a slot, so that some times are rounded and others
// not.
func newDomain(target Target) domain {
	d := domain{tick: bookahead.Time(max(1, (target.Slot+1)/2))}
	d.config = Config{Capacity: 2, Origin: d.tick, Horizon: bookahead.Duration(ticks * d.tick)}
	add := func(ready, length, slack bookahead.Time, units int64, servers []int) {
		r := relative{Ready: ready * d.tick, Duration: bookahead.Duration(length * d.tick), Units: units, Servers: servers}
		if slack >= 0 {
			r.Deadline = (ready + length + slack) * d.tick
		}
		d.requests = append(d.requests, r)
	}
	const none = -1
	for _, ready := range []bookahead.Time{0, 2} {
		for _, length := range []bookahead.Time{1, 3} {
			for _, units := range []int64{1, 2} {
				add(ready, length, none, units, nil)
				add(ready, length, 0, units, nil)
			}
		}
	}
	add(0, 1, 1, 1, nil)
	add(0, 3, 1, 1, nil)
	if target.Servers {
		add(0, 1, none, 1, []int{1})
		add(0, 1, none, 2, []int{1, 0})
	}
	return d
}

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
