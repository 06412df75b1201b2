package trial

import (
	"fmt"
	"math"
	"strings"
)

// What the numbers say of a claim.
const (
	Holds        = "holds"
	Fails        = "does not hold"
	Inconclusive = "inconclusive"
	Untested     = "cannot be tested"
)

// Verdict judges the claim that a mean lies between from and to, which are
// included: it holds if the whole confidence interval does, and does not if none of
// it does. A mean that is no number cannot be tested.
func (s Sample) Verdict(from, to float64) string {
	low, high := s.Mean-s.Half, s.Mean+s.Half
	switch {
	case math.IsNaN(s.Mean):
		return Untested
	case from <= low && high <= to:
		return Holds
	case high < from || to < low:
		return Fails
	}
	return Inconclusive
}

// Finding is what became of a claim that compares two numbers.
type Finding struct {
	Verdict string
	A, B    float64 // means of the numbers
	Value   Sample  // of what is made of them; Half is 0 if nothing depends on chance
}

// Text is the verdict in Markdown, and the numbers behind it, of which names has
// the names: two if there is a comma in it.
func (f Finding) Text(names string) string {
	if len(f.Value.Values) == 0 || math.IsNaN(f.Value.Mean) {
		return f.Verdict
	}
	numbers := fmt.Sprintf("%.4g", f.A)
	if strings.Contains(names, ", ") {
		numbers = fmt.Sprintf("%.4g, %.4g", f.A, f.B)
	}
	if f.Value.Half > 0 {
		numbers += fmt.Sprintf(" (%.3g ± %.2g)", f.Value.Mean, f.Value.Half)
	}
	return "**" + f.Verdict + "** " + numbers
}
