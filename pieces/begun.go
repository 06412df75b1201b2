package pieces

import (
	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
)

// Begun is work of which some pieces are over, or run:
//
//	now is 5, and the piece that began at 0 may have its units until 9
//
//	Piece  [0, 9)     Done  9     Stop  3 if each piece does 3 ticks at least
type Begun struct {
	// Piece is the last piece that has begun. Its End is in the past if it is over. Otherwise it is the time until which the
	// piece may go on where it is.
	Piece bookahead.Interval
	// Done is how many ticks of the work are done if the piece goes on until its End, with those of all pieces before; at least 0.
	Done bookahead.Duration
	// Stop is the first tick at which the piece may stop by the rule. If it is later than End, only the end of the work can be its end.
	Stop bookahead.Time
}

// Validate returns an error that wraps bookahead.ErrInvalid, and names the field, if the piece ends before it begins, or has done less
// than nothing. O(1).
func (b Begun) Validate() error {
	switch {
	case b.Piece.End < b.Piece.Start:
		return limits.Invalid("Begun.Piece", b.Piece, "ends before it begins")
	case b.Piece.Start < 0:
		return limits.Invalid("Begun.Piece", b.Piece, "begins before 0")
	case b.Done < 0:
		return limits.Invalid("Begun.Done", b.Done, "is negative")
	case b.Stop < b.Piece.Start:
		return limits.Invalid("Begun.Stop", b.Stop, "is before Begun.Piece")
	}
	return nil
}

// way returns the piece as a way to work that no run has.
func (b Begun) way() way {
	return way{start: b.Piece.Start, end: b.Piece.End, may: b.Stop, lost: b.Piece.End - bookahead.Time(b.Done), before: -1}
}

// resume begins with a piece that has begun. It returns false if the piece cannot stop before its end, so that no other follows.
func (x *program) resume(b Begun) bool {
	if b.Stop > b.Piece.End {
		return false
	}
	x.begun, x.ways, x.open = true, append(x.ways, b.way()), append(x.open, len(x.ways))
	return true
}

// ends returns the end of some work that its last piece can do, where it is; false if it cannot do all.
func (b Begun) ends(work bookahead.Duration) (bookahead.Interval, bool) {
	w := b.way()
	return bookahead.Interval{Start: w.start, End: w.lost + bookahead.Time(work)}, b.Done >= work
}
