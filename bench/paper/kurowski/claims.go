package main

import (
	"math"
	"slices"

	"github.com/bookahead/bookahead/bench/paper/trial"
)

// claims are those of §3 to §6, in the order in which they can be tested.
func claims() []claim {
	alike := slices.Concat(logClaims(), batchClaims())
	for i := range alike {
		alike[i].alike = true
	}
	return slices.Concat(slotClaims(), alike, shareClaims(), periodClaims(), partitionClaims(),
		priorityClaims(), flexibleClaims(), adviceClaims(), openClaims)
}

var inf = math.Inf(1)

const even = 0.03 // utilisations that differ by no more are even

// tolerance is how far numbers that are the paper's may be from them.
type tolerance struct {
	name string
	part float64
}

var (
	fifth     = tolerance{"a fifth on average", 0.2}
	tenth     = tolerance{"a tenth on average", 0.1}
	hundredth = tolerance{"a hundredth", 0.01}
)

// pick is a number of a world.
type pick func(w *world) float64

// at is a criterion of a plan.
func at(m metric, p plan) pick { return func(w *world) float64 { return m.of(w.run(p)) } }

// average is the mean of a number over some shares of AR tasks.
func average(shares []int, of func(share int) pick) pick {
	return func(w *world) float64 {
		sum := 0.0
		for _, share := range shares {
			sum += of(share)(w)
		}
		return sum / float64(len(shares))
	}
}

// across is the mean of a criterion over some shares of AR tasks in place of the plan's
// own.
func across(shares []int, m metric, p plan) pick {
	return average(shares, func(share int) pick { return at(m, p.with(share)) })
}

// times is a multiple of a number.
func times(k float64, of pick) pick { return func(w *world) float64 { return k * of(w) } }

// ratio and difference are those of two numbers.
func ratio(a, b pick) pick      { return func(w *world) float64 { return a(w) / b(w) } }
func difference(a, b pick) pick { return func(w *world) float64 { return a(w) - b(w) } }

// off is the mean relative error of our numbers against the paper's. Numbers of the paper
// that are 0 are not compared.
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

// matches claims that numbers are the paper's, within a tolerance.
func (t tolerance) matches(where, what, said string, ours []pick, paper ...float64) claim {
	return claim{Claim: trial.Claim{Where: where, What: what + ": the paper's, within " + t.name, Paper: said, Names: "mean deviation", From: 0, To: t.part}, by: alone, fact: true, a: off(ours, paper)}
}

// column claims that the numbers of a table are the paper's, in the kth of its columns.
func column(where, what, said string, lines []line, m metric, k int) claim {
	var ours []pick
	var paper []float64
	for _, l := range lines {
		if l.said != nil {
			ours, paper = append(ours, at(m, l.plan)), append(paper, l.said[k])
		}
	}
	return fifth.matches(where, what, said, ours, paper...)
}

// below claims that a is less than b. An equal number is not less.
func below(where, what, said, names string, a, b pick) claim {
	return claim{Claim: trial.Claim{Where: where, What: what, Paper: said, Names: names, From: -inf, To: -trial.Above}, by: less, a: a, b: b}
}

// because is the claim with a remark that goes with its findings.
func (c claim) because(why string) claim {
	c.Why = why
	return c
}

// slotClaims are those of §3.3 and §3.5. Their workload is not given: here it is the
// heavier piece, all of it AR tasks, and with the share of §5.4.
func slotClaims() []claim {
	var all []claim
	for _, share := range []int{100, usual} {
		of := map[int]string{100: "all tasks AR tasks", usual: "30 % AR tasks"}[share]
		variable, tenMinutes, oneHour := inForm(heavy, share, 0), inForm(heavy, share, 1), inForm(heavy, share, 2)
		all = append(all,
			below("Fig. 4, 5", "The longer fixed slots are, the lower is mean U: 1 h against 10 min, "+of, "lower", "1 h, 10 min", at(meanU, oneHour), at(meanU, tenMinutes)),
			below("Fig. 4, 5", "Fixed slots of 10 min have a lower mean U than variable ones, "+of, "lower", "10 min, variable", at(meanU, tenMinutes), at(meanU, variable)),
			below("Fig. 5", "Variable slots have a shorter makespan than those of 10 min, "+of, "a figure", "variable, 10 min", at(makespan, variable), at(makespan, tenMinutes)),
			below("Fig. 5", "Those of 10 min a shorter one than those of 1 h, "+of, "a figure", "10 min, 1 h", at(makespan, tenMinutes), at(makespan, oneHour)),
			below("Fig. 5", "Variable slots have a lower mean F than those of 10 min, "+of, "a figure", "variable, 10 min", at(meanF, variable), at(meanF, tenMinutes)),
			below("Fig. 5", "Those of 10 min a lower one than those of 1 h, "+of, "a figure", "10 min, 1 h", at(meanF, tenMinutes), at(meanF, oneHour)),
		)
	}
	const few = "the paper's numbers are those of another report; slots are counted from the ready time to the end of the offer found, and few reservations are live at a time here"
	variable, tenMinutes, oneHour, small := inForm(heavy, 100, 0), inForm(heavy, 100, 1), inForm(heavy, 100, 2), inForm(light, 100, 0)
	return append(all,
		below("§3.5", "A search goes through fewer slots if they are variable than if they are of 10 min", "faster", "variable, 10 min", at(slots, variable), at(slots, tenMinutes)),
		below("§3.5", "It goes through fewer if they are of 1 h than if they are variable", "faster", "1 h, variable", at(slots, oneHour), at(slots, variable)).because(few),
		below("§3.5", "Variable slots are at their best with big reservations: fewer slots than with small ones", "particularly fast", "68000-69000, 1-1000", at(slots, variable), at(slots, small)).because(few),
	)
}

// openClaims are those for which there is nothing to test them by.
var openClaims = []claim{
	{Claim: trial.Claim{Where: "Fig. 2", What: "Waits in the log fall into two kinds, short and long", Paper: "a figure", Why: "our copy of the log has been through a simulator, and has lost the waits of the real system"}},
	{Claim: trial.Claim{Where: "Fig. 7", What: "There are gaps before ARs in the Gantt chart", Paper: "a figure", Why: "no number is given; what the gaps cost is in Table 5"}},
	{Claim: trial.Claim{Where: "Fig. 4, 8-19", What: "The curves themselves", Paper: "figures", Why: "only their shapes are described in words"}},
	{Claim: trial.Claim{Where: "§6", What: "Large tasks and large ARs make these suggestions difficult to adopt", Paper: "difficult", Why: "it is not said what that is measured by"}},
	{Claim: trial.Claim{Where: "§3.4, §3.5", What: "Algorithm 1 is O(n), and a search finds its first slot in O(log v)", Paper: "O(n), O(log v)", Why: "these are tested where the structure is: package carts"}},
}
