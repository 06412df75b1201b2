package main

import (
	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/idletree"
)

// stepping makes the attempts of the published structure on the one tree of the
// exact one, and takes the same servers. When an attempt fails, it asks for the
// earliest start there is, and goes on with the first of its own that is not before
// that: those between cannot succeed. It does not count operations.
type stepping struct {
	*idletree.Tree
	step bookahead.Duration
}

func openStepping(units int64, origin bookahead.Time) (calendar, error) {
	t, err := idletree.NewTree(units, idletree.Config{Origin: origin, Horizon: horizon})
	return stepping{t, slot}, err
}

func (s stepping) place(r bookahead.Request) (bookahead.Reservation, effort, error) {
	ready := r.Ready
	last := ready + bookahead.Time(patience) // of the starts that are tried
	for {
		o, err := s.Search(r)
		if err != nil {
			return bookahead.Reservation{}, effort{attempts: s.tried(ready, last)}, err
		}
		r.Ready = ready + bookahead.Time((bookahead.Duration(o.Start-ready)+s.step-1)/s.step*s.step)
		if r.Ready > last {
			return bookahead.Reservation{}, effort{attempts: s.tried(ready, last)}, bookahead.ErrUnavailable
		}
		if o.Start == r.Ready {
			booked, err := s.Reserve(o.Request())
			return booked, effort{attempts: s.tried(ready, r.Ready)}, err
		}
	}
}

// tried is how many attempts there are from the ready time to a start.
func (s stepping) tried(ready, start bookahead.Time) int {
	return int(bookahead.Duration(start-ready)/s.step) + 1
}
