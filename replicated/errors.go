package replicated

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/bookahead/bookahead"
)

// Errors that a caller may want to tell apart, by errors.Is. Those of the desk come through as they are. After each
// of them but ErrUnknown, ErrSession and ErrNoAnswer the command was not carried out, and will not be.
var (
	// ErrClosed is that of a member that is closed, or left.
	ErrClosed = errors.New("replicated: the member is closed")
	// ErrStopped is wrapped, with its cause, once a member has stopped itself: its state or log cannot be trusted.
	ErrStopped = errors.New("replicated: the member has stopped")
	// ErrNotLeader is that of a NotLeaderError.
	ErrNotLeader = errors.New("replicated: the member is not the leader")
	// ErrUnknown is wrapped, with the cause, if a command may have been carried out, or may be later. The same call again
	// has its answer.
	ErrUnknown = errors.New("replicated: the command may have been carried out")
	// ErrSession is that of a session which the members have forgotten, or of a number that is behind its last one:
	// whether the call was carried out cannot be told any more.
	ErrSession = errors.New("replicated: the session is forgotten, or has carried out a later call")
	// ErrNoAnswer is that of a call that is sent again: it was carried out, once, and its answer was too long to be kept.
	ErrNoAnswer = errors.New("replicated: the command was carried out, and its answer was too long to be kept")
	// ErrJump is that of a JumpError.
	ErrJump = errors.New("replicated: the leader's clock is not to be trusted")
	// ErrFull says that the disk of the leader has no room, and that no other member was found that has some.
	ErrFull = errors.New("replicated: the disk is full")
	// ErrHangs is wrapped, with what it waits for, by the error of a Close that does not come to an end.
	ErrHangs = errors.New("replicated: the member does not end")
	// ErrSealed says that the members wait for a newer version since Seal.
	ErrSealed = errors.New("replicated: the state is sealed for a newer version")
	// ErrSettings is that of a SettingsError.
	ErrSettings = errors.New("replicated: the members have settled other settings")
	// ErrDamaged is wrapped, with the file and the byte, if a log or snapshot is not as it was written.
	ErrDamaged = errors.New("replicated: damaged")
	// ErrVersion is wrapped if an entry or a snapshot is of a version that this one does not carry out.
	ErrVersion = errors.New("replicated: another version")
)

// NotLeaderError names the leader. Its Leader is zero if there is none at the time.
type NotLeaderError struct{ Leader Peer }

// Error names the leader, if there is one.
func (e *NotLeaderError) Error() string {
	if e.Leader.ID == "" {
		return ErrNotLeader.Error() + ", and there is none at the time"
	}
	return fmt.Sprintf("%v, but %q at %s is", ErrNotLeader, e.Leader.ID, e.Leader.Address)
}

// Is reports whether the target is ErrNotLeader.
func (e *NotLeaderError) Is(target error) bool { return target == ErrNotLeader }

// JumpError has the clock of the desk, and that of the leader, which is further ahead than Config.MaxJump, or -1 if it is before
// Config.Clock.Epoch.
type JumpError struct{ Desk, Leader bookahead.Time }

// Error has both clocks, and the call that takes the leader's for right.
func (e *JumpError) Error() string {
	if e.Leader < 0 {
		return fmt.Sprintf("%v: the desk is at %d, and the leader's clock before Config.Clock.Epoch", ErrJump, e.Desk)
	}
	return fmt.Sprintf("%v: it is at %d, and the desk at %d: if that is right, ConfirmClock(%d)", ErrJump, e.Leader, e.Desk, e.Leader)
}

// Is reports whether the target is ErrJump.
func (e *JumpError) Is(target error) bool { return target == ErrJump }

// SettingsError has a field of Config that the members have settled otherwise: this one has stopped, or has not started.
type SettingsError struct{ Field, Ours, Settled string }

// Error has the field and both values.
func (e *SettingsError) Error() string {
	return fmt.Sprintf("%v: %s is %s here, and %s there", ErrSettings, e.Field, cmp.Or(e.Ours, "none"), cmp.Or(e.Settled, "none"))
}

// Is reports whether the target is ErrSettings.
func (e *SettingsError) Is(target error) bool { return target == ErrSettings }

// DivergedError has the fingerprints of a member and of others after the same entry. The member has stopped if the others are
// the majority, and does not start over its folder again: it is to be replaced.
type DivergedError struct {
	Index        uint64
	Ours, Theirs [32]byte
}

// Error has the index, and the beginnings of both fingerprints.
func (e *DivergedError) Error() string {
	return fmt.Sprintf("replicated: after entry %d the state is %x here, and %x on others", e.Index, e.Ours[:8], e.Theirs[:8])
}
