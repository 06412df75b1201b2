package freelist

import (
	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/pool"
)

var (
	_ bookahead.Snapshotter = (*TimeExclusive)(nil)
	_ bookahead.Snapshotter = (*CapacityHierarchical)(nil)
	_ bookahead.Snapshotter = (*Mixed)(nil)
	_ bookahead.Snapshotter = (*Used)(nil)
)

// MarshalBinary implements encoding.BinaryMarshaler: a snapshot that all pools that
// are exact to the tick can read. O(n) for n reservations.
func (l *TimeExclusive) MarshalBinary() ([]byte, error) { return l.pool.AppendBinary(nil) }

// AppendBinary implements encoding.BinaryAppender. See MarshalBinary.
func (l *TimeExclusive) AppendBinary(b []byte) ([]byte, error) { return l.pool.AppendBinary(b) }

// UnmarshalBinary implements encoding.BinaryUnmarshaler, as bookahead.Snapshotter
// says. It reads the snapshot of any pool that is exact to the tick.
// O(n log n).
func (l *TimeExclusive) UnmarshalBinary(data []byte) error {
	p, steps, err := pool.Decode(data)
	if err != nil {
		return err
	}
	read := TimeExclusive{pool: p}
	read.free.generate(steps, func(s pool.Step) int64 { return s.Free })
	*l = read
	return nil
}

// MarshalBinary implements encoding.BinaryMarshaler: a snapshot that all pools that
// are exact to the tick can read. O(n) for n reservations.
func (l *CapacityHierarchical) MarshalBinary() ([]byte, error) { return l.pool.AppendBinary(nil) }

// AppendBinary implements encoding.BinaryAppender. See MarshalBinary.
func (l *CapacityHierarchical) AppendBinary(b []byte) ([]byte, error) { return l.pool.AppendBinary(b) }

// UnmarshalBinary implements encoding.BinaryUnmarshaler, as bookahead.Snapshotter
// says. It reads the snapshot of any pool that is exact to the tick.
// O(n log n).
func (l *CapacityHierarchical) UnmarshalBinary(data []byte) error {
	p, steps, err := pool.Decode(data)
	if err != nil {
		return err
	}
	var flat []step
	for i, s := range steps {
		if w := until(steps, i); !w.Empty() { // as it is at the end of the axis
			flat = append(flat, step{w, s.Free})
		}
	}
	*l = CapacityHierarchical{pool: p, root: layer{Interval: rest(p.Now), upon: stack(flat)}}
	return nil
}

// MarshalBinary implements encoding.BinaryMarshaler: a snapshot that all pools that
// are exact to the tick can read. O(n) for n reservations.
func (l *Mixed) MarshalBinary() ([]byte, error) { return l.pool.AppendBinary(nil) }

// AppendBinary implements encoding.BinaryAppender. See MarshalBinary.
func (l *Mixed) AppendBinary(b []byte) ([]byte, error) { return l.pool.AppendBinary(b) }

// UnmarshalBinary implements encoding.BinaryUnmarshaler, as bookahead.Snapshotter
// says. It reads the snapshot of any pool that is exact to the tick.
// O(n log n).
func (l *Mixed) UnmarshalBinary(data []byte) error {
	p, steps, err := pool.Decode(data)
	if err != nil {
		return err
	}
	changes := make([]change, 0, len(steps)+1)
	free := int64(0)
	for _, s := range steps {
		changes = append(changes, change{s.Start, s.Free - free})
		free = s.Free
	}
	changes = append(changes, change{bookahead.MaxTime, -free})
	*l = Mixed{pool: p, blocks: pair(changes)}
	return nil
}

// MarshalBinary implements encoding.BinaryMarshaler: a snapshot that all pools that
// are exact to the tick can read. O(n) for n reservations.
func (l *Used) MarshalBinary() ([]byte, error) { return l.pool.AppendBinary(nil) }

// AppendBinary implements encoding.BinaryAppender. See MarshalBinary.
func (l *Used) AppendBinary(b []byte) ([]byte, error) { return l.pool.AppendBinary(b) }

// UnmarshalBinary implements encoding.BinaryUnmarshaler, as bookahead.Snapshotter
// says. It reads the snapshot of any pool that is exact to the tick. A zero value gets the AVL tree, a list
// of NewUsedList stays as it is.
// O(n log n).
func (l *Used) UnmarshalBinary(data []byte) error {
	p, steps, err := pool.Decode(data)
	if err != nil {
		return err
	}
	read := Used{pool: p}
	if l.used.index != nil || l.pool.Capacity == 0 {
		read.used.index = &avl{}
	}
	read.used.generate(steps, func(s pool.Step) int64 { return p.Capacity - s.Free })
	*l = read
	return nil
}

// generate makes the blocks of an empty list: one for each step that has units.
func (l *timeline) generate(steps []pool.Step, units func(pool.Step) int64) {
	var last *block
	for i, s := range steps {
		if w, n := until(steps, i), units(s); n > 0 && !w.Empty() { // as it is at the end of the axis
			b := &block{Interval: w, units: n}
			l.insert(b, last, nil)
			last = b
		}
	}
}

// until returns the time of step i.
func until(steps []pool.Step, i int) bookahead.Interval {
	w := rest(steps[i].Start)
	if i+1 < len(steps) {
		w.End = steps[i+1].Start
	}
	return w
}
