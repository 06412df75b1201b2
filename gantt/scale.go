package gantt

import (
	"math/bits"

	"github.com/bookahead/bookahead"
)

// scale maps t, which lies in w or at its end, to 0 … width. It rounds down, so
// that what does not overlap in time does not overlap in the picture, and does so
// in whole numbers, so that the picture is the same everywhere.
func scale(t bookahead.Time, w bookahead.Interval, width int) int {
	// The differences are those of 64-bit numbers without a sign, so that none
	// overflows; and width < 1<<64, so that neither does the quotient.
	hi, lo := bits.Mul64(uint64(t)-uint64(w.Start), uint64(width))
	q, _ := bits.Div64(hi, lo, uint64(w.End)-uint64(w.Start))
	return int(q)
}
