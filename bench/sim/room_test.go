package sim

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// The free units that are known are kept up to date as tasks start: no schedule is asked
// for units that it must refuse. A machine of 4 units has no horizon, so each task that
// is let through starts.
func TestNothingIsReservedInVain(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 0))
	tasks := make([]Task, 400)
	for i := range tasks {
		estimate := bookahead.Duration(1 + rng.IntN(12))
		tasks[i] = batch(bookahead.Time(i), 1+bookahead.Duration(rng.IntN(int(estimate))), estimate, 1+rng.Int64N(4))
	}
	for name, fill := range map[string]Backfill{"none": None{}, "first fit": FirstFit{}} {
		r, err := Run(Config{Providers: []Provider{machine(t, Local{Backfill: fill})}}, tasks)
		require.NoError(t, err)
		require.Equal(t, len(tasks), r.Operations.Reserve, name)
	}
}
