package idletree

import (
	"testing"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/scheduletest"
)

func config(c scheduletest.Config) Config { return Config{Origin: c.Origin, Horizon: c.Horizon} }

var targets = []scheduletest.Target{
	{Name: "idletree.Lists", Servers: true, New: func(c scheduletest.Config) (bookahead.Schedule, error) {
		return NewLists(c.Capacity, config(c))
	}},
	{Name: "idletree.Tree", Servers: true, New: func(c scheduletest.Config) (bookahead.Schedule, error) {
		return NewTree(c.Capacity, config(c))
	}},
	{Name: "idletree.Tree-best", Servers: true, New: func(c scheduletest.Config) (bookahead.Schedule, error) {
		x, err := NewTree(c.Capacity, Config{Origin: c.Origin, Horizon: c.Horizon, Prefer: BestFit})
		if err == nil {
			x.fleet.most = 3 // and calendars that become trees
		}
		return x, err
	}},
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
