package pool

import (
	"iter"

	"github.com/bookahead/bookahead"
)

// Openings implements bookahead.Opener. It takes a Search for each range, and goes through the
// steps in the range unless the profile is a Leaper.
func (s *Schedule) Openings(r bookahead.Request) iter.Seq[bookahead.Interval] {
	return func(yield func(bookahead.Interval) bool) {
		first, last, err := s.Starts(r)
		if err != nil {
			return
		}
		d := bookahead.Time(r.Duration)
		for first <= last {
			t, ok := s.Profile.Search(first, last, d, r.Units)
			if !ok {
				return
			}
			end := s.until(t, r.Units, last+d) // where the run of enough units ends
			if !yield(bookahead.Interval{Start: t, End: end - d + 1}) {
				return
			}
			first = end
		}
	}
}

// until returns how long n units stay free from t on, but no later than limit.
func (s *Schedule) until(t bookahead.Time, n int64, limit bookahead.Time) bookahead.Time {
	if l, ok := s.Profile.(Leaper); ok {
		return l.Until(t, n, limit)
	}
	for end, free := range s.Profile.Steps(t) {
		if free < n || t >= limit {
			break
		}
		t = end
	}
	return min(t, limit)
}

// SearchLatest implements bookahead.LatestSearcher. It goes through all steps between
// the ready time and the deadline, unless the profile is a Leaper.
func (s *Schedule) SearchLatest(r bookahead.Request) (bookahead.Offer, error) {
	first, last, err := s.Starts(r)
	if err != nil {
		return bookahead.Offer{}, err
	}
	t, ok := s.latest(first, last, bookahead.Time(r.Duration), r.Units)
	if !ok {
		return bookahead.Offer{}, bookahead.ErrUnavailable
	}
	return OfferAt(t, r), nil
}

func (s *Schedule) latest(first, last, d bookahead.Time, n int64) (t bookahead.Time, ok bool) {
	l, leaps := s.Profile.(Leaper)
	if leaps {
		return l.Latest(first, last, d, n)
	}
	run := first // where the run of steps with enough free units starts
	for end, free := range s.Profile.Steps(first) {
		if free < n {
			run = end
		} else if end-run >= d {
			t, ok = min(end-d, last), true
		}
		if run > last || end >= last+d {
			break
		}
	}
	return t, ok
}

// Blocks implements bookahead.Profiler: one block for each stretch of time with the same number
// of free units. It goes through the steps in w.
func (s *Schedule) Blocks(w bookahead.Interval) iter.Seq[bookahead.Block] {
	return func(yield func(bookahead.Block) bool) {
		w, err := s.Window(w)
		if err != nil || w.Empty() {
			return
		}
		b := bookahead.Block{Interval: bookahead.Interval{Start: w.Start, End: w.Start}}
		for end, free := range s.Profile.Steps(w.Start) {
			if free != b.Units {
				if b.Units > 0 && !yield(b) {
					return
				}
				b.Start, b.Units = b.End, free
			}
			b.End = min(end, w.End)
			if end >= w.End {
				break
			}
		}
		if b.Units > 0 {
			yield(b)
		}
	}
}
