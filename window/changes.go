package window

import (
	"container/heap"
	"slices"
	"sort"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/effort"
)

// changes are the starts that are tried because of a tariff: the tick at which a rate begins, and
// for each length of a task the start at which the task ends there. There may be as many as rates times
// lengths. So they are not kept, but merged as the window moves, with a cursor for each distance to a rate:
//
//	rates            20      30      50
//	distance 0       20      30      50
//	distance 15      5       15      35
//	in order         5  15  20  30  35  50
type changes struct {
	rates   []bookahead.Time     // the ticks at which rates begin, ascending
	lengths []bookahead.Duration // of the tasks
	cursors cursors
	meter   *effort.Meter // of the search; a step is a move of a cursor
}

// cursor is at the change that lies some distance before a rate.
type cursor struct {
	at       bookahead.Time
	rate     int
	distance bookahead.Duration
}

// cursors are a heap, the earliest change first.
type cursors []cursor

func (c cursors) Len() int           { return len(c) }
func (c cursors) Less(i, j int) bool { return c[i].at < c[j].at }
func (c cursors) Swap(i, j int)      { c[i], c[j] = c[j], c[i] }
func (c *cursors) Push(x any)        { *c = append(*c, x.(cursor)) }
func (c *cursors) Pop() any {
	last := (*c)[len(*c)-1]
	*c = (*c)[:len(*c)-1]
	return last
}

// rewind goes back to the first change. O(g) for g lengths.
func (c *changes) rewind() {
	c.cursors = c.cursors[:0]
	if len(c.rates) == 0 {
		return
	}
	c.cursors = append(c.cursors, cursor{at: c.rates[0]})
	for _, length := range c.lengths {
		c.cursors = append(c.cursors, cursor{c.rates[0] - bookahead.Time(length), 0, length})
	}
	heap.Init(&c.cursors)
}

// after returns the first change after t, which is never earlier than the t before. It returns
// false if there is none, or if the search must stop. O(log g r) for each cursor that it moves, of r rates.
func (c *changes) after(t bookahead.Time) (change bookahead.Time, ok bool) {
	for len(c.cursors) > 0 && c.cursors[0].at <= t {
		if !c.meter.Go(1) {
			return 0, false
		}
		first := &c.cursors[0]
		rest := c.rates[first.rate:]
		first.rate += sort.Search(len(rest), func(i int) bool { return rest[i]-bookahead.Time(first.distance) > t })
		if first.rate == len(c.rates) {
			heap.Pop(&c.cursors)
			continue
		}
		first.at = c.rates[first.rate] - bookahead.Time(first.distance)
		heap.Fix(&c.cursors, 0)
	}
	if len(c.cursors) == 0 {
		return 0, false
	}
	return c.cursors[0].at, true
}

// tariffs collects the rates of the nodes that have items, and sets s.tariffed if there are any.
func (s *search) tariffs() {
	var rates []bookahead.Time
	known := looked{}
	node := -1
	for i := range s.items {
		if s.items[i].node == node {
			continue
		}
		node = s.items[i].node
		tariff := s.env.nodes[node].Tariff
		for _, r := range tariff[known.rest(tariff):] {
			rates = append(rates, r.From)
		}
	}
	slices.Sort(rates)
	s.tariffed = len(rates) > 0
	s.changes = changes{rates: slices.Compact(rates), lengths: s.lengths, meter: &s.meter}
}

// next returns the next start after t at which a window may stop: where item i begins, which
// begins after t, or a change if the window has slots. It returns false if there is none.
func (s *search) next(t bookahead.Time, i int, slots bool) (start bookahead.Time, ok bool) {
	if i < len(s.items) {
		start, ok = s.items[i].start, true
	}
	if !slots {
		return start, ok
	}
	change, more := s.changes.after(t)
	if more && !(ok && start <= change) {
		return change, true
	}
	return start, ok
}

// stopsOf returns the starts that a search tries with tariffs, ascending: the starts of slots,
// and the changes up to the last start of a task.
func (x *exact) stopsOf() []bookahead.Time {
	last := x.items[0].latest()
	for i := range x.items {
		last = max(last, x.items[i].latest())
	}
	var list []bookahead.Time
	x.changes.rewind()
	t, i := x.items[0].start, 0
	for t <= last && x.meter.Go(1) {
		list = append(list, t)
		for i < len(x.items) && x.items[i].start == t {
			i++
		}
		next, ok := x.next(t, i, true)
		if !ok {
			break
		}
		t = next
	}
	return list
}
