package main

import (
	"strconv"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/bench/paper/trial"
	batch "github.com/bookahead/bookahead/plan"
)

// tables make the tables and figures, in the order of the paper.
var tables = []func([]scene) trial.Table{
	figure{"Figures 4 and 5: fixed and variable slots", "fig5.csv", []string{"jobs", "% AR", "slots"}, []metric{meanU, meanF, makespan, meanD}, formLines(usual, 50, 100)}.table,
	figure4,
	figure{"§3.5: slots that a search goes through where all tasks are AR tasks, and its time, with a reading of the clock", "searches.csv", []string{"jobs", "% AR", "slots"}, []metric{slots, nano}, formLines(100)}.table,
	figure{"Table 2: one level, 128 processors, jobs 1-1000; the paper's total waiting time is a mean", "table2.csv", []string{"local"}, waits, tableTwo}.once,
	figure{"Table 3: two levels, Random, jobs 1-1000", "table3.csv", []string{"parts", "local"}, waits, tableThree}.once,
	table4,
	figure{"Table 5: LB and MCT, two parts of 64", "table5.csv", []string{"jobs", "% AR"}, criteria, append(tableFiveLines(light), tableFiveLines(heavy)...)}.table,
	figure{"Figures 8 to 10: Random, by the off-line period δ", "fig8-10.csv", []string{"δ, s", "% AR"}, criteria, byShare(tenths, periods(random, deltas)...)}.table,
	partitions,
	figure{"Figures 8 to 10 and §5.3 again, with AR first: AR tasks do not wait for δ", "arfirst.csv", []string{"strategy", "δ, s", "% AR"}, criteria, queues()}.table,
	figure{"Table 6: 30 % AR tasks, fixed requests", "table6.csv", []string{"strategy"}, criteria, tableSix}.table,
	figure{"Figures 11 to 13 and 17 to 19: fixed requests", "fig11-19.csv", []string{"strategy", "% AR"}, criteria, byShare(tenths, fixed(mct, priority, random)...)}.table,
	figure{"Figure 14: 30 % AR tasks, by the interval in hours", "fig14.csv", []string{"interval", "strategy"}, []metric{meanU, meanF, meanD, flowAR, flowBatch}, flexible(intervals)}.table,
	figure{"Figures 15 and 16: flexible requests", "fig15-16.csv", []string{"interval", "strategy", "% AR"}, criteria, byShare(tenths, flexible(intervals[1:3])...)}.table,
	figure{"§3.2 and §6: AR resource priority, what knowledge and binding do", "reasons.csv", []string{"% AR", "what"}, criteria, reasons()}.table,
}

// The shares of AR tasks, in per cent.
var (
	fifths = []int{0, 20, 40, 60, 80, 100} // of Table 5
	tenths = []int{0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100}
)

const usual = 30 // per cent of AR tasks in §5.4

// The forms of §3.3.
var forms = []struct {
	name string
	form
}{
	{"variable", form{probed: true}},
	{"fixed, 10 min", form{slot: shortSlot, probed: true}},
	{"fixed, 1 h", form{slot: longSlot, probed: true}},
}

// inForm is the plan of Fig. 4 and 5, in the kth of the forms. The paper does not say on
// which machine these ran; here it is the one of §5.2.
func inForm(piece, share, k int) plan {
	p := two(piece, first, share)
	p.form = forms[k].form
	return p
}

// formLines has the shares that are tried with each form.
func formLines(shares ...int) (lines []line) {
	for piece, named := range pieces {
		for _, share := range shares {
			for k, f := range forms {
				lines = append(lines, line{labels: []string{named.name, strconv.Itoa(share), f.name}, plan: inForm(piece, share, k)})
			}
		}
	}
	return lines
}

// figure4 is the first repeat; where all tasks are AR tasks, there is but one.
func figure4(scenes []scene) trial.Table {
	t := trial.Table{Title: "Figure 4: share of the processors that work, by days, 68000-69000, all tasks AR tasks", File: "fig4.csv", Header: []string{"reading", "day"}, Silent: true}
	for _, f := range forms {
		t.Header = append(t.Header, f.name)
	}
	for _, s := range scenes {
		var days [][]float64
		last := 0
		for k := range forms {
			days = append(days, s.worlds[0].run(inForm(heavy, 100, k)).daily)
			last = max(last, len(days[k]))
		}
		for d := range last {
			row := []string{s.reading.name, strconv.Itoa(d + 1)}
			for _, shares := range days {
				share := 0.0
				if d < len(shares) {
					share = shares[d]
				}
				row = append(row, trial.Number(share))
			}
			t.Rows = append(t.Rows, row)
		}
	}
	return t
}

// fcfs is the paper's FCFS-BF.
var fcfs = local{backfill: batch.FirstFit()}

// lsf takes the largest size first, every δ only.
func lsf(delta bookahead.Duration) local {
	return local{largest: true, backfill: batch.FirstFit(), period: delta}
}

// alone128 is the plan of Table 2.
func alone128(l local) plan {
	return plan{piece: light, parts: 1, units: machine, grid: mct, local: l}
}

// waits are the metrics of Tables 2 and 3.
var waits = []metric{meanU, meanF, meanWait}

// tableTwo has the paper's five policies, and three of ours.
var tableTwo = []line{
	{[]string{"FCFS"}, alone128(fcfs), []float64{0.587, 16228, 8056}},
	{[]string{"LSF-10"}, alone128(lsf(10)), []float64{0.587, 15314, 7142}},
	{[]string{"LSF-60"}, alone128(lsf(60)), []float64{0.587, 15956, 7783}},
	{[]string{"LSF-600"}, alone128(lsf(600)), []float64{0.58, 19051, 10879}},
	{[]string{"LSF-3600"}, alone128(lsf(3600)), []float64{0.532, 141727, 133555}},
	{[]string{"FCFS, nobody overtakes"}, alone128(local{}), nil},
	{[]string{"FCFS, EASY"}, alone128(local{backfill: batch.EASY(1)}), nil},
	{[]string{"LSF, EASY"}, alone128(local{largest: true, backfill: batch.EASY(1)}), nil},
}

// spread is the plan of Table 3.
func spread(parts int, l local) plan {
	return plan{piece: light, parts: parts, units: part, grid: random, local: l}
}

// tableThree has the paper's six plans, and three of ours.
var tableThree = []line{
	{[]string{"2 × 64", "FCFS"}, spread(2, fcfs), []float64{0.592, 44559, 38512}},
	{[]string{"4 × 64", "FCFS"}, spread(4, fcfs), []float64{0.391, 17481, 10259}},
	{[]string{"8 × 64", "FCFS"}, spread(8, fcfs), []float64{0.203, 9865, 2579}},
	{[]string{"2 × 64", "LSF-600"}, spread(2, lsf(600)), []float64{0.644, 64175, 58224}},
	{[]string{"4 × 64", "LSF-600"}, spread(4, lsf(600)), []float64{0.391, 15287, 8151}},
	{[]string{"8 × 64", "LSF-600"}, spread(8, lsf(600)), []float64{0.209, 10675, 3287}},
	{[]string{"2 × 64", "LSF-3600"}, spread(2, lsf(3600)), nil},
	{[]string{"4 × 64", "LSF-3600"}, spread(4, lsf(3600)), nil},
	{[]string{"8 × 64", "LSF-3600"}, spread(8, lsf(3600)), nil},
}

func table4(scenes []scene) trial.Table {
	t := trial.Table{Title: "Table 4: the jobs, means", File: "table4.csv", Header: []string{"reading", "measure", pieces[0].name, "paper", pieces[1].name, "paper"}}
	for _, m := range tableFour {
		row := []string{readings[0].name, m.name}
		for k, said := range m.said {
			row = append(row, trial.Each(scenes[0].worlds, m.in(k)).String(), trial.Number(said))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// tableFive has the paper's mean U, mean F and mean D, by fifths.
var tableFive = [2][3][]float64{
	{{0.54, 0.51, 0.49, 0.45, 0.40, 0.40}, {29995, 31186, 30978, 31225, 27475, 22187}, {0, 2756, 6763, 5527, 4998, 5049}},
	{{0.83, 0.72, 0.69, 0.68, 0.71, 0.75}, {48495, 90722, 101723, 110462, 98508, 78229}, {0, 4431, 3916, 4131, 17427, 34845}},
}

// tableFiveLines are those of a piece.
func tableFiveLines(piece int) []line {
	lines := byShare(fifths, line{labels: []string{pieces[piece].name}, plan: two(piece, mct, 0)})
	for i := range lines {
		for _, said := range tableFive[piece] {
			lines[i].said = append(lines[i].said, said[i])
		}
	}
	return lines
}
