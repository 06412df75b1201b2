package grid

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/carts"
	"github.com/bookahead/bookahead/idletree"
)

// shutBroker is a Broker of several schedules that change, and a model of its numbers. The
// providers, which the suite checks, have the free units of each tick.
type shutBroker struct {
	*Broker
	servers bool
	numbers [][]int // of each provider's servers
	all     int
	last    bookahead.ClosureID
	made    []madeClosure
}

// madeClosure is a closure as it was returned, and where it is.
type madeClosure struct {
	bookahead.Closure
	provider int
	own      bookahead.ClosureID
}

func newShutBroker(t *rapid.T) *shutBroker {
	m := &shutBroker{servers: rapid.Bool().Draw(t, "servers")}
	var providers []bookahead.Schedule
	for k := range rapid.IntRange(1, 3).Draw(t, "providers") {
		n := rapid.Int64Range(1, 3).Draw(t, "capacity")
		var p bookahead.Keeper
		var err error
		m.numbers = append(m.numbers, nil)
		if m.servers {
			p, err = idletree.NewTree(n, idletree.Config{Horizon: 30})
			m.count(k, n)
		} else {
			p, err = carts.NewIndexed(n, carts.Config{Horizon: 30})
		}
		require.NoError(t, err)
		if rapid.Bool().Draw(t, "locked") {
			p = bookahead.Locked(p)
		}
		providers = append(providers, p)
	}
	policy := rapid.SampledFrom([]Policy{MCT, Priority, LeastLoaded, ShortestQueue, Random(3)}).Draw(t, "policy")
	var err error
	m.Broker, err = NewBroker(Config{Policy: policy}, providers...)
	require.NoError(t, err)
	return m
}

// count gives n more servers of provider k the next numbers.
func (m *shutBroker) count(k int, n int64) (list []int) {
	for range n {
		list = append(list, m.all)
		m.all++
	}
	m.numbers[k] = append(m.numbers[k], list...)
	return list
}

func (m *shutBroker) now() bookahead.Time { return m.Frame().Now }

// closable calls f with provider k.
func (m *shutBroker) closable(k int, f func(p bookahead.Closable)) {
	bookahead.Update(m.Provider(k), f)
}

// counted returns servers of provider k as the Broker counts them.
func (m *shutBroker) counted(k int, servers []int) (list []int) {
	for _, s := range servers {
		list = append(list, m.numbers[k][s])
	}
	return list
}

func (m *shutBroker) verify(t *rapid.T) {
	require.NoError(t, m.Verify())
	var want []bookahead.Closure
	for _, c := range m.made {
		m.closable(c.provider, func(p bookahead.Closable) {
			for own := range p.Closures() {
				if own.ID == c.own {
					c.Interval = own.Interval
					want = append(want, c.Closure)
				}
			}
		})
	}
	require.Equal(t, want, slices.Collect(m.Closures()))
	var stretches []bookahead.Overbooking
	for at := m.now(); at < 90; at++ {
		o := bookahead.Overbooking{Interval: span(at, at+1)}
		if m.servers {
			o.Servers = []int{}
		}
		most := int64(0)
		for k := range m.Providers() {
			m.closable(k, func(p bookahead.Closable) {
				for x := range p.Overbooked(o.Interval) {
					o.Units += x.Units
					o.Servers = append(o.Servers, m.counted(k, x.Servers)...)
				}
			})
			if at < m.Frame().Horizon {
				most = max(most, freeIn(t, m.Provider(k), at, at+1))
			}
		}
		slices.Sort(o.Servers)
		if at < m.Frame().Horizon {
			require.Equal(t, most, freeIn(t, m, at, at+1))
		}
		last := len(stretches) - 1
		if last >= 0 && stretches[last].End == at && stretches[last].Units == o.Units && slices.Equal(stretches[last].Servers, o.Servers) {
			stretches[last].End++
		} else if o.Units > 0 {
			stretches = append(stretches, o)
		}
	}
	require.Equal(t, stretches, slices.Collect(m.Overbooked(span(0, bookahead.MaxTime))))
	for _, res := range booked(m) {
		at, err := m.Place(res.ID)
		require.NoError(t, err)
		own, err := m.Provider(at.Provider).(bookahead.Keeper).Reservation(at.ID)
		require.NoError(t, err)
		require.Equal(t, own.Interval, res.Interval)
		require.Equal(t, m.counted(at.Provider, own.Servers), res.Servers)
	}
}

func (m *shutBroker) request(t *rapid.T) bookahead.Request {
	r := bookahead.Request{
		Ready:    m.now() + bookahead.Time(rapid.IntRange(0, 15).Draw(t, "ready")),
		Duration: bookahead.Duration(rapid.IntRange(1, 12).Draw(t, "duration")),
		Units:    rapid.Int64Range(1, 4).Draw(t, "units"),
	}
	if m.servers && rapid.IntRange(0, 3).Draw(t, "named") == 0 {
		r.Servers = rapid.SliceOfNDistinct(rapid.IntRange(0, m.all-1), min(m.all, int(r.Units)), m.all, rapid.ID[int]).Draw(t, "servers")
		r.Units = min(r.Units, int64(len(r.Servers)))
	}
	return r
}

func (m *shutBroker) reserve(t *rapid.T) {
	r := m.request(t)
	offer, err := m.Search(r)
	res, errReserve := m.Reserve(r)
	require.Equal(t, err, errReserve)
	if err != nil {
		require.Equal(t, bookahead.ErrUnavailable, err)
		return
	}
	require.Equal(t, offer, res.Offer)
	require.True(t, r.Servers == nil || !slices.ContainsFunc(res.Servers, func(s int) bool { return !slices.Contains(r.Servers, s) }))
}

func (m *shutBroker) one(t *rapid.T) (bookahead.Reservation, bool) {
	list := booked(m)
	if len(list) == 0 {
		return bookahead.Reservation{}, false
	}
	return rapid.SampledFrom(list).Draw(t, "reservation"), true
}

func (m *shutBroker) release(t *rapid.T) {
	if res, ok := m.one(t); ok {
		require.NoError(t, m.Release(res.ID))
	}
}

// rebook checks that a Rebook that changes nothing succeeds, wherever the reservation lies.
func (m *shutBroker) rebook(t *rapid.T) {
	res, ok := m.one(t)
	if !ok {
		return
	}
	r := m.request(t)
	same := rapid.Bool().Draw(t, "same")
	if same {
		r = res.Offer.Request()
	}
	anew, err := m.Rebook(res.ID, r)
	if same {
		require.NoError(t, err)
		require.Equal(t, res, anew)
	}
}

func (m *shutBroker) window(t *rapid.T) bookahead.Interval {
	start := m.now() + bookahead.Time(rapid.IntRange(-3, 15).Draw(t, "start"))
	if rapid.IntRange(0, 5).Draw(t, "for ever") == 0 {
		return span(start, bookahead.MaxTime)
	}
	return span(start, start+bookahead.Time(rapid.IntRange(1, 15).Draw(t, "length")))
}

// close closes something at a provider, through the Broker or beside it.
func (m *shutBroker) close(t *rapid.T) {
	k := rapid.IntRange(0, m.Providers()-1).Draw(t, "provider")
	c := bookahead.Closure{Interval: m.window(t), Units: rapid.Int64Range(1, 3).Draw(t, "units")}
	beside := rapid.IntRange(0, 4).Draw(t, "beside") == 0
	if m.servers {
		c.Units = min(c.Units, int64(len(m.numbers[k])))
		own := rapid.SliceOfNDistinct(rapid.IntRange(0, len(m.numbers[k])-1), int(c.Units), int(c.Units), rapid.ID[int]).Draw(t, "closed")
		slices.Sort(own)
		c.Servers = m.counted(k, own)
		if beside {
			c.Servers = own
		}
	}
	if beside {
		m.closable(k, func(p bookahead.Closable) {
			_, err := p.Close(c)
			require.Equal(t, c.End <= m.limits.Now, err != nil)
		})
		return
	}
	if m.servers && rapid.Bool().Draw(t, "anywhere") {
		done, err := m.Close(c)
		m.note(t, k, c, done, err)
		return
	}
	done, err := m.CloseAt(k, c)
	m.note(t, k, c, done, err)
}

func (m *shutBroker) extend(t *rapid.T) {
	k := rapid.IntRange(0, m.Providers()-1).Draw(t, "provider")
	c := bookahead.Closure{Interval: m.window(t), Units: rapid.Int64Range(1, 2).Draw(t, "units")}
	if m.all > 15 {
		return
	}
	done, err := m.ExtendAt(k, c)
	c.Added = true
	if m.servers && err == nil {
		c.Servers = m.count(k, c.Units)
	}
	m.note(t, k, c, done, err)
}

// note checks the closure returned, and finds it at the provider.
func (m *shutBroker) note(t *rapid.T, k int, c, done bookahead.Closure, err error) {
	if c.End <= m.now() {
		require.ErrorIs(t, err, bookahead.ErrInvalid)
		return
	}
	require.NoError(t, err)
	m.last++
	c.ID, c.Start = m.last, max(c.Start, m.now())
	require.Equal(t, c, done)
	var own bookahead.ClosureID
	m.closable(k, func(p bookahead.Closable) {
		for x := range p.Closures() {
			own = x.ID
		}
	})
	m.made = append(m.made, madeClosure{c, k, own})
}

// end ends a closure, through the Broker or beside it.
func (m *shutBroker) end(t *rapid.T) {
	id := bookahead.ClosureID(rapid.IntRange(0, int(m.last)).Draw(t, "closure"))
	at := m.now() + bookahead.Time(rapid.IntRange(-2, 20).Draw(t, "at"))
	i := slices.IndexFunc(m.made, func(c madeClosure) bool { return c.ID == id })
	if i >= 0 && rapid.IntRange(0, 4).Draw(t, "beside") == 0 {
		m.closable(m.made[i].provider, func(p bookahead.Closable) { _ = p.End(m.made[i].own, at) })
		return
	}
	var want error = bookahead.ErrNotFound
	for c := range m.Closures() {
		if c.ID == id {
			want = nil
			if max(at, m.now()) > c.End {
				want = bookahead.ErrInvalid
			}
		}
	}
	require.ErrorIs(t, m.End(id, at), want)
}

func (m *shutBroker) advance(t *rapid.T) {
	now := m.now() + bookahead.Time(rapid.IntRange(0, 6).Draw(t, "ticks"))
	if now < 30 {
		require.NoError(t, m.Advance(now))
	}
}

// restart goes on with a clone, or with a copy read from a snapshot.
func (m *shutBroker) restart(t *rapid.T) {
	clone := m.Clone().(*Broker)
	if rapid.Bool().Draw(t, "read") {
		data, err := m.MarshalBinary()
		require.NoError(t, err)
		require.NoError(t, clone.UnmarshalBinary(data))
		again, err := clone.MarshalBinary()
		require.NoError(t, err)
		require.Equal(t, data, again)
	}
	m.Broker = clone
}

// lift takes a reservation out, and puts it back or places it anew.
func (m *shutBroker) lift(t *rapid.T) {
	res, ok := m.one(t)
	if !ok {
		return
	}
	overbooks, before := m.Overbooks(res.ID), booked(m)
	place, err := m.Place(res.ID)
	require.NoError(t, err)
	back, err := m.Lift(res.ID)
	require.NoError(t, err)
	m.verify(t)
	require.Len(t, booked(m), len(before)-1)
	if rapid.Bool().Draw(t, "as") {
		r := m.request(t)
		offer, errSearch := m.Search(r)
		anew, err := m.ReserveAs(res.ID, r)
		require.Equal(t, errSearch, err)
		if err == nil {
			require.Equal(t, bookahead.Reservation{ID: res.ID, Offer: offer}, anew)
			require.Equal(t, bookahead.ErrUnavailable, back())
			to, err := m.Place(res.ID)
			require.NoError(t, err)
			require.Equal(t, to.Provider == place.Provider, to == place)
			return
		}
	}
	err = back()
	require.Equal(t, overbooks, err == bookahead.ErrUnavailable, "%v", err)
	if err == nil {
		require.Equal(t, before, booked(m))
	}
}

// displace clears all that is overbooked, since only the Broker books at its providers.
func (m *shutBroker) displace(t *rapid.T) {
	r := m.request(t)
	same := m.Provider(0)
	before := booked(m)
	force := bookahead.Force{Request: &r}
	if rapid.Bool().Draw(t, "nothing forced") {
		force.Request = nil
	}
	d, err := bookahead.Displace(m.Broker, force)
	require.True(t, same == m.Provider(0))
	if err != nil {
		require.Equal(t, bookahead.ErrUnavailable, err)
		require.NotNil(t, force.Request)
		require.Equal(t, before, booked(m))
		return
	}
	require.Empty(t, slices.Collect(m.Overbooked(span(0, bookahead.MaxTime))))
	for _, moved := range d.Moved {
		res, err := m.Reservation(moved.From.ID)
		require.NoError(t, err)
		require.Equal(t, moved.To, res)
	}
}

// tracked checks that those in the way are the same with an index and without.
func (m *shutBroker) tracked(t *rapid.T) {
	w, k := m.window(t), rapid.IntRange(0, m.all).Draw(t, "server")
	on := rapid.Bool().Draw(t, "on")
	m.Track(on)
	n, ok := m.Live()
	require.Equal(t, on, ok)
	require.True(t, !ok || n == len(booked(m)))
	var all, held []bookahead.Reservation
	for _, res := range booked(m) {
		if res.Overlaps(w) {
			all = append(all, res)
			if slices.Contains(res.Servers, k) || slices.Contains(res.Servers, 0) {
				held = append(held, res)
			}
		}
	}
	require.Equal(t, all, slices.Collect(m.ReservationsOn(w, nil)))
	require.Equal(t, held, slices.Collect(m.ReservationsOn(w, []int{k, 0})))
}

// Whatever is closed, added, ended and booked at whichever provider, through the Broker or beside it.
func TestClosuresOfABroker(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := newShutBroker(t)
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
