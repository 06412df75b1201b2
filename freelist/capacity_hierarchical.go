package freelist

import (
	"fmt"
	"iter"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/pool"
)

// CapacityHierarchical keeps blocks within blocks. Each block spans all the time in which its
// units are free on top of the units of the blocks around it (§5, Fig. 5).
type CapacityHierarchical struct{ exact }

// NewCapacityHierarchical returns a pool of capacity units. The error wraps
// bookahead.ErrInvalid. O(n log n) for n reservations in Config.Booked.
func NewCapacityHierarchical(capacity int64, c Config) (*CapacityHierarchical, error) {
	x, err := open(capacity, c, &hierarchy{})
	if err != nil {
		return nil, err
	}
	return &CapacityHierarchical{x}, nil
}

// Clone implements bookahead.Cloner. O(b).
func (l *CapacityHierarchical) Clone() bookahead.Schedule { return &CapacityHierarchical{l.clone()} }

// UnmarshalBinary implements encoding.BinaryUnmarshaler, as bookahead.Snapshotter
// says. It reads the snapshot of any pool that is exact to the tick. O(n log n).
func (l *CapacityHierarchical) UnmarshalBinary(data []byte) error {
	return l.read(data, &hierarchy{})
}

// hierarchy is the list of CapacityHierarchical. Its own layer is all time, with no units, and
// does not count as a block of the list.
type hierarchy struct{ layer }

// layer is a block and the blocks stacked upon it:
//
//	free    2222333311        the layer of 1 spans all; upon it are 1 in [0, 8) and, upon that,
//	                          1 in [4, 8)
type layer struct {
	bookahead.Interval
	units int64
	upon  []*layer // its sub list, in order of time; no block is as long as the layer itself
}

// Search implements pool.Profile by the search of Fig. 5.
func (l *hierarchy) Search(first, last, d bookahead.Time, n int64) (bookahead.Time, bool) {
	return l.find(bookahead.Interval{Start: first, End: last + d}, bookahead.Duration(d), n)
}

func (l *hierarchy) Change(w bookahead.Interval, delta int64) { l.add(w, delta) }

func (l *hierarchy) Least(w bookahead.Interval) int64 { return l.least(w) }

// Steps implements pool.Profile: it lays the layers out flat.
func (l *hierarchy) Steps(t bookahead.Time) iter.Seq2[bookahead.Time, int64] {
	return func(yield func(bookahead.Time, int64) bool) {
		lay(l.Interval, 0, l.upon, func(s bookahead.Interval, units int64) bool {
			return s.End <= t || yield(s.End, units)
		})
	}
}

func (l *hierarchy) Forget(now bookahead.Time) { l.forget(now) }

// blocks yields the layers in order of their starts, each layer before the layers upon it.
func (l *hierarchy) blocks(w bookahead.Interval, yield func(bookahead.Block) bool) {
	l.walk(w, yield)
}

func (l *hierarchy) clone() list { return &hierarchy{*l.layer.clone()} }

func (l *hierarchy) made(_ int64, steps []pool.Step) list {
	all := rest(steps[0].Start)
	last := len(steps) - 1
	if steps[last].Start == bookahead.MaxTime {
		steps = steps[:last] // a step at the end of the axis takes no time
	}
	return &hierarchy{layer{Interval: all, upon: stack(steps, bookahead.MaxTime)}}
}

func (l *hierarchy) check(now bookahead.Time, capacity int64) error {
	if l.units != 0 || l.Interval != rest(now) {
		return fmt.Errorf("root %v of %d units at %d", l.Interval, l.units, now)
	}
	return l.layer.check(capacity)
}

// find returns the first start in w from which f, with the layers upon it, has the units for the
// duration. As each layer is as long as it can be, the place lies wholly within one layer.
func (f *layer) find(w bookahead.Interval, d bookahead.Duration, units int64) (bookahead.Time, bool) {
	w = w.Intersect(f.Interval)
	if w.Len() < d {
		return 0, false
	}
	if f.units >= units {
		return w.Start, true
	}
	for _, g := range f.upon {
		if t, ok := g.find(w, d, units-f.units); ok {
			return t, true
		}
	}
	return 0, false
}

// above returns the layer of f's sub list that spans w, or nil.
func (f *layer) above(w bookahead.Interval) *layer {
	for _, g := range f.upon {
		if g.Start <= w.Start && w.End <= g.End {
			return g
		}
	}
	return nil
}

// least returns how many units f and the layers upon it have throughout w, which f spans.
func (f *layer) least(w bookahead.Interval) int64 {
	units := f.units
	for g := f.above(w); g != nil; g = g.above(w) {
		units += g.units
	}
	return units
}

// add changes the units throughout w by delta. The highest layer that spans w, and keeps all its
// units, stays as it is. Only the layers upon it that touch w are built anew:
//
//	free  2222333311, add -1 to [5, 7):   the layer of 1 over all stays; upon it [0, 8) is rebuilt
func (f *layer) add(w bookahead.Interval, delta int64) {
	left := f.least(w) - f.units // units upon f, throughout w
	for g := f.above(w); g != nil && (delta > 0 || left-g.units >= -delta); g = g.above(w) {
		f = g
		left -= g.units
	}
	from, to := len(f.upon), 0 // the part of the sub list that touches w
	area := w
	for i, g := range f.upon {
		if g.Start <= w.End && w.Start <= g.End {
			from, to = min(from, i), i+1
			area = bookahead.Interval{Start: min(area.Start, g.Start), End: max(area.End, g.End)}
		}
	}
	if from > to { // none touches w: insert before the first layer that comes later
		from = slices.IndexFunc(f.upon, func(g *layer) bool { return g.Start > w.End })
		if from < 0 {
			from = len(f.upon)
		}
		to = from
	}
	built := stack(steps(f.upon[from:to], area, w, delta), area.End)
	if len(built) == 1 && built[0].Interval == f.Interval && f.units > 0 {
		f.units += built[0].units // a layer as long as f is one block with f
		f.upon = built[0].upon
		return
	}
	f.upon = slices.Replace(f.upon, from, to, built...)
}

// lay yields the stretches of area, in order. The units of a stretch are those of the layers over
// it, plus below. The layers lie within area. lay returns false if yield does.
func lay(area bookahead.Interval, below int64, layers []*layer, yield func(bookahead.Interval, int64) bool) bool {
	t := area.Start
	for _, g := range layers {
		if t < g.Start && !yield(bookahead.Interval{Start: t, End: g.Start}, below) {
			return false
		}
		if !lay(g.Interval, below+g.units, g.upon, yield) {
			return false
		}
		t = g.End
	}
	return t >= area.End || yield(bookahead.Interval{Start: t, End: area.End}, below)
}

// steps returns the units of the layers over area, which spans the layers, with delta added
// throughout w.
func steps(layers []*layer, area, w bookahead.Interval, delta int64) []pool.Step {
	var flat []pool.Step
	put := func(s bookahead.Interval, units int64) {
		last := len(flat) - 1
		if !s.Empty() && (last < 0 || flat[last].Free != units) {
			flat = append(flat, pool.Step{Start: s.Start, Free: units})
		}
	}
	lay(area, 0, layers, func(s bookahead.Interval, units int64) bool {
		put(s.Intersect(bookahead.Interval{Start: s.Start, End: w.Start}), units)
		put(s.Intersect(w), units+delta)
		put(s.Intersect(rest(w.End)), units)
		return true
	})
	return flat
}

// stack cuts steps, the last of which ends at end, into layers, each as long as it can be. A
// layer opens where the units rise, and closes where they fall below it:
//
//	free    2  3  1      at 3 a layer of 1 opens upon the layer of 2; at 1 it closes, and the layer
//	                     of 2 closes too, but for its lower part of 1, which goes on
//
// O(number of steps).
func stack(steps []pool.Step, end bookahead.Time) []*layer {
	var bottom layer
	open := []*layer{&bottom} // from the lowest to the highest
	height := []int64{0}      // of each open layer, with the layers below it
	close := func(units int64, t bookahead.Time) {
		for k := len(open) - 1; height[k] > units; k-- {
			top := open[k]
			top.End = t
			if height[k-1] < units { // the lower part of the layer goes on
				rest := &layer{Interval: bookahead.Interval{Start: top.Start}, units: units - height[k-1], upon: []*layer{top}}
				top.units = height[k] - units
				open[k], height[k] = rest, units
				return
			}
			open, height = open[:k], height[:k]
			below := open[k-1]
			below.upon = append(below.upon, top)
		}
	}
	for _, s := range steps {
		close(s.Free, s.Start)
		k := len(open) - 1
		if s.Free > height[k] {
			open = append(open, &layer{Interval: bookahead.Interval{Start: s.Start}, units: s.Free - height[k]})
			height = append(height, s.Free)
		}
	}
	close(0, end)
	return bottom.upon
}

// forget drops everything before now. A layer that becomes as long as the layer below it is
// joined to that layer.
func (f *layer) forget(now bookahead.Time) {
	f.Start = max(f.Start, now)
	f.upon = slices.DeleteFunc(f.upon, func(g *layer) bool { return g.End <= now })
	if len(f.upon) == 0 || f.upon[0].Start > now {
		return
	}
	g := f.upon[0]
	g.forget(now)
	if g.Interval == f.Interval && f.units > 0 {
		f.units += g.units
		f.upon = g.upon
	}
}

func (f *layer) walk(w bookahead.Interval, yield func(bookahead.Block) bool) bool {
	if f.Intersect(w).Empty() {
		return true
	}
	if !cut(w, f.Interval, f.units, yield) {
		return false
	}
	for _, g := range f.upon {
		if !g.walk(w, yield) {
			return false
		}
	}
	return true
}

func (f *layer) clone() *layer {
	c := &layer{Interval: f.Interval, units: f.units}
	for _, g := range f.upon {
		c.upon = append(c.upon, g.clone())
	}
	return c
}
