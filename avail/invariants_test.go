package avail

import "fmt"

// CheckInvariants checks that there are as many words as the length needs, and that no bit beyond
// the length is set.
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

// CheckInvariants checks that the list is the only one possible for its vector: runs in order,
// none empty, none that touch, all in range.
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
