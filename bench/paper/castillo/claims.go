package main

import "math"

// claim says that what by makes of two numbers lies between from and to.
type claim struct {
	where, what string
	said        string   // the paper's numbers, or what stands for its words
	logs        []string // for which it is made; nil for all
	names       string   // of the numbers
	// sides are the numbers; NaN if the log has none. Without it, the claim cannot
	// be tested.
	sides    func(w *world) (a, b float64)
	by       func(a, b float64) float64
	from, to float64
	chance   bool   // it depends on which jobs are booked ahead
	fact     bool   // it is of the paper's logs, and no synthetic log can stand for them
	own      bool   // and of their own numbers, so that no other log can
	peer     bool   // it compares with CTC
	why      string // it cannot be tested
}

// How two numbers are compared.
var (
	less  = func(a, b float64) float64 { return a - b }
	over  = func(a, b float64) float64 { return a / b }
	alone = func(a, _ float64) float64 { return a }
)

// ours is where claims stand that are not the paper's.
const ours = "ours"

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
	all := append(workloadClaims(), onlineClaims()...)
	all = append(all, attemptClaims()...)
	all = append(all, aheadClaims()...)
	return append(all, generalClaims()...)
}

// tableHours are the mean durations of Table 1, in hours.
var tableHours = map[string]float64{"CTC": 5.82, "KTH": 2.46, "HPC2N": 4.72}

// tableHour is NaN if the log is not in Table 1.
func (w *world) tableHour() float64 {
	if h, ok := tableHours[w.log.name]; ok {
		return h
	}
	return math.NaN()
}

// workloadClaims are what Table 1 and Fig. 4(b) say of the logs. What is booked
// depends on the setting.
func workloadClaims() []claim {
	return []claim{
		{where: "Table 1", fact: true, own: true, what: "The mean duration that is booked, in hours, is the paper's, within a hundredth", said: "CTC 5.82, KTH 2.46, HPC2N 4.72",
			logs: table1, names: "here, paper", by: over, from: 0.99, to: 1.01,
			sides: func(w *world) (float64, float64) { return w.booked().mean(), w.tableHour() }},
		{where: "Fig. 4(b)", fact: true, own: true, what: "Most jobs are booked for less than 2 h", said: "most", logs: kth, names: "share", by: alone, from: 0.5, to: inf,
			sides: func(w *world) (float64, float64) { return w.booked().below(2), 0 }},
		{where: "Fig. 4(b)", fact: true, own: true, what: "At most 14 % of the jobs are", said: "14 %", logs: ctc, names: "share", by: alone, from: -inf, to: 0.145,
			sides: func(w *world) (float64, float64) { return w.booked().below(2), 0 }},
	}
}

// onlineClaims are those of Fig. 3 to 5. What the paper calls small is not said: it
// is less than 2 h here, where its medium sizes begin.
func onlineClaims() []claim {
	short := func(w *world) (float64, float64) { return w.batch().short.value(), w.online.short.value() }
	medium := func(w *world) (float64, float64) { return w.online.medium.value(), w.batch().medium.value() }
	longest := func(w *world) (float64, float64) { return w.batch().longest, w.online.longest }
	return []claim{
		{where: "Fig. 3(a)", what: "Jobs of less than 2 h have ten times the temporal penalty and more under batch scheduling", said: "an order of magnitude or more",
			logs: kth, names: "batch, online", by: over, from: much, to: inf, sides: short},
		{where: "Fig. 3(b)", what: "Jobs of 2 h to 10 h have a higher one online", said: "more heavily",
			logs: kth, names: "online, batch", by: over, from: 1, to: inf, sides: medium},
		{where: "§5.1", what: "Similar for the other logs: jobs of less than 2 h", said: "similar",
			logs: others, names: "batch, online", by: over, from: much, to: inf, sides: short},
		{where: "§5.1", what: "Similar for the other logs: jobs of 2 h to 10 h", said: "similar",
			logs: others, names: "online, batch", by: over, from: 1, to: inf, sides: medium},
		{where: "Fig. 4(a)", what: "Online, most jobs wait for less than 2 h", said: "most", logs: ctc, names: "share", by: alone, from: 0.5, to: inf,
			sides: func(w *world) (float64, float64) { return w.online.under(2), 0 }},
		{where: "Fig. 4(a)", what: "They are nearly twice as many as under batch scheduling, read as half as many again", said: "nearly 2", logs: ctc, names: "online, batch", by: over, from: 1.5, to: inf,
			sides: func(w *world) (float64, float64) { return w.online.under(2), w.batch().under(2) }},
		{where: "Fig. 4(a)", fact: true, what: "Online the longest wait is hundreds of hours shorter", said: "batch 674 h, online 19 h", logs: ctc, names: "batch, online", by: less, from: 200, to: inf, sides: longest},
		{where: "Fig. 4(a)", what: "More jobs wait for less than 1 h under batch scheduling", said: "more", logs: kth, names: "batch, online", by: less, from: 0, to: inf,
			sides: func(w *world) (float64, float64) { return w.batch().under(1), w.online.under(1) }},
		{where: "Fig. 4(a)", what: "At 2 h the shares are even, within 5 points", said: "before 2 h", logs: kth, names: "batch, online", by: less, from: -even, to: even,
			sides: func(w *world) (float64, float64) { return w.batch().under(2), w.online.under(2) }},
		{where: "Fig. 4(a)", fact: true, what: "Online the longest wait is two hundred hours shorter, within a fifth, or more", said: "batch 272.5 h, online 75 h", logs: kth, names: "batch, online", by: less, from: 160, to: inf, sides: longest},
		{where: "Fig. 5", what: "Online, larger jobs wait longer: so in three of four pairs of size classes", said: "increases", logs: shown, names: "share of pairs", by: alone, from: 0.75, to: inf,
			sides: func(w *world) (float64, float64) { return rising(w.online.sizes), 0 }},
		{where: "Fig. 5", what: "So do they under batch scheduling", said: "increases", logs: shown, names: "share of pairs", by: alone, from: 0.75, to: inf,
			sides: func(w *world) (float64, float64) { return rising(w.batch().sizes), 0 }},
		{where: "Fig. 5", what: "Each size class waits less online", said: "smaller", logs: shown, names: "largest ratio of online to batch", by: alone, from: -inf, to: 1,
			sides: func(w *world) (float64, float64) { return worstRatio(w.online.sizes, w.batch().sizes), 0 }},
	}
}

// attemptClaims are those of Table 2, whose columns are 50 processors wide. Of CTC
// our copy has two numbers, and does not tell in which column the second stands.
func attemptClaims() []claim {
	upTo := func(to int64, paper map[string]float64) func(w *world) (float64, float64) {
		return func(w *world) (float64, float64) {
			said, ok := paper[w.log.name]
			if !ok {
				said = math.NaN()
			}
			return meanOf(w.online.tries, to), said
		}
	}
	is := func(what, said string, logs []string, to int64, paper map[string]float64) claim {
		return claim{where: "Table 2", fact: true, own: true, what: what + " is the paper's, within a fifth", said: said, logs: logs, names: "here, paper",
			by: over, from: 1 - near, to: 1 + near, sides: upTo(to, paper), why: noClass}
	}
	return []claim{
		is("The mean number of attempts for up to 50 processors", "CTC 5.34, KTH 10.27", shown, 50, map[string]float64{"CTC": 5.34, "KTH": 10.27}),
		is("That for 51 to 100", "60", kth, 100, map[string]float64{"KTH": 60}),
		is("That for 101 to 150", "120", kth, 150, map[string]float64{"KTH": 120}),
		{where: "Table 2", fact: true, own: true, what: "The largest mean is the paper's, within a fifth", said: "127.44", logs: ctc, names: "here, paper", by: over, from: 1 - near, to: 1 + near,
			sides: func(w *world) (float64, float64) { return largest(w.online.tries), 127.44 }},
		{where: "Table 2", what: "Attempts increase from each class of 50 processors to each larger one", said: "increase", logs: shown, names: "share of pairs", by: alone, from: 0.99, to: inf,
			sides: func(w *world) (float64, float64) { return rising(w.online.tries), 0 }},
		{where: "Table 2", fact: true, own: true, peer: true, what: "KTH takes more attempts than CTC for up to 50 processors", said: "10.27, 5.34", logs: kth, names: "KTH, CTC", by: over, from: 1, to: inf,
			why: "there is no CTC log beside",
			sides: func(w *world) (float64, float64) {
				if w.peer == nil {
					return 0, math.NaN()
				}
				return meanOf(w.online.tries, 50), meanOf(w.peer.online.tries, 50)
			}},
	}
}
