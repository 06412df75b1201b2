package volume

import (
	"errors"

	"github.com/bookahead/bookahead"
)

// Reserve books the plan that Search returns, also one that is not proven: a reservation for each stretch, in order, or
// none of them. No other call of a schedule behind Locked comes between.
//
// Errors are those of Search. The error is also bookahead.ErrUnavailable if the schedule rounds times, and two
// stretches would need the same units then; in this case alone the IDs of some reservations are used up. It takes a
// Search and a Reserve for each stretch.
func Reserve(s bookahead.Schedule, r Request, e bookahead.Effort) (p Plan, list []bookahead.Reservation, err error) {
	ok := bookahead.Update(s, func(k bookahead.Keeper) { p, list, err = reserve(k, r, e) })
	if !ok { // then it is no Keeper, and Search says so
		p, err = Search(s, r, e)
	}
	return p, list, err
}

func reserve(k bookahead.Keeper, r Request, e bookahead.Effort) (Plan, []bookahead.Reservation, error) {
	p, err := Search(k, r, e)
	if err != nil {
		return p, nil, err
	}
	var list []bookahead.Reservation
	for _, s := range p.Stretches {
		res, err := k.Reserve(bookahead.At(s.Start, s.Len(), s.Units))
		if err != nil {
			return Plan{Spent: p.Spent}, nil, undo(k, list, err)
		}
		list = append(list, res)
	}
	return p, list, nil
}

// undo releases reservations because of an error, and returns it.
func undo(k bookahead.Keeper, list []bookahead.Reservation, because error) error {
	for _, res := range list {
		err := k.Release(res.ID)
		if err != nil {
			because = errors.Join(because, err)
		}
	}
	return because
}
