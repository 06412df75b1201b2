package grid

import (
	"cmp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/carts"
)

// shutBinder is a Binder, and an oracle for it that goes through its closures for each tick. The
// reservations are listed by the Binder, and so are the servers of running ones.
type shutBinder struct {
	*Binder
	locked   bool
	given    int
	all      int
	last     bookahead.ClosureID
	closures []bookahead.Closure
}

const shutAxis = 40

func newShutBinder(t *rapid.T) *shutBinder {
	n := rapid.IntRange(1, 5).Draw(t, "servers")
	var pool bookahead.Keeper
	pool, err := carts.NewIndexed(int64(n), carts.Config{Horizon: 30})
	require.NoError(t, err)
	m := &shutBinder{given: n, all: n, locked: rapid.Bool().Draw(t, "locked")}
	if m.locked {
		pool = bookahead.Locked(pool)
	}
	m.Binder, err = NewBinder(pool)
	require.NoError(t, err)
	return m
}

// open reports whether a server is open at a tick.
func (m *shutBinder) open(k int, at bookahead.Time) bool {
	open := k < m.given
	for _, c := range m.closures {
		if c.Contains(at) && slices.Contains(c.Servers, k) {
			if !c.Added {
				return false
			}
			open = true
		}
	}
	return open
}

func (m *shutBinder) capacity(at bookahead.Time) (n int64) {
	for k := range m.all {
		if m.open(k, at) {
			n++
		}
	}
	return n
}

// shutFrom returns the first tick at which a server is closed, or one behind all.
func (m *shutBinder) first(k int, at bookahead.Time) bookahead.Time {
	for ; at < 2*shutAxis && m.open(k, at); at++ {
	}
	return at
}

// chosen returns the servers that a reservation of n units gets that starts now.
func (m *shutBinder) chosen(end bookahead.Time, n int64) []int {
	var free []int
	for k := range m.all {
		free = append(free, k)
	}
	for res := range m.Running() {
		free = slices.DeleteFunc(free, func(k int) bool { return slices.Contains(res.Servers, k) })
	}
	slices.SortStableFunc(free, func(i, j int) int {
		a, b := m.first(i, m.now), m.first(j, m.now)
		switch {
		case a >= end && b >= end:
			return cmp.Compare(a, b)
		case a < end && b < end:
			return cmp.Compare(b, a)
		}
		return cmp.Compare(b, a)
	})
	free = free[:n]
	slices.Sort(free)
	return free
}

// verify compares each tick.
func (m *shutBinder) verify(t *rapid.T) {
	require.NoError(t, m.Verify())
	require.Equal(t, m.closures, slices.Collect(m.Closures()))
	require.Equal(t, m.capacity(m.now), m.Frame().Capacity)
	list := booked(m)
	var want []bookahead.Overbooking
	for at := m.now; at < 2*shutAxis; at++ {
		used, lost := int64(0), []int{}
		for _, res := range list {
			if !res.Contains(at) {
				continue
			}
			used += res.Units
			servers, err := m.Servers(res.ID)
			require.NoError(t, err)
			for _, k := range servers {
				if !m.open(k, at) {
					lost = append(lost, k)
				}
			}
		}
		slices.Sort(lost)
		if at < m.Frame().Horizon {
			require.Equal(t, max(0, m.capacity(at)-used), freeIn(t, m, at, at+1), "at %d", at)
		}
		missing := max(used-m.capacity(at), int64(len(lost)))
		if i := len(want) - 1; i >= 0 && want[i].End == at && want[i].Units == missing && slices.Equal(want[i].Servers, lost) {
			want[i].End++
		} else if missing > 0 {
			want = append(want, bookahead.Overbooking{Interval: span(at, at+1), Units: missing, Servers: lost})
		}
	}
	require.Equal(t, want, slices.Collect(m.Overbooked(span(0, bookahead.MaxTime))))
	for _, res := range list {
		meets := func(o bookahead.Overbooking) bool {
			servers, _ := m.Servers(res.ID)
			named := slices.ContainsFunc(servers, func(k int) bool { return slices.Contains(o.Servers, k) })
			return o.Overlaps(res.Interval) && (named || m.missing(list, o.Intersect(res.Interval)))
		}
		require.Equal(t, slices.ContainsFunc(want, meets), m.Overbooks(res.ID), "%v", res)
	}
}

// missing reports whether the pool lacks units somewhere in w.
func (m *shutBinder) missing(list []bookahead.Reservation, w bookahead.Interval) bool {
	for at := max(w.Start, m.now); at < w.End; at++ {
		left := m.capacity(at)
		for _, res := range list {
			if res.Contains(at) {
				left -= res.Units
			}
		}
		if left < 0 {
			return true
		}
	}
	return false
}

func (m *shutBinder) request(t *rapid.T) bookahead.Request {
	return bookahead.Request{
		Ready:    m.now + bookahead.Time(rapid.IntRange(0, 12).Draw(t, "ready")),
		Duration: bookahead.Duration(rapid.IntRange(1, 12).Draw(t, "duration")),
		Units:    rapid.Int64Range(1, 4).Draw(t, "units"),
	}
}

// reserve checks the servers of a reservation that starts at once.
func (m *shutBinder) reserve(t *rapid.T) {
	r := m.request(t)
	offer, err := m.Search(r)
	if err != nil {
		_, again := m.Reserve(r)
		require.Equal(t, err, again)
		return
	}
	var want []int
	if offer.Start == m.now {
		want = m.chosen(offer.End, offer.Units)
	}
	res, err := m.Reserve(r)
	require.NoError(t, err)
	require.Equal(t, offer, res.Offer)
	got, err := m.Servers(res.ID)
	require.NoError(t, err)
	require.Equal(t, want, got)
}

// one draws a reservation, and false if there is none.
func (m *shutBinder) one(t *rapid.T) (bookahead.Reservation, bool) {
	list := booked(m)
	if len(list) == 0 {
		return bookahead.Reservation{}, false
	}
	return rapid.SampledFrom(list).Draw(t, "reservation"), true
}

func (m *shutBinder) release(t *rapid.T) {
	if res, ok := m.one(t); ok {
		require.NoError(t, m.Release(res.ID))
	}
}

// rebook checks that a running reservation gains no server that it does not need, and that a Rebook that
// only gives back succeeds.
func (m *shutBinder) rebook(t *rapid.T) {
	res, ok := m.one(t)
	if !ok {
		return
	}
	r := m.request(t)
	if rapid.Bool().Draw(t, "gives back") {
		start := max(res.Start, m.now)
		end := start + 1 + bookahead.Time(rapid.IntRange(0, int(res.End-start)-1).Draw(t, "length"))
		if res.Start <= m.now {
			start = res.Start
		}
		r = bookahead.At(start, bookahead.Duration(end-start), rapid.Int64Range(1, res.Units).Draw(t, "units"))
	}
	before, err := m.Servers(res.ID)
	require.NoError(t, err)
	anew, err := m.Rebook(res.ID, r)
	if err != nil {
		require.False(t, r.Fixed() && r.Ready >= res.Start && r.Ready+bookahead.Time(r.Duration) <= res.End && r.Units <= res.Units, "%v", err)
		return
	}
	after, err := m.Servers(res.ID)
	require.NoError(t, err)
	if int64(len(before)) >= anew.Units {
		require.Subset(t, before, after)
	} else {
		require.Subset(t, after, before)
	}
}

// window draws the time of a closure.
func (m *shutBinder) window(t *rapid.T) bookahead.Interval {
	start := m.now + bookahead.Time(rapid.IntRange(-3, 15).Draw(t, "start"))
	if rapid.IntRange(0, 5).Draw(t, "for ever") == 0 {
		return span(start, bookahead.MaxTime)
	}
	return span(start, start+bookahead.Time(rapid.IntRange(1, 15).Draw(t, "length")))
}

func (m *shutBinder) close(t *rapid.T) {
	c := bookahead.Closure{Interval: m.window(t), Servers: rapid.SliceOfNDistinct(rapid.IntRange(0, m.all-1), 1, min(3, m.all), rapid.ID[int]).Draw(t, "named")}
	m.note(t, c, m.Close)
}

func (m *shutBinder) extend(t *rapid.T) {
	if m.all > 9 {
		return
	}
	m.note(t, bookahead.Closure{Interval: m.window(t), Units: rapid.Int64Range(1, 2).Draw(t, "units"), Added: true}, m.Extend)
}

// note checks the closure as it is listed.
func (m *shutBinder) note(t *rapid.T, c bookahead.Closure, by func(bookahead.Closure) (bookahead.Closure, error)) {
	given := c
	given.Added = rapid.Bool().Draw(t, "ignored")
	done, err := by(given)
	if c.End <= m.now {
		require.ErrorIs(t, err, bookahead.ErrInvalid)
		return
	}
	require.NoError(t, err)
	m.last++
	c.ID, c.Start = m.last, max(c.Start, m.now)
	for range c.Units {
		c.Servers = append(c.Servers, m.all)
		m.all++
	}
	c.Units = int64(len(c.Servers))
	slices.Sort(c.Servers)
	require.Equal(t, c, done)
	m.closures = append(m.closures, c)
}

func (m *shutBinder) end(t *rapid.T) {
	id := bookahead.ClosureID(rapid.IntRange(0, int(m.last)).Draw(t, "closure"))
	at := m.now + bookahead.Time(rapid.IntRange(-2, 20).Draw(t, "at"))
	err := m.End(id, at)
	i := slices.IndexFunc(m.closures, func(c bookahead.Closure) bool { return c.ID == id })
	switch {
	case i < 0:
		require.Equal(t, bookahead.ErrNotFound, err)
	case max(at, m.now) > m.closures[i].End:
		require.ErrorIs(t, err, bookahead.ErrInvalid)
	default:
		require.NoError(t, err)
		m.closures[i].End = max(at, m.now)
		m.forget()
	}
}

func (m *shutBinder) forget() {
	m.closures = slices.DeleteFunc(m.closures, func(c bookahead.Closure) bool { return c.Empty() || c.End <= m.now })
	if len(m.closures) == 0 {
		m.closures = nil
	}
}

// advance checks that nothing depends on how far the clock is moved at a time.
func (m *shutBinder) advance(t *rapid.T) {
	now := m.now + bookahead.Time(rapid.IntRange(0, 6).Draw(t, "ticks"))
	if now > shutAxis/2 {
		return
	}
	slow, ok := bookahead.Clone(m.Binder)
	require.True(t, ok)
	for at := m.now; at < now; at++ {
		require.NoError(t, slow.Advance(at+1))
	}
	require.NoError(t, m.Advance(now))
	require.Equal(t, slices.Collect(slow.Running()), slices.Collect(m.Running()))
	m.forget()
}

// restart goes on with a clone, or with a copy read from a snapshot.
func (m *shutBinder) restart(t *rapid.T) {
	if m.locked || rapid.Bool().Draw(t, "clone") {
		m.Binder = m.Binder.Clone().(*Binder)
		return
	}
	pool, err := carts.NewIndexed(7, carts.Config{})
	require.NoError(t, err)
	read, err := NewBinder(pool)
	require.NoError(t, err)
	data, err := m.MarshalBinary()
	require.NoError(t, err)
	require.NoError(t, read.UnmarshalBinary(data))
	again, err := read.MarshalBinary()
	require.NoError(t, err)
	require.Equal(t, data, again)
	m.Binder = read
}

// lift takes a reservation out and puts it back, or another in its place.
func (m *shutBinder) lift(t *rapid.T) {
	res, ok := m.one(t)
	if !ok {
		return
	}
	servers, err := m.Servers(res.ID)
	require.NoError(t, err)
	overbooks := m.Overbooks(res.ID)
	before := slices.Collect(m.Running())
	back, err := m.Lift(res.ID)
	require.NoError(t, err)
	_, err = m.Reservation(res.ID)
	require.Equal(t, bookahead.ErrNotFound, err)
	m.verify(t)
	if rapid.Bool().Draw(t, "as") {
		anew, err := m.ReserveAs(res.ID, m.request(t))
		if err == nil {
			require.Equal(t, res.ID, anew.ID)
			return
		}
	}
	err = back()
	if overbooks {
		require.Equal(t, bookahead.ErrUnavailable, err)
		return
	}
	require.NoError(t, err)
	after, err := m.Servers(res.ID)
	require.NoError(t, err)
	require.Equal(t, servers, after)
	require.Equal(t, before, slices.Collect(m.Running()))
}

// displace checks that nothing that can be cleared is overbooked afterwards.
func (m *shutBinder) displace(t *rapid.T) {
	force := bookahead.Force{Again: func(bookahead.Reservation) (bookahead.Request, bool) { return bookahead.Request{}, false }}
	pool := m.Pool()
	before := booked(m)
	d, err := bookahead.Displace(m.Binder, force)
	require.NoError(t, err)
	require.Same(t, pool, m.Pool())
	require.Empty(t, slices.Collect(m.Overbooked(span(0, bookahead.MaxTime))))
	require.Len(t, booked(m), len(before)-len(d.Dropped))
}

// tracked checks that those in the way are the same with an index and without.
func (m *shutBinder) tracked(t *rapid.T) {
	w := m.window(t)
	m.Track(rapid.Bool().Draw(t, "on"))
	n, ok := m.Live()
	require.True(t, !ok || n == len(booked(m)))
	require.Equal(t, slices.Collect(m.Reservations(w)), slices.Collect(m.ReservationsOn(w, nil)))
	k := rapid.IntRange(0, m.all).Draw(t, "server")
	var want []bookahead.Reservation
	for res := range m.Reservations(w) {
		servers, _ := m.Servers(res.ID)
		if slices.Contains(servers, k) {
			want = append(want, res)
		}
	}
	require.Equal(t, want, slices.Collect(m.ReservationsOn(w, []int{k})))
}

// Whatever is closed, added, ended and booked: each tick is as the oracle has it.
func TestClosuresOfABinder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := newShutBinder(t)
		t.Repeat(map[string]func(*rapid.T){
			"":          m.verify,
			"reserve":   m.reserve,
			"reserve 2": m.reserve,
			"release":   m.release,
			"rebook":    m.rebook,
			"close":     m.close,
			"close 2":   m.close,
			"extend":    m.extend,
			"end":       m.end,
			"advance":   m.advance,
			"restart":   m.restart,
			"lift":      m.lift,
			"displace":  m.displace,
			"tracked":   m.tracked,
		})
	})
}
