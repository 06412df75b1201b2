package volume

import (
	"fmt"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
)

// Request asks for Volume unit-ticks between Ready and Deadline, as early as possible.
type Request struct {
	// Ready is the first tick of the work. A Ready in the past counts as now.
	Ready bookahead.Time
	// Deadline is the tick by which the work is done; 0 means that only the horizon limits it.
	Deadline bookahead.Time
	// Volume is how much there is to do, in units times ticks; at least 1.
	Volume int64
	// Most is the most units at once; 0 stands for any number.
	Most int64
	// Least is the fewest units while the work runs, and then it does not pause; 0 lets it pause.
	Least int64
	// Stretches is the most stretches, in each of which the number of units stays the same; 0 stands for any number. A
	// pause ends a stretch.
	Stretches int
	// Price is a delay that each stretch after the first is worth: a plan that ends so many ticks later, in one
	// stretch less, is as good. In ticks.
	Price bookahead.Duration
}

// Validate returns an error that wraps bookahead.ErrInvalid, and names the field, if the request makes no sense. O(1).
func (r Request) Validate() error {
	switch {
	case r.Volume < 1:
		return limits.Invalid("Request.Volume", r.Volume, "is less than 1")
	case r.Most < 0:
		return limits.Invalid("Request.Most", r.Most, "is negative")
	case r.Least < 0:
		return limits.Invalid("Request.Least", r.Least, "is negative")
	case r.Most > 0 && r.Least > r.Most:
		return limits.Invalid("Request.Least", r.Least, fmt.Sprintf("is more than Request.Most, %d", r.Most))
	case r.Stretches < 0:
		return limits.Invalid("Request.Stretches", r.Stretches, "is negative")
	case r.Price < 0:
		return limits.Invalid("Request.Price", r.Price, "is negative")
	case r.Deadline != 0 && r.Deadline <= r.Ready:
		return limits.Invalid("Request.Deadline", r.Deadline, fmt.Sprintf("is not after Request.Ready, %d", r.Ready))
	}
	return nil
}

// Stretch is a time in which a plan has the same number of units.
type Stretch struct {
	bookahead.Interval
	Units int64
}

// Plan is where the work of a Request lies. The stretches are in order, and do not overlap.
type Plan struct {
	Stretches []Stretch
	// Cost is the end of the last stretch, and the price of the others; bookahead.MaxTime if that is more. (Plans are
	// compared by their costs nevertheless, however large.)
	Cost bookahead.Time
	// Bound is a cost that no plan is below. If it equals Cost, no plan is better.
	Bound bookahead.Time
	// Spent is the number of steps that the search took. A Plan that comes with an error has nothing else.
	Spent int64
}

// Completion returns the end of the last stretch; 0 if there is none.
func (p Plan) Completion() bookahead.Time {
	if len(p.Stretches) == 0 {
		return 0
	}
	return p.Stretches[len(p.Stretches)-1].End
}
