package scheduletest

import (
	"math"
	"math/rand/v2"
	"slices"

	"pgregory.net/rapid"

	"github.com/bookahead/bookahead"
)

// user makes calls on a schedule of which it knows nothing, and checks the laws that can be
// checked without an oracle.
type user struct {
	rapid.TB
	s    bookahead.Schedule
	data []byte // the snapshot from which s was read
	rng  *rand.Rand
}

// use makes a number of calls, and checks the invariants after some of them and at the end.
func (u *user) use(calls int) {
	u.Helper()
	steps := []func(){
		u.reserve, u.reserve, u.reserve, u.release, u.rebook, u.advance, u.fixed, u.fixed, u.offers, u.latest,
		u.explain, u.blocks, u.clone, u.rewrite,
	}
	if has[bookahead.Closable](u.s) {
		steps = append(steps, u.change, u.change, u.change)
	}
	if has[bookahead.Displacer](u.s) {
		steps = append(steps, u.displace)
	}
	for k := range calls {
		steps[u.rng.IntN(len(steps))]()
		if k%25 == 24 || k == calls-1 {
			if err := checkInvariants(u.s); err != nil {
				u.Fatalf("%x is read, and used: %v", u.data, err)
			}
		}
	}
}

// frame returns the limits of the schedule. A schedule that is no Keeper is used in its
// first ticks, and an oracle, which has a cell for each tick, in the next ones.
func (u *user) frame() bookahead.Frame {
	f := bookahead.Frame{Horizon: span, Capacity: 4}
	if k, ok := u.s.(bookahead.Keeper); ok {
		f = k.Frame()
	}
	if u.slow() {
		f.Horizon = min(f.Horizon, later(f.Now, span))
	}
	return f
}

// slow reports whether the schedule is an oracle, which goes from tick to tick.
func (u *user) slow() bool {
	_, ok := u.s.(interface{ Busy() bookahead.Time })
	return ok
}

// booked returns the live reservations.
func (u *user) booked() []bookahead.Reservation {
	if k, ok := u.s.(bookahead.Keeper); ok {
		return slices.Collect(k.Reservations(always))
	}
	return nil
}

// time returns a time at which something may change: near now, near the horizon, or where a
// reservation starts or ends.
func (u *user) time() bookahead.Time {
	f := u.frame()
	near := []bookahead.Time{f.Now, f.Now, f.Horizon}
	list := u.booked()
	if len(list) > 0 {
		res := list[u.rng.IntN(len(list))]
		near = append(near, res.Start, res.End)
	}
	t := near[u.rng.IntN(len(near))]
	by := bookahead.Time(u.rng.IntN(9) - 3)
	if by < 0 || t < bookahead.MaxTime-by {
		t += by
	}
	return t
}

// request draws a request that is often valid, and now and then names servers.
func (u *user) request() bookahead.Request {
	f := u.frame()
	r := bookahead.Request{Ready: u.time(), Duration: bookahead.Duration(1 + u.rng.IntN(12)), Units: 1}
	if u.rng.IntN(8) == 0 {
		r.Duration = max(1, f.Window().Len()>>u.rng.IntN(8))
	}
	if f.Capacity > 1 {
		r.Units += u.rng.Int64N(min(f.Capacity, 8))
	}
	if u.rng.IntN(8) == 0 {
		r.Units = f.Capacity
	}
	if u.rng.IntN(4) == 0 {
		if end, err := r.Ready.Add(r.Duration); err == nil {
			r.Deadline = later(end, bookahead.Time(u.rng.IntN(20)))
		}
	}
	if a, err := u.s.RangeQuery(bookahead.Interval{Start: f.Now, End: later(f.Now, 1)}); err == nil && len(a.Servers) > 0 && u.rng.IntN(4) == 0 {
		r.Servers = a.Servers[:1+u.rng.IntN(min(len(a.Servers), 1000))]
		u.rng.Shuffle(len(r.Servers), func(i, k int) { r.Servers[i], r.Servers[k] = r.Servers[k], r.Servers[i] })
		r.Units = min(r.Units, int64(len(r.Servers)))
	}
	return r
}

// stray fails unless err is an error that a schedule may return.
func (u *user) stray(what string, err error) {
	u.Helper()
	switch kind(err) {
	case "none", "invalid", bookahead.ErrUnavailable.Error(), bookahead.ErrNotFound.Error():
	default:
		u.Fatalf("%x is read, and %s gives %v", u.data, what, err)
	}
}

// reserve books the place that Search offers (law 3).
func (u *user) reserve() {
	u.Helper()
	r := u.request()
	o, want := u.s.Search(r)
	res, err := u.s.Reserve(r)
	u.stray("Search", want)
	if kind(err) != kind(want) || !sameOffer(res.Offer, o) {
		u.Fatalf("%x is read, and %+v finds %v, %v, but books %v, %v", u.data, r, o, want, res, err)
	}
}

// fixed asks how many units are free, and books all of them, or one more (law 4), between now and
// the horizon. A schedule that is no Keeper is left out.
func (u *user) fixed() {
	u.Helper()
	if _, ok := u.s.(bookahead.Keeper); !ok {
		return
	}
	f, r := u.frame(), u.request()
	r.Servers, r.Ready = nil, max(r.Ready, f.Now)
	end, err := r.Ready.Add(r.Duration)
	if err != nil || end > f.Horizon {
		return
	}
	r.Deadline = end
	a, err := u.s.RangeQuery(bookahead.Interval{Start: r.Ready, End: end})
	if err != nil || a.Free < 0 || a.Free > u.most(f) || a.Window != (bookahead.Interval{Start: r.Ready, End: end}) || a.Servers != nil && int64(len(a.Servers)) != a.Free {
		u.Fatalf("%x is read, and in [%d, %d) %+v is free, %v", u.data, r.Ready, end, a, err)
	}
	r.Units = a.Free + u.rng.Int64N(2)
	if r.Units < 1 {
		return
	}
	if _, err := u.s.Reserve(r); (err == nil) != (r.Units <= a.Free) {
		u.Fatalf("%x is read, %d are free in [%d, %d), and to book %d gives %v", u.data, a.Free, r.Ready, end, r.Units, err)
	}
}

// most returns the greatest number of units that can be free: the capacity, unless it changes.
func (u *user) most(f bookahead.Frame) int64 {
	most := f.Capacity
	bookahead.View(u.s, func(s bookahead.Closable) {
		for range s.Closures() {
			most = math.MaxInt64
		}
	})
	return most
}

// id returns the ID of a live reservation, or another ID.
func (u *user) id() bookahead.ID {
	list := u.booked()
	if len(list) == 0 || u.rng.IntN(8) == 0 {
		return bookahead.ID(u.rng.Uint64N(6))
	}
	return list[u.rng.IntN(len(list))].ID
}

func (u *user) release() {
	u.Helper()
	u.stray("Release", u.s.Release(u.id()))
}

// rebook changes a reservation as SearchFor offers.
func (u *user) rebook() {
	u.Helper()
	k, ok := u.s.(bookahead.Keeper)
	if !ok {
		return
	}
	id, r := u.id(), u.request()
	o, want := k.SearchFor(id, r)
	u.stray("SearchFor", want)
	res, err := k.Rebook(id, r)
	if kind(err) != kind(want) || !sameOffer(res.Offer, o) || err == nil && res.ID != id {
		u.Fatalf("%x is read, and for #%d %+v finds %v, %v, but books %v, %v", u.data, id, r, o, want, res, err)
	}
}

// advance moves the clock a little, and now and then to a time at which something changes.
func (u *user) advance() {
	u.Helper()
	now := later(u.frame().Now, bookahead.Time(u.rng.IntN(4)))
	if u.rng.IntN(6) == 0 {
		now = u.time()
	}
	u.stray("Advance", u.s.Advance(now))
}

func (u *user) offers() { first(bookahead.Offers(u.s, u.request()), 4) }

func (u *user) latest() {
	u.Helper()
	if has[bookahead.LatestSearcher](u.s) { // all openings would take long
		_, err := bookahead.SearchLatest(u.s, u.request())
		u.stray("SearchLatest", err)
	}
}

func (u *user) explain() {
	u.Helper()
	_, err := bookahead.Explain(u.s, u.request())
	u.stray("Explain", err)
}

func (u *user) blocks() {
	if blocks, ok := bookahead.Blocks(u.s, always); ok {
		first(blocks, 100)
	}
}

// clone goes on with a copy, so that neither may depend on the other.
func (u *user) clone() {
	if c, ok := bookahead.Clone(u.s); ok {
		u.s = c
	}
}

// rewrite goes on with the schedule read from its own snapshot.
func (u *user) rewrite() {
	u.Helper()
	if err := bookahead.Restore(u.s, write(u, u.s)); err != nil {
		u.Fatalf("%x is read, and once used its own snapshot is refused: %v", u.data, err)
	}
}

// closure draws a closure near a time at which something may change, and now and then until
// further notice.
func (u *user) closure() bookahead.Closure {
	f := u.frame()
	start := u.time()
	c := bookahead.Closure{Interval: bookahead.Interval{Start: start, End: later(max(start, f.Now), bookahead.Time(1+u.rng.IntN(20)))}}
	if u.rng.IntN(4) == 0 {
		c.End = bookahead.MaxTime
	}
	if f.Servers > 0 {
		c.Servers = append(c.Servers, u.rng.IntN(f.Servers))
		return c
	}
	c.Units = 1 + u.rng.Int64N(max(1, min(f.Capacity, 1<<55)))
	return c
}

// change closes, adds a little, ends a closure, or switches the index. Then it checks that
// nothing is free on overbooked stretches.
func (u *user) change() {
	u.Helper()
	f := u.frame()
	list, c := closuresOf(u.s), u.closure() // drawn before there is a lock
	bookahead.Update(u.s, func(s bookahead.Closable) {
		switch u.rng.IntN(5) {
		default:
			_, err := s.Close(c)
			u.stray("Close", err)
		case 2:
			c.Servers, c.Units = nil, 1+u.rng.Int64N(3)
			if f.Servers < 1<<10 { // each later question may name all servers
				_, err := s.Extend(c)
				u.stray("Extend", err)
			}
		case 3:
			if len(list) > 0 {
				c := list[u.rng.IntN(len(list))]
				at := []bookahead.Time{c.Start, f.Now, c.Start + (c.End-c.Start)/2}[u.rng.IntN(3)]
				if u.slow() && at-f.Now > 10*span {
					at = f.Now
				}
				err := s.End(c.ID, at)
				if err != nil {
					u.Fatalf("%x is read, and End(%s, %d) gives %v", u.data, inWords(c), at, err)
				}
			}
		}
	})
	bookahead.Update(u.s, func(s bookahead.Tracker) { s.Track(u.rng.IntN(2) == 0) })
	for i, o := range overbookedIn(u.s, f.Window()) {
		a, err := u.s.RangeQuery(o.Interval)
		if i == 3 {
			break
		}
		if err != nil || o.Units < 1 || f.Servers == 0 && a.Free != 0 || slices.ContainsFunc(a.Servers, func(k int) bool { return slices.Contains(o.Servers, k) }) {
			u.Fatalf("%x is read, %s is overbooked, and there %+v is free, %v", u.data, inWords(o), a, err)
		}
	}
}

// displace books by force, after which nothing is overbooked.
func (u *user) displace() {
	u.Helper()
	f := force{Order: u.rng.IntN(3), Again: u.rng.IntN(3)}
	r := u.request()
	if u.rng.IntN(2) == 0 {
		f.Request = &r
	}
	d, err := bookahead.Displace(u.s, f.full())
	u.stray("Displace", err)
	over := overbookedIn(u.s, always)
	if err == nil && len(over) > 0 {
		u.Fatalf("%x is read, and after Displace = %+v %s are overbooked", u.data, d, inWords(over))
	}
}
