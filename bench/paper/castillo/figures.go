package main

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/bookahead/bookahead/bench/paper/trial"
	"github.com/bookahead/bookahead/bench/sim"
)

// figure is a table. Its first two columns are the log and the setting.
type figure struct {
	title, file string
	header      []string
	brief       func(row []string) bool
	rows        func(s scene, add adder) // of a scene
}

// adder adds a row.
type adder func(labels []string, numbers ...string)

// figures are those of §5, in its order, and at the end those of other Δt.
var figures = []figure{
	{"Table 1: the logs and their bookings; load is that of bookings", "table1.csv",
		[]string{"jobs", "processors", "mean, h", "paper", "share below 2 h", "load"}, nil, logs},
	{"All schedulers, without advance reservations; waits in hours", "runs.csv",
		[]string{"scheduler", "turned away", "mean wait", "longest", "share below 1 h", "below 2 h", "penalty below 2 h", "2 h to 10 h", "median below 2 h", "median 2 h to 10 h", "attempts", "operations", "utilisation", "seconds"}, nil, runs},
	{"Figure 3: mean and median temporal penalty, by hours of duration", "fig3.csv",
		[]string{"hours", "jobs", "batch", "online", "exact", "EASY", "batch, median", "online, median", "exact, median", "EASY, median"}, deciding, figure3},
	{"Figure 4(a): share of the jobs that wait for less than so many hours", "fig4.csv",
		[]string{"hours", "batch", "online", "exact", "EASY"}, deciding, figure4},
	{"Figure 5: mean wait in hours, by processors", "fig5.csv",
		[]string{"processors", "jobs", "batch", "online", "exact", "EASY"}, deciding, figure5},
	{"Figure 5 in the classes of Table 2", "fig5-50.csv",
		[]string{"processors", "jobs", "batch", "online", "exact", "EASY"}, deciding, figure5Groups},
	{"Table 2: mean attempts, by processors; of the paper's CTC 127.44 our copy does not tell the column", "table2.csv",
		[]string{"processors", "jobs", "attempts", "paper"}, nil, table2},
	{"Figure 6: share of the jobs whose delay, from the submission on, lies in the half hour from then on; batch without reservations", "fig6.csv",
		[]string{"hours", "ρ = 0", "ρ = 0.2", "ρ = 0.4", "ρ = 0.6", "ρ = 0.8", "batch"}, beginning, figure6},
	{"Figure 7: by the share that is booked ahead; a delay begins at the submission, a wait at the ready time; hours", "fig7.csv",
		[]string{"ρ", "mean delay", "mean wait", "longest delay", "attempts", "operations"}, nil, figure7},
	{"Δt: the structure as published with other steps, and the exact search; hours", "steps.csv",
		[]string{"Δt, s", "mean wait", "longest", "attempts", "operations", "seconds"}, nil, otherSteps},
}

// table makes the table of the scenes.
func (f figure) table(scenes []scene) trial.Table {
	t := trial.Table{Title: f.title, File: f.file, Header: slices.Concat(circumstances, f.header), Brief: f.brief}
	for _, s := range scenes {
		f.rows(s, func(labels []string, numbers ...string) {
			t.Rows = append(t.Rows, slices.Concat([]string{s[0].log.name, s[0].setting.name}, labels, numbers))
		})
	}
	return t
}

// deciding are the rows of the setting that decides.
func deciding(row []string) bool { return row[1] == settings[0].name }

// beginning are those of the first five hours.
func beginning(row []string) bool {
	h, err := strconv.ParseFloat(row[2], 64)
	return err == nil && h < 5 && deciding(row)
}

// schedulers are the columns of Figures 3 to 5.
var schedulers = []scheduler{recorded, online, exact, easy}

// bySchedulers are the means of a number under each scheduler, over the scene.
func (s scene) bySchedulers(m metric) (cells []string) {
	for _, by := range schedulers {
		cells = append(cells, s.sample(false, by.of(m)).String())
	}
	return cells
}

// means are those of some numbers under a scheduler, over the scene.
func (s scene) means(chance bool, by scheduler, metrics ...metric) (cells []string) {
	for _, m := range metrics {
		cells = append(cells, s.sample(chance, by.of(m)).String())
	}
	return cells
}

func logs(s scene, add adder) {
	w := s[0]
	add([]string{strconv.Itoa(len(w.log.jobs)), strconv.FormatInt(w.setting.units(w.log), 10)},
		s.sample(false, bookedHours).String(), trial.Number(tableHour(w)), s.sample(false, bookedShort).String(), s.sample(false, load).String())
}

func runs(s scene, add adder) {
	for k, name := range []string{"batch", "online", "exact", "EASY"} {
		by := schedulers[k]
		if by(s[0]) == nil {
			continue
		}
		cells := s.means(false, by, turnedAway, meanWait, longest, under(1), under(2), short, medium, shortMedian, mediumMedian, tried, operations, used, seconds)
		if name == "batch" {
			cells[0] = ""
		}
		if name != "online" {
			cells[9] = "" // attempts
		}
		add([]string{name}, cells...)
	}
}

// byClass adds a row for each class of the online run, with numbers of the class under
// each scheduler, in the first repeat.
func (s scene) byClass(add adder, classes func(*summary) []sim.Class, name func(c sim.Class) string, numbers ...func([]sim.Class, int64) float64) {
	for _, c := range classes(s[0].online) {
		var cells []string
		for _, of := range numbers {
			cells = append(cells, s[:1].bySchedulers(func(r *summary) float64 { return of(classes(r), c.To) })...)
		}
		add([]string{name(c), strconv.Itoa(c.Tasks)}, cells...)
	}
}

func figure3(s scene, add adder) {
	upTo18 := func(r *summary) []sim.Class { // as long as the longest job of CTC
		return slices.DeleteFunc(slices.Clone(r.lengths), func(c sim.Class) bool { return c.To > 18*hour })
	}
	s.byClass(add, upTo18, func(c sim.Class) string { return fmt.Sprintf("(%d, %d]", c.Above/hour, c.To/hour) }, meanOf, medianOf)
}

func figure4(s scene, add adder) {
	for _, h := range []float64{0.5, 1, 1.5, 2, 3, 4, 6, 8, 10, 12, 14} {
		add([]string{fmt.Sprint(h)}, s.bySchedulers(under(h))...)
	}
}

func figure5(s scene, add adder) {
	s.byClass(add, func(r *summary) []sim.Class { return r.sizes }, func(c sim.Class) string {
		to := int64(1) << c.To
		return fmt.Sprintf("(%d, %d]", to/2, to)
	}, meanOf)
}

func figure5Groups(s scene, add adder) {
	s.byClass(add, func(r *summary) []sim.Class { return r.fifties }, bounds, meanOf)
}

// bounds names a class.
func bounds(c sim.Class) string { return fmt.Sprintf("(%d, %d]", c.Above, c.To) }

func table2(s scene, add adder) {
	paper := map[string]string{"CTC 50": "5.34", "KTH 50": "10.27", "KTH 100": "60", "KTH 150": "120"}
	for _, c := range s[0].online.tries {
		add([]string{bounds(c), strconv.Itoa(c.Tasks)},
			trial.Number(c.Mean), paper[fmt.Sprintf("%s %d", s[0].log.name, c.To)])
	}
}

func figure6(s scene, add adder) {
	for k := range halfHours {
		h := float64(k) / 2
		in := between(h, h+0.5)
		var cells []string
		for i := range figure6Shares {
			cells = append(cells, s.means(i > 0, ahead(i), in)...)
		}
		add([]string{fmt.Sprint(h)}, append(cells, s.means(false, batch, in)...)...)
	}
}

func figure7(s scene, add adder) {
	for i, share := range shares {
		add([]string{fmt.Sprint(share)}, s.means(i > 0, ahead(i), meanDelay, meanWait, longest, tried, operations)...)
	}
}

// otherSteps is of the first repeat.
func otherSteps(s scene, add adder) {
	row := func(name string, by scheduler) {
		add([]string{name}, s[:1].means(false, by, meanWait, longest, tried, operations, seconds)...)
	}
	for i := range s[0].steps {
		row(fmt.Sprint(int64(steps[i])), func(w *world) *summary { return w.steps[i] })
	}
	if s[0].steps != nil {
		row("exact", exact)
	}
}
