package grid

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/avail"
	"github.com/bookahead/bookahead/carts"
	"github.com/bookahead/bookahead/freelist"
	"github.com/bookahead/bookahead/idletree"
	"github.com/bookahead/bookahead/scheduletest"
	"github.com/bookahead/bookahead/slotted"
)

// alone makes a broker of one provider, which is to do as the provider does.
func alone(policy Policy, c scheduletest.Config, s bookahead.Schedule, err error) (bookahead.Schedule, error) {
	if err != nil {
		return nil, err
	}
	return NewBroker(Config{Origin: c.Origin, Policy: policy}, s)
}

var brokers = []scheduletest.Target{
	{Name: "grid.Broker-MCT-carts.Indexed", Made: true, New: func(c scheduletest.Config) (bookahead.Schedule, error) {
		s, err := carts.NewIndexed(c.Capacity, carts.Config{Origin: c.Origin, Horizon: c.Horizon})
		return alone(MCT, c, s, err)
	}},
	{Name: "grid.Broker-Priority-freelist.Used", Made: true, New: func(c scheduletest.Config) (bookahead.Schedule, error) {
		s, err := freelist.NewUsed(c.Capacity, freelist.Config{Origin: c.Origin, Horizon: c.Horizon})
		return alone(Priority, c, s, err)
	}},
	{Name: "grid.Broker-LeastLoaded-slotted.Indexed", Made: true, Bounded: true, Slot: 4, New: func(c scheduletest.Config) (bookahead.Schedule, error) {
		s, err := slotted.NewIndexed(c.Capacity, slotted.Config{Origin: c.Origin, Horizon: c.Horizon, Slot: 4})
		return alone(LeastLoaded, c, s, err)
	}},
	{Name: "grid.Broker-Random-idletree.Tree", Made: true, Servers: true, New: func(c scheduletest.Config) (bookahead.Schedule, error) {
		s, err := idletree.NewTree(c.Capacity, idletree.Config{Origin: c.Origin, Horizon: c.Horizon})
		return alone(Random(7), c, s, err)
	}},
	{Name: "grid.Broker-ShortestQueue-avail.Schedule", Made: true, Servers: true, Bounded: true, Slot: 4, New: func(c scheduletest.Config) (bookahead.Schedule, error) {
		s, err := avail.NewSchedule(c.Capacity, avail.Config{Origin: c.Origin, Horizon: c.Horizon, Slot: 4})
		return alone(ShortestQueue, c, s, err)
	}},
	{Name: "grid.Broker-grid.Broker-carts.Flat", Made: true, New: func(c scheduletest.Config) (bookahead.Schedule, error) {
		s, err := carts.NewFlat(c.Capacity, carts.Config{Origin: c.Origin, Horizon: c.Horizon})
		inner, err := alone(MCT, c, s, err)
		return alone(MCT, c, inner, err)
	}},
}

func TestBrokerConformance(t *testing.T) {
	for _, target := range brokers {
		t.Run(target.Name, func(t *testing.T) { scheduletest.Run(t, target) })
	}
}

func FuzzBroker(f *testing.F) { scheduletest.Fuzz(f, brokers[0]) }

// No schedule may be two providers of a Broker, even if it is wrapped: a snapshot would make two
// schedules of it, which would book its units twice.
func TestOneScheduleIsOneProvider(t *testing.T) {
	p, servers := newPool(t, 4), newServers(t, 2)
	broker, err := NewBroker(Config{}, p)
	require.NoError(t, err)
	binder, err := NewBinder(p)
	require.NoError(t, err)
	for name, providers := range map[string][]bookahead.Schedule{
		"twice":                    {p, p},
		"behind a lock":            {p, bookahead.Locked(p)},
		"behind two locks":         {bookahead.Locked(p), bookahead.Locked(p)},
		"of a binder":              {p, binder},
		"of a broker":              {broker, p},
		"of a broker and a binder": {bookahead.Locked(broker), binder},
		"servers":                  {servers, servers},
	} {
		_, err := NewBroker(Config{Policy: ShortestQueue}, providers...)
		require.ErrorIs(t, err, bookahead.ErrInvalid, name)
		require.ErrorContains(t, err, "providers[1]", name)
		require.ErrorContains(t, err, "is, or shares a schedule with, providers[0]", name)
	}
	_, err = NewBroker(Config{}, p, newPool(t, 4))
	require.NoError(t, err)
	type incomparable struct { // with another
		bookahead.Keeper
		_ []int
	}
	_, err = NewBroker(Config{}, incomparable{Keeper: p}, incomparable{Keeper: newPool(t, 4)})
	require.NoError(t, err)
}

// Who has no schedule to work on hears so.
func TestNilSchedulesAreRefused(t *testing.T) {
	p := newPool(t, 1)
	for name, open := range map[string]func() error{
		"providers[1] <nil>": func() error { _, err := NewBroker(Config{}, p, nil); return err },
		"providers[0] *grid.Binder": func() error {
			_, err := NewBroker(Config{}, (*Binder)(nil))
			return err
		},
		"pool <nil>":                   func() error { _, err := NewBinder(nil); return err },
		"pool *carts.Indexed":          func() error { _, err := NewBinder((*carts.Indexed)(nil)); return err },
		"Job.Parts[0].On <nil>":        func() error { _, err := CoSearch(Job{Parts: []Part{{Duration: 1, Units: 1}}}); return err },
		"Job.Parts[0].On *grid.Binder": func() error { _, err := CoAllocate(nilPart()); return err },
	} {
		err := open()
		require.ErrorIs(t, err, bookahead.ErrInvalid, name)
		require.ErrorContains(t, err, name)
		require.ErrorContains(t, err, "is nil")
	}
}

// nilPart is a job whose member is a Binder that is nil.
func nilPart() Job { return Job{Parts: []Part{{On: (*Binder)(nil), Duration: 1, Units: 1}}} }

// A provider that cannot be asked gets nothing, by any policy, whichever call fails and
// however much worse the other one is.
func TestProvidersThatFailArePassedOver(t *testing.T) {
	for name, policy := range policies {
		for calls := 1; ; calls++ {
			down := &failing{Keeper: newPool(t, 4)}
			b, err := NewBroker(Config{Policy: policy}, down, fullPool(t))
			require.NoError(t, err)
			down.queries = calls
			r, err := b.Reserve(bookahead.Request{Duration: 5, Units: 1})
			if down.queries > 0 {
				break // all calls have failed
			}
			require.NoError(t, err, "%s, call %d", name, calls)
			require.Equal(t, "[100, 105)", r.Interval.String(), "%s, call %d", name, calls)
		}
	}
}
