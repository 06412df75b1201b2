package freelist

import (
	"iter"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/pool"
)

// Config holds the settings of the constructors. The zero value is a schedule
// that begins at tick 0 and has no horizon.
type Config struct {
	// Origin is the time at which the clock stands at first.
	Origin bookahead.Time
	// Horizon is how many ticks ahead of the clock can be booked; 0 means to
	// the end of the axis.
	Horizon bookahead.Duration
	// Booked is what the schedule holds from the start, in any order; the k-th gets ID
	// k+1. Each ends after the Origin. It may have begun before it, but not before tick 0.
	// O(n log n) for n.
	Booked []bookahead.Offer
}

// rest is the time from t to the end of the axis.
func rest(t bookahead.Time) bookahead.Interval {
	return bookahead.Interval{Start: t, End: bookahead.MaxTime}
}

// block is a rectangle in a timeline.
type block struct {
	bookahead.Interval
	units      int64
	prev, next *block
}

// timeline is a list of blocks with units, one at a time, in order. Between
// them there are none. Blocks that touch differ.
type timeline struct {
	head  *block
	index *avl // of the blocks, by start; or nil
}

// after returns the first block that ends after t.
func (l *timeline) after(t bookahead.Time) *block {
	b := l.head
	if l.index != nil {
		floor := l.index.floor(t)
		if floor != nil {
			b = floor
		}
	}
	for b != nil && b.End <= t {
		b = b.next
	}
	return b
}

// insert puts a block before next, or last if that is nil; prev is the one
// before it.
func (l *timeline) insert(b, prev, next *block) {
	b.prev, b.next = prev, next
	if prev == nil {
		l.head = b
	} else {
		prev.next = b
	}
	if next != nil {
		next.prev = b
	}
	if l.index != nil {
		l.index.insert(b)
	}
}

func (l *timeline) remove(b *block) {
	if b.prev == nil {
		l.head = b.next
	} else {
		b.prev.next = b.next
	}
	if b.next != nil {
		b.next.prev = b.prev
	}
	if l.index != nil {
		l.index.remove(b)
	}
}

// split cuts b in two at t, which lies inside.
func (l *timeline) split(b *block, t bookahead.Time) {
	behind := &block{Interval: bookahead.Interval{Start: t, End: b.End}, units: b.units}
	b.End = t
	l.insert(behind, b, b.next)
}

// add changes the units throughout w by delta. It begins at hint, a block that
// does not lie behind the start of w, or looks for one if that is nil.
func (l *timeline) add(hint *block, w bookahead.Interval, delta int64) {
	b := hint
	if b == nil {
		b = l.after(w.Start)
	}
	var prev *block // the last block before b, even where b is nil
	if b != nil {
		prev = b.prev
	} else {
		prev = l.last()
	}
	for ; b != nil && b.End <= w.Start; prev, b = b, b.next {
	}
	for t := w.Start; t < w.End; {
		switch {
		case b == nil || b.Start > t: // nothing is here
			end := w.End
			if b != nil {
				end = min(end, b.Start)
			}
			gap := &block{Interval: bookahead.Interval{Start: t, End: end}, units: delta}
			l.insert(gap, prev, b)
			prev, t = gap, end
		case b.Start < t:
			l.split(b, t)
			prev, b = b, b.next
		default:
			if b.End > w.End {
				l.split(b, w.End)
			}
			t = b.End
			next := b.next
			b.units += delta
			if b.units == 0 {
				l.remove(b)
			} else {
				prev = b
			}
			b = next
		}
	}
	l.joinAround(prev, w.Start)
}

// joinAround joins blocks that touch and agree, from the one behind b back to
// the first that ends at or before t.
func (l *timeline) joinAround(b *block, t bookahead.Time) {
	if b == nil {
		return
	}
	if b.next != nil {
		b = b.next
	}
	for b.prev != nil && b.Start >= t {
		p := b.prev
		if p.End == b.Start && p.units == b.units {
			p.End = b.End
			l.remove(b)
		}
		b = p
	}
}

func (l *timeline) last() *block {
	if l.index != nil {
		return l.index.last()
	}
	b := l.head
	for b != nil && b.next != nil {
		b = b.next
	}
	return b
}

// forget drops what lies before now.
func (l *timeline) forget(now bookahead.Time) {
	for l.head != nil && l.head.End <= now {
		l.remove(l.head)
	}
	if l.head != nil {
		l.head.Start = max(l.head.Start, now)
	}
}

// clone copies the blocks.
func (l *timeline) clone() timeline {
	var c timeline
	if l.index != nil {
		c.index = &avl{}
	}
	var last *block
	for b := l.head; b != nil; b = b.next {
		copied := &block{Interval: b.Interval, units: b.units}
		c.insert(copied, last, nil)
		last = copied
	}
	return c
}

// cut yields b's part in w, if there is any.
func cut(w, b bookahead.Interval, units int64, yield func(bookahead.Block) bool) bool {
	part := w.Intersect(b)
	return part.Empty() || units == 0 || yield(bookahead.Block{Interval: part, Units: units})
}

// generate makes the blocks of an empty list: one for each step that has units.
func (l *timeline) generate(steps []pool.Step, units func(pool.Step) int64) {
	var last *block
	for i, s := range steps {
		w := bookahead.Interval{Start: s.Start, End: until(steps, i)}
		n := units(s)
		if n > 0 && !w.Empty() { // as it is at the end of the axis
			b := &block{Interval: w, units: n}
			l.insert(b, last, nil)
			last = b
		}
	}
}

// steps yields the end of each step from the one that contains t on, and its units: those
// of a block, or none between blocks.
func (l *timeline) steps(t bookahead.Time) iter.Seq2[bookahead.Time, int64] {
	return func(yield func(bookahead.Time, int64) bool) {
		for b := l.after(t); b != nil; b = b.next {
			if b.Start > t && !yield(b.Start, 0) || !yield(b.End, b.units) {
				return
			}
			t = b.End
		}
		if t < bookahead.MaxTime {
			yield(bookahead.MaxTime, 0)
		}
	}
}

// until returns where step i ends: where the next one starts, or the end of the axis.
func until(steps []pool.Step, i int) bookahead.Time {
	if i+1 < len(steps) {
		return steps[i+1].Start
	}
	return bookahead.MaxTime
}
