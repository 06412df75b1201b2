package main

import (
	"fmt"
	"strconv"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/bench/paper/trial"
)

// experimentsOf are the tables and figures, in the order of the paper.
var experimentsOf = []func([]scene) trial.Table{slotsTable, figure4, searchTable, table2, table3, table4, table5, figures8to10, partitions, queues, table6, figures11to19, figure14, figures15and16, reasons}

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

// inForm is the plan of Fig. 4 and 5: what they ran on is not said.
func inForm(piece, share int, f form) plan {
	p := two(piece, first, share)
	p.form = f
	return p
}

// formLines has the shares that are tried with each form.
func formLines(shares ...int) (lines []line) {
	for k, piece := range pieces {
		for _, share := range shares {
			for _, f := range forms {
				lines = append(lines, line{labels: []string{piece.name, strconv.Itoa(share), f.name}, plan: inForm(k, share, f.form)})
			}
		}
	}
	return lines
}

func slotsTable(scenes []scene) trial.Table {
	return tabulate(scenes, "Figures 4 and 5: fixed and variable slots", "fig5.csv", []string{"jobs", "% AR", "slots"},
		append(criteria[:2:2], cell{"makespan, s", func(s *summary) float64 { return s.makespan }}, criteria[2]), formLines(usual, 50, 100))
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
		for _, f := range forms {
			days = append(days, s.worlds[0].run(inForm(heavy, 100, f.form)).daily)
			last = max(last, len(days[len(days)-1]))
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

func searchTable(scenes []scene) trial.Table {
	return tabulate(scenes, "§3.5: slots that a search goes through where all tasks are AR tasks, and its time, with a reading of the clock", "searches.csv",
		[]string{"jobs", "% AR", "slots"},
		[]cell{{"slots", func(s *summary) float64 { return s.slots }}, {"ns", func(s *summary) float64 { return s.nano }}}, formLines(100))
}

// alone128 is the plan of Table 2.
func alone128(l local) plan {
	return plan{piece: light, parts: 1, units: machine, grid: mct, local: l}
}

var lsf = func(delta bookahead.Duration) local { return local{lsf: true, delta: delta} }

// tableTwo has the paper's mean U, mean F and mean wait.
var tableTwo = []struct {
	name string
	local
	u, f, wait float64
}{
	{"FCFS", local{}, 0.587, 16228, 8056},
	{"LSF-10", lsf(10), 0.587, 15314, 7142},
	{"LSF-60", lsf(60), 0.587, 15956, 7783},
	{"LSF-600", lsf(600), 0.58, 19051, 10879},
	{"LSF-3600", lsf(3600), 0.532, 141727, 133555},
}

// waits are the columns of Tables 2 and 3.
var waits = append(criteria[:2:2], cell{"mean wait, s", func(s *summary) float64 { return s.wait }})

func table2(scenes []scene) trial.Table {
	var lines []line
	for _, r := range tableTwo {
		lines = append(lines, line{labels: []string{r.name}, plan: alone128(r.local), said: []string{trial.Number(r.u), trial.Number(r.f), trial.Number(r.wait)}})
	}
	for _, r := range []struct {
		name string
		local
	}{{"FCFS, nobody overtakes", local{fill: none}}, {"FCFS, EASY", local{fill: easy}}, {"LSF, EASY", local{fill: easy, lsf: true}}} {
		lines = append(lines, line{labels: []string{r.name}, plan: alone128(r.local)})
	}
	return tabulate(scenes[:1], "Table 2: one level, 128 processors, jobs 1-1000; the paper's total waiting time is a mean", "table2.csv", []string{"local"}, waits, lines)
}

// spread is the plan of Table 3.
func spread(parts int, l local) plan {
	return plan{piece: light, parts: parts, units: part, grid: random, local: l}
}

// tableThree has the paper's mean U, mean F and mean wait.
var tableThree = []struct {
	name  string
	parts int
	local
	u, f, wait float64
}{
	{"FCFS", 2, local{}, 0.592, 44559, 38512},
	{"FCFS", 4, local{}, 0.391, 17481, 10259},
	{"FCFS", 8, local{}, 0.203, 9865, 2579},
	{"LSF-600", 2, lsf(600), 0.644, 64175, 58224},
	{"LSF-600", 4, lsf(600), 0.391, 15287, 8151},
	{"LSF-600", 8, lsf(600), 0.209, 10675, 3287},
}

func table3(scenes []scene) trial.Table {
	var lines []line
	for _, r := range tableThree {
		lines = append(lines, line{labels: []string{fmt.Sprintf("%d × 64", r.parts), r.name}, plan: spread(r.parts, r.local), said: []string{trial.Number(r.u), trial.Number(r.f), trial.Number(r.wait)}})
	}
	for _, parts := range []int{2, 4, 8} {
		lines = append(lines, line{labels: []string{fmt.Sprintf("%d × 64", parts), "LSF-3600"}, plan: spread(parts, lsf(3600))})
	}
	return tabulate(scenes[:1], "Table 3: two levels, Random, jobs 1-1000", "table3.csv", []string{"parts", "local"}, waits, lines)
}

func table4(scenes []scene) trial.Table {
	t := trial.Table{Title: "Table 4: the jobs, means", File: "table4.csv", Header: []string{"reading", "measure", pieces[0].name, "paper", pieces[1].name, "paper"}}
	for _, m := range tableFour {
		row := []string{readings[0].name, m.name}
		for k := range pieces {
			row = append(row, scenes[0].sample(func(w *world) float64 { return m.of(w.logs[k]) }).String(), trial.Number(m.said[k]))
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

func table5(scenes []scene) trial.Table {
	var lines []line
	for k, piece := range pieces {
		for i, share := range fifths {
			l := line{labels: []string{piece.name, strconv.Itoa(share)}, plan: two(k, mct, share)}
			for _, said := range tableFive[k] {
				l.said = append(l.said, trial.Number(said[i]))
			}
			lines = append(lines, l)
		}
	}
	return tabulate(scenes, "Table 5: LB and MCT, two parts of 64", "table5.csv", []string{"jobs", "% AR"}, criteria, lines)
}
