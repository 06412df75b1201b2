package scheduletest

import (
	"fmt"

	"github.com/bookahead/bookahead"
)

// domain is what the operations of the small scope are made of.
type domain struct {
	config Config
	tick   bookahead.Time // half a slot, so that some times are rounded and others not
	wishes []wish
}

// wish is a request whose times count from now.
type wish bookahead.Request

func (r wish) at(now bookahead.Time) bookahead.Request {
	r.Ready += now
	if r.Deadline != 0 {
		r.Deadline += now
	}
	return bookahead.Request(r)
}

// newDomain returns the domain for a target: two units or servers, five ticks, and
// requests for one tick or three, and for one unit or both, that are ready now or in
// two ticks. An Advance by one tick makes them ready at odd ones.
func newDomain(target Target) domain {
	d := domain{tick: bookahead.Time(max(1, (target.Slot+1)/2))}
	d.config = Config{Capacity: 2, Origin: d.tick, Horizon: bookahead.Duration(5 * d.tick)}
	for _, ready := range []bookahead.Time{0, 2} {
		for _, length := range []bookahead.Time{1, 3} {
			for _, units := range []int64{1, 2} {
				r := wish{Ready: ready * d.tick, Duration: bookahead.Duration(length * d.tick), Units: units}
				fixed := r
				fixed.Deadline = (ready + length) * d.tick
				d.wishes = append(d.wishes, r, fixed)
			}
		}
	}
	if target.Servers {
		for _, servers := range [][]int{{1}, {1, 0}} {
			d.wishes = append(d.wishes, wish{Duration: bookahead.Duration(d.tick), Units: 1, Servers: servers})
		}
	}
	return d
}

// deed is an operation in one of the worlds.
type deed struct {
	act   act
	world uint8
	n     uint8 // which request, which change, how many ticks
	id    uint8
}

type act uint8

const (
	doSearch act = iota
	doAskAll
	doReserve
	doRelease
	doResize
	doAdvance
	doClone
	doSnapshot
)

// deeds lists the operations that are possible. Those come first that mostly change
// nothing.
func (x *scope) deeds() []deed {
	var all []deed
	for i := range x.worlds {
		all = x.deedsIn(all, uint8(i))
	}
	return all
}

func (x *scope) deedsIn(all []deed, i uint8) []deed {
	w := x.worlds[i]
	for n, r := range x.wishes {
		if r.Deadline == 0 { // a fixed request has one place, which needs no search
			all = append(all, deed{doSearch, i, uint8(n), 0})
		}
	}
	all = append(all, deed{doAskAll, i, 0, 0})
	for n := range x.wishes {
		all = append(all, deed{doReserve, i, uint8(n), 0})
	}
	for id := bookahead.ID(1); id <= w.o.given(); id++ {
		all = append(all, deed{doRelease, i, 0, uint8(id)})
	}
	if _, ok := w.s.(bookahead.Resizer); ok {
		for _, res := range w.o.live() {
			for n := range uint8(3) {
				all = append(all, deed{doResize, i, n, uint8(res.ID)})
			}
		}
	}
	all = append(all, deed{doAdvance, i, 1, 0}, deed{doAdvance, i, 2, 0})
	if _, ok := w.s.(bookahead.Cloner); ok && len(x.worlds) == 1 {
		all = append(all, deed{doClone, i, 0, 0})
	}
	if _, ok := w.s.(bookahead.Snapshotter); ok {
		all = append(all, deed{doSnapshot, i, 0, 0})
	}
	return all
}

// run does a deed, and checks its answer against the oracle. If offers are given, which
// are those of Search, Reserve must book them.
func (x *scope) run(d deed, offers [][]bookahead.Offer) {
	if len(x.worlds) > 1 {
		x.t.Logf("in the %s:", []string{"schedule", "clone"}[d.world])
	}
	w := &x.worlds[d.world]
	x.t.doing = d
	switch d.act {
	case doSearch:
		x.searchFor(x.t, *w, x.wishes[d.n].at(w.o.now()))
	case doAskAll:
		x.t.Logf("op all queries")
		x.t.quiet = true
		x.askAll(*w)
		x.t.quiet = false
	case doReserve:
		r := x.wishes[d.n].at(w.o.now())
		got, err := x.reserveOnly(x.t, *w, r)
		judge(x.t, w.o, r, got.Offer, err)
		if err != nil {
			return
		}
		if offers != nil && !sameOffer(got.Offer, offers[d.world][d.n]) {
			x.t.Fatalf("reserved %v, but Search offered %v", got, offers[d.world][d.n])
		}
		enter(x.t, w.o, got)
	case doRelease:
		x.releaseID(x.t, *w, bookahead.ID(d.id))
	case doResize:
		x.change(*w, bookahead.ID(d.id), d.n)
	case doAdvance:
		x.advanceTo(x.t, *w, w.o.now()+bookahead.Time(d.n)*x.tick)
	case doClone:
		x.cloneOf(x.t, *w)
	case doSnapshot:
		x.readInto(x.t, w, w.s.(bookahead.Snapshotter), x.zero(w.s))
	}
}

// change makes a reservation longer, or shorter with other units, or moves it.
func (x *scope) change(w world, id bookahead.ID, n uint8) {
	for _, res := range w.o.live() {
		if res.ID != id {
			continue
		}
		to, units := res.Interval, res.Units
		switch n {
		case 0:
			to.End += x.tick
		case 1:
			to.End = max(to.Start, w.o.now()) + x.tick
			units = 1 + units%2
		case 2:
			to.Start, to.End = to.Start+2*x.tick, to.End+2*x.tick
		}
		x.resizeTo(x.t, w, id, to, units)
	}
}

// askAll makes every query, and checks the answers.
func (x *scope) askAll(w world) {
	now := w.o.now()
	for start := bookahead.Time(0); start < 5; start++ {
		for end := start + 2; end <= 5; end++ {
			x.compareRange(x.t, w, bookahead.Interval{Start: now + start*x.tick, End: now + end*x.tick}, true)
		}
	}
	x.verifyUntil(x.t, w, w.o.end()+1)
	for i, r := range x.wishes {
		r := r.at(now)
		x.searchFor(x.t, w, r)
		if r.Deadline == 0 {
			x.latestFor(x.t, w, r)
		}
		if i < 2 {
			x.offersFor(x.t, w, r, 9)
		}
	}
	x.blocksIn(x.t, w, bookahead.Interval{Start: now - 1, End: w.o.end() + 1})
	x.listOf(x.t, w)
}

// String names the operation.
func (d deed) String() string {
	name := []string{"Search", "all queries", "Reserve", "Release", "Resize", "Advance", "Clone", "MarshalBinary"}[d.act]
	return fmt.Sprintf("%s, number %d of ID %d", name, d.n, d.id)
}
