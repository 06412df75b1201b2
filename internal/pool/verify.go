package pool

import (
	"fmt"
	"iter"

	"github.com/bookahead/bookahead"
)

// VerifySteps checks that the steps of a structure are those that the reservations
// leave. O(n log n).
func (p *Pool) VerifySteps(got []Step) error {
	want, err := p.steps()
	if err != nil {
		return err
	}
	for i, s := range want {
		if i >= len(got) || got[i] != s {
			return fmt.Errorf("step %d of %d should be %v, of %d: %v", i, len(got), s, len(want), got[i:min(i+1, len(got))])
		}
	}
	if len(got) > len(want) {
		return fmt.Errorf("step %v is one too many", got[len(want)])
	}
	return nil
}

// VerifyBlocks checks that blocks of free capacity, which may overlap and reach
// to the end of the axis, add up to the steps that the reservations leave. O(n log n).
func (p *Pool) VerifyBlocks(blocks iter.Seq[bookahead.Block]) error {
	if p.Now == bookahead.MaxTime { // no time is left
		return nil
	}
	var given, taken []event
	ends := false // whether a reservation ends with the axis, where no block can begin
	for _, b := range p.Booked.All(p.Now) {
		ends = ends || b.End == bookahead.MaxTime
	}
	for b := range blocks {
		given = append(given, event{b.Start, b.Units})
		if b.End < bookahead.MaxTime {
			taken = append(taken, event{b.End, b.Units})
		}
	}
	got, err := generate(Step{p.Now, 0}, given, taken, 0)
	if err != nil {
		return err
	}
	if last := got[len(got)-1]; ends && last.Free < p.Capacity {
		got = append(got, Step{bookahead.MaxTime, p.Capacity})
	}
	return p.VerifySteps(got)
}
