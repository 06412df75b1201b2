package freelist

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

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
	return scheduletest.Target{
		Name: "freelist." + v.name,
		New: func(c scheduletest.Config) (bookahead.Schedule, error) {
			return v.open(c.Capacity, Config{Origin: c.Origin, Horizon: c.Horizon})
		},
		Booked: func(c scheduletest.Config, booked []bookahead.Offer) (bookahead.Schedule, error) {
			return v.open(c.Capacity, Config{Origin: c.Origin, Horizon: c.Horizon, Booked: booked})
		},
	}
}

func TestConformance(t *testing.T) {
	for i, v := range variants {
		t.Run(v.name, func(t *testing.T) { scheduletest.Run(t, target(i)) })
	}
}

// Units that are released merge with the blocks around them, in whatever order: in the end there
// is one block again.
func TestReleaseRestoresOneBlock(t *testing.T) {
	for _, v := range variants {
		s, err := v.open(20, Config{Horizon: 1000})
		require.NoError(t, err)
		rng := rand.New(rand.NewPCG(1, 1))
		var ids []bookahead.ID
		for range 200 {
			r := bookahead.Request{Ready: bookahead.Time(rng.IntN(900)), Duration: bookahead.Duration(1 + rng.IntN(60)), Units: 1 + rng.Int64N(12)}
			if res, err := s.Reserve(r); err == nil {
				ids = append(ids, res.ID)
			}
		}
		require.Greater(t, len(ids), 50)
		rng.Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
		for _, id := range ids {
			require.NoError(t, s.Release(id))
		}
		all := bookahead.Interval{Start: 0, End: 1000}
		var blocks []bookahead.Block
		for b := range s.(bookahead.Profiler).Blocks(all) {
			blocks = append(blocks, b)
		}
		require.Equal(t, []bookahead.Block{{Interval: all, Units: 20}}, blocks, v.name)
	}
}

func FuzzTimeExclusive(f *testing.F) { scheduletest.Fuzz(f, target(0)) }

func FuzzCapacityHierarchical(f *testing.F) { scheduletest.Fuzz(f, target(1)) }

func FuzzMixed(f *testing.F) { scheduletest.Fuzz(f, target(2)) }

func FuzzUsed(f *testing.F) { scheduletest.Fuzz(f, target(3)) }

func FuzzUsedList(f *testing.F) { scheduletest.Fuzz(f, target(4)) }
