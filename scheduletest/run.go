package scheduletest

import (
	"testing"

	"pgregory.net/rapid"
)

// Run tests the target against the oracle, the laws, misuse, and known faults, and hunts it with
// numbers at the edges.
func Run(t *testing.T, target Target) {
	t.Run("Model", func(t *testing.T) {
		ops := 0
		for want := target.drawn(); ops < want && !t.Failed(); {
			rapid.Check(t, func(t *rapid.T) { model(t, target, &ops) })
		}
		t.Logf("%d operations agree with the oracle", ops)
	})
	t.Run("Crowded", func(t *testing.T) {
		ops := 0
		rapid.Check(t, func(t *rapid.T) {
			if ops < target.crowd() {
				crowded(t, target, &ops)
			}
		})
		t.Logf("%d operations agree with the oracle", ops)
	})
	t.Run("Small", func(t *testing.T) {
		t.Log(small(t, target, short()))
	})
	t.Run("Laws", func(t *testing.T) {
		for _, l := range laws {
			t.Run(l.name, rapid.MakeCheck(func(t *rapid.T) { l.law(t, target) }))
		}
	})
	t.Run("Snapshots", func(t *testing.T) { hostileSnapshots(t, target) })
	t.Run("Invalid", func(t *testing.T) { invalidCalls(t, target) })
	t.Run("Known", func(t *testing.T) { knownFaults(t, target) })
	t.Run("Hunt", func(t *testing.T) {
		if target.Cells {
			t.Skip("a schedule with a cell for each tick is not hunted")
		}
		Hunt(t, hunted(target))
	})
}

// drawn is how many operations Model draws. The oracle looks at each server, which takes long, and a broker or a binder is made
// of schedules that have runs of their own.
func (target Target) drawn() int {
	if target.Servers || target.Made {
		return Operations() / 5
	}
	return Operations() * 2 / 5
}

// crowd is how many operations Crowded draws.
func (target Target) crowd() int {
	if target.Servers || target.Made {
		return Operations() / 8
	}
	return Operations() / 4
}

// short is how many operations Small runs: as usual 15 000, which are all sequences of up to three and a sample of those of
// four. All of four would be 100 000 on a pool, and 200 000 on servers, which have more operations.
func short() int { return Operations() * 3 / 4 }

// Fuzz is the entry for go test -fuzz: the fuzzer's bytes choose the
// operations of Model, or the calls of Hunt.
func Fuzz(f *testing.F, target Target) {
	ops := 0
	f.Fuzz(rapid.MakeFuzz(func(t *rapid.T) {
		if rapid.IntRange(0, 3).Draw(t, "hunt") == 3 && !target.Cells {
			hunt(t, huntPatience, &slowest{}, hunted(target))
			return
		}
		model(t, target, &ops)
	}))
}
