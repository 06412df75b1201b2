package window

import (
	"math"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/effort"
)

// free is a knapsack without a limit of steps.
func free() knapsack {
	k := newKnapsack(nil)
	k.limit(0)
	return k
}

// limit gives a knapsack so many steps; 0 for no limit.
func (k *knapsack) limit(steps int64) {
	if steps == 0 {
		steps = math.MaxInt64
	}
	m, err := effort.New(bookahead.Effort{Steps: steps})
	if err != nil {
		panic(err)
	}
	k.meter, k.probe.meter = &m, &m
}
