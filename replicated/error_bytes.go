package replicated

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/desk"
	"github.com/bookahead/bookahead/internal/snapshot"
)

// portableErrors are the errors that errors.Is still distinguishes after they were bytes. The index of an error is the
// number of its bit in those bytes, so no index may change; new errors come last.
var portableErrors = [...]error{
	bookahead.ErrUnavailable, bookahead.ErrNotFound, bookahead.ErrInvalid, desk.ErrKey,
	ErrClosed, ErrStopped, ErrNotLeader, ErrUnknown, ErrSession, ErrJump, ErrFull, ErrSealed, ErrDamaged, ErrVersion,
	context.Canceled, context.DeadlineExceeded, ErrSettings, ErrNoAnswer, bookahead.ErrStopped, ErrPanicked, desk.ErrNeeded,
}

// portableError is an error that is kept, or that comes from another member: its text, and the errors that it is. The text
// is made at once, since the value of an InvalidError may be a slice that changes later.
type portableError struct {
	is   uint64 // bit i is set if it is portableErrors[i]
	text string
	// of are errors with fields, for errors.As: an *InvalidError whose Value is a text, a *JumpError or a
	// *NotLeaderError, each at most once, in this order.
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
	return e
}

// truncate cuts a text that is too long, for example one that quotes a command.
func truncate(text string) string {
	const most = 4 << 10
	if len(text) <= most {
		return text
	}
	return text[:most] + "…"
}

// Marks before the fields of an error, in ascending order, and the mark of their end.
const (
	noMore = iota
	invalidFollows
	jumpFollows
	leaderFollows
)

// appendError appends an error as bytes; nil has bytes, too. An error of portableErrors has an empty text.
//
//	0                          no error
//	1, bits, text, fields, 0   an error
func appendError(b []byte, err error) []byte {
	if err == nil {
		return append(b, 0)
	}
	e, ok := portable(err).(*portableError)
	if !ok {
		e = &portableError{is: bitsOf(err)}
	}
	b = append(b, 1)
	b = binary.AppendUvarint(b, e.is)
	b = appendText(b, e.text)
	for _, of := range e.of {
		switch of := of.(type) {
		case *bookahead.InvalidError:
			b = appendText(append(b, invalidFollows), of.Field)
			b = appendText(b, of.Value.(string)) // a text: portable and readError have made the error
			b = appendText(b, of.Reason)
		case *JumpError:
			b = append(b, jumpFollows)
			b = binary.AppendVarint(b, int64(of.Desk))
			b = binary.AppendVarint(b, int64(of.Leader))
		case *NotLeaderError:
			b = appendText(append(b, leaderFollows), of.Leader.ID)
			b = appendText(b, of.Leader.Address)
		}
	}
	return append(b, noMore)
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

func appendText(b []byte, text string) []byte {
	b = binary.AppendUvarint(b, uint64(len(text)))
	return append(b, text...)
}

// readError reads the output of appendError. If the bytes are not such output, r has the error.
func readError(r *snapshot.Reader) error {
	if r.Uint("error", 1) == 0 {
		return nil
	}
	e := &portableError{is: r.Uint("errors", 1<<len(portableErrors)-1)}
	e.text = string(r.Bytes("text"))
	last := uint64(noMore)
	for {
		follows := r.Uint("fields", leaderFollows)
		if follows == noMore {
			break
		}
		if follows <= last {
			r.Fail("fields", follows, "are out of order")
			break
		}
		last = follows
		switch follows {
		case invalidFollows:
			e.of = append(e.of, &bookahead.InvalidError{Field: string(r.Bytes("field")), Value: string(r.Bytes("value")), Reason: string(r.Bytes("reason"))})
		case jumpFollows:
			e.of = append(e.of, &JumpError{Desk: bookahead.Time(r.Int("desk")), Leader: bookahead.Time(r.Int("leader"))})
		case leaderFollows:
			e.of = append(e.of, &NotLeaderError{Peer{ID: string(r.Bytes("id")), Address: string(r.Bytes("address"))}})
		}
	}
	if e.text == "" && len(e.of) == 0 && bits.OnesCount64(e.is) == 1 {
		return portableErrors[bits.TrailingZeros64(e.is)]
	}
	return e
}
