package bookahead

import "context"

// Effort is the most that a search may do which could take long: its problem is hard, or
// its input large. Such a search counts steps. A step is a look at a slot, a link or a
// label, or a comparison with one, and takes tens of nanoseconds; the search says which it
// counts, and how much memory a step takes. Steps are counted alike on every machine. The
// search stops before a step that its Effort does not allow, with the best answer so far
// and a bound or a flag that says how good it is, or with ErrStopped.
//
// The zero value allows DefaultSteps, or fewer where a search says so, and never any number of
// them.
type Effort struct {
	// Context ends the search when it is done: within 1 024 steps. nil never does.
	// Where in its work the search is by then depends on the clock, and so may its
	// answer.
	Context context.Context
	// Steps is how many steps the search may make; 0 for the default. For a search to
	// the end, however long, it is math.MaxInt64.
	Steps int64
}

// DefaultSteps is how many steps a search may make whose Effort sets no number: some
// seconds of work.
const DefaultSteps = 1 << 27

// Validate returns an error that wraps ErrInvalid if Steps is negative. O(1).
func (e Effort) Validate() error {
	if e.Steps < 0 {
		return invalid("Effort.Steps", e.Steps, "is negative")
	}
	return nil
}
