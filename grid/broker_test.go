package grid

import (
	"testing"

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
	return NewBroker(Config{Origin: c.Origin, Horizon: c.Horizon, Policy: policy}, s)
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
