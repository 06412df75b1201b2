package grid

import (
	"fmt"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
)

// checkNamed returns the servers that a closure names, in ascending order. The error wraps
// bookahead.ErrInvalid if the closure names no server, or a server twice, or a server that is not one of
// n, or if its Units are not the number of its servers.
func checkNamed(c bookahead.Closure, n int) ([]int, error) {
	switch count := int64(len(c.Servers)); {
	case count == 0:
		return nil, limits.Invalid("Closure.Servers", c.Servers, "names none")
	case c.Units != 0 && c.Units != count:
		return nil, limits.Invalid("Closure.Units", c.Units, fmt.Sprintf("is not the number of servers, %d", count))
	}
	list := slices.Sorted(slices.Values(c.Servers))
	for i, k := range list {
		switch {
		case k < 0:
			return nil, limits.Invalid("Closure.Servers", k, "is negative")
		case k >= n:
			return nil, limits.Invalid("Closure.Servers", k, fmt.Sprintf("is not below the %d servers that there are", n))
		case i > 0 && k == list[i-1]:
			return nil, limits.Invalid("Closure.Servers", k, "is named twice")
		}
	}
	return list, nil
}

// adopt gives a schedule the state of its clone, and returns the schedule. If the schedule is no
// bookahead.Displacer, it returns the clone instead.
func adopt[S bookahead.Schedule](s, clone S) S {
	adopted := false
	bookahead.Update(s, func(s bookahead.Schedule) {
		bookahead.View(clone, func(c bookahead.Schedule) {
			d, ok := s.(bookahead.Displacer)
			if ok {
				d.Adopt(c)
				adopted = true
			}
		})
	})
	if adopted {
		return s
	}
	return clone
}
