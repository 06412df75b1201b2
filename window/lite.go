package window

// MaxQLite returns the best of the windows that the n cheapest slots make, one
// for each start (§4.2): fast, and no more than a good guess for most criteria.
// For those of AEP it is the best there is if windows are square, as all slots
// add the same, or the cheapest the most. The errors are those of FirstFit.
// O(s m) for each performance.
func MaxQLite(e *Environment, j Job, c Criterion) (Window, error) {
	if err := c.check(); err != nil {
		return Window{}, err
	}
	s, err := newSearch(e, j)
	if err != nil {
		return Window{}, err
	}
	var b best
	var p picker
	s.scan(func(w *extended) bool {
		cost := p.cheapest(w.list, j.Nodes)
		if cost <= s.limit {
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

// DEPLite is MaxQLite by Near: the n cheapest slots where they are farthest from
// their neighbours (§4.3).
func DEPLite(e *Environment, j Job) (Window, error) { return MaxQLite(e, j, Near) }

// COORDLite is MaxQLite by Far: the n cheapest slots where they leave the least
// (§4.3).
func COORDLite(e *Environment, j Job) (Window, error) { return MaxQLite(e, j, Far) }
