package idletree

import (
	"fmt"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
)

// maxSlots is the largest number of slots of a Slotted.
const maxSlots = 1 << 20

// maxCells is the largest product of the servers and the slots of a Slotted. An
// idle period takes about 20 bytes for each slot that it spans and each level of
// the primary tree there. That makes 6 gigabytes if each server has an idle period
// in each slot.
const maxCells = 1 << 25

// defaultSlots is the most slots if SlottedConfig.Slot is 0.
const defaultSlots = 512

// SlottedConfig holds the settings of NewSlotted.
type SlottedConfig struct {
	// Origin is the first time that the clock shows.
	Origin bookahead.Time
	// Horizon is the number of ticks ahead of the clock that can be booked (H of
	// the paper). It must be given, because each slot up to it has a tree.
	Horizon bookahead.Duration
	// Slot is the width τ of a slot, in ticks; 0 means about 1/512 of the
	// horizon, or more with many servers: slots times servers are at most 1<<25.
	// Slot changes no answer. The tree of a narrow slot has fewer idle periods
	// that a request cannot use, but an idle period is in more trees.
	Slot bookahead.Duration
	// Step is the distance Δt between the starts that are tried, in ticks,
	// counted from the ready time; 0 means Slot. With 1, a search finds the
	// earliest start.
	Step bookahead.Duration
	// Attempts is the most starts that are tried (R_max); 0 means half as many
	// as the horizon has slots (§5). A large number tries all.
	Attempts int
	// Booked are the reservations that the schedule holds from the start; the k-th
	// gets ID k+1. Each ends after the Origin, and names its servers. A reservation
	// may have begun before the Origin, but not before tick 0. All together take
	// O(c log c) for c idle periods, each counted in each slot that it spans.
	Booked []bookahead.Offer
}

// withDefaults returns c with its defaults, or an error that wraps bookahead.ErrInvalid. The
// caller has checked the capacity, the origin and the sign of the horizon.
func (c SlottedConfig) withDefaults(capacity int64) (SlottedConfig, error) {
	switch {
	case c.Horizon < 1:
		return c, limits.Invalid("Config.Horizon", c.Horizon, "is less than 1, and slots need an end")
	case c.Slot < 0:
		return c, limits.Invalid("Config.Slot", c.Slot, "is negative")
	case c.Step < 0:
		return c, limits.Invalid("Config.Step", c.Step, "is negative")
	case c.Attempts < 0:
		return c, limits.Invalid("Config.Attempts", c.Attempts, "is negative")
	}
	if c.Slot == 0 {
		most := bookahead.Duration(min(defaultSlots, maxCells/capacity))
		c.Slot = (c.Horizon-1)/(most-1) + 1
	}
	whole := int64((c.Horizon - 1) / c.Slot)
	if whole > min(maxSlots, maxCells/capacity)-2 {
		return c, limits.Invalid("Config.Slot", c.Slot, fmt.Sprintf(
			"cuts the horizon %d into more slots than fit: at most %d slots, and at most %d slots times servers, with %d servers",
			c.Horizon, maxSlots, maxCells, capacity))
	}
	if c.Step == 0 {
		c.Step = c.Slot
	}
	if c.Attempts == 0 {
		c.Attempts = int(max(1, ((c.Horizon-1)/c.Slot+1)/2))
	}
	return c, nil
}

// slots returns the most slots that the horizon touches, wherever in a slot the
// clock is. It cannot overflow, because withDefaults has bounded it.
func (c SlottedConfig) slots() int64 { return int64((c.Horizon-1)/c.Slot) + 2 }
