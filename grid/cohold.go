package grid

import (
	"errors"
	"fmt"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
)

// holder is a Member that takes holds, as a Desk does.
type holder interface {
	Member
	Hold(r bookahead.Request, expiry bookahead.Time) (bookahead.Reservation, error)
	Commit(id bookahead.ID) error
	Cancel(id bookahead.ID) error
}

// CoHold is CoAllocate with holds: each part is held until the tick expiry, by the
// clock of its own member, unless the allocation is committed or released before.
// Should the client vanish, nothing stays booked. The error wraps
// bookahead.ErrInvalid if a member takes no holds: a Desk does, and so does any Member
// with its Hold, Commit and Cancel. It takes a CoSearch, and a Hold for each part.
func CoHold(j Job, expiry bookahead.Time) (Allocation, error) {
	for i, p := range j.Parts {
		if err := limits.CheckNil(fmt.Sprintf("Job.Parts[%d].On", i), p.On); err != nil {
			return Allocation{}, err
		}
		if _, ok := p.On.(holder); !ok {
			return Allocation{}, limits.Invalid(fmt.Sprintf("Job.Parts[%d].On", i), fmt.Sprintf("%T", p.On), "takes no holds")
		}
	}
	a, err := allocate(j, func(m Member, r bookahead.Request) (bookahead.Reservation, error) { return m.(holder).Hold(r, expiry) })
	if err == nil {
		a.expiry = expiry
	}
	return a, err
}

// Commit commits the holds of all parts, or none.
//
//	part 0   held ──► committed ──► released      if part 1 is not held any more
//	part 1   held ──► expired
//	part 2   held ─────────────────► cancelled
//
// If a hold cannot be committed, Commit gives back the parts before it, cancels those
// behind it, and says which part it was. The error wraps bookahead.ErrNotFound if that
// hold has expired; otherwise the part is released too, as nobody knows whether it was
// committed. A part that cannot be given back is named.
//
// A part that ended before its hold could expire needs no commit, if its member tells the
// time (its Frame). If all parts have ended, the error is bookahead.ErrNotFound.
// A second Commit returns an error, and gives nothing back. Commit knows the parts as they
// were booked: the caller must not commit, cancel, release or rebook one of them alone. It
// takes a Commit for each part, and with an error also a Cancel or Release for each.
func (a Allocation) Commit() error {
	if err := a.check(); err != nil {
		return err
	}
	if len(a.Parts) == 0 {
		return bookahead.ErrNotFound
	}
	for k := range a.Parts {
		if _, ok := a.members[k].(holder); !ok {
			return limits.Invalid(fmt.Sprintf("Parts[%d]", k), fmt.Sprintf("%T", a.members[k]), "takes no holds")
		}
	}
	ended := 0
	for k, res := range a.Parts {
		err := a.members[k].(holder).Commit(res.ID)
		if err == bookahead.ErrNotFound && a.ended(k) {
			ended++
			continue
		}
		if err != nil {
			return a.withdraw(k, err)
		}
	}
	if ended == len(a.Parts) {
		return bookahead.ErrNotFound
	}
	return nil
}

// ended reports whether part k has run to its end, so far as its member tells the time.
func (a Allocation) ended(k int) bool {
	m, ok := a.members[k].(framer)
	end := a.Parts[k].End
	return ok && end <= a.expiry && end <= m.Frame().Now
}

// withdraw gives back the parts before k, cancels those behind it, and does away
// with part k, which could not be committed.
func (a Allocation) withdraw(k int, failed error) error {
	why := fmt.Errorf("grid: Parts[%d] is not committed: %w", k, failed)
	if failed == bookahead.ErrNotFound {
		why = fmt.Errorf("grid: Parts[%d] is not held: %w", k, failed)
	}
	for i, res := range a.Parts {
		var err error
		switch m := a.members[i].(holder); {
		case i < k, i == k && failed != bookahead.ErrNotFound:
			err = m.Release(res.ID)
		case i > k:
			err = m.Cancel(res.ID)
		}
		if err != nil && err != bookahead.ErrNotFound { // not if it has ended, or expired
			why = errors.Join(why, stuck(i, res, err))
		}
	}
	return why
}
