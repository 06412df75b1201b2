package servers

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bookahead/bookahead"
)

const axis = 40

func drawSpan(t *rapid.T) bookahead.Interval {
	start := bookahead.Time(rapid.IntRange(0, axis-1).Draw(t, "start"))
	return span(start, bookahead.Time(rapid.IntRange(int(start)+1, axis).Draw(t, "end")))
}

// ticksOf returns which ticks are in a set, and checks that the set is in form.
func ticksOf(t *rapid.T, x stretches) (in [axis]bool) {
	for i, w := range x {
		require.False(t, w.Empty() || i > 0 && w.Start <= x[i-1].End, "%v", x)
		for at := w.Start; at < w.End; at++ {
			in[at] = true
		}
	}
	return in
}

// TestStretches compares a set with a bit for each tick. Sets made before stay as they were.
func TestStretches(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var x stretches
		var want [axis]bool
		for range rapid.IntRange(1, 12).Draw(t, "steps") {
			w := drawSpan(t)
			plus := rapid.Bool().Draw(t, "plus")
			old, before := x, want
			if plus {
				x = x.plus(w)
			} else {
				x = x.minus(w)
			}
			for at := w.Start; at < w.End; at++ {
				want[at] = plus
			}
			require.Equal(t, want, ticksOf(t, x))
			require.Equal(t, before, ticksOf(t, old))
			var gaps [axis]bool
			meets := false
			w = drawSpan(t)
			for at := w.Start; at < w.End; at++ {
				gaps[at] = !want[at]
				meets = meets || want[at]
			}
			require.Equal(t, gaps, ticksOf(t, x.gaps(w)))
			require.Equal(t, meets, x.meets(w))
			require.Equal(t, want, ticksOf(t, union(append([]bookahead.Interval{}, x...))))
		}
	})
}

// TestCover compares a cover with a count for each tick, and with the sum of all changes.
func TestCover(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var c cover
		var want [axis]int
		var open []bookahead.Interval
		for range rapid.IntRange(1, 12).Draw(t, "steps") {
			w, by := drawSpan(t), 1
			if len(open) > 0 && rapid.Bool().Draw(t, "less") {
				w, by, open = open[0], -1, open[1:]
			} else {
				open = append(open, w)
			}
			c = c.plus(w, by)
			var changes []step
			for _, w := range open {
				changes = append(changes, step{w.Start, 1}, step{w.End, -1})
			}
			require.Equal(t, c, append(cover{}, sum(changes)...))
			for at := w.Start; at < w.End; at++ {
				want[at] += by
			}
			from := bookahead.Time(rapid.IntRange(0, axis-1).Draw(t, "trim"))
			trimmed := c.trim(from)
			for at := range bookahead.Time(axis) {
				require.Equal(t, want[at], c.at(at))
				require.True(t, at < from || trimmed.at(at) == want[at])
			}
			w = drawSpan(t)
			var idle [axis]bool
			for at := w.Start; at < w.End; at++ {
				idle[at] = want[at] == 0
			}
			require.Equal(t, idle, ticksOf(t, c.open(w)))
		}
	})
}
