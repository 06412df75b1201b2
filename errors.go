package bookahead

import (
	"errors"
	"fmt"
)

// The ways in which an operation fails. No error changes the schedule.
var (
	// ErrUnavailable says that nothing fits. It is a normal outcome: it is returned bare, so that
	// it can be compared with == and allocates nothing.
	ErrUnavailable = errors.New("bookahead: no capacity for the request")

	// ErrNotFound says that an ID is not booked: the ID was never given, the reservation was
	// released, or it has ended. For a ClosureID it says that the closure is over, or never was.
	ErrNotFound = errors.New("bookahead: no such reservation")

	// ErrInvalid says that an argument makes no sense, whatever the state of the schedule.
	// ErrInvalid comes wrapped in an *InvalidError: test with errors.Is.
	ErrInvalid = errors.New("bookahead: invalid argument")

	// ErrStopped says that a search has used up its Effort before its end. If the answer of the
	// search says how good it is, by a bound or a flag, the error comes only where nothing was
	// found yet. Otherwise the error comes with the best answer so far, or with none: Effort lists
	// all searches. If Effort.Context was done, the error wraps its cause as well, so that
	// errors.Is(err, context.Canceled) holds after a cancel.
	ErrStopped = errors.New("bookahead: the search was stopped before its end")
)

// InvalidError names the argument that is wrong, its value and the reason. It wraps ErrInvalid.
type InvalidError struct {
	Field  string // such as "Request.Units"
	Value  any    // as given
	Reason string // such as "is negative"
}

// Error formats the error as "bookahead: Request.Units -3 is negative".
func (e *InvalidError) Error() string {
	return fmt.Sprintf("bookahead: %s %v %s", e.Field, e.Value, e.Reason)
}

// Unwrap returns ErrInvalid.
func (e *InvalidError) Unwrap() error { return ErrInvalid }

func invalid(field string, value any, reason string) error {
	return &InvalidError{Field: field, Value: value, Reason: reason}
}
