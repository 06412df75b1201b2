package idletree

import (
	"iter"
	"slices"

	"github.com/google/btree"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/cow"
)

// calendar holds the idle periods of one server. Between two calls, these invariants hold.
// Verify names the invariant that is broken.
//
//	C1  The periods ascend, none is empty, and no two touch.
//	C2  From now on, periods fill all time in which no booking and no closure has the
//	    server, up to bookahead.MaxTime.
//	C3  From now on, no period overlaps a booking or a closure, nor do two bookings overlap.
//	C4  An array has at most fleet.most periods.
//
// C2 and C3 say nothing of the past. A calendar forgets periods that have ended, but only when
// it needs room. It keeps the last period that has begun, even if the period is over: if the
// booking behind the period is released at the moment it begins, the server has been idle since
// the Start of the period.
//
//	now 10   [5, 10) booked [10, 20)   released: idle since 5, not since 10
//
// Most servers have few idle periods, and there may be a million servers. So the periods are a
// sorted array, until an insertion into the array takes longer than a walk down a tree.
type calendar struct {
	few  []bookahead.Interval
	many *cow.Tree[bookahead.Interval] // in place of few, if it is not nil
}

// mostInArray is the greatest length at which a calendar is an array.
const mostInArray = 512

func startsEarlier(a, b bookahead.Interval) bool { return a.Start < b.Start }

// begun returns the last period with a Start of t or earlier.
func (c *calendar) begun(t bookahead.Time) (p bookahead.Interval, ok bool) {
	if c.many != nil {
		c.many.DescendLessOrEqual(bookahead.Interval{Start: t}, func(q bookahead.Interval) bool {
			p, ok = q, true
			return false
		})
		return p, ok
	}
	i := c.after(t)
	if i > 0 {
		return c.few[i-1], true
	}
	return p, false
}

// after returns the place in few of the first period that starts after t. It halves a long array,
// and counts in a short array: the loads of a count do not wait for each other, while the loads of
// a binary search do.
func (c *calendar) after(t bookahead.Time) int {
	const short = 16
	low, high := 0, len(c.few)
	for high-low > short {
		mid := int(uint(low+high) / 2)
		if c.few[mid].Start <= t {
			low = mid + 1
		} else {
			high = mid
		}
	}
	after := low
	for _, p := range c.few[low:high] {
		if p.Start <= t {
			after++
		}
	}
	return after
}

// startAfter returns a key in front of the periods that start after t. No period starts at the end of the axis,
// and no tick follows it.
func startAfter(t bookahead.Time) bookahead.Interval {
	return bookahead.Interval{Start: min(t, bookahead.MaxTime-1) + 1}
}

// next returns the first period that starts after t. A merger goes through a calendar with next
// instead of an iterator, so that it may stop at any period without closing anything.
func (c *calendar) next(t bookahead.Time) (p bookahead.Interval, ok bool) {
	if c.many != nil {
		c.many.AscendGreaterOrEqual(startAfter(t), func(q bookahead.Interval) bool {
			p, ok = q, true
			return false
		})
		return p, ok
	}
	i := c.after(t)
	if i < len(c.few) {
		return c.few[i], true
	}
	return p, false
}

// from yields the periods that end after t, in order. By C1 only one period that starts by t
// can end after t: the last.
func (c *calendar) from(t bookahead.Time) iter.Seq[bookahead.Interval] {
	return func(yield func(bookahead.Interval) bool) {
		first, ok := c.begun(t)
		if ok && first.End > t {
			if !yield(first) {
				return
			}
		}
		if c.many != nil {
			c.many.AscendGreaterOrEqual(startAfter(t), yield)
			return
		}
		for _, p := range c.few[c.after(t):] {
			if !yield(p) {
				return
			}
		}
	}
}

// take makes w a booking, and returns the period that contained w. The part in front of w keeps
// the place of the period, so the array grows only if both parts stay:
//
//	take       from [5, 31)
//	[10, 20)   [5, 10) [20, 31)     inserted behind
//	[5, 20)            [20, 31)     in its place
//	[10, 31)   [5, 10)              in its place
//	[5, 31)                         deleted
//
// In a tree, whose key is the start, [5, 10) replaces [5, 31), and only a booking that begins at 5
// needs a deletion. A tree forgets the past at each booking, because it deletes its first period in
// O(log m), while an array would move all others; and each period is forgotten only once.
func (c *calendar) take(w bookahead.Interval, now bookahead.Time) bookahead.Interval {
	if c.many != nil {
		c.forget(now)
		p, _ := c.begun(w.Start)
		c.put(bookahead.Interval{Start: p.Start, End: w.Start})
		c.put(bookahead.Interval{Start: w.End, End: p.End})
		if p.Start == w.Start {
			c.many.Delete(p)
		}
		return p
	}
	i := c.after(w.Start) - 1
	p := c.few[i]
	left := bookahead.Interval{Start: p.Start, End: w.Start}
	right := bookahead.Interval{Start: w.End, End: p.End}
	switch {
	case left.Empty() && right.Empty():
		c.few = slices.Delete(c.few, i, i+1)
	case left.Empty():
		c.few[i] = right
	case right.Empty():
		c.few[i] = left
	default:
		c.few[i] = left
		c.insert(i+1, right, now)
	}
	return p
}

// put adds p to the tree, or replaces the period with the same start. A part of a period may be
// empty, and is then left out for C1.
func (c *calendar) put(p bookahead.Interval) {
	if !p.Empty() {
		c.many.ReplaceOrInsert(p)
	}
}

// insert makes p the period at place i of few. It forgets periods only when the array is full,
// because only then a larger array may be saved; at other times periods would be moved for nothing.
func (c *calendar) insert(i int, p bookahead.Interval, now bookahead.Time) {
	if len(c.few) == cap(c.few) {
		i -= c.forget(now)
	}
	c.few = slices.Insert(c.few, i, p)
}

// limit keeps C4: an array that is longer than most becomes a tree. The tree stays a tree even if
// it shrinks, so that a calendar near the limit does not change back and forth.
func (c *calendar) limit(most int) {
	if len(c.few) <= most {
		return
	}
	c.many = cow.NewTree(btree.NewG(32, startsEarlier))
	for _, p := range c.few {
		c.many.ReplaceOrInsert(p)
	}
	c.few = nil
}

// give makes the booking w, or the rest of a booking, idle again. It returns the idle periods that
// touched w, which are empty if there are none. By C1 these periods and w must become one period:
//
//	give [10, 20)
//	[5, 10) [20, 31)     [5, 31) in the place of the first, the second deleted
//	        [20, 31)     [10, 31) in its place
//	[5, 10)              [5, 20) in its place
//	                     [10, 20) inserted
func (c *calendar) give(w bookahead.Interval, now bookahead.Time) (left, right bookahead.Interval) {
	left, right = c.adjacent(w)
	whole := w
	if !left.Empty() {
		whole.Start = left.Start
	}
	if !right.Empty() {
		whole.End = right.End
	}
	if c.many != nil {
		if !right.Empty() {
			c.many.Delete(right)
		}
		c.put(whole)
		return left, right
	}
	i := c.after(w.Start) // the place of right, or of whole
	switch {
	case left.Empty() && right.Empty():
		c.insert(i, whole, now)
	case left.Empty():
		c.few[i] = whole
	case right.Empty():
		c.few[i-1] = whole
	default:
		c.few[i-1] = whole
		c.few = slices.Delete(c.few, i, i+1)
	}
	return left, right
}

// adjacent returns the idle periods that touch the booking w. Only the last period that has begun by
// w.Start can end at w.Start, and only the last period that has begun by w.End can start at w.End.
func (c *calendar) adjacent(w bookahead.Interval) (left, right bookahead.Interval) {
	p, ok := c.begun(w.Start)
	if ok && p.End == w.Start {
		left = p
	}
	p, ok = c.begun(w.End)
	if ok && p.Start == w.End {
		right = p
	}
	return left, right
}

// forget removes the periods in front of the last period that has begun by now, and returns how many
// it has removed. Behind each of them lies a booking that has ended, so that none can grow again.
func (c *calendar) forget(now bookahead.Time) (past int) {
	if c.many == nil {
		past = max(0, c.after(now)-1)
		c.few = slices.Delete(c.few, 0, past)
		return past
	}
	last, ok := c.begun(now)
	if !ok {
		return 0
	}
	for {
		first, _ := c.many.Min()
		if first == last {
			return past
		}
		c.many.DeleteMin()
		past++
	}
}

func (c *calendar) clone() calendar {
	if c.many != nil {
		return calendar{many: c.many.Clone()}
	}
	return calendar{few: slices.Clone(c.few)}
}
