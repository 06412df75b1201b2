package profile

import (
	"iter"
	"math"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/pool"
)

var _ = []pool.Filler{(*Tree[int32])(nil), (*Tree[int64])(nil)}

// Fill implements pool.Filler. O(log v) for each step that it yields. The cursor passes what lies in a step with most
// units, and what lies between steps with too few, by the lows and highs of the nodes:
//
//	least 2, most 4     free     6 5 4 7 3 2 1 0 3 5
//	                    moves    └──────▸┴▸┴▸└──▸┴▸
func (p *Tree[U]) Fill(w bookahead.Interval, least, most int64) iter.Seq[bookahead.Step] {
	few, many := U(least), U(most)
	if int64(few) != least {
		return func(func(bookahead.Step) bool) {} // no pool of 32 bits has so many units
	}
	if int64(many) != most {
		many = math.MaxInt32 // nor so many
	}
	return func(yield func(bookahead.Step) bool) {
		var c cursor[U]
		c.seek(p.root, w.Start)
		for at := w.Start; ; {
			step := bookahead.Step{Interval: bookahead.Interval{Start: at, End: w.End}, Free: int64(c.free())}
			more := true
			switch {
			case step.Free < least:
				if !c.toAtLeast(few, w.End-1) {
					return
				}
				at = c.start()
				continue
			case step.Free >= most:
				step.Free = most
				more = c.toBelow(many, w.End)
				if more {
					step.End = c.start()
				}
			default:
				step.End = min(w.End, c.end())
				more = step.End < w.End && c.next()
			}
			if !yield(step) || !more {
				return
			}
			at = step.End
		}
	}
}
