package idletree

import (
	"iter"
	"slices"

	"github.com/google/btree"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/cow"
)

// calendar holds the idle periods of one server. Between two of them lies at
// least one booking. The calendar drops the periods that have ended when it needs room, but
// keeps the last of them: if the booking behind it is released as it begins, the server has
// been idle since the Start of that period.
//
// Most servers have few idle periods, and there may be a million servers: they
// are a sorted array, until there are so many that inserting into it takes
// longer than walking a tree.
type calendar struct {
	few  []bookahead.Interval
	many *cow.Tree[bookahead.Interval] // instead of few, once it is not nil
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

// after returns the place in few of the first period that starts after t. It halves a long
// array, and counts in a short one: the loads of a count do not wait for each other, as
// those of a binary search do.
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

// next returns the first period that starts after t.
func (c *calendar) next(t bookahead.Time) (p bookahead.Interval, ok bool) {
	if c.many != nil {
		c.many.AscendGreaterOrEqual(bookahead.Interval{Start: t + 1}, func(q bookahead.Interval) bool {
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

// from yields the periods that end after t, in order.
func (c *calendar) from(t bookahead.Time) iter.Seq[bookahead.Interval] {
	return func(yield func(bookahead.Interval) bool) {
		first, ok := c.begun(t)
		if ok && first.End > t && !yield(first) {
			return
		}
		if c.many != nil {
			c.many.AscendGreaterOrEqual(bookahead.Interval{Start: t + 1}, yield)
			return
		}
		for _, p := range c.few[c.after(t):] {
			if !yield(p) {
				return
			}
		}
	}
}

// take makes w, which lies within an idle period, a booking. It returns that
// period. now is when the past ends.
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

func (c *calendar) put(p bookahead.Interval) {
	if !p.Empty() {
		c.many.ReplaceOrInsert(p)
	}
}

// insert makes p the period at place i of few. It looks for periods to forget only when the
// array is full.
func (c *calendar) insert(i int, p bookahead.Interval, now bookahead.Time) {
	if len(c.few) == cap(c.few) {
		i -= c.forget(now)
	}
	c.few = slices.Insert(c.few, i, p)
}

// limit turns few into many if it has become longer than most.
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

// give makes the booking w, or the rest of one, idle again. It returns the idle periods before
// and behind w, which are one with w now; they are empty if there are none.
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
	i := c.after(w.Start) // where the right one is, or would be
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

// adjacent returns the idle periods that touch the booking w.
func (c *calendar) adjacent(w bookahead.Interval) (left, right bookahead.Interval) {
	if p, ok := c.begun(w.Start); ok && p.End == w.Start {
		left = p
	}
	if p, ok := c.begun(w.End); ok && p.Start == w.End {
		right = p
	}
	return left, right
}

// forget drops the periods that end before a booking that has ended by now, and
// returns how many they are.
func (c *calendar) forget(now bookahead.Time) (past int) {
	if c.many == nil {
		past = max(0, c.after(now)-1)
		c.few = slices.Delete(c.few, 0, past)
		return past
	}
	for last, ok := c.begun(now); ok; past++ {
		first, _ := c.many.Min()
		if first == last {
			break
		}
		c.many.DeleteMin()
	}
	return past
}

func (c *calendar) clone() calendar {
	if c.many != nil {
		return calendar{many: c.many.Clone()}
	}
	return calendar{few: slices.Clone(c.few)}
}
