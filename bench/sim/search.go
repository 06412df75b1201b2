package sim

import (
	"errors"
	"fmt"

	"github.com/bookahead/bookahead"
)

// Steps says which starts of an AR task are tried at a provider: the ready time, and
// then every Step ticks later, at most Tries times in all (Castillo et al., §2: Δt and
// R_max). A start between two steps is missed. The zero value takes the earliest start
// that the schedule finds: one attempt.
type Steps struct {
	Step  bookahead.Duration
	Tries int
}

func (p Steps) validate() error {
	switch {
	case p == Steps{}:
		return nil
	case p.Step < 1:
		return invalid("Steps.Step", p.Step, "is less than 1")
	case p.Tries < 1:
		return invalid("Steps.Tries", p.Tries, "is less than 1")
	}
	return nil
}

// searcher is the Search of a schedule.
type searcher func(r bookahead.Request) (bookahead.Offer, error)

// find returns the first place for the task that ends by due, if that is not 0, and
// how many searches that took. It returns ErrUnavailable if there is none.
func (p Steps) find(search searcher, t *Task, now, due bookahead.Time) (bookahead.Offer, int, error) {
	r := t.request(now, due)
	for k := 1; ; k++ {
		if due != 0 && r.Ready > due-bookahead.Time(r.Duration) {
			return bookahead.Offer{}, k - 1, bookahead.ErrUnavailable
		}
		if p.Step > 0 { // a search that finds a start between two steps is no attempt at this one
			end, err := r.Ready.Add(r.Duration)
			if err != nil {
				return bookahead.Offer{}, k, fmt.Errorf("attempt %d: %w", k, err)
			}
			r.Deadline = end // so that this start alone will do
		}
		o, err := search(r)
		if err == nil || !errors.Is(err, bookahead.ErrUnavailable) || k >= p.Tries {
			return o, k, err
		}
		r.Ready, err = r.Ready.Add(p.Step)
		if err != nil {
			return bookahead.Offer{}, k, fmt.Errorf("attempt %d: %w", k+1, err)
		}
	}
}

// request asks for the task from now on.
func (t *Task) request(now, due bookahead.Time) bookahead.Request {
	return bookahead.Request{Ready: max(now, t.Ready), Deadline: due, Duration: t.Estimate, Units: t.Units}
}
