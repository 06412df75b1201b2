package office

import (
	"errors"
	"fmt"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/desk"
	"github.com/bookahead/bookahead/service/api"
)

// Kind is what is wrong with a call.
type Kind uint8

const (
	// Invalid is a call that makes no sense.
	Invalid Kind = iota
	// Forbidden is a call of somebody who may not.
	Forbidden
	// NotFound is a call about something that there is not.
	NotFound
	// Unavailable is a wish without a place.
	Unavailable
	// Changed is a change of a booking that is not as the caller has seen it.
	Changed
	// Stopped is a call that takes too many steps.
	Stopped
	// Away is a call that no member can answer now.
	Away
)

// Problem says what is wrong with a call.
type Problem struct {
	Kind Kind
	// Field is where in the call: "parts[0].schedule", or "".
	Field  string
	Detail string
	// Refusal says why a wish has no place; nil for other kinds.
	Refusal *api.Refusal
	cause   error
}

// Error returns the detail, with the field in front.
func (p *Problem) Error() string {
	if p.Field == "" {
		return p.Detail
	}
	return p.Field + ": " + p.Detail
}

// Unwrap returns the error of the desk or the member.
func (p *Problem) Unwrap() error { return p.cause }

func invalid(field, what string, args ...any) error {
	return &Problem{Kind: Invalid, Field: field, Detail: fmt.Sprintf(what, args...)}
}

func missing(what string, args ...any) error {
	return &Problem{Kind: NotFound, Detail: "there is no " + fmt.Sprintf(what, args...)}
}

func forbidden(what string, args ...any) error {
	return &Problem{Kind: Forbidden, Detail: fmt.Sprintf(what, args...)}
}

// problemOf makes a Problem of an error of the desk or the member; nil for nil.
func problemOf(err error) error {
	var p *Problem
	if err == nil || errors.As(err, &p) {
		return err
	}
	p = &Problem{Kind: Away, Detail: err.Error(), cause: err}
	switch {
	case errors.Is(err, desk.ErrChanged):
		p.Kind, p.Detail = Changed, "the booking has changed since it was read"
	case errors.Is(err, bookahead.ErrUnavailable):
		p.Kind = Unavailable
	case errors.Is(err, bookahead.ErrNotFound):
		p.Kind, p.Detail = NotFound, "there is none, or it is forgotten"
	case errors.Is(err, bookahead.ErrStopped):
		p.Kind = Stopped
	case errors.Is(err, bookahead.ErrInvalid):
		p.Kind = Invalid
	}
	return p
}
