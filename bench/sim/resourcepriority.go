package sim

// ResourcePriority asks the providers in the order in which they are listed, and
// takes the first that can have the task done when it is due, however early others
// could: AR tasks gather there, and disturb batch tasks elsewhere less. If none can,
// it takes the one with the earliest start (Kurowski et al., §4.4.2 and §5.4). A
// batch task goes to the first.
type ResourcePriority struct{}

func (ResourcePriority) validate(int) error { return nil }

func (ResourcePriority) open(uint64) chooser {
	return func(among []*candidate) *candidate {
		for _, c := range among {
			if c.byDue() {
				return c
			}
		}
		return earliest(among)
	}
}
