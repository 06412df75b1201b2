package servers

import (
	"slices"
	"sort"

	"github.com/bookahead/bookahead"
)

// stretches is a set of ticks: intervals that ascend, and neither overlap nor touch. A slice is
// never changed after it was made, so that clones share it.
type stretches []bookahead.Interval

// behind returns the place of the first stretch that ends after t.
func (x stretches) behind(t bookahead.Time) int {
	return sort.Search(len(x), func(i int) bool { return x[i].End > t })
}

// plus returns the set with w added. Stretches that overlap or touch w become one with it.
func (x stretches) plus(w bookahead.Interval) stretches {
	i := x.behind(w.Start)
	if i > 0 && x[i-1].End == w.Start {
		i--
	}
	j := i
	for j < len(x) && x[j].Start <= w.End {
		w = bookahead.Interval{Start: min(w.Start, x[j].Start), End: max(w.End, x[j].End)}
		j++
	}
	return slices.Concat(x[:i], stretches{w}, x[j:])
}

// minus returns the set without w.
func (x stretches) minus(w bookahead.Interval) stretches {
	if !x.meets(w) {
		return x
	}
	i := x.behind(w.Start)
	rest := slices.Clone(x[:i])
	for i < len(x) && x[i].Start < w.End {
		rest = append(rest, outside(x[i], w)...)
		i++
	}
	return append(rest, x[i:]...)
}

// gaps returns the parts of w that are not in the set.
func (x stretches) gaps(w bookahead.Interval) stretches {
	var list stretches
	for i := x.behind(w.Start); i < len(x) && x[i].Start < w.End; i++ {
		if w.Start < x[i].Start {
			list = append(list, bookahead.Interval{Start: w.Start, End: x[i].Start})
		}
		w.Start = x[i].End
	}
	if !w.Empty() {
		list = append(list, w)
	}
	return list
}

// meets reports whether w overlaps the set.
func (x stretches) meets(w bookahead.Interval) bool {
	i := x.behind(w.Start)
	return i < len(x) && x[i].Start < w.End
}

// cover counts the closures of a server over time: n of them from a step on, until the next step.
// Before the first step there are none. Neighbours differ. A slice is never changed after it was
// made, so that clones share it.
//
//	closures    ├───────────┤
//	                 ├────────────┤
//	            5    8      12    15
//	cover       1    2      1     0
type cover []step

type step struct {
	at bookahead.Time
	n  int
}

// after returns the place of the first step after t.
func (c cover) after(t bookahead.Time) int {
	return sort.Search(len(c), func(i int) bool { return c[i].at > t })
}

// at returns how many closures there are at t, which is before the end of the axis.
func (c cover) at(t bookahead.Time) int {
	i := c.after(t)
	if i == 0 {
		return 0
	}
	return c[i-1].n
}

// plus returns the cover with n closures more in w; n may be negative.
func (c cover) plus(w bookahead.Interval, n int) cover {
	sum := make(cover, 0, len(c)+2)
	put := func(at bookahead.Time, n int) {
		last := len(sum) - 1
		if last < 0 && n != 0 || last >= 0 && sum[last].n != n {
			sum = append(sum, step{at, n})
		}
	}
	before := 0 // closures
	i := 0
	for i < len(c) && c[i].at < w.Start {
		put(c[i].at, c[i].n)
		before = c[i].n
		i++
	}
	if i == len(c) || c[i].at > w.Start {
		put(w.Start, before+n)
	}
	for i < len(c) && c[i].at < w.End {
		put(c[i].at, c[i].n+n)
		before = c[i].n
		i++
	}
	if i == len(c) || c[i].at > w.End {
		put(w.End, before)
	}
	for _, s := range c[i:] {
		put(s.at, s.n)
	}
	return sum
}

// open returns the parts of w without a closure.
func (c cover) open(w bookahead.Interval) stretches {
	var list stretches
	for i := c.after(w.Start) - 1; !w.Empty(); i++ {
		part := w
		if i+1 < len(c) {
			part.End = min(w.End, c[i+1].at)
		}
		if i < 0 || c[i].n == 0 {
			list = append(list, part)
		}
		w.Start = part.End
	}
	return list
}

// trim returns the cover from t on.
func (c cover) trim(t bookahead.Time) cover {
	i := max(0, c.after(t)-1)
	if i < len(c) && c[i].at <= t && c[i].n == 0 {
		i++
	}
	return c[i:]
}
