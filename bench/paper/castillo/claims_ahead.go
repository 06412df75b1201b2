package main

import (
	"math"

	"github.com/bookahead/bookahead/bench/paper/trial"
)

// figure6Shares is how many of shares Fig. 6 shows: all but ρ = 1.
const figure6Shares = 5

// aheadClaims are those of §5.2. A job with a start of its choice waits longer (Fig. 7(a)),
// and waits of up to three hours become frequent (Fig. 6): both can only be meant of the
// delay, which begins at the submission. The wait that §5 defines begins at the ready time.
// The figures show the wait beside the delay.
func aheadClaims() []claim {
	// all, most and none are ρ = 1, 0.8 and 0.
	all, most, none := ahead(len(shares)-1), ahead(figure6Shares-1), ahead(0)
	// better counts the ρ at which more jobs have a delay of less than so many hours
	// online.
	better := func(h float64) pick {
		return func(w *world) float64 {
			n := 0.0
			for _, s := range w.ahead[:figure6Shares] {
				if under(h)(s) > under(h)(batch(w)) {
					n++
				}
			}
			return n
		}
	}
	// Ready times end at 3 h, so that a peak can only lie before.
	beside := func(s *summary) float64 { return max(between(2, 2.5)(s), between(3, 3.5)(s)) }
	smallestStep := func(w *world) float64 {
		least := inf
		for i, s := range w.ahead[1:] {
			least = min(least, s.delay-w.ahead[i].delay)
		}
		return least
	}
	list := []claim{
		{Claim: trial.Claim{Where: "Fig. 6", What: "Delays peak around 3 h at ρ = 0.8: the half hour before is more frequent than the one before that and the one after 3 h", Paper: "a peak", Names: "share, larger of both", From: 0, To: inf}, logs: shown, by: less, a: most.of(between(2.5, 3)), b: most.of(beside)},
		{Claim: trial.Claim{Where: "Fig. 6", What: "The distribution changes between 0 h and 3 h: delays of less than 1 h are fewer at ρ = 0.8 than at 0", Paper: "changes", Names: "ρ = 0.8, 0", From: -inf, To: 0}, logs: shown, by: less, a: most.of(under(1)), b: none.of(under(1))},
		{Claim: trial.Claim{Where: "Fig. 6", What: "Tails stay as long: the longest delay at ρ = 0.8 is that at 0, within a tenth", Paper: "the same", Names: "ρ = 0.8, 0", From: 0.9, To: 1.1}, logs: shown, by: over, a: most.of(longest), b: none.of(longest)},
		{Claim: trial.Claim{Where: "Fig. 6(a)", What: "Online is ahead of batch scheduling at several of ρ = 0 … 0.8: more delays are less than 2 h", Paper: "multiple", Names: "number of ρ", From: 1.5, To: inf}, logs: ctc, by: alone, a: better(2)},
		{Claim: trial.Claim{Where: "Fig. 6(b)", What: "Batch scheduling is ahead at each of them: fewer delays are less than 1 h online", Paper: "all", Names: "number of ρ where online is ahead", From: -inf, To: 0.5}, logs: kth, by: alone, a: better(1)},
		{Claim: trial.Claim{Where: "Fig. 7(a)", What: "The mean delay increases from each ρ to the next", Paper: "increases", Names: "smallest step in hours", From: 0, To: inf}, logs: table1, by: alone, a: smallestStep},
		{Claim: trial.Claim{Where: "Fig. 7(a)", What: "So does the wait, from the ready time on: it is longer at ρ = 1 than at 0", Paper: "W_r of §5", Names: "hours at ρ = 1, 0", From: 0, To: inf}, logs: table1, by: less, a: all.of(meanWait), b: none.of(meanWait)},
		{Claim: trial.Claim{Where: "Fig. 7(b)", What: "Operations per request stay relatively constant: those at ρ = 1 are those at 0 within a quarter", Paper: "relatively constant", Names: "ρ = 1, 0", From: 0.75, To: 1.25, Why: "operations are not counted: the starts are those of the one tree"}, logs: table1, by: over, a: all.of(operations), b: none.of(operations)},
		{Claim: trial.Claim{Where: "Fig. 7(b)", What: "Attempts become fewer: so at ρ = 1", Paper: "fewer", Names: "ρ = 1, 0", From: -inf, To: 1}, logs: table1, by: over, a: all.of(tried), b: none.of(tried)},
		{Claim: trial.Claim{Where: "Fig. 7(b)", What: "The number of operations itself", Paper: "a figure", Why: "the figure's numbers are not in the text, and what counts as an operation is not said"}, fact: true, logs: table1},
	}
	for i := range list {
		list[i].chance = true
	}
	return list
}

// nodes is how many tree nodes an attempt reads, and bound (log2 N)².
func nodes(s *summary) float64 { return s.operations / s.MeanAttempts }
func bound(w *world) float64   { return math.Pow(math.Log2(float64(w.setting.units(w.log))), 2) }

// generalClaims are the claims of §4 to §6 and of the abstract on the algorithm as a
// whole, and at the end ours.
var generalClaims = []claim{
	{Claim: trial.Claim{Where: "§4.3", What: "An attempt reads at most (log2 N)² nodes, on average; the paper gives no constant, and with 1 this can hardly fail", Paper: "O((log N)²)", Names: "nodes, bound", From: -inf, To: 1}, by: over, a: online.of(nodes), b: bound},
	{Claim: trial.Claim{Where: "§5", What: "Smaller Δt bring no major gain: the exact earliest start saves less than a tenth of the mean wait", Paper: "no major gain", Names: "exact, Δt = 15 min", From: 0.9, To: inf}, by: over, a: exact.of(meanWait), b: online.of(meanWait)},
	{Claim: trial.Claim{Where: "§6", What: "Delays are smaller than under batch scheduling, on average", Paper: "smaller", Names: "online, batch", From: -inf, To: 1}, logs: table1, by: over, a: online.of(meanWait), b: batch.of(meanWait)},
	{Claim: trial.Claim{Where: "abstract", What: "The utilisation may be higher", Paper: "may achieve higher", Why: "the work is fixed, so that only the makespan counts, and a log of years sets that by its submissions"}, logs: table1},
	{Claim: trial.Claim{Where: trial.Ours, What: "The mean wait is shorter than under EASY on the same processors with the same durations", Names: "online, EASY", From: -inf, To: 1}, by: over, a: online.of(meanWait), b: easy.of(meanWait)},
	{Claim: trial.Claim{Where: trial.Ours, What: "So is the longest wait", Names: "online, EASY", From: -inf, To: 1}, by: over, a: online.of(longest), b: easy.of(longest)},
	{Claim: trial.Claim{Where: trial.Ours, What: "Nobody is turned away", Names: "jobs", From: -inf, To: 0.5}, by: alone, a: online.of(turnedAway)},
	{Claim: trial.Claim{Where: trial.Ours, What: "The whole log is scheduled online in less than 60 s, as published", Names: "seconds", From: 0, To: 60}, by: alone, a: online.of(seconds)},
	{Claim: trial.Claim{Where: trial.Ours, What: "The exact search takes less time", Names: "seconds, Δt = 15 min", From: 0, To: 1}, by: over, a: exact.of(seconds), b: online.of(seconds)},
}
