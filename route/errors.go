package route

import "github.com/bookahead/bookahead"

func invalid(field string, value any, reason string) error {
	return &bookahead.InvalidError{Field: field, Value: value, Reason: reason}
}

// Why there is no route. Both wrap bookahead.ErrUnavailable, are returned bare, and can be
// compared with ==.
var (
	// ErrLimits says that paths lead to a server, and none of them is within the limits.
	ErrLimits error = noRoute("bookahead: no route within the limits")
	// ErrNoWay says that no path leads from the source to a server, whatever the limits.
	ErrNoWay error = noRoute("bookahead: no way leads from the source to a server")
)

type noRoute string

func (e noRoute) Error() string { return string(e) }

// Unwrap returns bookahead.ErrUnavailable.
func (e noRoute) Unwrap() error { return bookahead.ErrUnavailable }
