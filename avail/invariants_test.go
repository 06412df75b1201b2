package avail

import "fmt"

// CheckInvariants demands that the words are as many as the length needs, and
// that no bit beyond it is set.
func (v *Vector) CheckInvariants() error {
	words := v.set.Words()
	if len(words) != (v.Len()+63)/64 {
		return fmt.Errorf("%d words for %d slots", len(words), v.Len())
	}
	if tail := v.Len() & 63; tail > 0 && words[len(words)-1]>>tail != 0 {
		return fmt.Errorf("last word of %d slots is %x", v.Len(), words[len(words)-1])
	}
	return nil
}

// CheckInvariants demands the one list there is for a vector: ordered runs, none
// empty, none that touch, all in range.
func (r *Runs) CheckInvariants() error {
	end := -1
	for _, run := range r.runs {
		if run.Start <= end || run.Len() < 1 || run.End > r.n {
			return fmt.Errorf("run %v after %d in %d slots", run, end, r.n)
		}
		end = run.End
	}
	return nil
}
