package grid

import (
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bookahead/bookahead"
)

// policies are those that find a provider whenever one makes an offer.
var policies = map[string]Policy{
	"MCT": MCT, "Priority": Priority, "ShortestQueue": ShortestQueue, "LeastLoaded": LeastLoaded, "Random": Random(11),
}

// market is a broker of several providers, and the oracle of each.
type market struct {
	*Broker
	cells   []*cells
	policy  string
	live    map[bookahead.ID]bookahead.Offer
	last    bookahead.ID
	longest bookahead.Duration // horizon
}

func newMarket(t *rapid.T) *market {
	m := &market{policy: rapid.SampledFrom(slices.Sorted(keys(policies))).Draw(t, "policy"), live: map[bookahead.ID]bookahead.Offer{}}
	draw := drawPool
	if rapid.Bool().Draw(t, "servers") {
		draw = drawServers
	}
	var providers []bookahead.Schedule
	for range rapid.IntRange(2, 4).Draw(t, "providers") {
		c := draw(t, rapid.SampledFrom([]bookahead.Duration{35, 50}).Draw(t, "horizon"))
		m.cells, providers = append(m.cells, c), append(providers, c.Schedule)
		m.longest = max(m.longest, c.horizon)
	}
	var err error
	m.Broker, err = NewBroker(Config{Horizon: m.longest, Policy: policies[m.policy]}, providers...)
	require.NoError(t, err)
	return m
}

func keys[V any](m map[string]V) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

func (m *market) request(t *rapid.T) bookahead.Request {
	r := bookahead.Request{
		Ready:    m.now() + bookahead.Time(rapid.IntRange(-3, 25).Draw(t, "ready")),
		Duration: bookahead.Duration(rapid.IntRange(1, 15).Draw(t, "duration")),
		Units:    rapid.Int64Range(1, 5).Draw(t, "units"),
	}
	switch rapid.IntRange(0, 3).Draw(t, "shape") {
	case 0:
		r.Deadline = r.Ready + bookahead.Time(r.Duration)
	case 1:
		r.Deadline = r.Ready + bookahead.Time(r.Duration) + bookahead.Time(rapid.IntRange(1, 30).Draw(t, "slack"))
	}
	if total := m.total(); m.cells[0].servers && rapid.IntRange(0, 2).Draw(t, "named") == 2 {
		all := make([]int, total)
		for k := range all {
			all[k] = k
		}
		n := rapid.IntRange(int(min(r.Units, int64(total))), total).Draw(t, "number named")
		r.Servers = rapid.Permutation(all).Draw(t, "servers")[:n]
		r.Units = min(r.Units, int64(n))
	}
	return r
}

func (m *market) now() bookahead.Time { return m.cells[0].now }

func (m *market) total() (n int) {
	for _, c := range m.cells {
		n += int(c.capacity)
	}
	return n
}

// starts returns the earliest start at each provider, by a scan of its cells, and
// whether any could ever have the request.
func (m *market) starts(r bookahead.Request) (starts map[int]bookahead.Time, ever bool) {
	starts = map[int]bookahead.Time{}
	first := 0
	for k, c := range m.cells {
		p := Part{On: c, Duration: r.Duration, Units: r.Units}
		if r.Servers != nil {
			p.Servers = []int{}
			for _, s := range r.Servers {
				if s >= first && s < first+int(c.capacity) {
					p.Servers = append(p.Servers, s-first)
				}
			}
		}
		first += int(c.capacity)
		ever = ever || c.capacity >= r.Units && (p.Servers == nil || int64(len(p.Servers)) >= r.Units)
		for t := max(r.Ready, c.now); t < axis; t++ {
			if r.Deadline != 0 && t+bookahead.Time(r.Duration) > r.Deadline {
				break
			}
			if fits([]Part{p}, 0, t) {
				starts[k] = t
				break
			}
		}
	}
	return starts, ever
}

// chosen checks that the policy would take provider k, whose start is given.
func (m *market) chosen(t *rapid.T, k int, starts map[int]bookahead.Time, r bookahead.Request) {
	require.Contains(t, starts, k)
	live := make([]int, len(m.cells))
	for id := range m.live {
		at, err := m.Place(id)
		require.NoError(t, err)
		live[at.Provider]++
	}
	first := max(r.Ready, m.now())
	share := func(k int) float64 {
		c, n := m.cells[k], int64(0)
		if c.servers {
			for s := range int(c.capacity) {
				if fits([]Part{{On: c, Duration: r.Duration, Units: 1, Servers: []int{s}}}, 0, first) {
					n++
				}
			}
		} else {
			for n < c.capacity && fits([]Part{{On: c, Duration: r.Duration, Units: n + 1}}, 0, first) {
				n++
			}
		}
		return float64(n) / float64(c.capacity)
	}
	for other, start := range starts {
		better := false // the other is
		switch m.policy {
		case "MCT":
			better = start < starts[k] || start == starts[k] && other < k
		case "Priority":
			better = other < k
		case "ShortestQueue":
			better = live[other] < live[k] || live[other] == live[k] && other < k
		case "LeastLoaded":
			better = share(other) > share(k) || share(other) == share(k) && (start < starts[k] || start == starts[k] && other < k)
		}
		require.False(t, better, "%s took %d, not %d, of %v", m.policy, k, other, starts)
	}
}

func (m *market) verify(t *rapid.T) {
	require.NoError(t, m.Verify())
	for k, c := range m.cells {
		c.agrees(t)
		require.Equal(t, c.capacity, m.Capacity(k))
	}
	for id, o := range m.live {
		at, err := m.Place(id)
		require.NoError(t, err)
		back, err := m.ID(at)
		require.NoError(t, err)
		require.Equal(t, id, back)
		first := m.FirstServer(at.Provider)
		for _, s := range o.Servers {
			require.True(t, first <= s && s < first+int(m.cells[at.Provider].capacity))
		}
	}
}

// own is an offer with the servers counted as the provider does.
func (m *market) own(k int, o bookahead.Offer) bookahead.Offer {
	o.Servers = slices.Clone(o.Servers)
	for i := range o.Servers {
		o.Servers[i] -= m.FirstServer(k)
	}
	return o
}

func (m *market) reserve(t *rapid.T) {
	r := m.request(t)
	starts, ever := m.starts(r)
	o, err := m.Search(r)
	for range 3 { // which changes nothing, the lots of Random neither
		again, errAgain := m.Search(r)
		require.Equal(t, o, again)
		require.Equal(t, err, errAgain)
	}
	res, errReserve := m.Reserve(r)
	require.Equal(t, err, errReserve)
	switch {
	case !ever:
		require.ErrorIs(t, err, bookahead.ErrInvalid)
		return
	case len(starts) == 0:
		require.Equal(t, bookahead.ErrUnavailable, err)
		return
	}
	require.NoError(t, err)
	require.Equal(t, o, res.Offer)
	at, err := m.Place(res.ID)
	require.NoError(t, err)
	m.last++
	require.Equal(t, m.last, res.ID)
	k := at.Provider
	require.Equal(t, starts[k], res.Start)
	m.chosen(t, k, starts, r)
	for _, s := range res.Servers {
		require.True(t, r.Servers == nil || slices.Contains(r.Servers, s))
	}
	m.cells[k].add(t, m.own(k, res.Offer), true)
	m.live[res.ID] = res.Offer
}

func (m *market) release(t *rapid.T) {
	id := bookahead.ID(rapid.Uint64Range(0, uint64(m.last)+1).Draw(t, "id"))
	at, _ := m.Place(id)
	o, ok := m.live[id]
	if !ok {
		require.Equal(t, bookahead.ErrNotFound, m.Release(id))
		return
	}
	require.NoError(t, m.Release(id))
	m.cells[at.Provider].add(t, m.own(at.Provider, o), false)
	delete(m.live, id)
	_, err := m.Place(id)
	require.Equal(t, bookahead.ErrNotFound, err)
	_, err = m.ID(at)
	require.Equal(t, bookahead.ErrNotFound, err)
}

func (m *market) advance(t *rapid.T) {
	now := m.now() + bookahead.Time(rapid.IntRange(0, 6).Draw(t, "ticks"))
	if now+50 > axis {
		t.Skip("the oracle's axis ends")
	}
	for _, wrong := range []bookahead.Time{m.now() - 1, bookahead.MaxTime, bookahead.MaxTime - 34} {
		require.ErrorIs(t, m.Advance(wrong), bookahead.ErrInvalid)
	}
	require.NoError(t, m.Advance(now))
	for _, c := range m.cells {
		c.now = now
	}
	for id, o := range m.live {
		if o.End <= now {
			delete(m.live, id)
			require.Equal(t, bookahead.ErrNotFound, m.Release(id))
		}
	}
}

// fourth is law 4, for windows within the longest horizon.
func (m *market) fourth(t *rapid.T) {
	w := bookahead.Interval{Start: m.now() + bookahead.Time(rapid.IntRange(0, int(m.longest)-2).Draw(t, "start"))}
	w.End = min(w.Start+bookahead.Time(rapid.IntRange(1, 20).Draw(t, "length")), m.now()+bookahead.Time(m.longest))
	a, err := m.RangeQuery(w)
	require.NoError(t, err)
	r := bookahead.Request{Ready: w.Start, Deadline: w.End, Duration: w.Len()}
	for r.Units = 1; r.Units <= 6; r.Units++ {
		_, err := m.Search(r)
		require.Equal(t, r.Units <= a.Free, err == nil, "%d of %d in %v: %v", r.Units, a.Free, w, err)
	}
	if m.cells[0].servers {
		require.Len(t, a.Servers, int(a.Free))
		if r.Units, r.Servers = a.Free, a.Servers; a.Free > 0 {
			_, err := m.Search(r)
			require.NoError(t, err)
		}
	}
}

// With several providers: none is ever overbooked, every policy chooses as it says
// and finds a place if there is one at any provider, MCT the earliest of all; Search
// is pure, errors change nothing, and all clocks move or none.
func TestBrokerLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := newMarket(t)
		t.Repeat(map[string]func(*rapid.T){
			"":          m.verify,
			"reserve":   m.reserve,
			"reserve 2": m.reserve,
			"release":   m.release,
			"advance":   m.advance,
			"law 4":     m.fourth,
		})
	})
}

// The same calls give the same reservations, whatever is searched for in between.
func TestRandomReplays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		open := func(seed uint64) *Broker {
			b, err := NewBroker(Config{Policy: Random(seed)}, newPool(t, 3), newPool(t, 3), newPool(t, 3))
			require.NoError(t, err)
			return b
		}
		one, two := open(3), open(3)
		for range 20 {
			r := bookahead.Request{Ready: bookahead.Time(rapid.IntRange(0, 20).Draw(t, "ready")), Duration: 4, Units: rapid.Int64Range(1, 3).Draw(t, "units")}
			for range rapid.IntRange(0, 3).Draw(t, "searches") {
				_, _ = two.Search(r)
			}
			a, err := one.Reserve(r)
			require.NoError(t, err)
			b, err := two.Reserve(r)
			require.NoError(t, err)
			require.Equal(t, a, b)
			require.Equal(t, one.booked, two.booked)
		}
	})
	count := map[int]int{}
	b, err := NewBroker(Config{Policy: Random(1)}, newPool(t, 1), newPool(t, 1), newPool(t, 1))
	require.NoError(t, err)
	for range 3000 { // each is as likely as the others
		res, err := b.Reserve(bookahead.Request{Duration: 1, Units: 1})
		require.NoError(t, err)
		at, err := b.Place(res.ID)
		require.NoError(t, err)
		count[at.Provider]++
		require.NoError(t, b.Release(res.ID))
	}
	for k := range 3 {
		require.InDelta(t, 1000, count[k], 100)
	}
}

// stuckClock is a provider whose clock cannot be moved.
type stuckClock struct {
	bookahead.Schedule
	err error
}

func (s *stuckClock) Advance(now bookahead.Time) error {
	if s.err != nil {
		return s.err
	}
	return s.Schedule.Advance(now)
}

// A provider that breaks its contract is named. If it is the first, no clock has
// moved; otherwise the others are not held up.
func TestAProviderThatFails(t *testing.T) {
	first, second := &stuckClock{Schedule: newPool(t, 2)}, &stuckClock{Schedule: newPool(t, 2)}
	b, err := NewBroker(Config{}, first, second)
	require.NoError(t, err)
	now := func() bookahead.Time {
		o, err := b.Search(bookahead.Request{Duration: 1, Units: 1})
		require.NoError(t, err)
		return o.Start
	}
	first.err = errInjected
	require.EqualError(t, b.Advance(10), "grid: provider 0: the line is down")
	require.Zero(t, now())
	first.err, second.err = nil, errInjected
	require.EqualError(t, b.Advance(10), "grid: provider 1: the line is down")
	require.EqualValues(t, 10, now())
	_, err = b.Reserve(bookahead.Request{Duration: 20, Units: 2}) // the first
	require.NoError(t, err)
	require.EqualValues(t, 10, now()) // the second, whose clock lags
	_, err = b.Search(bookahead.Request{Ready: 3, Deadline: 6, Duration: 3, Units: 1})
	require.Equal(t, bookahead.ErrUnavailable, err)
	second.err = nil
	require.NoError(t, b.Advance(12))
	require.EqualValues(t, 12, now())
}

// deaf is a provider that cannot be asked.
type deaf struct{ bookahead.Schedule }

func (d *deaf) Search(r bookahead.Request) (bookahead.Offer, error) {
	if r.Ready == -2 { // when it is made
		return d.Schedule.Search(r)
	}
	return bookahead.Offer{}, errInjected
}

func TestRefusals(t *testing.T) {
	tree := func(n int64) bookahead.Schedule { return newServers(t, n) }
	for name, c := range map[string]struct {
		c         Config
		providers []bookahead.Schedule
		r         bookahead.Request
		want      string
	}{
		"too many units":         {Config{}, []bookahead.Schedule{newPool(t, 2), newPool(t, 8), newPool(t, 4)}, bookahead.Request{Units: 9}, "bookahead: Request.Units 9 is more than the capacity 8"},
		"servers of pools":       {Config{}, []bookahead.Schedule{newPool(t, 2), newPool(t, 8)}, bookahead.Request{Units: 1, Servers: []int{1}}, "bookahead: Request.Servers [1] are named, but a pool has units only"},
		"no such server":         {Config{}, []bookahead.Schedule{tree(2), tree(3)}, bookahead.Request{Units: 1, Servers: []int{5}}, "bookahead: Request.Servers 5 is not below the 5 of all providers"},
		"servers of two":         {Config{}, []bookahead.Schedule{tree(2), tree(3)}, bookahead.Request{Units: 2, Servers: []int{1, 2}}, "bookahead: Request.Servers [1 2] are not 2 at one provider"},
		"kept by the partition":  {Config{Partition: Dedicated(0)}, []bookahead.Schedule{fullPool(t), newPool(t, 1)}, bookahead.Request{Units: 1, Deadline: 1}, bookahead.ErrUnavailable.Error()},
		"kept from all":          {Config{Partition: Dedicated()}, []bookahead.Schedule{newPool(t, 1)}, bookahead.Request{Units: 1}, bookahead.ErrUnavailable.Error()},
		"too big for the part":   {Config{Partition: Dedicated(0)}, []bookahead.Schedule{newPool(t, 1), newPool(t, 5)}, bookahead.Request{Units: 4}, "bookahead: Request.Units 4 is more than the capacity 1"},
		"turned away by policy":  {Config{Policy: func(*Bids) int { return -1 }}, []bookahead.Schedule{newPool(t, 1)}, bookahead.Request{Units: 1}, bookahead.ErrUnavailable.Error()},
		"a policy that is wrong": {Config{Policy: func(*Bids) int { return 7 }}, []bookahead.Schedule{newPool(t, 1)}, bookahead.Request{Units: 1}, bookahead.ErrUnavailable.Error()},
		"a provider that fails":  {Config{}, []bookahead.Schedule{fullPool(t), &deaf{newPool(t, 1)}}, bookahead.Request{Units: 1, Deadline: 1}, "grid: provider 1: the line is down"},
		"no duration":            {Config{}, []bookahead.Schedule{newPool(t, 1)}, bookahead.Request{Units: 1, Duration: -1}, "bookahead: Request.Duration -1 is less than 1"},
	} {
		t.Run(name, func(t *testing.T) {
			b, err := NewBroker(c.c, c.providers...)
			require.NoError(t, err)
			if c.r.Duration == 0 {
				c.r.Duration = 1
			}
			_, err = b.Search(c.r)
			require.EqualError(t, err, c.want)
			_, err = b.Reserve(c.r)
			require.EqualError(t, err, c.want)
			require.NoError(t, b.Verify())
		})
	}
	// One that fails does not stop the others.
	b, err := NewBroker(Config{}, &deaf{newPool(t, 1)}, newPool(t, 1))
	require.NoError(t, err)
	_, err = b.Reserve(bookahead.Request{Duration: 1, Units: 1})
	require.NoError(t, err)
}

func TestNewBrokerRefuses(t *testing.T) {
	ahead := newPool(t, 2)
	require.NoError(t, ahead.Advance(5))
	for want, call := range map[string]func() (*Broker, error){
		"providers 0 are too few":                             func() (*Broker, error) { return NewBroker(Config{}) },
		"providers[1] *idletree.Tree is not of one kind":      func() (*Broker, error) { return NewBroker(Config{}, newPool(t, 1), newServers(t, 1)) },
		"providers[1] *carts.Indexed is not of one kind":      func() (*Broker, error) { return NewBroker(Config{}, newServers(t, 1), newPool(t, 1)) },
		"providers[0]: bookahead: now 4 moves the clock back": func() (*Broker, error) { return NewBroker(Config{Origin: 4}, ahead) },
		"Config.Origin -1 is negative":                        func() (*Broker, error) { return NewBroker(Config{Origin: -1}, newPool(t, 1)) },
		"Config.Horizon -1 is negative":                       func() (*Broker, error) { return NewBroker(Config{Horizon: -1}, newPool(t, 1)) },
	} {
		_, err := call()
		require.ErrorIs(t, err, bookahead.ErrInvalid)
		require.ErrorContains(t, err, want)
	}
}

// A provider may have other clients. What one of them takes back of the Broker's is
// gone, and the Broker says so.
func TestProvidersAreShared(t *testing.T) {
	p, q := newPool(t, 2), newPool(t, 2)
	_, err := p.Reserve(bookahead.Request{Ready: 3, Duration: 10, Units: 2})
	require.NoError(t, err)
	b, err := NewBroker(Config{Origin: 1}, p, q)
	require.NoError(t, err)
	require.EqualValues(t, 2, b.Capacity(0))
	require.Equal(t, 2, b.Providers())
	res, err := b.Reserve(bookahead.Request{Duration: 5, Units: 1})
	require.NoError(t, err)
	at, err := b.Place(res.ID)
	require.NoError(t, err)
	require.Equal(t, Place{Provider: 1, ID: 1}, at)
	require.NoError(t, q.Release(at.ID))
	require.Equal(t, bookahead.ErrNotFound, b.Release(res.ID))
	_, err = b.ID(Place{Provider: 0, ID: 1}) // another's
	require.True(t, errors.Is(err, bookahead.ErrNotFound))
}

// Law 4 holds within a partition too.
func TestPartitions(t *testing.T) {
	short, middle, long := newPool(t, 1), newPool(t, 2), newPool(t, 3)
	b, err := NewBroker(Config{Partition: ByDuration(10, 100)}, short, middle, long)
	require.NoError(t, err)
	for d, want := range map[bookahead.Duration]int64{1: 1, 10: 1, 11: 2, 100: 2, 101: 3, 1000: 3} {
		require.EqualValues(t, want, freeIn(t, b, 0, bookahead.Time(d)), "%d", d)
		for n := int64(1); n <= 3; n++ {
			_, err := b.Search(bookahead.Request{Deadline: bookahead.Time(d), Duration: d, Units: n})
			require.Equal(t, n <= want, err == nil)
		}
	}
	b, err = NewBroker(Config{Partition: ByDuration()}, short, middle, long)
	require.NoError(t, err)
	require.EqualValues(t, 3, freeIn(t, b, 0, 1))
}
