package site

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/nodes"
)

// Tail is a reservation that nobody owns any more: the buffer behind a place that has ended, or that its owner has left.
//
//	owner   ████│                ends here, or goes elsewhere
//	tail        │▓▓▓▓            until End
type Tail struct {
	ID  bookahead.ID
	End bookahead.Time
}

// Compare orders tails by End, and then by ID.
func (x Tail) Compare(y Tail) int { return cmp.Or(cmp.Compare(x.End, y.End), cmp.Compare(x.ID, y.ID)) }

// StartCleaning ends a reservation that has begun, and leaves the buffer of its place as a tail. Where a closed unit lets no
// reservation change, it gives back everything.
func (s *Site) StartCleaning(id bookahead.ID, p Place, tasks *nodes.Request, now bookahead.Time) error {
	if p.End > now {
		p.End = now
		if p.After == 0 {
			return s.Release(id)
		}
		err := s.Rebook(id, p, tasks, now)
		if err == bookahead.ErrUnavailable {
			return s.Release(id)
		}
		if err != nil {
			return err
		}
	}
	s.AddTail(Tail{id, p.Reserved().End})
	return nil
}

// AddTail adds a tail.
func (s *Site) AddTail(x Tail) {
	i, _ := slices.BinarySearchFunc(s.Tails, x, Tail.Compare)
	s.Tails = slices.Insert(slices.Clone(s.Tails), i, x)
}

// Resume gives a tail its place back. An error changes nothing.
func (s *Site) Resume(id bookahead.ID, p Place, tasks *nodes.Request, now bookahead.Time) error {
	if p.End > now {
		err := s.Rebook(id, p, tasks, now)
		if err != nil {
			return err
		}
	}
	s.Tails = slices.DeleteFunc(slices.Clone(s.Tails), func(x Tail) bool { return x.ID == id })
	return nil
}

// IsTail reports whether a reservation is a tail.
func (s *Site) IsTail(id bookahead.ID) bool {
	return slices.ContainsFunc(s.Tails, func(x Tail) bool { return x.ID == id })
}

// dropTails takes out the tails that are over.
func (s *Site) dropTails(now bookahead.Time) {
	i := 0
	for i < len(s.Tails) && s.Tails[i].End <= now {
		i++
	}
	s.Tails = slices.Clip(s.Tails[i:])
	if len(s.Tails) == 0 {
		s.Tails = nil
	}
}

// VerifyTails checks that the tails are in order, none is over, and each is a reservation that has begun and ends with it.
func (s *Site) VerifyTails(now bookahead.Time) error {
	for i, x := range s.Tails {
		if i > 0 && s.Tails[i-1].Compare(x) >= 0 || x.End <= now {
			return fmt.Errorf("tail %d ends at %d, by now or before the last", x.ID, x.End)
		}
		p, err := s.Place(x.ID)
		if err != nil || p.Start > now || p.End != x.End {
			return fmt.Errorf("tail %d up to %d has the reservation %v (%v)", x.ID, x.End, p.Interval, err)
		}
	}
	return nil
}
