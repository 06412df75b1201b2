package window

import (
	"errors"
	"iter"

	"github.com/bookahead/bookahead"
)

// FirstFit returns the window that starts first, with the cheapest slots that
// there are at its start (§4.2). Of windows that start together it returns the shortest.
// With tariffs "first" is among the starts that the searches try, which the package's text lists.
// A window that starts between two of them may be affordable, too. ExactPlacement by EarliestStart
// tries all ticks, and finds it:
//
//	price 10, and 1 from tick 10 on; 5 ticks for at most 25
//	FirstFit          [10, 15) for 5      a rate begins at 10
//	ExactPlacement    [8, 13) for 23      the first tick at which the task is affordable
//
// The error is bookahead.ErrUnavailable if no window is affordable, and wraps
// bookahead.ErrInvalid if the job makes no sense. If Job.Effort is used up, the error wraps
// bookahead.ErrStopped, and the window is the best so far, without Tasks if there is none:
// an earlier one may exist.
//
// O(s m) steps for each performance at most, and O(N + s) at least. A round ends where it can
// find nothing earlier, and the search ends with a window that starts when the first slot does.
func FirstFit(e *Environment, j Job) (Window, error) {
	s, err := newSearch(e, j)
	if err != nil {
		return Window{}, err
	}
	b := s.firstFit(&picker{meter: &s.meter})
	return b.window(s, EarliestStart)
}

// firstFit returns the window as the best. No window is longer than its slowest node needs: the
// round of the shorter length has stopped at the same start, and has found the same slots there
// for no more.
func (s *search) firstFit(p *picker) best {
	var b best
	s.scan(func(w *extended) bool {
		cost, ok := s.cheapest(p, w.list)
		if ok && cost <= s.limit {
			b.offer(w.start, -float64(w.start), w.list, p.heap)
			w.before, w.done = w.start, w.start == s.items[0].start
			return false
		}
		return true
	})
	return b
}

// cheapest picks the n cheapest candidates, and returns their cost; false if the search
// must stop.
func (p *picker) cheapest(list []candidate, n int) (cost float64, ok bool) {
	keys := p.room(len(list))
	for i := range keys {
		keys[i] = -list[i].cost
	}
	if !p.pick(n) {
		return 0, false
	}
	for _, i := range p.heap {
		cost += list[i].cost
	}
	return cost, true
}

// Alternatives yields windows that share no slot's time, until none is left: each is
// the FirstFit in the time that the windows before it have left over (§4.2). The criterion gives
// them their Value.
//
// The errors are those of FirstFit, and nothing comes after an error. The end is
// bookahead.ErrUnavailable only if there was no window at all. Each window takes a FirstFit, and
// all of them share one Job.Effort. The sequence can be ranged over again.
func Alternatives(e *Environment, j Job, c Criterion) iter.Seq2[Window, error] {
	return func(yield func(Window, error) bool) {
		if err := c.check(); err != nil {
			yield(Window{}, err)
			return
		}
		s, err := newSearch(e, j)
		if err != nil {
			yield(Window{}, err)
			return
		}
		p := &picker{meter: &s.meter}
		for found := false; ; found = true {
			b := s.firstFit(p)
			w, err := b.window(s, c)
			if err == bookahead.ErrUnavailable && found {
				return
			}
			if err != nil {
				w = Window{} // after a stop, an earlier one may exist
			}
			if !yield(w, err) || err != nil {
				return
			}
			s.cut(b)
		}
	}
}

// MultipleBest returns the best of all Alternatives by a criterion (§4.2; [7] in the
// paper). It takes a FirstFit for each alternative. The errors are those of FirstFit; with
// bookahead.ErrStopped comes the best window that was found until then.
func MultipleBest(e *Environment, j Job, c Criterion) (Window, error) {
	var best Window
	for w, err := range Alternatives(e, j, c) {
		if errors.Is(err, bookahead.ErrStopped) {
			return best, err
		}
		if err != nil {
			return Window{}, err
		}
		if best.Tasks == nil || w.Value > best.Value {
			best = w
		}
	}
	return best, nil
}
