package scheduletest

import (
	"fmt"
	"math"
	"slices"

	"pgregory.net/rapid"

	"github.com/bookahead/bookahead"
)

// change is a call that changes the capacity or the index. The zero value makes no call.
type change struct {
	bookahead.Closure        // closed, or added if Units or Servers are given
	ended             bool   // ID says which closure ends, and End when
	tracks            string // "on" or "off"
}

// String formats the call.
func (c change) String() string {
	switch {
	case c.ended:
		return fmt.Sprintf("End(%d, %d)", c.ID, c.End)
	case c.Units == 0 && c.Servers == nil:
		return c.tracks
	}
	return inWords(c.Closure)
}

// run makes the call, and returns the closure.
func (c change) run(s bookahead.Schedule) (got bookahead.Closure, err error) {
	bookahead.Update(s, func(s bookahead.Closable) {
		switch {
		case c.ended:
			err = s.End(c.ID, c.End)
		case c.Units == 0 && c.Servers == nil:
		case c.Added:
			got, err = s.Extend(ownServers(c.Closure))
		default:
			got, err = s.Close(ownServers(c.Closure))
		}
	})
	if c.tracks != "" {
		bookahead.Update(s, func(s bookahead.Tracker) { s.Track(c.tracks == "on") })
	}
	return got, err
}

// drawChange draws a call.
func drawChange(t *rapid.T, target Target, f bookahead.Frame, capacity int64) (c change) {
	switch rapid.IntRange(0, 5).Draw(t, "kind of change") {
	default:
		c.Closure = drawClosure(t, target, f, capacity)
		c.Added = false
		if c.Units > 1<<55 { // the laws close as much again
			c.Units = math.MaxInt64
		}
	case 3:
		c.Closure = drawExtension(t, f)
		c.Added = true
	case 4:
		c.ended = true
		c.ID = bookahead.ClosureID(rapid.IntRange(0, 4).Draw(t, "closure"))
		c.End = later(f.Now, drawTime(t, -2, span, "at"))
	case 5:
		c.tracks = rapid.SampledFrom([]string{"on", "off"}).Draw(t, "tracks")
	}
	return c
}

// drawSpan draws the time of a closure: near now, across the horizon, beyond it, or until
// further notice.
func drawSpan(t *rapid.T, f bookahead.Frame) bookahead.Interval {
	edge := f.Horizon
	if edge == bookahead.MaxTime {
		edge = later(f.Now, span)
	}
	switch rapid.IntRange(0, 9).Draw(t, "where") {
	default:
		return drawWindow(t, f.Now)
	case 5, 6:
		return bookahead.Interval{Start: later(f.Now, drawTime(t, -4, span, "from")), End: bookahead.MaxTime}
	case 7:
		return bookahead.Interval{Start: edge - drawTime(t, 1, 12, "before the horizon"), End: later(edge, drawTime(t, 1, 12, "beyond it"))}
	case 8:
		start := later(edge, drawTime(t, 0, 6, "beyond the horizon"))
		return bookahead.Interval{Start: start, End: later(start, drawTime(t, 1, 12, "for"))}
	case 9:
		return bookahead.Interval{Start: math.MinInt64, End: later(f.Now, drawTime(t, 1, span, "until"))}
	}
}

// drawClosure draws a closure that is seldom invalid.
func drawClosure(t *rapid.T, target Target, f bookahead.Frame, capacity int64) bookahead.Closure {
	c := drawRoom(t, target, f, capacity)
	if rapid.IntRange(0, 9).Draw(t, "hostile") == 9 {
		c = spoilClosure(t, c, f)
	}
	return c
}

// drawRoom draws a closure of a few units, of all units, or of more; or of a few neighbouring
// servers, so that closures of one server overlap.
func drawRoom(t *rapid.T, target Target, f bookahead.Frame, capacity int64) bookahead.Closure {
	c := bookahead.Closure{Interval: drawSpan(t, f)}
	if target.Servers {
		first := rapid.IntRange(0, f.Servers-1).Draw(t, "first server")
		for k := range rapid.IntRange(1, min(f.Servers, 4)).Draw(t, "servers") {
			c.Servers = append(c.Servers, (first+k)%f.Servers)
		}
		if rapid.Bool().Draw(t, "counted") {
			c.Units = int64(len(c.Servers))
		}
	} else {
		c.Units = capacity
		if rapid.IntRange(0, 3).Draw(t, "all") < 3 {
			c.Units = rapid.Int64Range(1, capacity+min(3, math.MaxInt64-capacity)).Draw(t, "units")
		}
	}
	return c
}

// spoilClosure puts an extreme value into a closure. Some values change nothing.
func spoilClosure(t *rapid.T, c bookahead.Closure, f bookahead.Frame) bookahead.Closure {
	switch rapid.IntRange(0, 5).Draw(t, "misuse") {
	case 0:
		c.Units = rapid.SampledFrom([]int64{math.MinInt64, -1, 0, 1 << 61, 1 << 62, 1<<62 + 1, math.MaxInt64}).Draw(t, "extreme units")
	case 1:
		c.Servers = rapid.SampledFrom([][]int{nil, {-1}, {f.Servers}, {0, 0}, {0, math.MaxInt}}).Draw(t, "extreme servers")
	case 2:
		c.Start, c.End = c.End, c.Start
	case 3:
		c.Interval = bookahead.Interval{Start: math.MinInt64, End: f.Now}
	case 4:
		c.Interval = always
	case 5:
		c.ID, c.Added = 7, true // neither is read
	}
	return c
}

// drawExtension draws an extension by a few units or servers.
func drawExtension(t *rapid.T, f bookahead.Frame) bookahead.Closure {
	c := bookahead.Closure{Interval: drawSpan(t, f), Units: rapid.Int64Range(1, 3).Draw(t, "added")}
	if rapid.IntRange(0, 9).Draw(t, "hostile") == 9 {
		c = spoilClosure(t, c, f)
	}
	return c
}

func drawEnd(t *rapid.T, live []bookahead.Closure, now bookahead.Time) (bookahead.ClosureID, bookahead.Time) {
	id := bookahead.ClosureID(rapid.Uint64Range(0, 20).Draw(t, "closure")) // known or not
	at := later(now, drawTime(t, -4, span, "at"))
	if len(live) == 0 || rapid.IntRange(0, 9).Draw(t, "which") == 9 {
		return id, at
	}
	c := live[int(id)%len(live)]
	edges := []bookahead.Time{at, at, now, math.MinInt64, c.Start, later(c.Start, 1), c.End, later(c.End, 1), c.End - 1}
	if c.End-now > 10*span { // the oracle goes from tick to tick
		edges = edges[:len(edges)-1]
	}
	return c.ID, rapid.SampledFrom(edges).Draw(t, "end")
}

// ownServers returns a closure with Servers of its own.
func ownServers(c bookahead.Closure) bookahead.Closure {
	c.Servers = slices.Clone(c.Servers)
	return c
}

// sameClosure compares closures, whatever the order of their servers.
func sameClosure(a, b bookahead.Closure) bool {
	return a.ID == b.ID && a.Interval == b.Interval && a.Units == b.Units && a.Added == b.Added &&
		slices.Equal(slices.Sorted(slices.Values(a.Servers)), slices.Sorted(slices.Values(b.Servers)))
}

// closuresOf returns the closures of a schedule; none if it lacks the ability.
func closuresOf(s bookahead.Schedule) (list []bookahead.Closure) {
	bookahead.View(s, func(s bookahead.Closable) { list = slices.Collect(s.Closures()) })
	return list
}

// overbookedIn returns the stretches of w that are overbooked.
func overbookedIn(s bookahead.Schedule, w bookahead.Interval) (list []bookahead.Overbooking) {
	bookahead.View(s, func(s bookahead.Closable) { list = slices.Collect(s.Overbooked(w)) })
	return list
}

func sameOverbooking(a, b bookahead.Overbooking) bool {
	return a.Interval == b.Interval && a.Units == b.Units && slices.Equal(a.Servers, b.Servers) && (a.Servers == nil) == (b.Servers == nil)
}

// inWords formats closures and similar values with all their fields. Without it, each would be
// formatted as its Interval.
func inWords(v any) string {
	switch v := v.(type) {
	case bookahead.Closure:
		return fmt.Sprintf("{#%d %v %d %v added=%t}", v.ID, v.Interval, v.Units, v.Servers, v.Added)
	case bookahead.Overbooking:
		return fmt.Sprintf("{%v %d %v}", v.Interval, v.Units, v.Servers)
	case []bookahead.Closure:
		return listInWords(v)
	case []bookahead.Overbooking:
		return listInWords(v)
	}
	return fmt.Sprintf("%+v", v)
}

func listInWords[E any](list []E) string {
	words := make([]string, len(list))
	for i, e := range list {
		words[i] = inWords(e)
	}
	return fmt.Sprint(words)
}
