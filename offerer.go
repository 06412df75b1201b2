package bookahead

import "iter"

// Offerer is a Schedule with a way of its own to list all places for a
// request. Use the function Offers, which works with any Schedule.
type Offerer interface {
	Schedule

	// Offers yields one offer for every start at which r fits, in order; what
	// it yields is what Search would return for the same request with a Ready
	// that late. It yields nothing if r is invalid. It is a query: it can be
	// ranged over again, and by any number of goroutines, but nothing may be
	// booked or released meanwhile.
	Offers(r Request) iter.Seq[Offer]
}

// Offers yields one offer for every start at which r fits in s, earliest
// first, and computes each only when asked. It uses the schedule's own Offers
// if there is one, and otherwise searches anew from one tick after the last
// start. Nothing may be booked or released while ranging.
//
// In an empty schedule every tick is a start: stop when you have enough, or
// set a Deadline. It yields nothing if r is invalid; Validate tells why. Of a
// LockedSchedule it takes one lock for each offer: use View to see one state.
func Offers(s Schedule, r Request) iter.Seq[Offer] {
	if o, ok := s.(Offerer); ok {
		return o.Offers(r)
	}
	return func(yield func(Offer) bool) {
		for next := r; ; {
			o, err := s.Search(next)
			if err != nil || !yield(o) {
				return
			}
			next.Ready = o.Start + 1
			if next.Validate() != nil { // the deadline, or the end of the axis
				return
			}
		}
	}
}
