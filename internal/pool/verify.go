package pool

import (
	"cmp"
	"fmt"
	"iter"
	"slices"

	"github.com/bookahead/bookahead"
)

// VerifySteps demands that the steps of a structure are those that the
// reservations leave. O(n log n).
func (p *Pool) VerifySteps(got []Step) error {
	want, err := Steps(p.Capacity, p.Now, p.Bookings())
	if err != nil {
		return err
	}
	return compare(got, want)
}

func compare(got, want []Step) error {
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

// VerifyBlocks demands that blocks of free capacity, which may overlap and reach
// to the end of the axis, add up to what the reservations leave. O(n log n).
func (p *Pool) VerifyBlocks(blocks iter.Seq[bookahead.Block]) error {
	if p.Now == bookahead.MaxTime { // no time is left
		return nil
	}
	type change struct {
		at    bookahead.Time
		delta int64
	}
	var changes []change
	for b := range blocks {
		changes = append(changes, change{b.Start, b.Units}, change{b.End, -b.Units})
	}
	slices.SortFunc(changes, func(a, b change) int { return cmp.Compare(a.at, b.at) })
	got := []Step{{p.Now, 0}}
	for i := 0; i < len(changes) && changes[i].at < bookahead.MaxTime; {
		t, free := changes[i].at, got[len(got)-1].Free
		for ; i < len(changes) && changes[i].at == t; i++ {
			free += changes[i].delta
		}
		switch last := &got[len(got)-1]; {
		case last.Free == free:
		case last.Start == t:
			last.Free = free
		default:
			got = append(got, Step{t, free})
		}
	}
	want, err := Steps(p.Capacity, p.Now, p.Bookings())
	if err != nil {
		return err
	}
	if last := len(want) - 1; want[last].Start == bookahead.MaxTime { // no block begins there
		want = want[:last]
	}
	return compare(got, want)
}
