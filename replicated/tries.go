package replicated

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// untilAnswered makes a call again and again, as long as another try may have a better answer, and until pause returns why
// there is none. Once the fate of the call is unknown, no refusal says that it was not carried out:
//
//	try 1    leadership lost      the entry may be in the log of a new leader
//	try 2    the disk is full     this try was refused; the first may be carried out: ErrUnknown
func untilAnswered(call func() error, better func(error) bool, pause func(try int, cause error) error) error {
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
		if doubt && refused(err) {
			err = unknown(err)
		}
		return err
	}
}

// try makes a call of the leader until it has an answer, and tells of one that is refused.
func (m *Member) try(ctx context.Context, call func() error) error {
	err := untilAnswered(call, m.better, func(try int, cause error) error { return m.pause(ctx, try, cause) })
	if refused(err) {
		m.config.Metrics.Refused(refusedBy(err))
	}
	return err
}

// better reports whether another try may have a better answer than an error: from another leader, or from this member in a
// moment.
func (m *Member) better(err error) bool {
	var at *NotLeaderError
	return errors.Is(err, ErrUnknown) || errors.Is(err, errAway) ||
		errors.Is(err, ErrNotLeader) && (m.others != nil || errors.As(err, &at) && at.Leader.ID == m.config.ID)
}

// pause waits before the next try, or returns why there is none. The wait ends early if the leader changes.
func (m *Member) pause(ctx context.Context, try int, cause error) error {
	change := m.change.wait()
	wait := min(time.Millisecond<<min(try, 10), 100*time.Millisecond)
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-change:
	case <-m.closing:
	case <-ctx.Done():
		return fmt.Errorf("%w: %w", ctx.Err(), cause)
	}
	return nil
}

// refused reports whether an error says that a call was not carried out. All others are answers of the desk.
func refused(err error) bool { return refusedBy(err) != "" }

// refusedBy returns the name of the error by which a call was refused; "" if it has an answer.
func refusedBy(err error) string {
	for _, r := range refusalNames {
		if errors.Is(err, r.err) {
			return r.name
		}
	}
	return ""
}

// refusalNames are those of the errors by which calls are refused. The first one is that by which they may be carried out.
var refusalNames = []struct {
	err  error
	name string
}{
	{ErrUnknown, "unknown"}, {ErrFull, "full"}, {ErrSealed, "sealed"}, {ErrJump, "jump"}, {ErrSession, "session"}, {ErrNoAnswer, "no answer"},
	{ErrStopped, "stopped"}, {ErrClosed, "closed"}, {context.Canceled, "canceled"}, {context.DeadlineExceeded, "late"},
	{errAway, "away"}, {ErrNotLeader, "not leader"},
}
