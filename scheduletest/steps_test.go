package scheduletest

import (
	"iter"
	"testing"

	"pgregory.net/rapid"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/scheduletest/internal/oracle"
)

// wholeSteps is the oracle for large numbers with all abilities that changes of capacity need.
type wholeSteps struct{ oracle.Oracle }

func (x *wholeSteps) Clone() bookahead.Schedule {
	return &wholeSteps{*x.Copy()}
}
func (x *wholeSteps) Adopt(clone bookahead.Schedule) { *x = *clone.(*wholeSteps) }

var _ bookahead.Displacer = (*wholeSteps)(nil)

// onlyOpens is a Keeper that lists openings and has no other ability.
type onlyOpens struct {
	bookahead.Keeper
	opens bookahead.Opener
}

func (o onlyOpens) Openings(r bookahead.Request) iter.Seq[bookahead.Interval] {
	return o.opens.Openings(r)
}

// stepTargets run the oracle for large numbers through the suite, beside the oracles with cells.
func stepTargets() []Target {
	list := []Target{
		{Name: "steps of a pool"},
		{Name: "steps of servers", Servers: true},
		{Name: "steps of a pool in slots", Slot: 7, Bounded: true},
		{Name: "steps of servers in slots", Servers: true, Slot: 7, Bounded: true},
		{Name: "steps of servers, stepping over starts", Servers: true, Step: 3, Attempts: 4, Bounded: true},
	}
	for i := range list {
		target := list[i]
		list[i].New = func(c Config) (bookahead.Schedule, error) {
			x, err := oracle.NewSteps(target.rules(c))
			if err != nil {
				return nil, err
			}
			if target.Slot > 0 || target.Step > 0 { // as such schedules have no closures
				return onlyOpens{x, x}, nil
			}
			return &wholeSteps{*x}, nil
		}
	}
	return list
}

// TestStepOracle compares the oracle for large numbers with the oracles that have a cell for each
// tick, at small numbers.
func TestStepOracle(t *testing.T) {
	for _, target := range stepTargets() {
		t.Run(target.Name, func(t *testing.T) {
			ops := 0
			rapid.Check(t, func(t *rapid.T) { model(t, target, &ops) })
			for ops < Operations()/10 {
				rapid.Check(t, func(t *rapid.T) { model(t, target, &ops) })
			}
			t.Logf("%d operations agree", ops)
		})
	}
}
