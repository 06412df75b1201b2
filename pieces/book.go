package pieces

import (
	"errors"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/nodes"
)

// Reserve books the pieces that Search returns: a reservation for each, in order, or none of them. No other call of a
// schedule behind Locked comes between. Errors are those of Search; the error is also bookahead.ErrUnavailable if the
// schedule rounds times, and two pieces would need the same units then; in this case alone the IDs of some reservations are
// used up. It takes a Search and a Reserve for each piece.
func Reserve(s bookahead.Schedule, r bookahead.Request, rule Rule, e bookahead.Effort) (list []bookahead.Reservation, err error) {
	ok := bookahead.Update(s, func(s framed) {
		var plan []bookahead.Interval
		plan, err = Search(s, r, rule, e)
		if err == nil {
			list, err = all(plan, s.Release, func(w bookahead.Interval) (bookahead.Reservation, bookahead.ID, error) {
				r.Ready, r.Deadline, r.Duration = w.Start, w.End, w.Len()
				res, err := s.Reserve(r)
				return res, res.ID, err
			})
		}
	})
	if !ok { // and Search says why
		_, err = Search(s, r, rule, e)
	}
	return list, err
}

// ReserveNodes books the pieces that SearchNodes returns.
func ReserveNodes(m *nodes.Machine, r nodes.Request, rule Rule, e bookahead.Effort) ([]nodes.Reservation, error) {
	plan, err := SearchNodes(m, r, rule, e)
	if err != nil {
		return nil, err
	}
	return all(plan, m.Release, func(w bookahead.Interval) (nodes.Reservation, bookahead.ID, error) {
		res, err := m.Reserve(at(r, w, w.Len()))
		return res, res.ID, err
	})
}

// all books all pieces, or none.
func all[R any](plan []bookahead.Interval, release func(bookahead.ID) error, reserve func(bookahead.Interval) (R, bookahead.ID, error)) ([]R, error) {
	var list []R
	var ids []bookahead.ID
	for _, w := range plan {
		res, id, err := reserve(w)
		if err != nil {
			for _, id := range ids {
				err = errors.Join(err, release(id))
			}
			return nil, err
		}
		list, ids = append(list, res), append(ids, id)
	}
	return list, nil
}
