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
}

func TestConformance(t *testing.T) {
	for _, target := range targets {
		t.Run(target.Name, func(t *testing.T) { scheduletest.Run(t, target) })
	}
}

func FuzzLists(f *testing.F) { scheduletest.Fuzz(f, targets[0]) }
