package grid

import (
	"slices"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bookahead/bookahead"
)

// policies are policies that choose a provider whenever one makes an offer.
var policies = map[string]Policy{
	"MCT": MCT, "Priority": Priority, "ShortestQueue": ShortestQueue, "LeastLoaded": LeastLoaded, "Random": Random(11),
}

// market is a broker of several providers, and the oracle of each.
type market struct {
	*Broker
	cells   []*cells
	policy  string
	only    []int // the providers that get requests; nil if all do
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
		m.cells, providers = append(m.cells, c), append(providers, c.Keeper)
		m.longest = max(m.longest, c.horizon)
	}
	config := Config{Policy: policies[m.policy]}
	if rapid.IntRange(0, 2).Draw(t, "partition") == 2 {
		m.only = []int{rapid.IntRange(0, len(providers)-1).Draw(t, "only"), rapid.IntRange(0, 3).Draw(t, "and")}
		config.Partition = Dedicated(m.only...)
	}
	var err error
	m.Broker, err = NewBroker(config, providers...)
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
		Units:    rapid.Int64Range(1, 6).Draw(t, "units"),
	}
	switch rapid.IntRange(0, 3).Draw(t, "shape") {
	case 0:
		r.Deadline = r.Ready + bookahead.Time(r.Duration)
	case 1:
		r.Deadline = r.Ready + bookahead.Time(r.Duration) + bookahead.Time(rapid.IntRange(1, 30).Draw(t, "slack"))
	}
	if m.cells[0].servers && rapid.IntRange(0, 2).Draw(t, "named") == 2 {
		total := m.total()
		n := rapid.IntRange(int(min(r.Units, int64(total))), total).Draw(t, "number named")
		r.Servers = rapid.Permutation(m.all()).Draw(t, "servers")[:n]
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

// all lists the servers of all providers.
func (m *market) all() []int {
	all := make([]int, m.total())
	for k := range all {
		all[k] = k
	}
	return all
}

// part is r as provider k gets it, and false if the provider cannot have it at any time.
func (m *market) part(k int, r bookahead.Request) (Part, bool) {
	c, first := m.cells[k], m.providers[k].first
	p := Part{On: c, Duration: r.Duration, Units: r.Units}
	if r.Servers != nil {
		p.Servers = []int{}
		for _, s := range r.Servers {
			if s >= first && s < first+int(c.capacity) {
				p.Servers = append(p.Servers, s-first)
			}
		}
	}
	admitted := m.only == nil || slices.Contains(m.only, k)
	return p, admitted && (p.Servers == nil || int64(len(p.Servers)) >= r.Units)
}

// starts returns the earliest start at each provider, by a scan of its cells.
func (m *market) starts(r bookahead.Request) map[int]bookahead.Time {
	starts := map[int]bookahead.Time{}
	for k, c := range m.cells {
		p, ok := m.part(k, r)
		for t := max(r.Ready, c.now); ok && t < axis; t++ {
			if r.Deadline != 0 && t+bookahead.Time(r.Duration) > r.Deadline {
				break
			}
			if fits([]Part{p}, 0, t) {
				starts[k] = t
				break
			}
		}
	}
	return starts
}

// share is the part of a provider's capacity that is free when r wants it.
func (m *market) share(k int, r bookahead.Request) float64 {
	c, n := m.cells[k], int64(0)
	first := max(r.Ready, m.now())
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

// choices returns the providers that the policy may take for r, of those with a start. The
// reservation with the ID is booked anew, if there is one.
func (m *market) choices(t *rapid.T, r bookahead.Request, starts map[int]bookahead.Time, share func(k int) float64, anew bookahead.ID) []int {
	live := make([]int, len(m.cells))
	for id := range m.live {
		at, err := m.Place(id)
		require.NoError(t, err)
		if id != anew {
			live[at.Provider]++
		}
	}
	var best []int
	for k := range m.cells {
		start, ok := starts[k]
		if !ok {
			continue
		}
		better := true // than those before
		if len(best) > 0 {
			other := best[0]
			switch m.policy {
			case "MCT":
				better = start < starts[other]
			case "Priority":
				better = false
			case "ShortestQueue":
				better = live[k] < live[other]
			case "LeastLoaded":
				mine, theirs := share(k), share(other)
				better = mine > theirs || mine == theirs && start < starts[other]
			case "Random":
				best = append(best, k)
				continue
			}
		}
		if better {
			best = []int{k}
		}
	}
	return best
}

func (m *market) verify(t *rapid.T) {
	require.NoError(t, m.Verify())
	for k, c := range m.cells {
		c.agrees(t)
		require.Equal(t, c.capacity, m.providers[k].schedule.Frame().Capacity)
	}
	require.Len(t, booked(m), len(m.live))
	for id, o := range m.live {
		at, err := m.Place(id)
		require.NoError(t, err)
		res, err := m.Reservation(id)
		require.NoError(t, err)
		require.Equal(t, bookahead.Reservation{ID: id, Offer: o}, res)
		first := m.providers[at.Provider].first
		for _, s := range o.Servers {
			require.True(t, first <= s && s < first+int(m.cells[at.Provider].capacity))
		}
	}
}

// own is an offer with the servers counted as the provider does.
func (m *market) own(k int, o bookahead.Offer) bookahead.Offer {
	o.Servers = slices.Clone(o.Servers)
	for i := range o.Servers {
		o.Servers[i] -= m.providers[k].first
	}
	return o
}

func (m *market) reserve(t *rapid.T) {
	r := m.request(t)
	o, err := m.Search(r)
	for range 3 { // which changes nothing, the lots of Random neither
		again, errAgain := m.Search(r)
		require.Equal(t, o, again)
		require.Equal(t, err, errAgain)
	}
	starts := m.starts(r)
	choices := m.choices(t, r, starts, func(k int) float64 { return m.share(k, r) }, 0)
	res, errReserve := m.Reserve(r)
	require.Equal(t, err, errReserve)
	if len(starts) == 0 {
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
	require.Contains(t, choices, k, "%s, of %v", m.policy, starts)
	require.Equal(t, starts[k], res.Start)
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
	require.Equal(t, w, a.Window)
	r := bookahead.At(w.Start, w.Len(), 0)
	for r.Units = 1; r.Units <= 6; r.Units++ {
		_, err := m.Search(r)
		require.Equal(t, r.Units <= a.Free, err == nil, "%d of %d in %v: %v", r.Units, a.Free, w, err)
	}
	if m.cells[0].servers {
		require.Len(t, a.Servers, int(a.Free))
		r.Units, r.Servers = a.Free, a.Servers
		if a.Free > 0 {
			_, err := m.Search(r)
			require.NoError(t, err)
		}
	}
}

// openings compares the openings with a scan of every tick of every provider.
func (m *market) openings(t *rapid.T) {
	r := m.request(t)
	at := func(start bookahead.Time) bool {
		if start < max(r.Ready, m.now()) || r.Deadline != 0 && start+bookahead.Time(r.Duration) > r.Deadline {
			return false
		}
		for k := range m.cells {
			p, ok := m.part(k, r)
			if ok && fits([]Part{p}, 0, start) {
				return true
			}
		}
		return false
	}
	var want []bookahead.Interval
	for start := m.now() - 1; start < axis; start++ {
		n := len(want)
		switch {
		case !at(start):
		case n > 0 && want[n-1].End == start:
			want[n-1].End++
		default:
			want = append(want, bookahead.Interval{Start: start, End: start + 1})
		}
	}
	all := m.Openings(r)
	for range 2 { // and it can be ranged over again
		require.Equal(t, want, slices.Collect(all))
	}
	for range all {
		break // leaving early must be safe
	}
	latest, err := bookahead.SearchLatest(m.Broker, r)
	if len(want) == 0 {
		require.Equal(t, bookahead.ErrUnavailable, err)
		return
	}
	require.NoError(t, err)
	require.Equal(t, want[len(want)-1].End-1, latest.Start)
}

// clone goes on with the broker or with its clone, and uses up the other one.
func (m *market) clone(t *rapid.T) {
	other, ok := bookahead.Clone(m.Broker)
	require.True(t, ok)
	if rapid.Bool().Draw(t, "go on with the clone") {
		m.Broker, other = other, m.Broker
		for k, c := range m.cells {
			c.Keeper = m.Provider(k).(bookahead.Keeper)
		}
	}
	sameBrokers(t, m.Broker, other)
	for id := range m.live {
		require.NoError(t, other.Release(id))
	}
	_, _ = other.Reserve(bookahead.Request{Ready: m.now() + 3, Duration: 5, Units: 1})
	require.NoError(t, other.Advance(m.now()+5))
	require.NoError(t, other.Verify())
}
