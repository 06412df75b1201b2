package replicated

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/desk"
	"github.com/bookahead/bookahead/internal/code"
)

// portableErrors are the errors that errors.Is still distinguishes after they were bytes. The index of an error is the
// number of its bit in those bytes, so no index may change; new errors come last.
var portableErrors = [...]error{
	bookahead.ErrUnavailable, bookahead.ErrNotFound, bookahead.ErrInvalid, desk.ErrKey,
	ErrClosed, ErrStopped, ErrNotLeader, ErrUnknown, ErrSession, ErrJump, ErrFull, ErrSealed, ErrDamaged, ErrVersion,
	context.Canceled, context.DeadlineExceeded, ErrSettings, ErrNoAnswer, bookahead.ErrStopped, ErrPanicked, desk.ErrNeeded, ErrDiverged, desk.ErrChanged,
}

// portableError is an error that is kept, or that comes from another member: its text, and the errors that it is. The text
// is made at once, since the value of an InvalidError may be a slice that changes later.
type portableError struct {
	is   uint64 // bit i is set if it is portableErrors[i]
	text string
	// of are errors with fields, for errors.As: an *InvalidError whose Value is a text, a *JumpError, a
	// *NotLeaderError or a *desk.OccurrenceError, each at most once, in this order.
	of []error
}

func (e *portableError) Error() string   { return e.text }
func (e *portableError) Unwrap() []error { return e.of }

// Is reports whether the target is one of the errors that e is.
func (e *portableError) Is(target error) bool {
	for i, err := range portableErrors {
		if err == target {
			return e.is&(1<<i) != 0
		}
	}
	return false
}

// portable returns the error that reading the bytes of err would return: nil and the errors of portableErrors unchanged, and
// any other error as a refusal.
func portable(err error) error {
	_, kept := err.(*portableError)
	if err == nil || kept || slices.Contains(portableErrors[:], err) {
		return err
	}
	e := &portableError{is: bitsOf(err), text: truncate(err.Error())}
	var invalid *bookahead.InvalidError
	if errors.As(err, &invalid) {
		e.of = append(e.of, &bookahead.InvalidError{Field: truncate(invalid.Field), Value: truncate(fmt.Sprint(invalid.Value)), Reason: truncate(invalid.Reason)})
	}
	var jump *JumpError
	if errors.As(err, &jump) {
		e.of = append(e.of, jump)
	}
	var leader *NotLeaderError
	if errors.As(err, &leader) {
		e.of = append(e.of, leader)
	}
	var window *desk.OccurrenceError
	if errors.As(err, &window) {
		e.of = append(e.of, window)
	}
	return e
}

// longestText is how many bytes of a text stay, for example of one that quotes a command.
const longestText = 4 << 10

// truncate cuts a text that is too long.
func truncate(text string) string {
	if len(text) <= longestText {
		return text
	}
	return text[:longestText] + "…"
}

// follower is a mark before the fields of an error.
type follower uint8

// Marks before the fields of an error, in ascending order, and the mark of their end.
const (
	noMore follower = iota
	invalidFollows
	jumpFollows
	leaderFollows
	windowFollows
)

// codeError codes an error; nil has bytes, too. An error of portableErrors has an empty text.
//
//	0                          no error
//	1, bits, text, fields, 0   an error
func codeError(x *code.Coder, err *error) {
	if !x.Has("error", *err != nil) {
		return
	}
	e, ok := portable(*err).(*portableError)
	if !ok {
		e = &portableError{is: bitsOf(*err)}
	}
	code.Uint(x, "errors", &e.is, 1<<len(portableErrors)-1)
	x.Text("text", &e.text)
	e.codeFields(x)
	if !x.Reads() {
		return
	}
	*err = e
	if e.text == "" && len(e.of) == 0 && bits.OnesCount64(e.is) == 1 {
		*err = portableErrors[bits.TrailingZeros64(e.is)]
	}
}

// codeFields codes the errors with fields, each behind its mark.
func (e *portableError) codeFields(x *code.Coder) {
	last := noMore
	for i := 0; ; i++ {
		follows := noMore
		if i < len(e.of) {
			follows = markOf(e.of[i])
		}
		code.Uint(x, "fields", &follows, uint64(windowFollows))
		if follows == noMore {
			return
		}
		if follows <= last {
			x.Fail("fields", follows, "are out of order")
			return
		}
		last = follows
		if x.Reads() {
			e.of = append(e.of, [...]error{
				invalidFollows: &bookahead.InvalidError{Value: ""}, jumpFollows: &JumpError{}, leaderFollows: &NotLeaderError{}, windowFollows: &desk.OccurrenceError{},
			}[follows])
		}
		switch of := e.of[i].(type) {
		case *bookahead.InvalidError:
			value := of.Value.(string) // a text: portable and codeError have made the error
			x.Text("field", &of.Field)
			x.Text("value", &value)
			x.Text("reason", &of.Reason)
			if x.Reads() {
				of.Value = value
			}
		case *JumpError:
			code.Number(x, "desk", &of.Desk)
			code.Number(x, "leader", &of.Leader)
		case *NotLeaderError:
			x.Text("id", &of.Leader.ID)
			x.Text("address", &of.Leader.Address)
		case *desk.OccurrenceError:
			x.Text("field", &of.Field)
			code.Number(x, "index", &of.Index)
			code.Span(x, &of.Window)
		}
	}
}

// markOf returns the mark of an error with fields.
func markOf(err error) follower {
	switch err.(type) {
	case *bookahead.InvalidError:
		return invalidFollows
	case *JumpError:
		return jumpFollows
	case *desk.OccurrenceError:
		return windowFollows
	}
	return leaderFollows
}

// bitsOf returns the bits of an error. An error of portableErrors has only its own bit, even if it wraps another one:
// desk.ErrKey is a bookahead.ErrInvalid, too.
func bitsOf(err error) (is uint64) {
	e, ok := err.(*portableError)
	if ok {
		return e.is
	}
	for i, one := range portableErrors {
		if err == one {
			return 1 << i
		}
		if errors.Is(err, one) {
			is |= 1 << i
		}
	}
	return is
}
