package gantt

import (
	"math/bits"

	"github.com/bookahead/bookahead"
)

// scale maps t, which lies in w or at its end, to 0 … width. It rounds down, so that
// bars that do not overlap in time do not overlap in the picture. It uses integers, so
// that the picture is the same on every machine.
func scale(t bookahead.Time, w bookahead.Interval, width int) int {
	// Differences of unsigned numbers do not overflow. As t - w.Start is at most the
	// length of w, the quotient is at most width.
	hi, lo := bits.Mul64(uint64(t)-uint64(w.Start), uint64(width))
	q, _ := bits.Div64(hi, lo, uint64(w.End)-uint64(w.Start))
	return int(q)
}
