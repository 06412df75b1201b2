package main

import (
	"math"
	"slices"

	"github.com/bookahead/bookahead/bench/paper/trial"
)

// claim is about a number that by makes of two. Why says why there is no test.
type claim struct {
	trial.Claim
	logs []string // for which it is made; nil for all
	// a and b are the numbers; NaN if the log has none. Without b, it is 0. Without a, the
	// claim cannot be tested.
	a, b   pick
	by     func(a, b float64) float64
	chance bool // it depends on which jobs are booked ahead
	fact   bool // it is of the paper's logs, and no synthetic log can stand for them
	own    bool // and of their own numbers, so that no other log can
	peer   bool // it compares with CTC
}

var less, over, alone = trial.Less, trial.Over, trial.Alone

const (
	much = 10   // an order of magnitude
	even = 0.05 // of the jobs: shares that differ by no more are even
	near = 0.2  // a number within a fifth is the paper's
)

var (
	inf     = math.Inf(1)
	ctc     = []string{"CTC"}
	kth     = []string{"KTH"}
	shown   = []string{"CTC", "KTH"}
	others  = []string{"CTC", "HPC2N"}
	table1  = []string{"CTC", "KTH", "HPC2N"}
	noClass = "the log has no jobs of that size, or but a few"
)

// claims returns those of §5.1, §5.2, and at the end those of §4 to §6 on the
// whole, and ours.
func claims() []claim {
	return slices.Concat(workloadClaims, onlineClaims, attemptClaims(), aheadClaims(), generalClaims)
}

// said is the paper's number for a log; NaN if there is none.
func said(numbers map[string]float64) pick {
	return func(w *world) float64 {
		if x, ok := numbers[w.log.name]; ok {
			return x
		}
		return math.NaN()
	}
}

// tableHour is the mean duration of Table 1, in hours.
var tableHour = said(map[string]float64{"CTC": 5.82, "KTH": 2.46, "HPC2N": 4.72})

// workloadClaims are the claims of Table 1 and Fig. 4(b) on the logs. The booked durations
// depend on the setting.
var workloadClaims = []claim{
	{Claim: trial.Claim{Where: "Table 1", What: "The mean duration that is booked, in hours, is the paper's, within a hundredth", Paper: "CTC 5.82, KTH 2.46, HPC2N 4.72", Names: "here, paper", From: 0.99, To: 1.01},
		fact: true, own: true, logs: table1, by: over, a: bookedHours, b: tableHour},
	{Claim: trial.Claim{Where: "Fig. 4(b)", What: "Most jobs are booked for less than 2 h", Paper: "most", Names: "share", From: 0.5, To: inf}, fact: true, own: true, logs: kth, by: alone, a: bookedShort},
	{Claim: trial.Claim{Where: "Fig. 4(b)", What: "At most 14 % of the jobs are", Paper: "14 %", Names: "share", From: -inf, To: 0.145}, fact: true, own: true, logs: ctc, by: alone, a: bookedShort},
}

// rise is how many pairs of size classes have the larger jobs wait longer.
func rise(s *summary) float64 { return rising(s.sizes) }

// onlineClaims are those of Fig. 3 to 5. The paper does not say which jobs are small: here
// they take less than 2 h, where the paper's medium sizes begin.
var onlineClaims = []claim{
	{Claim: trial.Claim{Where: "Fig. 3(a)", What: "Jobs of less than 2 h have ten times the temporal penalty and more under batch scheduling", Paper: "an order of magnitude or more", Names: "batch, online", From: much, To: inf}, logs: kth, by: over, a: batch.of(short), b: online.of(short)},
	{Claim: trial.Claim{Where: "Fig. 3(b)", What: "Jobs of 2 h to 10 h have a higher one online", Paper: "more heavily", Names: "online, batch", From: 1, To: inf}, logs: kth, by: over, a: online.of(medium), b: batch.of(medium)},
	{Claim: trial.Claim{Where: "§5.1", What: "Similar for the other logs: jobs of less than 2 h", Paper: "similar", Names: "batch, online", From: much, To: inf}, logs: others, by: over, a: batch.of(short), b: online.of(short)},
	{Claim: trial.Claim{Where: "§5.1", What: "Similar for the other logs: jobs of 2 h to 10 h", Paper: "similar", Names: "online, batch", From: 1, To: inf}, logs: others, by: over, a: online.of(medium), b: batch.of(medium)},
	{Claim: trial.Claim{Where: "Fig. 3(a)", What: "The median of jobs of less than 2 h is ten times as high and more under batch scheduling", Paper: "an order of magnitude or more", Names: "batch, online", From: much, To: inf}, logs: kth, by: over, a: batch.of(shortMedian), b: online.of(shortMedian)},
	{Claim: trial.Claim{Where: "Fig. 3(b)", What: "The median of jobs of 2 h to 10 h is higher online", Paper: "more heavily", Names: "online, batch", From: 1, To: inf}, logs: kth, by: over, a: online.of(mediumMedian), b: batch.of(mediumMedian)},
	{Claim: trial.Claim{Where: "§5.1", What: "Similar for the other logs: the median of jobs of less than 2 h", Paper: "similar", Names: "batch, online", From: much, To: inf}, logs: others, by: over, a: batch.of(shortMedian), b: online.of(shortMedian)},
	{Claim: trial.Claim{Where: "§5.1", What: "Similar for the other logs: the median of jobs of 2 h to 10 h", Paper: "similar", Names: "online, batch", From: 1, To: inf}, logs: others, by: over, a: online.of(mediumMedian), b: batch.of(mediumMedian)},
	{Claim: trial.Claim{Where: "Fig. 4(a)", What: "Online, most jobs wait for less than 2 h", Paper: "most", Names: "share", From: 0.5, To: inf}, logs: ctc, by: alone, a: online.of(under(2))},
	{Claim: trial.Claim{Where: "Fig. 4(a)", What: "They are nearly twice as many as under batch scheduling, read as half as many again", Paper: "nearly 2", Names: "online, batch", From: 1.5, To: inf}, logs: ctc, by: over, a: online.of(under(2)), b: batch.of(under(2))},
	{Claim: trial.Claim{Where: "Fig. 4(a)", What: "Online the longest wait is hundreds of hours shorter", Paper: "batch 674 h, online 19 h", Names: "batch, online", From: 200, To: inf}, fact: true, logs: ctc, by: less, a: batch.of(longest), b: online.of(longest)},
	{Claim: trial.Claim{Where: "Fig. 4(a)", What: "More jobs wait for less than 1 h under batch scheduling", Paper: "more", Names: "batch, online", From: 0, To: inf}, logs: kth, by: less, a: batch.of(under(1)), b: online.of(under(1))},
	{Claim: trial.Claim{Where: "Fig. 4(a)", What: "At 2 h the shares are even, within 5 points", Paper: "before 2 h", Names: "batch, online", From: -even, To: even}, logs: kth, by: less, a: batch.of(under(2)), b: online.of(under(2))},
	{Claim: trial.Claim{Where: "Fig. 4(a)", What: "Online the longest wait is two hundred hours shorter, within a fifth, or more", Paper: "batch 272.5 h, online 75 h", Names: "batch, online", From: 160, To: inf}, fact: true, logs: kth, by: less, a: batch.of(longest), b: online.of(longest)},
	{Claim: trial.Claim{Where: "Fig. 5", What: "Online, larger jobs wait longer: so in three of four pairs of size classes", Paper: "increases", Names: "share of pairs", From: 0.75, To: inf}, logs: shown, by: alone, a: online.of(rise)},
	{Claim: trial.Claim{Where: "Fig. 5", What: "So do they under batch scheduling", Paper: "increases", Names: "share of pairs", From: 0.75, To: inf}, logs: shown, by: alone, a: batch.of(rise)},
	{Claim: trial.Claim{Where: "Fig. 5", What: "Each size class waits less online, in groups of 50 processors as in Table 2", Paper: "smaller", Names: "largest ratio of online to batch", From: -inf, To: 1}, logs: shown, by: alone, a: func(w *world) float64 { return worstRatio(w.online.fifties, batch(w).fifties) }},
	{Claim: trial.Claim{Where: "Fig. 5", What: "So does each from one power of two to the next", Paper: "smaller", Names: "largest ratio of online to batch", From: -inf, To: 1}, logs: shown, by: alone, a: func(w *world) float64 { return worstRatio(w.online.sizes, batch(w).sizes) }},
}

// attemptClaims are those of Table 2, whose columns are 50 processors wide. Of CTC
// our copy has two numbers, and does not tell in which column the second stands.
func attemptClaims() []claim {
	upTo := func(to int64) metric {
		return func(s *summary) float64 { return meanOf(telling(s.tries), to) }
	}
	is := func(what, paper string, logs []string, to int64, numbers map[string]float64) claim {
		return claim{Claim: trial.Claim{Where: "Table 2", What: what + " is the paper's, within a fifth", Paper: paper, Names: "here, paper", From: 1 - near, To: 1 + near, Why: noClass}, fact: true, own: true, logs: logs, by: over, a: online.of(upTo(to)), b: said(numbers)}
	}
	beside := func(w *world) *summary {
		if w.peer == nil {
			return nil
		}
		return w.peer.online
	}
	return []claim{
		is("The mean number of attempts for up to 50 processors", "CTC 5.34, KTH 10.27", shown, 50, map[string]float64{"CTC": 5.34, "KTH": 10.27}),
		is("That for 51 to 100", "60", kth, 100, map[string]float64{"KTH": 60}),
		is("That for 101 to 150", "120", kth, 150, map[string]float64{"KTH": 120}),
		{Claim: trial.Claim{Where: "Table 2", What: "The largest mean is the paper's, within a fifth", Paper: "127.44", Names: "here, paper", From: 1 - near, To: 1 + near},
			fact: true, own: true, logs: ctc, by: over, a: online.of(func(s *summary) float64 { return largest(s.tries) }), b: said(map[string]float64{"CTC": 127.44})},
		{Claim: trial.Claim{Where: "Table 2", What: "Attempts increase from each class of 50 processors to each larger one", Paper: "increase", Names: "share of pairs", From: 0.99, To: inf},
			logs: shown, by: alone, a: online.of(func(s *summary) float64 { return rising(s.tries) })},
		{Claim: trial.Claim{Where: "Table 2", What: "KTH takes more attempts than CTC for up to 50 processors", Paper: "10.27, 5.34", Names: "KTH, CTC", From: 1, To: inf, Why: "there is no CTC log beside"},
			fact: true, own: true, peer: true, logs: kth, by: over, a: online.of(upTo(50)), b: scheduler(beside).of(upTo(50))},
	}
}
