package grid

import (
	"fmt"
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
	{Name: "grid.Broker-MCT-carts.Indexed", New: func(c scheduletest.Config) (bookahead.Schedule, error) {
		s, err := carts.NewIndexed(c.Capacity, carts.Config{Origin: c.Origin, Horizon: c.Horizon})
		return alone(MCT, c, s, err)
	}},
	{Name: "grid.Broker-Priority-freelist.Used", New: func(c scheduletest.Config) (bookahead.Schedule, error) {
		s, err := freelist.NewUsed(c.Capacity, freelist.Config{Origin: c.Origin, Horizon: c.Horizon})
		return alone(Priority, c, s, err)
	}},
	{Name: "grid.Broker-LeastLoaded-slotted.Indexed", Bounded: true, Slot: 4, New: func(c scheduletest.Config) (bookahead.Schedule, error) {
		s, err := slotted.NewIndexed(c.Capacity, slotted.Config{Origin: c.Origin, Horizon: c.Horizon, Slot: 4})
		return alone(LeastLoaded, c, s, err)
	}},
	{Name: "grid.Broker-Random-idletree.Tree", Servers: true, New: func(c scheduletest.Config) (bookahead.Schedule, error) {
		s, err := idletree.NewTree(c.Capacity, idletree.Config{Origin: c.Origin, Horizon: c.Horizon})
		return alone(Random(7), c, s, err)
	}},
	{Name: "grid.Broker-ShortestQueue-avail.Schedule", Servers: true, Bounded: true, Slot: 4, New: func(c scheduletest.Config) (bookahead.Schedule, error) {
		s, err := avail.NewSchedule(c.Capacity, avail.Config{Origin: c.Origin, Horizon: c.Horizon, Slot: 4})
		return alone(ShortestQueue, c, s, err)
	}},
	{Name: "grid.Broker-grid.Broker-carts.Flat", New: func(c scheduletest.Config) (bookahead.Schedule, error) {
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

// CheckInvariants is called by scheduletest after every operation: the maps are
// inverse to each other, and hold what has not ended.
func (b *Broker) CheckInvariants() error {
	live := make([]int, len(b.providers))
	for id, k := range b.booked {
		if b.ids[k.Place] != id || k.end <= b.limits.Now {
			return fmt.Errorf("#%d lies at %v until %d, where #%d is; it is %d", id, k.Place, k.end, b.ids[k.Place], b.limits.Now)
		}
		if _, ok := b.ends.Get(event{k.end, id}); !ok {
			return fmt.Errorf("the end of #%d at %d is not known", id, k.end)
		}
		live[k.Provider]++
	}
	if len(b.ids) != len(b.booked) || b.ends.Len() != len(b.booked) {
		return fmt.Errorf("%d places and %d ends for %d reservations", len(b.ids), b.ends.Len(), len(b.booked))
	}
	for k, p := range b.providers {
		if p.live != live[k] {
			return fmt.Errorf("provider %d has %d reservations, not %d", k, live[k], p.live)
		}
		if c, ok := p.Schedule.(interface{ Verify() error }); ok {
			if err := c.Verify(); err != nil {
				return fmt.Errorf("provider %d: %w", k, err)
			}
		}
	}
	return nil
}
