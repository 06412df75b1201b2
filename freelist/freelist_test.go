package freelist

import (
	"testing"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/scheduletest"
)

var variants = []struct {
	name string
	open func(int64, Config) (bookahead.Schedule, error)
}{
	{"TimeExclusive", func(capacity int64, c Config) (bookahead.Schedule, error) { return NewTimeExclusive(capacity, c) }},
	{"CapacityHierarchical", func(capacity int64, c Config) (bookahead.Schedule, error) {
		return NewCapacityHierarchical(capacity, c)
	}},
	{"Mixed", func(capacity int64, c Config) (bookahead.Schedule, error) { return NewMixed(capacity, c) }},
	{"Used", func(capacity int64, c Config) (bookahead.Schedule, error) { return NewUsed(capacity, c) }},
	{"UsedList", func(capacity int64, c Config) (bookahead.Schedule, error) { return NewUsedList(capacity, c) }},
}

func target(variant int) scheduletest.Target {
	v := variants[variant]
	return scheduletest.Target{Name: "freelist." + v.name, New: func(c scheduletest.Config) (bookahead.Schedule, error) {
		return v.open(c.Capacity, Config{Origin: c.Origin, Horizon: c.Horizon})
	}}
}

func TestConformance(t *testing.T) {
	for i, v := range variants {
		t.Run(v.name, func(t *testing.T) { scheduletest.Run(t, target(i)) })
	}
}

func FuzzTimeExclusive(f *testing.F) { scheduletest.Fuzz(f, target(0)) }

func FuzzCapacityHierarchical(f *testing.F) { scheduletest.Fuzz(f, target(1)) }

func FuzzMixed(f *testing.F) { scheduletest.Fuzz(f, target(2)) }

func FuzzUsed(f *testing.F) { scheduletest.Fuzz(f, target(3)) }

func FuzzUsedList(f *testing.F) { scheduletest.Fuzz(f, target(4)) }
