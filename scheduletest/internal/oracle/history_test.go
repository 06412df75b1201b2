package oracle_test

import (
	"errors"
	"flag"
	"maps"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/scheduletest/internal/oracle"
)

// history is the same calls on an oracle of cells, on one of steps, and on a naive schedule.
type history struct {
	naive
	oracles  []*oracle.Oracle
	last     bookahead.ID
	closures []bookahead.Closure // by ID
	lifted   []lifted
}

type lifted struct {
	bookahead.Reservation
	back []func() error // for each oracle
}

// The two kinds of oracle share most of their code. Both answer as a naive schedule does that
// shares none of it.
func TestNaive(t *testing.T) {
	for range 60 {
		rapid.Check(t, func(t *rapid.T) {
			h := begin(t)
			// rapid draws a name more often if it sorts first.
			t.Repeat(map[string]func(*rapid.T){
				"": h.queries, "book": h.reserve, "book 2": h.reserve, "close": h.change, "close 2": h.change, "end": h.end,
				"lift": h.lift, "move": h.rebook, "put back": h.back, "release": h.release, "wait": h.advance,
			})
		})
	}
}

func begin(t *rapid.T) *history {
	h := &history{naive: naive{list: map[bookahead.ID]bookahead.Reservation{}}}
	h.Rules = oracle.Rules{
		Capacity: rapid.Int64Range(1, 3).Draw(t, "capacity"),
		Origin:   drawTime(t, 0, 3, "origin"),
		Horizon:  bookahead.Duration(drawTime(t, 4, 12, "horizon")),
		Servers:  rapid.Bool().Draw(t, "servers"),
		Slot:     bookahead.Duration(rapid.SampledFrom([]int{1, 1, 1, 3}).Draw(t, "slot")),
		Step:     bookahead.Duration(rapid.SampledFrom([]int{1, 1, 2}).Draw(t, "step")),
		Attempts: rapid.SampledFrom([]int{axis, axis, 3}).Draw(t, "attempts"),
	}
	h.now = h.Origin
	initial := bookahead.Offer{Interval: bookahead.Interval{End: axis}, Units: h.Capacity}
	if h.Servers {
		initial.Servers = h.grow(h.Capacity)
	} else {
		h.cells = make([][axis]cell, 1)
	}
	h.add(given, 1, initial)
	for _, open := range []func(oracle.Rules) (*oracle.Oracle, error){oracle.New, oracle.NewSteps} {
		o, err := open(h.Rules)
		require.NoError(t, err)
		h.oracles = append(h.oracles, o)
	}
	for range rapid.IntRange(0, 4).Draw(t, "reservations") {
		h.reserve(t)
	}
	return h
}

// grow adds n servers, and returns them.
func (h *history) grow(n int64) (servers []int) {
	for range n {
		servers = append(servers, len(h.cells))
		h.cells = append(h.cells, [axis]cell{})
	}
	return servers
}

// all makes a call on each oracle, and compares the answers.
func all[A any](t *rapid.T, h *history, want A, fails error, call func(o *oracle.Oracle) (A, error)) {
	for _, o := range h.oracles {
		got, err := call(o)
		if errors.Is(err, bookahead.ErrInvalid) {
			err = bookahead.ErrInvalid
		}
		require.Equal(t, fails, err)
		require.Equal(t, want, got)
	}
}

func (h *history) reserve(t *rapid.T) {
	r := h.request(t)
	offer, err := h.search(r)
	var want bookahead.Reservation
	if err == nil {
		h.last++
		want = bookahead.Reservation{ID: h.last, Offer: offer}
		h.book(want)
	}
	all(t, h, want, err, func(o *oracle.Oracle) (bookahead.Reservation, error) { return o.Reserve(r) })
}

func (h *history) release(t *rapid.T) {
	res, ok := h.pick(t)
	if !ok {
		return
	}
	h.naive.release(res)
	all(t, h, 0, nil, func(o *oracle.Oracle) (int, error) { return 0, o.Release(res.ID) })
}

func (h *history) rebook(t *rapid.T) {
	old, ok := h.pick(t)
	if !ok {
		return
	}
	r := h.near(t, old)
	offer, err := h.searchFor(old, r)
	var want bookahead.Reservation
	if err == nil {
		want = bookahead.Reservation{ID: old.ID, Offer: offer}
		h.naive.release(old)
		h.book(want)
	}
	all(t, h, want, err, func(o *oracle.Oracle) (bookahead.Reservation, error) { return o.Rebook(old.ID, r) })
}

func (h *history) lift(t *rapid.T) {
	res, ok := h.pick(t)
	if !ok {
		return
	}
	x := lifted{Reservation: res}
	h.naive.release(res)
	all(t, h, 0, nil, func(o *oracle.Oracle) (int, error) {
		back, err := o.Lift(res.ID)
		x.back = append(x.back, back)
		return 0, err
	})
	h.lifted = append(h.lifted, x)
}

// back puts a reservation back, or reserves under its ID if that fails.
func (h *history) back(t *rapid.T) {
	if len(h.lifted) == 0 {
		return
	}
	x := h.lifted[0]
	h.lifted = h.lifted[1:]
	if x.End <= h.now {
		return
	}
	fails := h.putBack(x.Reservation)
	for _, back := range x.back {
		require.Equal(t, fails, back())
	}
	if fails == nil {
		return
	}
	h.queries(t) // a failure changes nothing
	r := h.near(t, x.Reservation)
	offer, err := h.search(r)
	var want bookahead.Reservation
	if err == nil {
		want = bookahead.Reservation{ID: x.ID, Offer: offer}
		h.book(want)
	}
	all(t, h, want, err, func(o *oracle.Oracle) (bookahead.Reservation, error) { return o.ReserveAs(x.ID, r) })
}

// change closes or extends. A schedule with slots has no closures.
func (h *history) change(t *rapid.T) {
	if h.Slot > 1 {
		return
	}
	c := bookahead.Closure{Units: rapid.Int64Range(1, 3).Draw(t, "units"), Added: rapid.IntRange(0, 3).Draw(t, "added") == 0}
	c.Interval = h.span(t)
	if rapid.IntRange(0, 4).Draw(t, "until further notice") == 0 {
		c.End = bookahead.MaxTime
	}
	call := (*oracle.Oracle).Extend
	switch {
	case !c.Added:
		call = (*oracle.Oracle).Close
		if h.Servers {
			c.Servers = h.some(t, rapid.IntRange(1, min(2, len(h.cells))).Draw(t, "servers"))
			c.Units = int64(len(c.Servers))
		}
	case len(h.cells) > 4:
		return
	}
	want := c
	want.Start, want.ID = max(c.Start, h.now), bookahead.ClosureID(len(h.closures)+1)
	if c.Added && h.Servers {
		want.Servers = h.grow(c.Units)
	}
	h.closures = append(h.closures, want)
	h.enter(want, 1)
	all(t, h, want, nil, func(o *oracle.Oracle) (bookahead.Closure, error) { return call(o, c) })
}

// span draws the time of a closure: often where a reservation lies, or from the end of another
// closure, so that overbooked stretches touch.
func (h *history) span(t *rapid.T) (w bookahead.Interval) {
	w.Start = h.now + drawTime(t, -2, 14, "start")
	w.End = w.Start + drawTime(t, 1, 8, "length")
	if res, ok := h.pick(t); ok && rapid.IntRange(0, 3).Draw(t, "elsewhere") < 3 {
		w.Start, w.End = res.Start+drawTime(t, -2, 2, "before"), res.End+drawTime(t, -2, 2, "after")
	}
	if i := len(h.closures) - 1; i >= 0 && h.closures[i].End < axis && rapid.Bool().Draw(t, "next") {
		w.Start = h.closures[i].End
	}
	w.End = max(w.End, max(w.Start, h.now)+1)
	return w
}

// enter enters a closure, or an extension, in the cells, or takes it out if by is -1.
func (h *history) enter(c bookahead.Closure, by int64) {
	count := closed
	if c.Added {
		count = given
	}
	h.add(count, by, bookahead.Offer{Interval: c.Interval, Units: c.Units, Servers: c.Servers})
}

func over(c bookahead.Closure, now bookahead.Time) bool { return c.End <= now || c.End <= c.Start }

func (h *history) end(t *rapid.T) {
	if len(h.closures) == 0 {
		return
	}
	c := &h.closures[rapid.IntRange(0, len(h.closures)-1).Draw(t, "closure")]
	at := h.now + drawTime(t, -2, 16, "at")
	var err error
	switch {
	case over(*c, h.now):
		err = bookahead.ErrNotFound
	case at > c.End:
		err = bookahead.ErrInvalid
	default:
		h.enter(*c, -1)
		c.End = max(at, h.now)
		h.enter(*c, 1)
	}
	all(t, h, 0, err, func(o *oracle.Oracle) (int, error) { return 0, o.End(c.ID, at) })
}

func (h *history) advance(t *rapid.T) {
	if h.now < 30 {
		h.now += drawTime(t, 0, 3, "ticks")
		all(t, h, 0, nil, func(o *oracle.Oracle) (int, error) { return 0, o.Advance(h.now) })
	}
}

// queries compares the answers to all queries.
func (h *history) queries(t *rapid.T) {
	r := h.request(t)
	offer, err := h.search(r)
	all(t, h, offer, err, func(o *oracle.Oracle) (bookahead.Offer, error) { return o.Search(r) })
	all(t, h, h.starts(r), nil, func(o *oracle.Oracle) (list []bookahead.Time, err error) {
		end := bookahead.Time(-1)
		for w := range o.Openings(r) {
			require.Greater(t, w.Start, end, "openings touch, or are not in order")
			require.Less(t, w.End, bookahead.Time(axis))
			for end = w.Start; end < w.End; end++ {
				list = append(list, end)
			}
		}
		return list, nil
	})
	w := bookahead.Interval{Start: h.now + drawTime(t, -3, 14, "start")}
	w.End = w.Start + drawTime(t, 1, 16, "length")
	all(t, h, h.rangeQuery(w), nil, func(o *oracle.Oracle) (bookahead.Availability, error) { return o.RangeQuery(w) })
	h.overbooked(t, w)
	h.overbooked(t, bookahead.Interval{End: axis})
	if old, ok := h.pick(t); ok {
		r := h.near(t, old)
		offer, err := h.searchFor(old, r)
		all(t, h, offer, err, func(o *oracle.Oracle) (bookahead.Offer, error) { return o.SearchFor(old.ID, r) })
	}
	var list []bookahead.Closure
	for _, c := range h.closures {
		if !over(c, h.now) {
			list = append(list, c)
		}
	}
	all(t, h, list, nil, func(o *oracle.Oracle) ([]bookahead.Closure, error) { return slices.Collect(o.Closures()), nil })
}

// overbooked compares the units that are missing at each tick. It also checks that two stretches with the same
// units and servers do not touch, since the oracle must join them.
func (h *history) overbooked(t *rapid.T, w bookahead.Interval) {
	missing := map[bookahead.Time]bookahead.Overbooking{}
	for tick := max(w.Start, h.now); tick < w.End; tick++ {
		if n, servers := h.missing(tick); n > 0 {
			missing[tick] = bookahead.Overbooking{Units: n, Servers: servers}
		}
	}
	all(t, h, missing, nil, func(o *oracle.Oracle) (map[bookahead.Time]bookahead.Overbooking, error) {
		got := map[bookahead.Time]bookahead.Overbooking{}
		var last bookahead.Overbooking
		for x := range o.Overbooked(w) {
			same := x.Units == last.Units && slices.Equal(x.Servers, last.Servers)
			require.LessOrEqual(t, x.End, w.End)
			require.True(t, x.Start > last.End || x.Start == last.End && !same, "%v goes on in %v", last, x)
			for tick := x.Start; tick < x.End; tick++ {
				got[tick] = bookahead.Overbooking{Units: x.Units, Servers: x.Servers}
			}
			last = x
		}
		return got, nil
	})
	for _, res := range h.live() {
		met := false
		for tick := max(res.Start, h.now); tick < res.End; tick++ {
			n, servers := h.missing(tick)
			met = met || n > 0 && (!h.Servers || slices.ContainsFunc(servers, func(k int) bool { return slices.Contains(res.Servers, k) }))
		}
		all(t, h, met, nil, func(o *oracle.Oracle) (bool, error) { return o.Overbooks(res.ID), nil })
	}
}

// live returns the reservations that have not ended, by ID.
func (h *history) live() (list []bookahead.Reservation) {
	for _, id := range slices.Sorted(maps.Keys(h.list)) {
		if h.list[id].End > h.now {
			list = append(list, h.list[id])
		}
	}
	return list
}

// pick draws a reservation that has not ended.
func (h *history) pick(t *rapid.T) (res bookahead.Reservation, ok bool) {
	list := h.live()
	if len(list) == 0 {
		return res, false
	}
	return rapid.SampledFrom(list).Draw(t, "reservation"), true
}

// request draws a request that is valid.
func (h *history) request(t *rapid.T) bookahead.Request {
	return h.finish(t, bookahead.Request{
		Ready:    h.now + drawTime(t, -3, 13, "ready"),
		Duration: bookahead.Duration(drawTime(t, 1, 7, "duration")),
		Units:    rapid.Int64Range(1, h.Capacity+1).Draw(t, "units"),
	})
}

// near draws a request for about the place of a reservation.
func (h *history) near(t *rapid.T, old bookahead.Reservation) bookahead.Request {
	return h.finish(t, bookahead.Request{
		Ready:    old.Start + drawTime(t, -2, 2, "later"),
		Duration: max(1, old.Len()+bookahead.Duration(drawTime(t, -2, 2, "longer"))),
		Units:    max(1, old.Units+rapid.Int64Range(-1, 1).Draw(t, "more")),
	})
}

// finish draws a deadline and servers, or none.
func (h *history) finish(t *rapid.T, r bookahead.Request) bookahead.Request {
	if rapid.Bool().Draw(t, "by a deadline") {
		r.Deadline = r.Ready + bookahead.Time(r.Duration) + drawTime(t, 0, 4, "slack")
	}
	if h.Servers && r.Units <= int64(len(h.cells)) && rapid.Bool().Draw(t, "named") {
		r.Servers = h.some(t, rapid.IntRange(int(r.Units), len(h.cells)).Draw(t, "names"))
	}
	return r
}

// some draws n servers.
func (h *history) some(t *rapid.T, n int) (list []int) {
	for k := range h.cells {
		list = append(list, k)
	}
	list = rapid.Permutation(list).Draw(t, "servers")[:n]
	slices.Sort(list)
	return list
}

func drawTime(t *rapid.T, low, high int64, name string) bookahead.Time {
	return bookahead.Time(rapid.Int64Range(low, high).Draw(t, name))
}

func TestMain(m *testing.M) {
	flag.Parse()
	if err := flag.Set("rapid.nofailfile", "true"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}
