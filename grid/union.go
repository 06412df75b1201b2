package grid

import (
	"iter"
	"slices"

	"github.com/bookahead/bookahead"
)

// union yields the ticks that lie in an interval of any sequence, as intervals that neither
// overlap nor touch. Each sequence must be in order of time.
func union(all []iter.Seq[bookahead.Interval]) iter.Seq[bookahead.Interval] {
	return func(yield func(bookahead.Interval) bool) {
		type source struct {
			head bookahead.Interval
			next func() (bookahead.Interval, bool)
		}
		var open []source
		for _, seq := range all {
			next, stop := iter.Pull(seq)
			defer stop()
			if head, ok := next(); ok {
				open = append(open, source{head, next})
			}
		}
		var sum bookahead.Interval
		for len(open) > 0 {
			k := 0
			for i := range open {
				if open[i].head.Start < open[k].head.Start {
					k = i
				}
			}
			head, ok := open[k].head, false
			switch {
			case sum.Empty():
				sum = head
			case head.Start <= sum.End:
				sum.End = max(sum.End, head.End)
			default:
				if !yield(sum) {
					return
				}
				sum = head
			}
			open[k].head, ok = open[k].next()
			if !ok {
				open = slices.Delete(open, k, k+1)
			}
		}
		if !sum.Empty() {
			yield(sum)
		}
	}
}
