package scheduletest

import (
	"math"
	"math/rand/v2"
	"slices"

	"pgregory.net/rapid"

	"github.com/bookahead/bookahead"
)

// user makes calls on a schedule of which it knows nothing, and checks the laws that can
// be seen without an oracle.
type user struct {
	rapid.TB
	s    bookahead.Schedule
	data []byte // the snapshot from which it was read
	rng  *rand.Rand
}

// holder is a schedule that takes holds, as grid.Desk does.
type holder interface {
	Hold(r bookahead.Request, expiry bookahead.Time) (bookahead.Reservation, error)
	Commit(id bookahead.ID) error
	Cancel(id bookahead.ID) error
}

// use makes so many calls, and checks the invariants after some of them and at the end.
func (u *user) use(calls int) {
	u.Helper()
	steps := []func(){
		u.reserve, u.reserve, u.reserve, u.release, u.resize, u.advance, u.fixed, u.fixed, u.offers, u.latest,
		u.explain, u.blocks, u.clone, u.rewrite, u.hold,
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

// frame returns the limits of the schedule. One that does not tell may have a cell for
// each tick, as an oracle has, and is used in its first ticks.
func (u *user) frame() bookahead.Block {
	if f, ok := u.s.(bookahead.Framer); ok {
		return f.Frame()
	}
	return bookahead.Block{Interval: bookahead.Interval{Start: 0, End: span}, Units: 4}
}

// booked returns the live reservations.
func (u *user) booked() []bookahead.Reservation {
	if l, ok := u.s.(bookahead.Lister); ok {
		return slices.Collect(l.Reservations())
	}
	return nil
}

// time returns one at which something may change: near now, the horizon, or where a
// reservation starts or ends.
func (u *user) time() bookahead.Time {
	f := u.frame()
	near := []bookahead.Time{f.Start, f.Start, f.End}
	if list := u.booked(); len(list) > 0 {
		res := list[u.rng.IntN(len(list))]
		near = append(near, res.Start, res.End)
	}
	t := near[u.rng.IntN(len(near))]
	if by := bookahead.Time(u.rng.IntN(9) - 3); by < 0 || t < bookahead.MaxTime-by {
		t += by
	}
	return t
}

// request draws one that is often valid, and now and then names servers.
func (u *user) request() bookahead.Request {
	f := u.frame()
	r := bookahead.Request{Ready: u.time(), Duration: bookahead.Duration(1 + u.rng.IntN(12)), Units: 1}
	if u.rng.IntN(8) == 0 {
		r.Duration = max(1, f.Len()>>u.rng.IntN(8))
	}
	if f.Units > 1 {
		r.Units += u.rng.Int64N(min(f.Units, 8))
	}
	if u.rng.IntN(8) == 0 {
		r.Units = f.Units
	}
	if u.rng.IntN(4) == 0 {
		if end, err := r.Ready.Add(r.Duration); err == nil {
			r.Deadline = later(end, bookahead.Time(u.rng.IntN(20)))
		}
	}
	if a, err := u.s.RangeQuery(bookahead.Interval{Start: f.Start, End: later(f.Start, 1)}); err == nil && len(a.Servers) > 0 && u.rng.IntN(4) == 0 {
		r.Servers = a.Servers[:1+u.rng.IntN(min(len(a.Servers), 1000))]
		u.rng.Shuffle(len(r.Servers), func(i, k int) { r.Servers[i], r.Servers[k] = r.Servers[k], r.Servers[i] })
		r.Units = min(r.Units, int64(len(r.Servers)))
	}
	return r
}

// stray fails unless err is one of those that a schedule returns.
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

// fixed asks how many units are free, and books all of them, or one more (law 4), between
// now and the horizon: a schedule that does not tell these is not asked.
func (u *user) fixed() {
	u.Helper()
	if _, ok := u.s.(bookahead.Framer); !ok {
		return
	}
	f, r := u.frame(), u.request()
	r.Servers, r.Ready = nil, max(r.Ready, f.Start)
	end, err := r.Ready.Add(r.Duration)
	if err != nil || end > f.End {
		return
	}
	r.Deadline = end
	a, err := u.s.RangeQuery(bookahead.Interval{Start: r.Ready, End: end})
	if err != nil || a.Free < 0 || a.Free > f.Units || a.Servers != nil && int64(len(a.Servers)) != a.Free {
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

// id returns that of a live reservation, or another.
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

func (u *user) resize() {
	u.Helper()
	if r, ok := u.s.(bookahead.Resizer); ok {
		from := u.time()
		_, err := r.Resize(u.id(), bookahead.Interval{Start: from, End: later(from, bookahead.Time(1+u.rng.IntN(9)))}, 1+u.rng.Int64N(4))
		u.stray("Resize", err)
	}
}

// advance moves the clock a little, and now and then to where something changes.
func (u *user) advance() {
	u.Helper()
	now := later(u.frame().Start, bookahead.Time(u.rng.IntN(4)))
	if u.rng.IntN(6) == 0 {
		now = u.time()
	}
	u.stray("Advance", u.s.Advance(now))
}

func (u *user) offers() {
	n := 0
	for range bookahead.Offers(u.s, u.request()) {
		if n++; n == 4 {
			break
		}
	}
}

func (u *user) latest() {
	u.Helper()
	if l, ok := u.s.(bookahead.LatestSearcher); ok {
		_, err := l.SearchLatest(u.request())
		u.stray("SearchLatest", err)
	}
}

func (u *user) explain() {
	u.Helper()
	_, err := bookahead.Explain(u.s, u.request())
	u.stray("Explain", err)
}

func (u *user) blocks() {
	p, ok := u.s.(bookahead.Profiler)
	if !ok {
		return
	}
	n := 0
	for range p.Blocks(bookahead.Interval{Start: math.MinInt64, End: bookahead.MaxTime}) {
		if n++; n == 100 {
			break
		}
	}
}

// clone goes on with a copy, so that neither may lean on the other.
func (u *user) clone() {
	if c, ok := u.s.(bookahead.Cloner); ok {
		u.s = c.Clone()
	}
}

// rewrite goes on with the schedule read from its own snapshot.
func (u *user) rewrite() {
	u.Helper()
	if s, ok := u.s.(bookahead.Snapshotter); ok {
		if err := s.UnmarshalBinary(write(u, s)); err != nil {
			u.Fatalf("%x is read, and once used its own snapshot is refused: %v", u.data, err)
		}
	}
}

// hold takes holds, and settles some.
func (u *user) hold() {
	u.Helper()
	h, ok := u.s.(holder)
	if !ok {
		return
	}
	_, err := h.Hold(u.request(), later(u.frame().Start, bookahead.Time(u.rng.IntN(20))))
	u.stray("Hold", err)
	u.stray("Commit", h.Commit(u.id()))
	u.stray("Cancel", h.Cancel(u.id()))
}
