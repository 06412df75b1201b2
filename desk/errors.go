package desk

import (
	"errors"
	"fmt"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
)

// ErrKey says that the key of a Book or a BookSeries is that of another request. It wraps bookahead.ErrInvalid, and
// comes wrapped in an error that names the booking or the series: test with errors.Is.
var ErrKey = fmt.Errorf("desk: the key of another request: %w", bookahead.ErrInvalid)

// kindError is an invalid argument with an error value of its own, such as ErrKey.
type kindError struct {
	kind error
	error
}

func (e kindError) Unwrap() []error { return []error{e.kind, e.error} }

// ErrChanged says that a booking is not as the caller of a Given has seen it. It wraps bookahead.ErrInvalid, and comes wrapped
// in an error that names the booking: test with errors.Is.
var ErrChanged = fmt.Errorf("desk: the booking has changed meanwhile: %w", bookahead.ErrInvalid)

// ErrNeeded says that a series does not need more at Continue.Needed: somebody has continued or cancelled it meanwhile.
// It wraps bookahead.ErrInvalid, and comes wrapped in an error with the tick at which the series needs more now: test
// with errors.Is.
var ErrNeeded = fmt.Errorf("desk: the series needs no more at that tick: %w", bookahead.ErrInvalid)

// OccurrenceError says that a window of a BookSeries or a Continue has no place. It wraps bookahead.ErrUnavailable. A
// service finds it with errors.As, and can show the window in clock times.
type OccurrenceError struct {
	Field  string             // "BookSeries.At" or "Continue.At"
	Index  int                // the index of the window
	Window bookahead.Interval // late by the Shift that was tried last
}

// Error formats the error as "desk: BookSeries.At[3] [230, 232) has no place: bookahead: no capacity for the request".
func (e *OccurrenceError) Error() string {
	return fmt.Sprintf("desk: %s[%d] %v has no place: %v", e.Field, e.Index, e.Window, bookahead.ErrUnavailable)
}

// Unwrap returns bookahead.ErrUnavailable.
func (e *OccurrenceError) Unwrap() error { return bookahead.ErrUnavailable }

// asInvalid returns the error for an entry or a snapshot that makes no sense, and nil for nil.
func asInvalid(err error) error {
	if err == nil || errors.Is(err, bookahead.ErrInvalid) {
		return err
	}
	return limits.Invalid("desk", err.Error(), "would follow from the entry or the bytes")
}

// broken returns the error that says which invariant does not hold.
func broken(invariant, about string, args ...any) error {
	return fmt.Errorf("desk: %s: %s", invariant, fmt.Sprintf(about, args...))
}
