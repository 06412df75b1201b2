package bookahead

import "context"

// Effort limits the work of a search that could take long, because its problem is hard or its
// input large. Such a search counts steps. A step is a look at a slot, a link or a label, or a
// comparison with one, and takes tens of nanoseconds. The search says which of these it counts,
// and how much memory a step takes. Steps are counted alike on every machine. The search stops
// before the first step that its Effort does not allow. The answer of a stopped search depends on the
// kind of answer:
//
//	search                        something was found            nothing was found
//	window: FirstFit, MaxQ,       the best window so far,        a window without Tasks,
//	MaxQLite, MultipleBest        with ErrStopped                with ErrStopped
//	window: Exact,                no error; Bound is above       ErrStopped
//	ExactPlacement                Value, unless it is Proven
//	window: Alternatives          the windows that are found     ErrStopped
//	                              before, ErrStopped last
//	route: SAMCRA, Earliest,      no error; Spent.Cut, and       ErrStopped, and Spent.Cut
//	ECT, MCT, AWMCT, MCB          a Bound
//	route: Pareto                 the paths that are found       ErrStopped, and Spent.Cut
//	                              before, ErrStopped last
//	route: SAMCRAHopByHop         no path, ErrStopped, and Spent.Cut in either case
//	route: Candidates             no candidates, ErrStopped in either case
//	route: EarliestTransfer       no error; Spent.Cut, and        ErrStopped
//	                              a Bound
//	volume: Search, Reserve,      no error; Bound is below        ErrStopped
//	SearchSteps;                  Cost, unless it is proven
//	desk: VolumeRequest
//	pieces: Search, SearchBy,     no plan, ErrStopped in either case
//	Reserve
//	kinds: Search, Reserve        no error; Bound is before the     ErrStopped
//	                              Start, unless it is Proven
//	grid: CoSearch, CoAllocate    no plan, ErrStopped in either case
//	desk: commands and other      refused, ErrStopped in either case
//	queries
//	desk: Alternatives            the places that are found before, ErrStopped last
//
// A plan of MCB that was found and ends behind the deadline counts as nothing.
//
// The zero value allows DefaultSteps steps, or fewer where a search says so.
type Effort struct {
	// Context ends the search when it is done: within 1 024 steps. nil never does. How far the
	// search has come by then depends on the clock, and so may its answer.
	Context context.Context
	// Steps is how many steps the search may make; 0 stands for the default, and math.MaxInt64
	// for a search to the end, however long.
	Steps int64
}

// DefaultSteps is how many steps a search may make if its Effort sets no number: a few seconds of
// work.
const DefaultSteps = 1 << 27

// Validate returns an error that wraps ErrInvalid if Steps is negative. O(1).
func (e Effort) Validate() error {
	if e.Steps < 0 {
		return invalid("Effort.Steps", e.Steps, "is negative")
	}
	return nil
}
