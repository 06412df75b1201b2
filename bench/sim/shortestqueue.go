package sim

// ShortestQueue sends a task to the provider with the fewest batch tasks in its
// queue, the first of several: the paper's load balancing (LB, §4.4.2).
type ShortestQueue struct{}

func (ShortestQueue) validate(int) error { return nil }

func (ShortestQueue) open(uint64) chooser {
	return func(among []*candidate) *candidate {
		best := among[0]
		for _, c := range among[1:] {
			if c.waiting() < best.waiting() {
				best = c
			}
		}
		return best
	}
}
