package freelist

import (
	"iter"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/pool"
)

// Config holds the settings of the constructors. The zero value is a schedule
// that begins at tick 0 and has no horizon.
type Config struct {
	// Origin is the time of the clock at first.
	Origin bookahead.Time
	// Horizon is how many ticks ahead of the clock can be booked; 0 means to
	// the end of the axis.
	Horizon bookahead.Duration
	// Booked are the reservations that the schedule holds from the start, in any order; the k-th
	// gets ID k+1. Each must end after the Origin. It may have begun before the Origin, but not
	// before tick 0. O(n log n) for n reservations.
	Booked []bookahead.Offer
}

// rest returns the time from t to the end of the axis.
func rest(t bookahead.Time) bookahead.Interval {
	return bookahead.Interval{Start: t, End: bookahead.MaxTime}
}

// block is a stretch of time with a number of units.
type block struct {
	bookahead.Interval
	units      int64
	prev, next *block
}

// timeline is a list of blocks, one at a time, in order. Each has units; between blocks there are
// none. Blocks that touch have different units.
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

// insert puts a block between prev and next; either is nil at an end of the list.
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

// split divides b at t, which lies inside b.
func (l *timeline) split(b *block, t bookahead.Time) {
	behind := &block{Interval: bookahead.Interval{Start: t, End: b.End}, units: b.units}
	b.End = t
	l.insert(behind, b, b.next)
}

// add changes the units throughout w by delta. It looks from hint on, a block that starts no
// later than w does, or finds a block itself if hint is nil.
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
	for b != nil && b.End <= w.Start {
		prev, b = b, b.next
	}
	for t := w.Start; t < w.End; {
		switch {
		case b == nil || b.Start > t: // no block at t: a new one up to the next block
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

// joinAround joins blocks that touch and have the same units. It goes back from the block after b
// to the first block that ends at or before t: add has changed nothing outside.
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

// forget drops everything before now.
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

// cut yields the part of b in w, unless that part is empty or has no units. It returns false if
// yield does.
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
		if n > 0 && !w.Empty() { // a step at the end of the axis is empty
			b := &block{Interval: w, units: n}
			l.insert(b, last, nil)
			last = b
		}
	}
}

// steps yields the end of each step from the one that contains t on, and its units: the units of
// a block, or 0 between blocks.
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

// until returns where step i ends: where the next step starts, or the end of the axis.
func until(steps []pool.Step, i int) bookahead.Time {
	if i+1 < len(steps) {
		return steps[i+1].Start
	}
	return bookahead.MaxTime
}
