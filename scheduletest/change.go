package scheduletest

import (
	"fmt"
	"math"

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

// change makes a call on a schedule with a past. If units were added, they count towards the
// Capacity of the history.
func (h *history) change(t *rapid.T, target Target) {
	c := drawChange(t, target, h.Schedule.(bookahead.Keeper).Frame(), h.Capacity)
	got, err := c.run(h.Schedule)
	if err != nil {
		return
	}
	h.changed = h.changed || got.ID > 0
	if got.Added {
		h.Capacity += got.Units
	}
}
