package idletree

import (
	"testing"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/scheduletest"
)

func target(name string, open func(capacity int64, c Config) (bookahead.Schedule, error)) scheduletest.Target {
	return scheduletest.Target{
		Name: name, Servers: true,
		New: func(c scheduletest.Config) (bookahead.Schedule, error) {
			return open(c.Capacity, Config{Origin: c.Origin, Horizon: c.Horizon})
		},
		Booked: func(c scheduletest.Config, booked []bookahead.Offer) (bookahead.Schedule, error) {
			return open(c.Capacity, Config{Origin: c.Origin, Horizon: c.Horizon, Booked: booked})
		},
	}
}

var targets = []scheduletest.Target{
	target("idletree.Lists", func(capacity int64, c Config) (bookahead.Schedule, error) {
		return NewLists(capacity, c)
	}),
	target("idletree.Tree", func(capacity int64, c Config) (bookahead.Schedule, error) {
		return NewTree(capacity, c)
	}),
	target("idletree.Tree-best", func(capacity int64, c Config) (bookahead.Schedule, error) {
		c.Prefer = BestFit
		x, err := NewTree(capacity, c)
		if err != nil {
			return nil, err
		}
		x.tree().most = 3 // and calendars that become trees
		for k := range x.tree().idle {
			x.tree().idle[k].limit(3)
		}
		return x, nil
	}),
}

func TestConformance(t *testing.T) {
	for _, target := range targets {
		t.Run(target.Name, func(t *testing.T) {
			t.Parallel()
			scheduletest.Run(t, target)
		})
	}
}

func FuzzLists(f *testing.F) { scheduletest.Fuzz(f, targets[0]) }

func FuzzTree(f *testing.F) { scheduletest.Fuzz(f, targets[1]) }
