package window

import "github.com/bookahead/bookahead/internal/effort"

// MaxQLite returns the best of the windows that the n cheapest slots make, one
// window for each start (§4.2). It is fast, and a good guess for most criteria. For the
// criteria of AEP and square windows, it is the best window: there all slots have the same
// value, or the cheapest slots have the greatest. The errors are those of FirstFit.
// O(s m) steps for each performance.
func MaxQLite(e *Environment, j Job, c Criterion) (Window, error) {
	if err := c.check(); err != nil {
		return Window{}, err
	}
	s, err := newSearch(e, j)
	if err != nil {
		return Window{}, err
	}
	var b best
	p := picker{meter: &s.meter}
	s.scan(func(w *extended) bool {
		cost, ok := s.cheapest(&p, w.list)
		if ok && cost <= s.limit {
			value := 0.0
			for _, i := range p.heap {
				value += s.value(c, w.list[i], w.start)
			}
			b.offer(w.start, value, w.list, p.heap)
		}
		return true
	})
	return b.window(s, c)
}

// cheapest picks the n cheapest candidates. A Tight window needs a slow candidate: if there is
// none among the n cheapest, the dearest of them makes way for the cheapest slow candidate. It
// returns false if the search must stop.
func (s *search) cheapest(p *picker, list []candidate) (cost float64, ok bool) {
	cost, ok = p.cheapest(list, s.job.Nodes)
	if !ok || s.job.Shape != Tight {
		return cost, ok
	}
	dearest := 0
	for at, i := range p.heap {
		if list[i].slow {
			return cost, true
		}
		if list[i].cost > list[p.heap[dearest]].cost {
			dearest = at
		}
	}
	slow := -1
	for i, k := range list {
		if i%effort.Chunk == 0 && !s.meter.Go(min(effort.Chunk, len(list)-i)) {
			return 0, false
		}
		if k.slow && (slow < 0 || k.cost < list[slow].cost) {
			slow = i
		}
	}
	p.heap[dearest] = int32(slow)
	cost = 0
	for _, i := range p.heap {
		cost += list[i].cost
	}
	return cost, true
}
