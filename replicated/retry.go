package replicated

import (
	"context"
	"errors"
)

// retry repeats a call as long as another try may have a better answer, and until pause returns an error. If
// the fate of one try is unknown, a later refusal does not say that the call was not carried out:
//
//	try 1    leadership lost      the entry may be in the log of a new leader
//	try 2    the disk is full     this try was refused; the first may be carried out: ErrUnknown
func retry(call func() error, better func(error) bool, pause func(try int, cause error) error) error {
	doubt := false
	for try := 0; ; try++ {
		err := call()
		doubt = doubt || errors.Is(err, ErrUnknown)
		if err != nil && better(err) {
			over := pause(try, err)
			if over == nil {
				continue
			}
			err = over
		}
		if doubt && isRefusal(err) {
			err = unknown(err)
		}
		return err
	}
}

// isRefusal reports whether err is a refusal by the members. All other errors are answers of the desk.
func isRefusal(err error) bool { return refusalName(err) != "" }

// refusalName returns the name of a refusal for Metrics; "" if err is none.
func refusalName(err error) string {
	for _, r := range refusalNames {
		if errors.Is(err, r.err) {
			return r.name
		}
	}
	return ""
}

// refusalNames has the errors of a refusal. ErrUnknown comes first: an error that wraps it may wrap another one, and
// still does not say that the call was not carried out.
var refusalNames = []struct {
	err  error
	name string
}{
	{ErrUnknown, "unknown"}, {ErrFull, "full"}, {ErrSealed, "sealed"}, {ErrJump, "jump"}, {ErrSession, "session"}, {ErrNoAnswer, "no answer"}, {ErrPanicked, "panicked"},
	{ErrStopped, "stopped"}, {ErrClosed, "closed"}, {context.Canceled, "canceled"}, {context.DeadlineExceeded, "late"},
	{errNotReached, "away"}, {ErrNotLeader, "not leader"},
}
