package grid

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bookahead/bookahead"
)

// With several providers: none is ever overbooked, every policy chooses as it says
// and finds a place if there is one at any provider, MCT the earliest of all; a Rebook
// moves a reservation to it, or leaves it alone; openings are those of all providers; Search
// is pure, errors change nothing, and all clocks move or none.
func TestBrokerLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := newMarket(t)
		t.Repeat(map[string]func(*rapid.T){
			"":          m.verify,
			"reserve":   m.reserve,
			"reserve 2": m.reserve,
			"release":   m.release,
			"rebook":    m.rebook,
			"rebook 2":  m.rebook,
			"advance":   m.advance,
			"law 4":     m.fourth,
			"openings":  m.openings,
			"clone":     m.clone,
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
	bookahead.Keeper
	err error
}

func (s *stuckClock) Advance(now bookahead.Time) error {
	if s.err != nil {
		return s.err
	}
	return s.Keeper.Advance(now)
}

// A provider that breaks its contract is named. If it is the first, no clock has
// moved; otherwise the others are not held up.
func TestAProviderThatFails(t *testing.T) {
	first, second := &stuckClock{Keeper: newPool(t, 2)}, &stuckClock{Keeper: newPool(t, 2)}
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
type deaf struct{ bookahead.Keeper }

func (d *deaf) Search(bookahead.Request) (bookahead.Offer, error) {
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
		"too many units":         {Config{}, []bookahead.Schedule{newPool(t, 2), newPool(t, 8), newPool(t, 4)}, bookahead.Request{Units: 9}, bookahead.ErrUnavailable.Error()},
		"servers of pools":       {Config{}, []bookahead.Schedule{newPool(t, 2), newPool(t, 8)}, bookahead.Request{Units: 1, Servers: []int{1}}, "bookahead: Request.Servers [1] are named, but a pool has units only"},
		"no such server":         {Config{}, []bookahead.Schedule{tree(2), tree(3)}, bookahead.Request{Units: 1, Servers: []int{5}}, "bookahead: Request.Servers 5 is not below the 5 servers that there are"},
		"servers of two":         {Config{}, []bookahead.Schedule{tree(2), tree(3)}, bookahead.Request{Units: 2, Servers: []int{1, 2}}, bookahead.ErrUnavailable.Error()},
		"kept by the partition":  {Config{Partition: Dedicated(0)}, []bookahead.Schedule{fullPool(t), newPool(t, 1)}, bookahead.Request{Units: 1, Deadline: 1}, bookahead.ErrUnavailable.Error()},
		"kept from all":          {Config{Partition: Dedicated()}, []bookahead.Schedule{newPool(t, 1)}, bookahead.Request{Units: 1}, bookahead.ErrUnavailable.Error()},
		"too big for the part":   {Config{Partition: Dedicated(0)}, []bookahead.Schedule{newPool(t, 1), newPool(t, 5)}, bookahead.Request{Units: 4}, bookahead.ErrUnavailable.Error()},
		"turned away by policy":  {Config{Policy: PolicyFunc(func(Bids) int { return -1 })}, []bookahead.Schedule{newPool(t, 1)}, bookahead.Request{Units: 1}, bookahead.ErrUnavailable.Error()},
		"a policy that is wrong": {Config{Policy: PolicyFunc(func(Bids) int { return 7 })}, []bookahead.Schedule{newPool(t, 1)}, bookahead.Request{Units: 1}, bookahead.ErrUnavailable.Error()},
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
	// A provider that fails does not stop the others.
	b, err := NewBroker(Config{}, &deaf{newPool(t, 1)}, newPool(t, 1))
	require.NoError(t, err)
	_, err = b.Reserve(bookahead.Request{Duration: 1, Units: 1})
	require.NoError(t, err)
}

func TestNewBrokerRefuses(t *testing.T) {
	ahead := newPool(t, 2)
	require.NoError(t, ahead.Advance(5))
	for want, call := range map[string]func() (*Broker, error){
		"providers 0 are too few":                         func() (*Broker, error) { return NewBroker(Config{}) },
		"providers[1] *idletree.Tree is not of one kind":  func() (*Broker, error) { return NewBroker(Config{}, newPool(t, 1), newServers(t, 1)) },
		"providers[1] *carts.Indexed is not of one kind":  func() (*Broker, error) { return NewBroker(Config{}, newServers(t, 1), newPool(t, 1)) },
		"providers[0]: now 5 is ahead of the Broker's, 4": func() (*Broker, error) { return NewBroker(Config{Origin: 4}, ahead) },
		"Config.Origin -1 is negative":                    func() (*Broker, error) { return NewBroker(Config{Origin: -1}, newPool(t, 1)) },
	} {
		_, err := call()
		require.ErrorIs(t, err, bookahead.ErrInvalid)
		require.ErrorContains(t, err, want)
	}
}

// A Broker that cannot be made moves no clock.
func TestNewBrokerMovesAllClocksOrNone(t *testing.T) {
	behind, ahead := newPool(t, 2), newPool(t, 2)
	require.NoError(t, ahead.Advance(5))
	_, err := NewBroker(Config{Origin: 4}, behind, ahead)
	require.ErrorIs(t, err, bookahead.ErrInvalid)
	require.Zero(t, behind.Frame().Now)
}

// A provider may have other clients. If a client releases a reservation of the Broker, the
// reservation is gone, and the Broker says so.
func TestProvidersAreShared(t *testing.T) {
	p, q := newPool(t, 2), newPool(t, 2)
	_, err := p.Reserve(bookahead.Request{Ready: 3, Duration: 10, Units: 2})
	require.NoError(t, err)
	b, err := NewBroker(Config{Origin: 1}, p, q)
	require.NoError(t, err)
	require.Equal(t, 2, b.Providers())
	res, err := b.Reserve(bookahead.Request{Duration: 5, Units: 1})
	require.NoError(t, err)
	at, err := b.Place(res.ID)
	require.NoError(t, err)
	require.Equal(t, Place{Provider: 1, ID: 1}, at)
	require.NoError(t, q.Release(at.ID))
	require.Equal(t, bookahead.ErrNotFound, b.Release(res.ID))
}

// Law 4 holds within a partition too.
func TestPartitions(t *testing.T) {
	small, middle, large := newPool(t, 1), newPool(t, 2), newPool(t, 3)
	b, err := NewBroker(Config{Partition: Dedicated(0, 1)}, small, middle, large)
	require.NoError(t, err)
	require.EqualValues(t, 2, freeIn(t, b, 0, 10))
	for n := int64(1); n <= 3; n++ {
		_, err := b.Search(bookahead.Request{Deadline: 10, Duration: 10, Units: n})
		require.Equal(t, n <= 2, err == nil)
	}
	b, err = NewBroker(Config{}, small, middle, large)
	require.NoError(t, err)
	require.EqualValues(t, 3, freeIn(t, b, 0, 1))
}
