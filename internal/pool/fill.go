package pool

import (
	"iter"

	"github.com/bookahead/bookahead"
)

// Filler is a Profile that passes the steps between those that Fill yields.
type Filler interface {
	Profile
	// Fill yields steps of w as bookahead.Filler does.
	Fill(w bookahead.Interval, least, most int64) iter.Seq[bookahead.Step]
}

// Fill implements bookahead.Filler. It goes through the steps in w unless the profile is a Filler.
func (s *Schedule) Fill(w bookahead.Interval, least, most int64) iter.Seq[bookahead.Step] {
	return func(yield func(bookahead.Step) bool) {
		w, err := s.Window(w)
		if err != nil || w.Empty() {
			return
		}
		f, ok := s.Profile.(Filler)
		if ok {
			f.Fill(w, least, most)(yield)
			return
		}
		s.stepsIn(w)(yield)
	}
}

// stepsIn yields the steps of the profile in w.
func (s *Schedule) stepsIn(w bookahead.Interval) iter.Seq[bookahead.Step] {
	return func(yield func(bookahead.Step) bool) {
		at := w.Start
		for end, free := range s.Profile.Steps(at) {
			end = min(end, w.End)
			if !yield(bookahead.Step{Interval: bookahead.Interval{Start: at, End: end}, Free: free}) || end == w.End {
				return
			}
			at = end
		}
	}
}
