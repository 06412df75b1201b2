package main

import (
	"math"

	"github.com/bookahead/bookahead/bench/paper/trial"
)

// figure6Shares is how many of shares Fig. 6 shows: all but ρ = 1.
const figure6Shares = 5

// aheadClaims are those of §5.2. That a job with a start of its choice waits longer
// (Fig. 7(a)), and that waits of up to three hours become frequent (Fig. 6), can
// only be meant of the time from the submission on: the delay. The wait that §5
// defines begins at the ready time, and is shown beside it.
func aheadClaims() []claim {
	var all []claim
	add := func(where, what, said string, logs []string, names string, by func(a, b float64) float64, from, to float64, sides func(w *world) (float64, float64)) {
		all = append(all, claim{Claim: trial.Claim{Where: where, What: what, Paper: said, Names: names, From: from, To: to}, logs: logs, by: by, sides: sides, chance: true})
	}
	// ends are ρ = 1 and ρ = 0.
	ends := func(of func(s *summary) float64) func(w *world) (float64, float64) {
		return func(w *world) (float64, float64) { return of(w.ahead[len(w.ahead)-1]), of(w.ahead[0]) }
	}
	// Ready times end at 3 h, so that a peak can only lie before.
	add("Fig. 6", "Delays peak around 3 h at ρ = 0.8: the half hour before is more frequent than the one before that and the one after 3 h", "a peak", shown, "share, larger of both", less, 0, inf,
		func(w *world) (float64, float64) {
			s := w.ahead[figure6Shares-1]
			return s.between(2.5, 3), max(s.between(2, 2.5), s.between(3, 3.5))
		})
	add("Fig. 6", "The distribution changes between 0 h and 3 h: delays of less than 1 h are fewer at ρ = 0.8 than at 0", "changes", shown, "ρ = 0.8, 0", less, -inf, 0,
		func(w *world) (float64, float64) { return w.ahead[figure6Shares-1].under(1), w.ahead[0].under(1) })
	add("Fig. 6", "Tails stay as long: the longest delay at ρ = 0.8 is that at 0, within a tenth", "the same", shown, "ρ = 0.8, 0", over, 0.9, 1.1,
		func(w *world) (float64, float64) { return w.ahead[figure6Shares-1].longest, w.ahead[0].longest })
	// better counts the ρ at which more jobs have a delay of less than so many hours
	// online.
	better := func(h float64) func(w *world) (float64, float64) {
		return func(w *world) (float64, float64) {
			n := 0.0
			for _, s := range w.ahead[:figure6Shares] {
				if s.under(h) > w.batch().under(h) {
					n++
				}
			}
			return n, 0
		}
	}
	add("Fig. 6(a)", "Online is ahead of batch scheduling at several of ρ = 0 … 0.8: more delays are less than 2 h", "multiple", ctc, "number of ρ", alone, 1.5, inf, better(2))
	add("Fig. 6(b)", "Batch scheduling is ahead at each of them: fewer delays are less than 1 h online", "all", kth, "number of ρ where online is ahead", alone, -inf, 0.5, better(1))
	add("Fig. 7(a)", "The mean delay increases from each ρ to the next", "increases", table1, "smallest step in hours", alone, 0, inf,
		func(w *world) (float64, float64) {
			least := inf
			for i, s := range w.ahead[1:] {
				least = min(least, s.delay-w.ahead[i].delay)
			}
			return least, 0
		})
	add("Fig. 7(a)", "So does the wait, from the ready time on: it is longer at ρ = 1 than at 0", "W_r of §5", table1, "hours at ρ = 1, 0", less, 0, inf,
		ends(func(s *summary) float64 { return hours(s.MeanWait) }))
	add("Fig. 7(b)", "Operations per request stay relatively constant: those at ρ = 1 are those at 0 within a quarter", "relatively constant", table1, "ρ = 1, 0", over, 0.75, 1.25,
		ends(func(s *summary) float64 { return s.operations }))
	all[len(all)-1].Why = "operations are not counted: the starts are those of the one tree"
	add("Fig. 7(b)", "Attempts become fewer: so at ρ = 1", "fewer", table1, "ρ = 1, 0", over, -inf, 1,
		ends(func(s *summary) float64 { return s.trials }))
	return append(all, claim{Claim: trial.Claim{Where: "Fig. 7(b)", What: "The number of operations itself", Paper: "a figure", Why: "the figure's numbers are not in the text, and what counts as an operation is not said"}, fact: true, logs: table1})
}

// generalClaims are what §4 to §6 and the abstract say of the algorithm on the
// whole, and at the end what is to be shown beside.
func generalClaims() []claim {
	return []claim{
		{Claim: trial.Claim{Where: "§4.3", What: "An attempt reads at most (log2 N)² nodes, on average; the paper gives no constant, and with 1 this can hardly fail", Paper: "O((log N)²)", Names: "nodes, bound", From: -inf, To: 1},
			by: over, sides: func(w *world) (float64, float64) {
				l := math.Log2(float64(w.setting.units(w.log)))
				return w.online.operations / w.online.trials, l * l
			}},
		{Claim: trial.Claim{Where: "§5", What: "Smaller Δt bring no major gain: the exact earliest start saves less than a tenth of the mean wait", Paper: "no major gain", Names: "exact, Δt = 15 min", From: 0.9, To: inf},
			by: over, sides: func(w *world) (float64, float64) { return hours(w.exact.MeanWait), hours(w.online.MeanWait) }},
		{Claim: trial.Claim{Where: "§6", What: "Delays are smaller than under batch scheduling, on average", Paper: "smaller", Names: "online, batch", From: -inf, To: 1},
			logs: table1, by: over, sides: func(w *world) (float64, float64) { return hours(w.online.MeanWait), hours(w.batch().MeanWait) }},
		{Claim: trial.Claim{Where: "abstract", What: "The utilisation may be higher", Paper: "may achieve higher", Why: "the work is fixed, so that only the makespan counts, and a log of years sets that by its submissions"}, logs: table1},
		{Claim: trial.Claim{Where: trial.Ours, What: "The mean wait is shorter than under EASY on the same processors with the same durations", Names: "online, EASY", From: -inf, To: 1},
			by: over, sides: func(w *world) (float64, float64) { return hours(w.online.MeanWait), hours(w.easy.MeanWait) }},
		{Claim: trial.Claim{Where: trial.Ours, What: "So is the longest wait", Names: "online, EASY", From: -inf, To: 1}, by: over, sides: func(w *world) (float64, float64) { return w.online.longest, w.easy.longest }},
		{Claim: trial.Claim{Where: trial.Ours, What: "Nobody is turned away", Names: "jobs", From: -inf, To: 0.5}, by: alone, sides: func(w *world) (float64, float64) { return float64(w.online.Rejected), 0 }},
		{Claim: trial.Claim{Where: trial.Ours, What: "The whole log is scheduled online in less than 60 s, as published", Names: "seconds", From: 0, To: 60}, by: alone, sides: func(w *world) (float64, float64) { return w.online.took.Seconds(), 0 }},
		{Claim: trial.Claim{Where: trial.Ours, What: "The exact search takes less time", Names: "seconds, Δt = 15 min", From: 0, To: 1}, by: over, sides: func(w *world) (float64, float64) { return w.exact.took.Seconds(), w.online.took.Seconds() }},
	}
}
