package bookahead

import (
	"errors"
	"fmt"
)

// The three ways in which an operation fails. Whatever the error, the schedule
// is as it was before the call.
var (
	// ErrUnavailable says that nothing fits. It is a normal outcome, and is
	// returned bare, so that it can be compared with == and costs nothing.
	ErrUnavailable = errors.New("bookahead: no capacity for the request")

	// ErrNotFound says that an ID is not booked: it never was, it was
	// released, or its reservation has ended. Of a ClosureID it says that
	// the closure is over, or never was.
	ErrNotFound = errors.New("bookahead: no such reservation")

	// ErrInvalid says that an argument makes no sense, whatever the state of
	// the schedule. It comes wrapped in an *InvalidError: test with errors.Is.
	ErrInvalid = errors.New("bookahead: invalid argument")
)

// InvalidError names the argument that is wrong. It wraps ErrInvalid.
type InvalidError struct {
	Field  string // such as "Request.Units"
	Value  any    // what was given
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
