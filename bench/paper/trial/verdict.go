package trial

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// The verdicts on a claim. More repeats can settle an inconclusive claim. They cannot
// settle an untold one: its verdict hangs on a choice that the paper leaves open, or on
// jobs that the log has lost. An untested claim has nothing to test it by.
const (
	Holds        = "holds"
	Fails        = "does not hold"
	Inconclusive = "inconclusive"
	Untold       = "cannot be told"
	Untested     = "cannot be tested"
)

// Verdicts are all verdicts, in the order in which they are counted.
var Verdicts = []string{Holds, Fails, Inconclusive, Untold, Untested}

// Opposite reports whether one verdict is that a claim holds, and the other that it does not.
func Opposite(a, b string) bool { return a == Holds && b == Fails || a == Fails && b == Holds }

// Verdict judges the claim that a mean lies in the closed interval [from, to]. A
// mean that is no number, and an empty sample, cannot be tested.
//
//	          from            to
//	───────────[──────────────]───────────
//	|---x---|  :              :                does not hold
//	       |---x---|          :                inconclusive
//	           |---x---|      :                holds: both ends count
func (s Sample) Verdict(from, to float64) string {
	low, high := s.Mean-s.Half, s.Mean+s.Half
	switch {
	case len(s.Values) == 0 || math.IsNaN(s.Mean):
		return Untested
	case from <= low && high <= to:
		return Holds
	case high < from || to < low:
		return Fails
	}
	return Inconclusive
}

// Ours is where the claims stand that are not the paper's.
const Ours = "ours"

// Claim says that a number lies in the closed interval [From, To], whose bounds may
// be infinite.
type Claim struct {
	Where, What string
	Paper       string // the numbers of the paper, or its words
	Names       string // of the numbers that are compared: "online, batch", or "share"
	From, To    float64
	Why         string // a remark that goes with each finding, such as why there is no test
}

// Finding is the verdict on a claim in some circumstances, and the numbers behind it.
type Finding struct {
	Claim
	In      []string // the circumstances, such as the log and how it is read
	Verdict string
	A, B    float64 // means of the numbers that Names names
	Value   Sample  // of the number that the claim is about, made of A and B
	Note    string
}

// Judge judges a claim about by, which makes one number of each pair of two samples.
func (c Claim) Judge(a, b Sample, by func(a, b float64) float64, in ...string) Finding {
	value := Pairs(a, b, by)
	return Finding{Claim: c, In: in, Verdict: value.Verdict(c.From, c.To), A: a.Mean, B: b.Mean, Value: value, Note: c.Why}
}

// Less, Over, Log and Alone are the usual ways to compare two numbers. Log is the
// logarithm of Over: half and double weigh the same.
func Less(a, b float64) float64  { return a - b }
func Over(a, b float64) float64  { return a / b }
func Log(a, b float64) float64   { return math.Log(a / b) }
func Alone(a, _ float64) float64 { return a }

// Above is the least number that counts as more than 0, and -Above the greatest that
// counts as less: equal numbers are neither.
const Above = 1e-9

// Hangs is the finding as one that cannot be told: the verdict hangs on something that
// the note names first.
func (f Finding) Hangs(on string) Finding {
	note := fmt.Sprintf("hangs on %s: here it %s", on, f.Verdict)
	f.Verdict, f.Note = Untold, strings.TrimSuffix(note+"; "+f.Note, "; ")
	return f
}

// Open is the finding on a claim for which there is nothing to test it by.
func (c Claim) Open(in ...string) Finding {
	return Finding{Claim: c, In: in, Verdict: Untested, Note: c.Why}
}

// Worst judges a claim that is meant for each of several findings, such as one for
// each load: one that fails is enough. The numbers are those of the first finding
// with that verdict, and so are their Names if the claim has none. Where the verdicts
// differ, the note counts them.
func (c Claim) Worst(parts []Finding, in ...string) Finding {
	for _, verdict := range []string{Fails, Untold, Inconclusive, Untested, Holds} {
		i := slices.IndexFunc(parts, func(f Finding) bool { return f.Verdict == verdict })
		if i < 0 {
			continue
		}
		worst := parts[i]
		names := worst.Names
		worst.Claim, worst.In, worst.Note = c, in, c.Why
		worst.Names = cmp.Or(c.Names, names)
		n := count(parts, verdict)
		if n < len(parts) {
			counts := fmt.Sprintf("%s in %d of %d, holds in %d", verdict, n, len(parts), count(parts, Holds))
			worst.Note = strings.TrimSuffix(counts+"; "+c.Why, "; ")
		}
		return worst
	}
	return c.Open(in...)
}

// count returns how many findings have a verdict.
func count(all []Finding, verdict string) int {
	n := 0
	for _, f := range all {
		if f.Verdict == verdict {
			n++
		}
	}
	return n
}

// Text is the verdict in Markdown, with the numbers behind it: two if there is a
// comma in Names.
func (f Finding) Text() string {
	if len(f.Value.Values) == 0 || math.IsNaN(f.Value.Mean) {
		return f.Verdict
	}
	numbers := fmt.Sprintf("%.4g", f.A)
	if strings.Contains(f.Names, ", ") {
		numbers = fmt.Sprintf("%.4g, %.4g", f.A, f.B)
	}
	if f.Value.Half > 0 {
		numbers += fmt.Sprintf(" (%.3g ± %.2g)", f.Value.Mean, f.Value.Half)
	}
	return "**" + f.Verdict + "** " + numbers
}
