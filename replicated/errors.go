package replicated

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/replicated/internal/disklog"
)

// Errors that a caller may want to distinguish by errors.Is. Errors of the desk keep their texts, and what errors.Is says
// of them: a command that has used up desk.Config.Effort is a bookahead.ErrStopped, which is not the ErrStopped of a
// member. Of their types errors.As finds bookahead.InvalidError alone, since answers are kept as bytes. After each error
// below but ErrUnknown, ErrSession and ErrNoAnswer, the command was not carried out, and will not be.
var (
	// ErrClosed means that the member is closed, or that it is no member any more.
	ErrClosed = errors.New("replicated: the member is closed")
	// ErrStopped is wrapped, with the cause, once a member has stopped itself: its state or its log cannot be
	// trusted.
	ErrStopped = errors.New("replicated: the member has stopped")
	// ErrNotLeader means that the member does not lead. The error is a NotLeaderError.
	ErrNotLeader = errors.New("replicated: the member is not the leader")
	// ErrUnknown is wrapped, with the cause, if the command may have been carried out, or may be carried out later.
	// The same call, sent again, gets its answer.
	ErrUnknown = errors.New("replicated: the command may have been carried out")
	// ErrSession means that the members have forgotten the session, or have carried out a call of the session with a
	// higher number. Nobody can tell any more whether the call was carried out.
	ErrSession = errors.New("replicated: the session is forgotten, or has carried out a later call")
	// ErrNoAnswer means that a call, sent again, was carried out once before, and that its answer was too long to be
	// kept.
	ErrNoAnswer = errors.New("replicated: the command was carried out, and its answer was too long to be kept")
	// ErrPanicked is wrapped if the code of the desk panics on the command. The error has the
	// entry, the session and number of the call, the owner, and the panic. A clock that panics refuses all commands, with
	// this error too, until a build without the fault runs.
	ErrPanicked = errors.New("replicated: the command panics")
	// ErrJump means that the leader's clock went too far ahead. The error is a JumpError.
	ErrJump = errors.New("replicated: the leader's clock may be wrong")
	// ErrFull means that the disk of the leader has no room, and that no other member with room was found.
	ErrFull = errors.New("replicated: the disk is full")
	// ErrHangs is wrapped by the error of a Close that does not come to an end, with the part that Close waits for.
	ErrHangs = errors.New("replicated: the member does not end")
	// ErrSealed means that a Seal was called, and that the members wait for a newer version.
	ErrSealed = errors.New("replicated: the state is sealed for a newer version")
	// ErrSettings means that the members have settled another value of a field of Config; the text has the field and both
	// values. This member has stopped, or has not started.
	ErrSettings = errors.New("replicated: the members have settled other settings")
	// ErrDiverged means that the state of this member differs from that of others after the same entry. If the others are
	// the majority, this member has stopped, and does not start again over its folder: replace it.
	ErrDiverged = errors.New("replicated: the state is not that of other members")
	// ErrDamaged is wrapped, with the file and the byte, if a log or a snapshot is not as it was written.
	ErrDamaged = disklog.ErrDamaged
	// ErrVersion is wrapped if an entry or a snapshot is of a version that this binary does not carry out.
	ErrVersion = errors.New("replicated: another version")
)

// NotLeaderError names the leader. Leader is zero while no leader is known.
type NotLeaderError struct{ Leader Peer }

// Error names the leader, if there is one.
func (e *NotLeaderError) Error() string {
	if e.Leader.ID == "" {
		return ErrNotLeader.Error() + ", and no leader is known"
	}
	return fmt.Sprintf("%v: %q at %s leads", ErrNotLeader, e.Leader.ID, e.Leader.Address)
}

// Is reports whether the target is ErrNotLeader.
func (e *NotLeaderError) Is(target error) bool { return target == ErrNotLeader }

// JumpError has the clocks of the desk and of the leader. The clock of the leader is further ahead than
// Config.MaxJump, or -1 if it is before Config.Clock.Epoch.
type JumpError struct{ Desk, Leader bookahead.Time }

// Error has both clocks, and the call that confirms the clock of the leader.
func (e *JumpError) Error() string {
	if e.Leader < 0 {
		return fmt.Sprintf("%v: the desk is at %d, and the clock is before Config.Clock.Epoch", ErrJump, e.Desk)
	}
	return fmt.Sprintf("%v: the clock is at %d, and the desk at %d: if the clock is right, call ConfirmClock(%d)", ErrJump, e.Leader, e.Desk, e.Leader)
}

// Is reports whether the target is ErrJump.
func (e *JumpError) Is(target error) bool { return target == ErrJump }

// settingsError names a field of Config for which the members have settled another value. This member has stopped, or
// has not started.
type settingsError struct{ Field, Ours, Settled string }

// Error has the field and both values.
func (e *settingsError) Error() string {
	return fmt.Sprintf("%v: %s is %s here, and %s on the other members", ErrSettings, e.Field, cmp.Or(e.Ours, "none"), cmp.Or(e.Settled, "none"))
}

// Is reports whether the target is ErrSettings.
func (e *settingsError) Is(target error) bool { return target == ErrSettings }

// divergedError has the fingerprints of this member and of others after the same entry. If the others are the
// majority, this member has stopped, and does not start over its folder again: replace it.
type divergedError struct {
	Index        uint64
	Ours, Theirs [32]byte
}

// Is reports whether the target is ErrDiverged.
func (e *divergedError) Is(target error) bool { return target == ErrDiverged }

// Error has the index, and the first bytes of both fingerprints.
func (e *divergedError) Error() string {
	return fmt.Sprintf("replicated: after entry %d the state is %x here, and %x on other members", e.Index, e.Ours[:8], e.Theirs[:8])
}

// unknown wraps the cause for which the fate of a call is unknown.
func unknown(cause error) error {
	if errors.Is(cause, ErrUnknown) {
		return cause
	}
	return fmt.Errorf("%w: %w", ErrUnknown, cause)
}

// errDiskHangs is the cause of an ErrUnknown: the call was on its way to the log of a member that gives way.
var errDiskHangs = errors.New("replicated: the disk of the member hangs")
