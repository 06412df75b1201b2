package carts

import (
	"testing"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/scheduletest"
)

var pools = []scheduletest.Target{
	{Name: "carts.Flat", New: func(c scheduletest.Config) (bookahead.Schedule, error) {
		return NewFlat(c.Capacity, Config{Origin: c.Origin, Horizon: c.Horizon})
	}},
	{Name: "carts.BTree", New: func(c scheduletest.Config) (bookahead.Schedule, error) {
		return NewBTree(c.Capacity, Config{Origin: c.Origin, Horizon: c.Horizon})
	}},
	{Name: "carts.Indexed", New: func(c scheduletest.Config) (bookahead.Schedule, error) {
		return NewIndexed(c.Capacity, Config{Origin: c.Origin, Horizon: c.Horizon})
	}},
	narrow,
}

// narrow makes for high trees.
var narrow = scheduletest.Target{Name: "carts.Indexed-narrow", New: func(c scheduletest.Config) (bookahead.Schedule, error) {
	return newIndexed(c.Capacity, Config{Origin: c.Origin, Horizon: c.Horizon}, shape{width: 8})
}}

var targets = append(pools[:4:4],
	scheduletest.Target{Name: "carts.SR", Servers: true, New: func(c scheduletest.Config) (bookahead.Schedule, error) {
		return NewSR(c.Capacity, Config{Origin: c.Origin, Horizon: c.Horizon})
	}})

func TestConformance(t *testing.T) {
	for _, target := range targets {
		t.Run(target.Name, func(t *testing.T) { scheduletest.Run(t, target) })
	}
}

func FuzzFlat(f *testing.F) { scheduletest.Fuzz(f, targets[0]) }

func FuzzBTree(f *testing.F) { scheduletest.Fuzz(f, targets[1]) }

func FuzzIndexed(f *testing.F) { scheduletest.Fuzz(f, narrow) }

func FuzzSR(f *testing.F) { scheduletest.Fuzz(f, targets[4]) }

func BenchmarkCARTS(b *testing.B) {
	for _, target := range targets {
		scheduletest.Benchmark(b, target)
	}
}
