package idletree

import (
	"fmt"
	"math"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/snapshot"
	"github.com/bookahead/bookahead/scheduletest"
)

// slottedTarget is a Slotted that tries starts as given; 0 attempts mean all.
// The horizon and the capacity that are drawn decide how wide the slots are, and
// how large the leaves: small ones make for high trees.
func slottedTarget(step bookahead.Duration, attempts int) scheduletest.Target {
	open := func(c scheduletest.Config, booked []bookahead.Offer) (bookahead.Schedule, error) {
		widths := []bookahead.Duration{1, 7, 10, 25, 1000}
		leaves := []int32{2, 3, leafSize}
		kind := max(0, int(c.Horizon)+int(c.Capacity))
		slot := max(widths[kind%len(widths)], c.Horizon/128)
		if c.Horizon < 30 {
			slot = 2 // else the few ticks of Small lie in one slot
		}
		sc := SlottedConfig{
			Origin: c.Origin, Horizon: c.Horizon,
			Slot: slot, Step: step, Attempts: attempts, Booked: booked,
		}
		if attempts == 0 {
			sc.Attempts = math.MaxInt
		}
		return newSlotted(c.Capacity, sc, leaves[kind/5%len(leaves)])
	}
	return scheduletest.Target{
		Name:    fmt.Sprintf("idletree.Slotted-step-%d-attempts-%d", step, attempts),
		Servers: true, Bounded: true, Step: step, Attempts: attempts,
		New:    func(c scheduletest.Config) (bookahead.Schedule, error) { return open(c, nil) },
		Booked: open,
	}
}

// The tests of known faults need 21 attempts.
var slottedTargets = []scheduletest.Target{slottedTarget(1, 0), slottedTarget(3, 21)}

func TestSlottedConformance(t *testing.T) {
	for _, target := range slottedTargets {
		t.Run(target.Name, func(t *testing.T) {
			t.Parallel()
			scheduletest.Run(t, target)
		})
	}
}

func TestSlottedConfig(t *testing.T) {
	for name, c := range map[string]struct {
		capacity int64
		config   SlottedConfig
		field    string
	}{
		"no horizon":        {1, SlottedConfig{}, "Config.Horizon"},
		"a negative slot":   {1, SlottedConfig{Horizon: 1, Slot: -1}, "Config.Slot"},
		"a negative step":   {1, SlottedConfig{Horizon: 1, Step: -1}, "Config.Step"},
		"negative attempts": {1, SlottedConfig{Horizon: 1, Attempts: -1}, "Config.Attempts"},
		"too many slots":    {1, SlottedConfig{Horizon: maxSlots, Slot: 1}, "Config.Slot"},
		"too many cells":    {maxCells / 4, SlottedConfig{Horizon: 4, Slot: 1}, "Config.Slot"},
	} {
		_, err := c.config.withDefaults(c.capacity)
		var invalid *bookahead.InvalidError
		require.ErrorAs(t, err, &invalid, name)
		require.Equal(t, c.field, invalid.Field, name)
	}
	for _, capacity := range []int64{1, 10_000, 1 << 24} {
		for _, horizon := range []bookahead.Duration{1, 2, 1000, math.MaxInt64} {
			c, err := SlottedConfig{Horizon: horizon}.withDefaults(capacity)
			require.NoError(t, err)
			require.LessOrEqual(t, c.slots()*capacity, int64(maxCells))
			require.Equal(t, c.Slot, c.Step)
			require.Positive(t, c.Attempts)
		}
	}
}

// Castillo et al., §5: R_max is half the slots of the horizon unless something else is said.
func TestDefaultAttempts(t *testing.T) {
	s := openSlotted(t, 1, SlottedConfig{Horizon: 100, Slot: 10})
	bookNamed(t, s, 0, bookahead.Interval{Start: 0, End: 100})
	_, effort, err := s.Trace(bookahead.Request{Duration: 1, Units: 1})
	require.Equal(t, bookahead.ErrUnavailable, err)
	require.Equal(t, 5, effort.Attempts)
}

func FuzzSlotted(f *testing.F) { scheduletest.Fuzz(f, slottedTargets[0]) }

// A number of slots that does not fit is refused before it is counted, and before any
// room is made.
func TestSlotsThatOverflowAreRefused(t *testing.T) {
	for name, open := range map[string]func() error{
		"NewSlotted": func() error {
			_, err := NewSlotted(1, SlottedConfig{Horizon: math.MaxInt64, Slot: 1})
			return err
		},
		"UnmarshalBinary": func() error {
			return new(Slotted).UnmarshalBinary(snapshot.Numbers(kindOfSlotted, 1, 1, 1, 1, 0, math.MaxInt64, 0, 0, 0, 1))
		},
	} {
		err := open()
		require.ErrorIs(t, err, bookahead.ErrInvalid, name)
		require.ErrorContains(t, err, "Config.Slot 1 cuts the horizon 9223372036854775807 into more slots than fit", name)
	}
	before, after := new(runtime.MemStats), new(runtime.MemStats)
	runtime.ReadMemStats(before)
	_, err := NewSlotted(1<<24, SlottedConfig{})
	runtime.ReadMemStats(after)
	require.ErrorContains(t, err, "Config.Horizon 0 is less than 1")
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(1<<20))
}
