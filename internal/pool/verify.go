package pool

import (
	"fmt"
	"iter"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/spans"
)

// VerifySteps checks that the steps of a structure are those that the reservations
// leave. O(n log n).
func (p *Pool) VerifySteps(got []Step) error {
	err := p.verifyChange()
	if err != nil {
		return err
	}
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
	ends := false // a reservation ends with the axis, where no block can begin
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
	last := got[len(got)-1]
	if ends && last.Free < p.Capacity {
		got = append(got, Step{bookahead.MaxTime, p.Capacity})
	}
	return p.VerifySteps(got)
}

// verifyChange checks that the capacity over time is that of the closures, and that the index has
// the reservations and no others. O(n log n).
func (p *Pool) verifyChange() error {
	if p.closed != nil {
		want := p.closed.clone()
		want.count()
		want.generate(p.Now)
		if !slices.Equal(p.closed.steps, want.steps) || p.closed.added != want.added || p.closed.shut != want.shut {
			return fmt.Errorf("given less closed is %v, but should be %v", p.closed.steps, want.steps)
		}
	}
	if p.lie == nil {
		return nil
	}
	var want []spans.Span
	for id, b := range p.Booked.Overlapping(p.rest(), p.Now) {
		want = append(want, b.spanOf(id))
	}
	got := slices.Collect(p.lie.Overlapping(p.rest()))
	if !slices.Equal(got, want) || p.lie.Len() != len(want) {
		return fmt.Errorf("the index has %d reservations, %v, but the live ones are %v", p.lie.Len(), got, want)
	}
	return p.lie.Verify()
}

// rest returns the time from now on.
func (p *Pool) rest() bookahead.Interval {
	return bookahead.Interval{Start: p.Now, End: bookahead.MaxTime}
}
