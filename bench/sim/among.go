package sim

import (
	"fmt"
	"slices"
)

// Among restricts a placement to some providers, by index, and lists them in the
// order given. Two of them that share
// none, one for batch tasks and one for AR tasks, are a static partition (Kurowski
// et al., §5.3). A task for which none of them has enough units is rejected.
type Among struct {
	Providers []int
	By        Placement
}

func (a Among) validate(providers int) error {
	for _, p := range a.Providers {
		if p < 0 || p >= providers {
			return invalid("Among.Providers", p, fmt.Sprintf("is not one of %d providers", providers))
		}
	}
	if a.By == nil {
		return invalid("Among.By", a.By, "is missing")
	}
	return a.By.validate(providers)
}

func (a Among) open(stream uint64) chooser {
	by := a.By.open(stream)
	return func(among []*candidate) *candidate {
		var some []*candidate
		for _, p := range a.Providers {
			if i := slices.IndexFunc(among, func(c *candidate) bool { return c.index == p }); i >= 0 {
				some = append(some, among[i])
			}
		}
		if len(some) == 0 {
			return nil
		}
		return by(some)
	}
}
