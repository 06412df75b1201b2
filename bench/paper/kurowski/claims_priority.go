package main

import (
	"math"

	"github.com/bookahead/bookahead/bench/paper/trial"
)

// reasonable are the shares of AR tasks at which the paper finds its strategy best.
var reasonable = []int{20, 30, 40, 50}

// tiesNote says what is behind the comparison of MCT and AR resource priority.
const tiesNote = "they differ only where providers offer the same start: AR resource priority takes the first of them, and MCT any, by chance, which is our choice; with MCT taking the first they are the same, and nothing is left of the claim"

// priorityClaims are those of §5.4.1 and §5.5: fixed requests.
func priorityClaims() []claim {
	fixed := func(m metric, g strategy, share int) pick { return at(m, two(heavy, g, share)) }
	mean := func(m metric, g strategy) pick {
		return average(reasonable, func(share int) pick { return fixed(m, g, share) })
	}
	middle := func(m metric, g strategy) pick {
		return average([]int{20, 40, 60, 80}, func(share int) pick { return fixed(m, g, share) })
	}
	edges := func(m metric, g strategy) pick {
		return average([]int{0, 100}, func(share int) pick { return fixed(m, g, share) })
	}
	// fall is how much the criterion loses by AR tasks.
	fall := func(m metric, g strategy) pick {
		return func(w *world) float64 { return math.Abs(mean(m, g)(w) - fixed(m, g, 0)(w)) }
	}
	var all []claim
	for i, c := range criteria {
		var ours []pick
		var said []float64
		for _, r := range tableSix {
			ours = append(ours, fixed(c.of, r.grid, usual))
			said = append(said, []float64{r.u, r.f, r.d}[i])
		}
		all = append(all, matches("Table 6", c.name+" of the three", trial.Number(said[0])+", "+trial.Number(said[1])+", "+trial.Number(said[2]), ours, said))
	}
	noWorse := claim{Claim: trial.Claim{Where: "Table 6", What: "Its mean D is not worse than that of MCT, read as by less than 500 s", Paper: "5576, 5666 s", Names: "AR priority, MCT (s)", From: -inf, To: 500},
		by: less, sides: both(fixed(meanD, priority, usual), fixed(meanD, mct, usual))}
	noWorseAtAll := noWorse
	noWorseAtAll.Where, noWorseAtAll.What, noWorseAtAll.Paper = "Fig. 13, 18, 19", "The same at 20 to 50 %", "similar"
	noWorseAtAll.sides = both(mean(meanD, priority), mean(meanD, mct))
	better := []claim{
		below("Table 6", "AR resource priority has a lower mean F than MCT at 30 % AR tasks", "99 714, 107 383 s", "AR priority, MCT (s)", fixed(meanF, priority, usual), fixed(meanF, mct, usual)),
		below("Table 6", "And a higher mean U", "0.679, 0.695", "MCT, AR priority", fixed(meanU, mct, usual), fixed(meanU, priority, usual)),
		below("Fig. 11", "It has a lower mean F at 20 to 50 %", "outperforms", "AR priority, MCT (s)", mean(meanF, priority), mean(meanF, mct)),
		below("Fig. 12", "And a higher mean U", "outperforms", "MCT, AR priority", mean(meanU, mct), mean(meanU, priority)),
	}
	for i := range better {
		better[i].Why = tiesNote
	}
	all = append(all,
		below("Table 6", "Static has a higher mean F than AR resource priority", "99 714, 164 983 s", "AR priority, Static (s)", fixed(meanF, priority, usual), fixed(meanF, static, usual)),
		below("Table 6", "And a lower mean U", "0.65, 0.695", "Static, AR priority", fixed(meanU, static, usual), fixed(meanU, priority, usual)),
		below("Table 6", "And a higher mean D", "5576, 7178 s", "AR priority, Static (s)", fixed(meanD, priority, usual), fixed(meanD, static, usual)),
	)
	all = append(all, better...)
	return append(all, noWorse, noWorseAtAll,
		claim{Claim: trial.Claim{Where: trial.Ours, What: "If MCT takes the first of equals, it is AR resource priority: mean F at 20 to 50 % is the same", Names: "MCT first, AR priority (s)", From: 0, To: 0},
			by: less, sides: both(mean(meanF, first), mean(meanF, priority))},
		below("Fig. 11", "Only AR tasks, or none, do much better: mean F at 0 and 100 % is lower than at 20 to 80 %, under MCT", "much better", "0 and 100 %, 20-80 % (s)", edges(meanF, mct), middle(meanF, mct)),
		below("Fig. 12", "And mean U is higher", "much better", "20-80 %, 0 and 100 %", middle(meanU, mct), edges(meanU, mct)),
		claim{Claim: trial.Claim{Where: "§5.4.1", What: "With few AR tasks their impact is negligible: mean F of both at 10 % is even within a tenth", Paper: "negligible", Names: "AR priority, MCT (s)", From: 0.9, To: 1.1},
			by: over, sides: both(fixed(meanF, priority, 10), fixed(meanF, mct, 10))},
		claim{Claim: trial.Claim{Where: "§5.4.1", What: "And that on mean F itself: at 10 % it is that at 0, within a tenth, under MCT", Paper: "negligible", Names: "10 %, 0 (s)", From: 0.9, To: 1.1}, by: over, sides: both(fixed(meanF, mct, 10), fixed(meanF, mct, 0))},
		below("Fig. 18, 19", "Mean F loses less by 20 to 50 % AR tasks under AR resource priority than under MCT", "less", "AR priority, MCT (s)", fall(meanF, priority), fall(meanF, mct)),
		below("Fig. 18, 19", "And mean U", "less", "AR priority, MCT", fall(meanU, priority), fall(meanU, mct)),
		below("§5.5", "AR resource priority has a lower mean F than Random at 20 to 50 %", "better", "AR priority, Random (s)", mean(meanF, priority), mean(meanF, random)),
	)
}

// flexibleClaims are those of §5.4.2: requests with an interval.
func flexibleClaims() []claim {
	in := func(m metric, k int, g strategy, share int) pick { return at(m, within(intervals[k], g, share)) }
	mean := func(m metric, k int, g strategy) pick {
		return average(reasonable, func(share int) pick { return in(m, k, g, share) })
	}
	high := func(m metric, k int, g strategy) pick {
		return average([]int{60, 70, 80, 90}, func(share int) pick { return in(m, k, g, share) })
	}
	last := len(intervals) - 1
	flowAR := func(s *summary) float64 { return s.flowAR }
	return []claim{
		{Claim: trial.Claim{Where: "Fig. 14", What: "AR resource priority has a lower mean F for the majority of interval lengths", Paper: "majority", Names: "of 7 lengths", From: 3.51, To: inf},
			by: alone, sides: only(func(w *world) float64 {
				n := 0.0
				for k := 1; k < len(intervals); k++ {
					if in(meanF, k, priority, usual)(w) < in(meanF, k, mct, usual)(w) {
						n++
					}
				}
				return n
			})},
		{Claim: trial.Claim{Where: "§5.4.2", What: "With long intervals, mean D is so small that the difference does not matter: less than a minute, at [12, 48]", Paper: "negligible", Names: "AR priority, MCT (s)", From: -60, To: 60},
			by: less, sides: both(in(meanD, last, priority, usual), in(meanD, last, mct, usual))},
		{Claim: trial.Claim{Where: "§5.4.2", What: "And so it is with [2, 8]", Paper: "negligible", Names: "AR priority, MCT (s)", From: -60, To: 60}, by: less, sides: both(in(meanD, 2, priority, usual), in(meanD, 2, mct, usual))},
		below("Fig. 15", "With [1, 4], it has a lower mean F at 20 to 50 %", "better", "AR priority, MCT (s)", mean(meanF, 1, priority), mean(meanF, 1, mct)),
		below("Fig. 15", "And at 60 to 90 %", "better", "AR priority, MCT (s)", high(meanF, 1, priority), high(meanF, 1, mct)),
		below("§5.4.2", "And a higher mean U at 20 to 50 %", "better", "MCT, AR priority", mean(meanU, 1, mct), mean(meanU, 1, priority)),
		below("Fig. 16", "With [2, 8], it has a higher mean U at 20 to 50 %", "better", "MCT, AR priority", mean(meanU, 2, mct), mean(meanU, 2, priority)),
		below("Fig. 16", "And at 60 to 90 %", "better", "MCT, AR priority", high(meanU, 2, mct), high(meanU, 2, priority)),
		below("§5.4.2", "And a lower mean F at 20 to 50 %", "better", "AR priority, MCT (s)", mean(meanF, 2, priority), mean(meanF, 2, mct)),
		below("§5.5", "It may harm AR tasks with long intervals: their mean F is higher, at [12, 48]", "may", "MCT, AR priority (s)", in(flowAR, last, mct, usual), in(flowAR, last, priority, usual)),
	}
}

// adviceClaims are those of §3.2 and the conclusions.
func adviceClaims() []claim {
	fixed := func(m metric, share int) pick { return at(m, two(heavy, priority, share)) }
	mean := func(of func(share int) pick) pick { return average(reasonable, of) }
	flexible := func(m metric, g strategy) pick {
		return mean(func(share int) pick { return at(m, within(intervals[2], g, share)) })
	}
	binds := func(m metric, b binding) pick {
		return mean(func(share int) pick { return at(m, bound(b, share)) })
	}
	plain := func(m metric) pick { return mean(func(share int) pick { return fixed(m, share) }) }
	mctFixed := mean(func(share int) pick { return at(meanF, two(heavy, mct, share)) })
	known := mean(func(share int) pick { return at(meanF, knowing(two(heavy, priority, share))) })
	return []claim{
		{Claim: trial.Claim{Where: "Prop. 1", What: "With dynamic binding, counting units is enough: servers chosen at the start change nothing, mean F at 20 to 50 %", Paper: "proof", Names: "bound at the start, counted (s)", From: 0, To: 0},
			by: less, sides: both(binds(meanF, dynamic), plain(meanF))},
		below("§6", "Servers chosen when booked make it worse: mean F at 20 to 50 %", "static blocking", "at the start, when booked (s)", binds(meanF, dynamic), binds(meanF, early)),
		below("§6", "So with mean U", "static blocking", "when booked, at the start", binds(meanU, early), binds(meanU, dynamic)),
		{Claim: trial.Claim{Where: "§6", What: "The main reason for the worse mean F is that run times of batch tasks are not known: without that, less than half of the loss at 20 to 50 % is left", Paper: "main reason", Names: "loss known, unknown (s)", From: -inf, To: 0.5},
			by: over, sides: func(w *world) (float64, float64) {
				return known(w) - at(meanF, knowing(two(heavy, priority, 0)))(w), plain(meanF)(w) - fixed(meanF, 0)(w)
			}},
		below("§6", "Flexible requests are better than fixed ones for mean F: [2, 8] under AR resource priority, 20 to 50 %", "as flexible as possible", "[2, 8], fixed (s)", flexible(meanF, priority), plain(meanF)),
		below("§6", "And under MCT", "as flexible as possible", "[2, 8], fixed (s)", flexible(meanF, mct), mctFixed),
		below("§6", "And for mean D, under AR resource priority", "as flexible as possible", "[2, 8], fixed (s)", flexible(meanD, priority), plain(meanD)),
	}
}
