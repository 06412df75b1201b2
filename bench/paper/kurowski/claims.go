package main

import (
	"math"

	"github.com/bookahead/bookahead/bench/paper/trial"
)

// claims are those of §3 to §6, in the order in which they can be tested.
func claims() []claim {
	all := append(slotClaims(), logClaims()...)
	all = append(all, batchClaims()...)
	all = append(all, shareClaims()...)
	all = append(all, periodClaims()...)
	all = append(all, partitionClaims()...)
	all = append(all, priorityClaims()...)
	all = append(all, flexibleClaims()...)
	all = append(all, adviceClaims()...)
	return append(all, openClaims()...)
}

var inf = math.Inf(1)

const (
	fifth = 0.2  // a number within a fifth of the paper's is the paper's
	even  = 0.03 // utilisations that differ by no more are even
)

// pick is a number of a world.
type pick func(w *world) float64

// at is a criterion of a plan.
func at(m metric, p plan) pick { return func(w *world) float64 { return m(w.run(p)) } }

// average is the mean of what of says of some shares of AR tasks.
func average(shares []int, of func(share int) pick) pick {
	return func(w *world) float64 {
		sum := 0.0
		for _, share := range shares {
			sum += of(share)(w)
		}
		return sum / float64(len(shares))
	}
}

// both are the sides of a claim.
func both(a, b pick) func(w *world) (float64, float64) {
	return func(w *world) (float64, float64) { return a(w), b(w) }
}

// only is the one side of a claim about a single number.
func only(a pick) func(w *world) (float64, float64) {
	return func(w *world) (float64, float64) { return a(w), 0 }
}

// off is by what part numbers of ours miss the paper's, on average. Where the
// paper's is 0, nothing is compared.
func off(ours []pick, paper []float64) pick {
	return func(w *world) float64 {
		sum, n := 0.0, 0.0
		for i, of := range ours {
			if paper[i] != 0 {
				sum += math.Abs(of(w)/paper[i] - 1)
				n++
			}
		}
		return sum / n
	}
}

// matches claims that numbers are the paper's, within a fifth on average.
func matches(where, what, said string, ours []pick, paper []float64) claim {
	return claim{Claim: trial.Claim{Where: where, What: what + ": the paper's, within a fifth on average", Paper: said, Names: "mean deviation", From: 0, To: fifth}, by: alone, fact: true, sides: only(off(ours, paper))}
}

// below claims that a is less than b. What is equal is not less.
func below(where, what, said, names string, a, b pick) claim {
	return claim{Claim: trial.Claim{Where: where, What: what, Paper: said, Names: names, From: -inf, To: -rounding}, by: less, sides: both(a, b)}
}

// slotClaims are those of §3.3 and §3.5. Their workload is not given: here it is the
// heavier piece, all of it AR tasks, and with the share of §5.4.
func slotClaims() []claim {
	var all []claim
	form := func(m metric, share, k int) pick { return at(m, inForm(heavy, share, forms[k].form)) }
	span := func(s *summary) float64 { return s.makespan }
	for _, share := range []int{100, usual} {
		of := map[int]string{100: "all tasks AR tasks", usual: "30 % AR tasks"}[share]
		all = append(all,
			below("Fig. 4, 5", "The longer fixed slots are, the lower is mean U: 1 h against 10 min, "+of, "lower", "1 h, 10 min", form(meanU, share, 2), form(meanU, share, 1)),
			below("Fig. 4, 5", "Fixed slots of 10 min have a lower mean U than variable ones, "+of, "lower", "10 min, variable", form(meanU, share, 1), form(meanU, share, 0)),
			below("Fig. 5", "Variable slots have a shorter makespan than those of 10 min, "+of, "a figure", "variable, 10 min", form(span, share, 0), form(span, share, 1)),
			below("Fig. 5", "Those of 10 min a shorter one than those of 1 h, "+of, "a figure", "10 min, 1 h", form(span, share, 1), form(span, share, 2)),
			below("Fig. 5", "Variable slots have a lower mean F than those of 10 min, "+of, "a figure", "variable, 10 min", form(meanF, share, 0), form(meanF, share, 1)),
			below("Fig. 5", "Those of 10 min a lower one than those of 1 h, "+of, "a figure", "10 min, 1 h", form(meanF, share, 1), form(meanF, share, 2)),
		)
	}
	slots := func(piece, k int) pick {
		return at(func(s *summary) float64 { return s.slots }, inForm(piece, 100, forms[k].form))
	}
	few := "the paper's numbers are those of another report; counted are slots from the ready time to the end of what is found, and few reservations are live at a time here"
	all = append(all,
		below("§3.5", "A search goes through fewer slots if they are variable than if they are of 10 min", "faster", "variable, 10 min", slots(heavy, 0), slots(heavy, 1)),
		below("§3.5", "It goes through fewer if they are of 1 h than if they are variable", "faster", "1 h, variable", slots(heavy, 2), slots(heavy, 0)),
		below("§3.5", "Variable slots are at their best with big reservations: fewer slots than with small ones", "particularly fast", "68000-69000, 1-1000", slots(heavy, 0), slots(light, 0)),
	)
	for i := len(all) - 2; i < len(all); i++ {
		all[i].Why = few
	}
	return all
}

// openClaims are those for which there is nothing to test them by.
func openClaims() []claim {
	return []claim{
		{Claim: trial.Claim{Where: "Fig. 2", What: "Waits in the log fall into two kinds, short and long", Paper: "a figure", Why: "our copy of the log has been through a simulator, and has lost the waits of the real system"}},
		{Claim: trial.Claim{Where: "Fig. 7", What: "There are gaps before ARs in the Gantt chart", Paper: "a figure", Why: "no number is given; what the gaps cost is in Table 5"}},
		{Claim: trial.Claim{Where: "Fig. 4, 8-19", What: "The curves themselves", Paper: "figures", Why: "only their shapes are described in words"}},
		{Claim: trial.Claim{Where: "§6", What: "Large tasks and large ARs make these suggestions difficult to adopt", Paper: "difficult", Why: "it is not said what that is measured by"}},
		{Claim: trial.Claim{Where: "§3.4, §3.5", What: "Algorithm 1 is O(n), and a search finds its first slot in O(log v)", Paper: "O(n), O(log v)", Why: "these are tested where the structure is: package carts"}},
	}
}
