package main

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/bookahead/bookahead/bench/paper/trial"
)

// tuned is the table by which the reading was chosen that decides.
const tuned = "Table 5"

// shareClaims are those of §5.2: how AR tasks change the criteria.
func shareClaims() []claim {
	small, large := two(light, mct, 0), two(heavy, mct, 0)
	var all []claim
	for k, piece := range pieces {
		for i, c := range criteria {
			said := fmt.Sprintf("%s … %s", trial.Number(tableFive[k][i][0]), trial.Number(tableFive[k][i][len(fifths)-1]))
			all = append(all, column(tuned, c.name+" of "+piece.name+", 0 to 100 % AR tasks", said, tableFiveLines(k), c, i))
		}
	}
	harm := func(p plan) pick { return ratio(across([]int{20, 40, 60}, meanF, p), at(meanF, p)) }
	return append(all,
		below(tuned, "In 1-1000, mean U falls: at 60 % AR tasks it is lower than at 0", "0.45, 0.54", "60 %, 0", at(meanU, small.with(60)), at(meanU, small)),
		below(tuned, "And at 100 % lower than at 60 %", "0.40, 0.45", "100 %, 60 %", at(meanU, small.with(100)), at(meanU, small.with(60))),
		below(tuned, "In 1-1000, mean F at 100 % is lower than at 0", "22 187, 29 995 s", "100 %, 0 (s)", at(meanF, small.with(100)), at(meanF, small)),
		below(tuned, "In 68000-69000, mean U at 60 % is lower than at 0", "0.68, 0.83", "60 %, 0", at(meanU, large.with(60)), at(meanU, large)),
		below(tuned, "And then rises to 100 %", "0.68, 0.75", "60 %, 100 %", at(meanU, large.with(60)), at(meanU, large.with(100))),
		below(tuned, "But stays below that at 0", "0.75, 0.83", "100 %, 0", at(meanU, large.with(100)), at(meanU, large)),
		below(tuned, "In 68000-69000, mean F at 60 % is twice that at 0 and more, read as half as much again", "110 462, 48 495 s", "1.5 times that at 0, 60 % (s)", times(1.5, at(meanF, large)), at(meanF, large.with(60))),
		below(tuned, "And then falls to 100 %", "78 229, 110 462 s", "100 %, 60 % (s)", at(meanF, large.with(100)), at(meanF, large.with(60))),
		below(tuned, "But stays above that at 0", "48 495, 78 229 s", "0, 100 % (s)", at(meanF, large), at(meanF, large.with(100))),
		below(tuned, "In 68000-69000, mean D at 100 % is four times that at 60 % and more", "34 845, 4131 s", "4 times that at 60 %, 100 % (s)", times(4, at(meanD, large.with(60))), at(meanD, large.with(100))),
		below("§5.2", "AR tasks harm 68000-69000 more than 1-1000: mean F at 20 to 60 %, as a multiple of that at 0", "more visible", "1-1000, 68000-69000", harm(small), harm(large)),
		below("Fig. 7", "At 50 % AR tasks, gaps before ARs lower mean U", "lower", "50 %, 0", at(meanU, large.with(50)), at(meanU, large)),
	)
}

// queueNote says why the claims about δ are open.
const queueNote = "with AR FCFS; with AR first, which the paper has too, see the last table"

// periodClaims are those of Fig. 8 to 10: Random, with an off-line period.
func periodClaims() []claim {
	plain, hourly, daily := every(deltas[0], random, 0), every(deltas[1], random, 0), every(deltas[2], random, 0)
	mean := func(m metric, p plan) pick { return across(tenths, m, p) }
	loss := func(shares ...int) pick {
		return average(shares, func(share int) pick { return ratio(at(meanF, daily.with(share)), at(meanF, plain.with(share))) })
	}
	const where = "all shares"
	return []claim{
		below("Fig. 8", "Mean F grows with δ: 3600 s against 0, "+where, "grows", "0, 3600 s (s)", mean(meanF, plain), mean(meanF, hourly)).because(queueNote),
		below("Fig. 8", "And 86 400 s against 3600 s", "grows", "3600 s, 86 400 s (s)", mean(meanF, hourly), mean(meanF, daily)).because(queueNote),
		below("Fig. 8", "Most so with few batch tasks: mean F at δ = 86 400 s as a multiple of that at 0, at 10 to 30 % AR tasks and at 70 to 90 %", "especially", "10-30 %, 70-90 %", loss(10, 20, 30), loss(70, 80, 90)).because(queueNote),
		{Claim: trial.Claim{Where: "Fig. 9", What: "Mean U does not change with δ: 86 400 s against 0, within 0.03, " + where, Paper: "does not change", Names: "86 400 s, 0", From: -even, To: even, Why: queueNote}, by: less, a: mean(meanU, daily), b: mean(meanU, plain)},
		below("Fig. 10", "δ = 86 400 s has a much higher mean D, read as twice that at 0, "+where, "much higher", "twice that at 0, 86 400 s (s)", times(2, mean(meanD, plain)), mean(meanD, daily)).because(queueNote),
		{Claim: trial.Claim{Where: "§6", What: "A short δ has no huge impact: mean F at 3600 s is that at 0 within a tenth, " + where, Paper: "not huge", Names: "3600 s, 0 (s)", From: 0.9, To: 1.1, Why: queueNote}, by: over, a: mean(meanF, hourly), b: mean(meanF, plain)},
		below("§6", "But a negative one", "negative", "0, 3600 s (s)", mean(meanF, plain), mean(meanF, hourly)).because(queueNote),
		below("Fig. 17", "Under Random, mean U at 50 % AR tasks is lower than at 0", "worsens", "50 %, 0", at(meanU, plain.with(50)), at(meanU, plain)),
		below("Fig. 17", "Mean F at 50 % is higher than at 0", "worsens", "0, 50 % (s)", at(meanF, plain), at(meanF, plain.with(50))),
		below("Fig. 17", "Mean D at 50 % is higher than at 10 %", "worsens", "10 %, 50 % (s)", at(meanD, plain.with(10)), at(meanD, plain.with(50))),
		below("Fig. 17", "Above 50 %, mean F falls: at 100 % it is lower", "falls", "100 %, 50 % (s)", at(meanF, plain.with(100)), at(meanF, plain.with(50))),
		below("Fig. 17", "And mean U rises", "rises", "50 %, 100 %", at(meanU, plain.with(50)), at(meanU, plain.with(100))),
	}
}

// partitionClaims are those of §5.3 about a part for AR tasks and one for others.
func partitionClaims() []claim {
	split, splitDaily := every(deltas[0], static, 0), every(deltas[2], static, 0)
	// best is the share at which a criterion is highest, or lowest if the sign is -1.
	best := func(m metric, sign float64) pick {
		return func(w *world) float64 {
			return float64(slices.MaxFunc(tenths, func(a, b int) int {
				return cmp.Compare(sign*at(m, split.with(a))(w), sign*at(m, split.with(b))(w))
			}))
		}
	}
	below50, above50, around50 := []int{0, 10, 20, 30, 40}, []int{100, 90, 80, 70, 60}, []int{20, 40, 50, 60, 80}
	return []claim{
		{Claim: trial.Claim{Where: "§5.3", What: "With a static partition, mean U is at its highest at 50 % AR tasks, within 7 points", Paper: "50 %", Names: "%", From: 43, To: 57}, by: alone, a: best(meanU, 1)},
		{Claim: trial.Claim{Where: "§5.3", What: "Mean F is at its lowest there", Paper: "50 %", Names: "%", From: 43, To: 57}, by: alone, a: best(meanF, -1)},
		{Claim: trial.Claim{Where: "§5.3", What: "Mean U is roughly symmetric about 50 %: below and above even within 0.03", Paper: "symmetric", Names: "0-40 %, 60-100 %", From: -even, To: even}, by: less, a: across(below50, meanU, split), b: across(above50, meanU, split)},
		{Claim: trial.Claim{Where: "§5.3", What: "So is mean F, within a quarter", Paper: "symmetric", Names: "0-40 %, 60-100 % (s)", From: 0.75, To: 1.25}, by: over, a: across(below50, meanF, split), b: across(above50, meanF, split)},
		below("§5.3", "Above 50 %, mean D deteriorates rapidly: more from 50 to 100 % than three times what it did from 0 to 50 %", "slight, rapid", "3 times that at 50 %, 100 % less 50 % (s)", times(3, at(meanD, split.with(50))), difference(at(meanD, split.with(100)), at(meanD, split.with(50)))),
		{Claim: trial.Claim{Where: "§5.3", What: "Different δ make no bigger difference: mean F at δ = 86 400 s is that at 0 within a tenth, 20 to 80 %", Paper: "no bigger", Names: "86 400 s, 0 (s)", From: 0.9, To: 1.1, Why: queueNote}, by: over, a: across(around50, meanF, splitDaily), b: across(around50, meanF, split)},
	}
}
