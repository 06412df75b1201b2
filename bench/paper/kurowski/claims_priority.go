package main

import (
	"fmt"
	"math"

	"github.com/bookahead/bookahead/bench/paper/trial"
)

// reasonable are the shares of AR tasks at which the paper finds its strategy best.
var reasonable = []int{20, 30, 40, 50}

// tiesNote explains why MCT and AR resource priority differ at all.
const tiesNote = "they differ only where providers offer the same start: AR resource priority takes the first of them, and MCT any, by chance, which is our choice; with MCT taking the first they are the same, and nothing is left of the claim"

// priorityClaims are those of §5.4.1 and §5.5: fixed requests.
func priorityClaims() []claim {
	ours, mcts, halves := two(heavy, priority, usual), two(heavy, mct, usual), two(heavy, static, usual)
	middle, edges := []int{20, 40, 60, 80}, []int{0, 100}
	// fall is how much the criterion loses by AR tasks.
	fall := func(m metric, p plan) pick {
		loss := difference(across(reasonable, m, p), at(m, p.with(0)))
		return func(w *world) float64 { return math.Abs(loss(w)) }
	}
	var all []claim
	for k, c := range criteria {
		said := fmt.Sprintf("%s, %s, %s", trial.Number(tableSix[0].said[k]), trial.Number(tableSix[1].said[k]), trial.Number(tableSix[2].said[k]))
		all = append(all, column("Table 6", c.name+" of the three", said, tableSix, c, k))
	}
	return append(all,
		below("Table 6", "Static has a higher mean F than AR resource priority", "99 714, 164 983 s", "AR priority, Static (s)", at(meanF, ours), at(meanF, halves)),
		below("Table 6", "And a lower mean U", "0.65, 0.695", "Static, AR priority", at(meanU, halves), at(meanU, ours)),
		below("Table 6", "And a higher mean D", "5576, 7178 s", "AR priority, Static (s)", at(meanD, ours), at(meanD, halves)),
		below("Table 6", "AR resource priority has a lower mean F than MCT at 30 % AR tasks", "99 714, 107 383 s", "AR priority, MCT (s)", at(meanF, ours), at(meanF, mcts)).because(tiesNote),
		below("Table 6", "And a higher mean U", "0.679, 0.695", "MCT, AR priority", at(meanU, mcts), at(meanU, ours)).because(tiesNote),
		below("Fig. 11", "It has a lower mean F at 20 to 50 %", "outperforms", "AR priority, MCT (s)", across(reasonable, meanF, ours), across(reasonable, meanF, mcts)).because(tiesNote),
		below("Fig. 12", "And a higher mean U", "outperforms", "MCT, AR priority", across(reasonable, meanU, mcts), across(reasonable, meanU, ours)).because(tiesNote),
		claim{Claim: trial.Claim{Where: "Table 6", What: "Its mean D is not worse than that of MCT, read as by less than 500 s", Paper: "5576, 5666 s", Names: "AR priority, MCT (s)", From: -inf, To: 500}, by: less, a: at(meanD, ours), b: at(meanD, mcts)},
		claim{Claim: trial.Claim{Where: "Fig. 13, 18, 19", What: "The same at 20 to 50 %", Paper: "similar", Names: "AR priority, MCT (s)", From: -inf, To: 500}, by: less, a: across(reasonable, meanD, ours), b: across(reasonable, meanD, mcts)},
		claim{Claim: trial.Claim{Where: trial.Ours, What: "If MCT takes the first of equals, it is AR resource priority: mean F at 20 to 50 % is the same", Names: "MCT first, AR priority (s)", From: 0, To: 0}, by: less, a: across(reasonable, meanF, two(heavy, first, 0)), b: across(reasonable, meanF, ours)},
		below("Fig. 11", "Only AR tasks, or none, do much better: mean F at 0 and 100 % is lower than at 20 to 80 %, under MCT", "much better", "0 and 100 %, 20-80 % (s)", across(edges, meanF, mcts), across(middle, meanF, mcts)),
		below("Fig. 12", "And mean U is higher", "much better", "20-80 %, 0 and 100 %", across(middle, meanU, mcts), across(edges, meanU, mcts)),
		claim{Claim: trial.Claim{Where: "§5.4.1", What: "With few AR tasks their impact is negligible: mean F of both at 10 % is even within a tenth", Paper: "negligible", Names: "AR priority, MCT (s)", From: 0.9, To: 1.1}, by: over, a: at(meanF, ours.with(10)), b: at(meanF, mcts.with(10))},
		claim{Claim: trial.Claim{Where: "§5.4.1", What: "And that on mean F itself: at 10 % it is that at 0, within a tenth, under MCT", Paper: "negligible", Names: "10 %, 0 (s)", From: 0.9, To: 1.1}, by: over, a: at(meanF, mcts.with(10)), b: at(meanF, mcts.with(0))},
		below("Fig. 18, 19", "Mean F loses less by 20 to 50 % AR tasks under AR resource priority than under MCT", "less", "AR priority, MCT (s)", fall(meanF, ours), fall(meanF, mcts)),
		below("Fig. 18, 19", "And mean U", "less", "AR priority, MCT", fall(meanU, ours), fall(meanU, mcts)),
		below("§5.5", "AR resource priority has a lower mean F than Random at 20 to 50 %", "better", "AR priority, Random (s)", across(reasonable, meanF, ours), across(reasonable, meanF, two(heavy, random, 0))),
	)
}

// flexibleClaims are those of §5.4.2: requests with an interval.
func flexibleClaims() []claim {
	in := func(k int, g strategy) plan { return within(intervals[k], g, usual) }
	high := []int{60, 70, 80, 90}
	last := len(intervals) - 1
	return []claim{
		{Claim: trial.Claim{Where: "Fig. 14", What: "AR resource priority has a lower mean F for the majority of interval lengths", Paper: "majority", Names: "of 7 lengths", From: 3.51, To: inf},
			by: alone, a: func(w *world) float64 {
				n := 0.0
				for k := 1; k < len(intervals); k++ {
					if at(meanF, in(k, priority))(w) < at(meanF, in(k, mct))(w) {
						n++
					}
				}
				return n
			}},
		{Claim: trial.Claim{Where: "§5.4.2", What: "With long intervals, mean D is so small that the difference does not matter: less than a minute, at [12, 48]", Paper: "negligible", Names: "AR priority, MCT (s)", From: -60, To: 60}, by: less, a: at(meanD, in(last, priority)), b: at(meanD, in(last, mct))},
		{Claim: trial.Claim{Where: "§5.4.2", What: "And so it is with [2, 8]", Paper: "negligible", Names: "AR priority, MCT (s)", From: -60, To: 60}, by: less, a: at(meanD, in(2, priority)), b: at(meanD, in(2, mct))},
		below("Fig. 15", "With [1, 4], it has a lower mean F at 20 to 50 %", "better", "AR priority, MCT (s)", across(reasonable, meanF, in(1, priority)), across(reasonable, meanF, in(1, mct))),
		below("Fig. 15", "And at 60 to 90 %", "better", "AR priority, MCT (s)", across(high, meanF, in(1, priority)), across(high, meanF, in(1, mct))),
		below("§5.4.2", "And a higher mean U at 20 to 50 %", "better", "MCT, AR priority", across(reasonable, meanU, in(1, mct)), across(reasonable, meanU, in(1, priority))),
		below("Fig. 16", "With [2, 8], it has a higher mean U at 20 to 50 %", "better", "MCT, AR priority", across(reasonable, meanU, in(2, mct)), across(reasonable, meanU, in(2, priority))),
		below("Fig. 16", "And at 60 to 90 %", "better", "MCT, AR priority", across(high, meanU, in(2, mct)), across(high, meanU, in(2, priority))),
		below("§5.4.2", "And a lower mean F at 20 to 50 %", "better", "AR priority, MCT (s)", across(reasonable, meanF, in(2, priority)), across(reasonable, meanF, in(2, mct))),
		below("§5.5", "It may harm AR tasks with long intervals: their mean F is higher, at [12, 48]", "may", "MCT, AR priority (s)", at(flowAR, in(last, mct)), at(flowAR, in(last, priority))),
	}
}

// adviceClaims are those of §3.2 and the conclusions.
func adviceClaims() []claim {
	plain, plainMCT := two(heavy, priority, 0), two(heavy, mct, 0)
	flexible, flexibleMCT := within(intervals[2], priority, 0), within(intervals[2], mct, 0)
	atStart, atBooking := bound(dynamic, 0), bound(early, 0)
	mean := func(m metric, p plan) pick { return across(reasonable, m, p) }
	loss := func(p plan) pick { return difference(mean(meanF, p), at(meanF, p)) }
	return []claim{
		{Claim: trial.Claim{Where: "Prop. 1", What: "With dynamic binding, counting units is enough: servers chosen at the start change nothing, mean F at 20 to 50 %", Paper: "proof", Names: "bound at the start, counted (s)", From: 0, To: 0}, by: less, a: mean(meanF, atStart), b: mean(meanF, plain)},
		below("§6", "Servers chosen when booked make it worse: mean F at 20 to 50 %", "static blocking", "at the start, when booked (s)", mean(meanF, atStart), mean(meanF, atBooking)),
		below("§6", "So with mean U", "static blocking", "when booked, at the start", mean(meanU, atBooking), mean(meanU, atStart)),
		{Claim: trial.Claim{Where: "§6", What: "The main reason for the worse mean F is that run times of batch tasks are not known: without that, less than half of the loss at 20 to 50 % is left", Paper: "main reason", Names: "loss known, unknown (s)", From: -inf, To: 0.5}, by: over, a: loss(knowing(plain)), b: loss(plain)},
		below("§6", "Flexible requests are better than fixed ones for mean F: [2, 8] under AR resource priority, 20 to 50 %", "as flexible as possible", "[2, 8], fixed (s)", mean(meanF, flexible), mean(meanF, plain)),
		below("§6", "And under MCT", "as flexible as possible", "[2, 8], fixed (s)", mean(meanF, flexibleMCT), mean(meanF, plainMCT)),
		below("§6", "And for mean D, under AR resource priority", "as flexible as possible", "[2, 8], fixed (s)", mean(meanD, flexible), mean(meanD, plain)),
	}
}
