package bookahead

import "iter"

// Opener is a Schedule that lists all places for a request in a way of its own. Use the function
// Openings, which works with any Schedule.
type Opener interface {
	Schedule

	// Openings yields the starts at which r fits, as half-open ranges in order that neither
	// overlap nor touch: at each start in them a fixed request finds its units, possibly on other
	// servers at each start. Openings yields nothing if r is invalid. It is a query: the loop may
	// be repeated, by any number of goroutines, but nothing may be booked or released meanwhile.
	Openings(r Request) iter.Seq[Interval]
}

// LatestSearcher is a Schedule that can find the last place for a request without a look at the
// places before. Use the function SearchLatest, which works with any Schedule.
type LatestSearcher interface {
	Schedule

	// SearchLatest returns the offer with the latest start, under the rules of Search. Without a
	// deadline that start is the last one that the horizon allows.
	SearchLatest(r Request) (Offer, error)
}

// Openings yields the starts at which r fits in s, as half-open ranges in order: at each start in
// them Search finds the request, possibly on other servers at each start. Each range is computed
// only when asked for. Nothing may be booked or released during the loop. A schedule behind
// Locked is locked once for each range; use View to see one state. Openings yields nothing if r
// is invalid; Validate says why.
//
// It uses the Openings of an Opener. For another schedule it goes from one Search to the next,
// with 64 RangeQueries at most to see how long the units that were found stay free; if the
// schedule steps over starts, only the starts that it meets are yielded.
func Openings(s Schedule, r Request) iter.Seq[Interval] {
	if o, ok := s.(Opener); ok {
		return o.Openings(r)
	}
	return func(yield func(Interval) bool) {
		for next := r; next.Validate() == nil; {
			var starts Interval
			View(s, func(s Schedule) { starts = nextOpening(s, next) })
			if starts.Empty() || !yield(starts) {
				return
			}
			next.Ready = starts.End
		}
	}
}

// nextOpening returns the first opening for r, or an empty one.
func nextOpening(s Schedule, r Request) Interval {
	if o, ok := s.(Opener); ok {
		for starts := range o.Openings(r) {
			return starts
		}
		return Interval{}
	}
	x := newExplainer(s, r)
	var starts Interval
	for {
		o, err := s.Search(r)
		if err != nil || !starts.Empty() && o.Start > starts.End {
			return starts
		}
		if starts.Empty() {
			starts.Start = o.Start
		}
		limit := MaxTime
		if r.Deadline != 0 {
			limit = r.Deadline
		}
		end := o.End // enough is free in [o.Start, end)
		if end < limit {
			end = firstTime(o.End, limit, func(t Time) bool { return x.free(Interval{o.Start, t + 1}).Free < r.Units })
		}
		starts.End = end - Time(r.Duration) + 1
		r.Ready = starts.End
		if r.Validate() != nil { // past the deadline, or the end of the axis
			return starts
		}
	}
}

// Offers yields one offer for every start at which r fits in s, earliest first: the Openings of
// r, start by start, with a Search for each. Each offer is computed only when asked for. Nothing
// may be booked or released during the loop.
//
// In an empty schedule every tick is a start: stop when you have enough, or set a Deadline.
// Offers yields nothing if r is invalid; Validate says why.
func Offers(s Schedule, r Request) iter.Seq[Offer] {
	return func(yield func(Offer) bool) {
		for starts := range Openings(s, r) {
			for t := starts.Start; t < starts.End; t++ {
				o, err := s.Search(r.at(t))
				if err != nil || !yield(o) {
					return
				}
			}
		}
	}
}

// SearchLatest returns the offer with the latest start for r in s. It serves requests that must
// be ready just in time, and plans that are made backwards from a deadline. Errors are those of
// Search. Without a deadline the start is the last one that the horizon allows. SearchLatest uses
// the method of a LatestSearcher, and for another schedule the last of the Openings.
func SearchLatest(s Schedule, r Request) (o Offer, err error) {
	if View(s, func(l LatestSearcher) { o, err = l.SearchLatest(r) }) {
		return o, err
	}
	View(s, func(s Schedule) {
		for starts := range Openings(s, r) {
			r = r.at(starts.End - 1)
		}
		o, err = s.Search(r)
	})
	return o, err
}
