package main

import (
	"fmt"

	"github.com/bookahead/bookahead/bench/paper/trial"
)

// tuned is the table by which the reading was chosen that decides.
const tuned = "Table 5"

// shareClaims are those of §5.2: what AR tasks do to the criteria.
func shareClaims() []claim {
	lb := func(m metric, piece, share int) pick { return at(m, two(piece, mct, share)) }
	var all []claim
	for k, piece := range pieces {
		for i, c := range criteria {
			var ours []pick
			for _, share := range fifths {
				ours = append(ours, lb(c.of, k, share))
			}
			said := fmt.Sprintf("%s … %s", trial.Number(tableFive[k][i][0]), trial.Number(tableFive[k][i][len(fifths)-1]))
			all = append(all, matches(tuned, c.name+" of "+piece.name+", 0 to 100 % AR tasks", said, ours, tableFive[k][i]))
		}
	}
	harm := func(piece int) pick {
		return func(w *world) float64 {
			return average([]int{20, 40, 60}, func(share int) pick { return lb(meanF, piece, share) })(w) / lb(meanF, piece, 0)(w)
		}
	}
	all = append(all,
		below(tuned, "In 1-1000, mean U falls: at 60 % AR tasks it is lower than at 0", "0.45, 0.54", "60 %, 0", lb(meanU, light, 60), lb(meanU, light, 0)),
		below(tuned, "And at 100 % lower than at 60 %", "0.40, 0.45", "100 %, 60 %", lb(meanU, light, 100), lb(meanU, light, 60)),
		below(tuned, "In 1-1000, mean F at 100 % is lower than at 0", "22 187, 29 995 s", "100 %, 0 (s)", lb(meanF, light, 100), lb(meanF, light, 0)),
		below(tuned, "In 68000-69000, mean U at 60 % is lower than at 0", "0.68, 0.83", "60 %, 0", lb(meanU, heavy, 60), lb(meanU, heavy, 0)),
		below(tuned, "And then rises to 100 %", "0.68, 0.75", "60 %, 100 %", lb(meanU, heavy, 60), lb(meanU, heavy, 100)),
		below(tuned, "But stays below that at 0", "0.75, 0.83", "100 %, 0", lb(meanU, heavy, 100), lb(meanU, heavy, 0)),
		below(tuned, "In 68000-69000, mean F at 60 % is twice that at 0 and more, read as half as much again", "110 462, 48 495 s", "1.5 times that at 0, 60 % (s)",
			func(w *world) float64 { return 1.5 * lb(meanF, heavy, 0)(w) }, lb(meanF, heavy, 60)),
		below(tuned, "And then falls to 100 %", "78 229, 110 462 s", "100 %, 60 % (s)", lb(meanF, heavy, 100), lb(meanF, heavy, 60)),
		below(tuned, "But stays above that at 0", "48 495, 78 229 s", "0, 100 % (s)", lb(meanF, heavy, 0), lb(meanF, heavy, 100)),
		below(tuned, "In 68000-69000, mean D at 100 % is four times that at 60 % and more", "34 845, 4131 s", "4 times that at 60 %, 100 % (s)",
			func(w *world) float64 { return 4 * lb(meanD, heavy, 60)(w) }, lb(meanD, heavy, 100)),
		below("§5.2", "AR tasks harm 68000-69000 more than 1-1000: mean F at 20 to 60 %, as a multiple of that at 0", "more visible", "1-1000, 68000-69000", harm(light), harm(heavy)),
		below("Fig. 7", "At 50 % AR tasks, gaps before ARs lower mean U", "lower", "50 %, 0", lb(meanU, heavy, 50), lb(meanU, heavy, 0)),
	)
	for i := range all {
		all[i].calibrates = all[i].Where == tuned
	}
	return all
}

// queueNote says what is open in the claims about δ.
const queueNote = "with AR FCFS; with AR first, which the paper has too, see the last table"

// periodClaims are those of Fig. 8 to 10: Random, with an off-line period.
func periodClaims() []claim {
	on := func(m metric, k, share int) pick { return at(m, every(deltas[k], random, share)) }
	mean := func(m metric, k int) pick {
		return average(tenths, func(share int) pick { return on(m, k, share) })
	}
	loss := func(shares ...int) pick {
		return average(shares, func(share int) pick {
			return func(w *world) float64 { return on(meanF, 2, share)(w) / on(meanF, 0, share)(w) }
		})
	}
	const where = "all shares"
	all := []claim{
		below("Fig. 8", "Mean F grows with δ: 3600 s against 0, "+where, "grows", "0, 3600 s (s)", mean(meanF, 0), mean(meanF, 1)),
		below("Fig. 8", "And 86 400 s against 3600 s", "grows", "3600 s, 86 400 s (s)", mean(meanF, 1), mean(meanF, 2)),
		below("Fig. 8", "Most so with few batch tasks: mean F at δ = 86 400 s as a multiple of that at 0, at 10 to 30 % AR tasks and at 70 to 90 %", "especially", "10-30 %, 70-90 %", loss(10, 20, 30), loss(70, 80, 90)),
		{Claim: trial.Claim{Where: "Fig. 9", What: "Mean U does not change with δ: 86 400 s against 0, within 0.03, " + where, Paper: "does not change", Names: "86 400 s, 0", From: -even, To: even}, by: less, sides: both(mean(meanU, 2), mean(meanU, 0))},
		below("Fig. 10", "δ = 86 400 s has a much higher mean D, read as twice that at 0, "+where, "much higher", "twice that at 0, 86 400 s (s)",
			func(w *world) float64 { return 2 * mean(meanD, 0)(w) }, mean(meanD, 2)),
		{Claim: trial.Claim{Where: "§6", What: "A short δ has no huge impact: mean F at 3600 s is that at 0 within a tenth, " + where, Paper: "not huge", Names: "3600 s, 0 (s)", From: 0.9, To: 1.1}, by: over, sides: both(mean(meanF, 1), mean(meanF, 0))},
		below("§6", "But a negative one", "negative", "0, 3600 s (s)", mean(meanF, 0), mean(meanF, 1)),
		below("Fig. 17", "Under Random, mean U at 50 % AR tasks is lower than at 0", "worsens", "50 %, 0", on(meanU, 0, 50), on(meanU, 0, 0)),
		below("Fig. 17", "Mean F at 50 % is higher than at 0", "worsens", "0, 50 % (s)", on(meanF, 0, 0), on(meanF, 0, 50)),
		below("Fig. 17", "Mean D at 50 % is higher than at 10 %", "worsens", "10 %, 50 % (s)", on(meanD, 0, 10), on(meanD, 0, 50)),
		below("Fig. 17", "Above 50 %, mean F falls: at 100 % it is lower", "falls", "100 %, 50 % (s)", on(meanF, 0, 100), on(meanF, 0, 50)),
		below("Fig. 17", "And mean U rises", "rises", "50 %, 100 %", on(meanU, 0, 50), on(meanU, 0, 100)),
	}
	for i := range all {
		if all[i].Where != "Fig. 17" { // where δ is 0
			all[i].Why = queueNote
		}
	}
	return all
}

// partitionClaims are those of §5.3 about a part for AR tasks and one for others.
func partitionClaims() []claim {
	on := func(m metric, share int) pick { return at(m, every(0, static, share)) }
	best := func(m metric, sign float64) pick {
		return func(w *world) float64 {
			k := 0
			for i, share := range tenths {
				if sign*on(m, share)(w) > sign*on(m, tenths[k])(w) {
					k = i
				}
			}
			return float64(tenths[k])
		}
	}
	ends := func(m metric) (pick, pick) {
		return average([]int{0, 10, 20, 30, 40}, func(share int) pick { return on(m, share) }),
			average([]int{100, 90, 80, 70, 60}, func(share int) pick { return on(m, share) })
	}
	lowU, highU := ends(meanU)
	lowF, highF := ends(meanF)
	calm := func(m metric) pick {
		return average([]int{20, 40, 50, 60, 80}, func(share int) pick { return at(m, every(deltas[2], static, share)) })
	}
	still := average([]int{20, 40, 50, 60, 80}, func(share int) pick { return on(meanF, share) })
	return []claim{
		{Claim: trial.Claim{Where: "§5.3", What: "With a static partition, mean U is at its highest at 50 % AR tasks, within 7 points", Paper: "50 %", Names: "%", From: 43, To: 57}, by: alone, sides: only(best(meanU, 1))},
		{Claim: trial.Claim{Where: "§5.3", What: "Mean F is at its lowest there", Paper: "50 %", Names: "%", From: 43, To: 57}, by: alone, sides: only(best(meanF, -1))},
		{Claim: trial.Claim{Where: "§5.3", What: "Mean U is roughly symmetric about 50 %: below and above even within 0.03", Paper: "symmetric", Names: "0-40 %, 60-100 %", From: -even, To: even}, by: less, sides: both(lowU, highU)},
		{Claim: trial.Claim{Where: "§5.3", What: "So is mean F, within a quarter", Paper: "symmetric", Names: "0-40 %, 60-100 % (s)", From: 0.75, To: 1.25}, by: over, sides: both(lowF, highF)},
		below("§5.3", "Above 50 %, mean D deteriorates rapidly: more from 50 to 100 % than three times what it did from 0 to 50 %", "slight, rapid", "3 times that at 50 %, 100 % less 50 % (s)",
			func(w *world) float64 { return 3 * on(meanD, 50)(w) },
			func(w *world) float64 { return on(meanD, 100)(w) - on(meanD, 50)(w) }),
		{Claim: trial.Claim{Where: "§5.3", What: "Different δ make no bigger difference: mean F at δ = 86 400 s is that at 0 within a tenth, 20 to 80 %", Paper: "no bigger", Names: "86 400 s, 0 (s)", From: 0.9, To: 1.1, Why: queueNote},
			by: over, sides: both(calm(meanF), still)},
	}
}
