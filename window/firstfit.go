package window

import (
	"iter"

	"github.com/bookahead/bookahead"
)

// FirstFit returns the window that starts first, with the cheapest slots that
// there are at its start (§4.2). Of windows that start together it is the
// shortest. It returns ErrUnavailable if none is affordable, and an error that
// wraps bookahead.ErrInvalid if the job makes no sense. O(s m) for each
// performance at most; a round ends where it can find nothing earlier, and the
// search with a window that starts when the first slot does. O(N + s) at least.
func FirstFit(e *Environment, j Job) (Window, error) {
	s, err := newSearch(e, j)
	if err != nil {
		return Window{}, err
	}
	b := s.firstFit(&picker{})
	return b.window(s, EarliestStart)
}

// firstFit returns the window as the best.
func (s *search) firstFit(p *picker) best {
	var b best
	s.scan(func(w *extended) bool {
		if b.found && w.start >= b.start {
			return false
		}
		cost := p.cheapest(w.list, s.job.Nodes)
		if cost <= s.limit {
			b.offer(w.start, -float64(w.start), w.list, p.heap)
			w.done = w.start == s.items[0].start
			return false
		}
		return true
	})
	return b
}

// cheapest picks the n cheapest candidates, and returns their cost.
func (p *picker) cheapest(list []candidate, n int) (cost float64) {
	keys := p.room(len(list))
	for i := range keys {
		keys[i] = -list[i].cost
	}
	p.pick(n)
	for _, i := range p.heap {
		cost += list[i].cost
	}
	return cost
}

// Alternatives yields windows that share no slot's time, until none is left: each is
// the FirstFit in the time that the ones before it left over (§4.2). Their Value is that of the
// criterion. An error, one of those of FirstFit, is the last that it yields; that none
// is left is no error, unless there was none. A FirstFit for each that is taken; it can
// be ranged over again.
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
		p := &picker{}
		for found := false; ; found = true {
			b := s.firstFit(p)
			w, err := b.window(s, c)
			if err == bookahead.ErrUnavailable && found {
				return
			}
			if !yield(w, err) || err != nil {
				return
			}
			s.cut(b)
		}
	}
}

// MultipleBest returns the best of all Alternatives, by that criterion (§4.2;
// [7] in the paper). It takes a FirstFit for each. The errors are those of
// FirstFit.
func MultipleBest(e *Environment, j Job, c Criterion) (Window, error) {
	var best Window
	for w, err := range Alternatives(e, j, c) {
		if err != nil {
			return Window{}, err
		}
		if best.Tasks == nil || w.Value > best.Value {
			best = w
		}
	}
	return best, nil
}
