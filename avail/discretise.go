package avail

import (
	"cmp"
	"fmt"
	"iter"
	"slices"

	"github.com/bookahead/bookahead"
)

// Discretise returns the vector in which a slot is available if at least units are free
// throughout it (Stevens et al., §4.1). This is the r-availability of a cluster for units = r,
// and the binary vector of a link for units = its capacity, which is 1 for a link that counts as
// one unit.
//
// The blocks are those of Profiler.Blocks: at each tick their units add up to the free units. The
// blocks may come in any order, and reach beyond the axis. Where there is no block, nothing is
// free. Discretise counts units only, and does not ask for the same servers from tick to tick.
//
// The error wraps bookahead.ErrInvalid if the axis is out of range (see Axis.Window), if
// units < 1, if a block is empty or has no units, or if the sum of the units at
// a tick does not fit an int64. O(n/64 + k log k) for n slots and k blocks.
func Discretise(blocks iter.Seq[bookahead.Block], a Axis, units int64) (*Vector, error) {
	r, err := DiscretiseRuns(blocks, a, units)
	if err != nil {
		return nil, err
	}
	return r.Vector(), nil
}

// DiscretiseRuns is Discretise to a list of runs. O(k log k) for k blocks.
func DiscretiseRuns(blocks iter.Seq[bookahead.Block], a Axis, units int64) (*Runs, error) {
	window, err := a.Window()
	if err != nil {
		return nil, err
	}
	if units < 1 {
		return nil, invalid("units", units, "is less than 1")
	}
	changes, err := changesOf(blocks, window)
	if err != nil {
		return nil, err
	}
	r := &Runs{n: a.Slots}
	free, since := int64(0), window.Start // since: when free last rose to units
	for i := 0; i < len(changes); {
		at, before := changes[i].at, free
		for i < len(changes) && changes[i].at == at {
			delta := changes[i].units
			if delta > 0 && free+delta < free {
				return nil, invalid("Block.Units", delta, fmt.Sprintf("overflows, with %d more free at %d", free, at))
			}
			free += delta
			i++
		}
		switch {
		case before < units && free >= units:
			since = at
		case before >= units && free < units:
			// Slots that are free in part only do not count. A distance may be longer than a Duration.
			width, begun := uint64(a.Width), uint64(since-a.Origin)
			first, end := begun/width, uint64(at-a.Origin)/width
			if begun%width > 0 {
				first++
			}
			if first < end {
				r.runs = append(r.runs, Run{int(first), int(end)})
			}
		}
	}
	return r, nil
}

// change is by how many units the free capacity changes at a moment.
type change struct {
	at    bookahead.Time
	units int64
}

// changesOf returns where the blocks start and end inside the window, in order. At one moment
// ends come before starts, so that the sum so far never exceeds the free units.
func changesOf(blocks iter.Seq[bookahead.Block], window bookahead.Interval) ([]change, error) {
	var changes []change
	for b := range blocks {
		if b.Empty() {
			return nil, invalid("Block.Interval", b.Interval, "is empty")
		}
		if b.Units < 1 {
			return nil, invalid("Block.Units", b.Units, "is less than 1")
		}
		in := b.Intersect(window)
		if !in.Empty() {
			changes = append(changes, change{in.Start, b.Units}, change{in.End, -b.Units})
		}
	}
	slices.SortFunc(changes, func(a, b change) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.units, b.units))
	})
	return changes, nil
}
