package main

import (
	"fmt"
	"strconv"

	"github.com/bookahead/bookahead/bench/paper/trial"
	"github.com/bookahead/bookahead/bench/sim"
)

// tables are those of §5, in its order.
func tables(scenes []*scene) []*table {
	return []*table{logs(scenes), runs(scenes), figure3(scenes), figure4(scenes), figure5(scenes), table2(scenes), figure6(scenes), figure7(scenes)}
}

// ran is a scheduler, and what it made of a log.
type ran struct {
	name string
	*summary
}

// all are those that ran, the log's batch system first.
func (w *world) all() []ran {
	list := []ran{{"online", w.online}, {"exact", w.exact}, {"EASY", w.easy}}
	if w.recorded != nil {
		list = append([]ran{{"batch", w.recorded}}, list...)
	}
	return list
}

// scheduler is the kth of those that ran.
func scheduler(k int, of func(*summary) float64) func(*world) float64 {
	return func(w *world) float64 { return of(w.all()[k].summary) }
}

func logs(scenes []*scene) *table {
	t := open("Table 1: the logs, and what is booked; load is of what is booked", "table1.csv", "jobs", "processors", "mean, h", "paper", "share below 2 h", "load")
	for _, s := range scenes {
		units := s.first().setting.units(s.first().log)
		t.row(s, strconv.Itoa(len(s.first().log.jobs)), strconv.FormatInt(units, 10),
			s.over(false, func(w *world) float64 { return w.booked().mean() }), trial.Number(s.first().tableHour()),
			s.over(false, func(w *world) float64 { return w.booked().below(2) }),
			s.over(false, func(w *world) float64 { return w.load(units) }))
	}
	return t
}

func runs(scenes []*scene) *table {
	t := open("All schedulers, without advance reservations; waits in hours", "runs.csv", "scheduler", "turned away", "mean wait", "longest", "share below 1 h", "below 2 h",
		"penalty below 2 h", "2 h to 10 h", "attempts", "operations", "utilisation", "seconds")
	for _, s := range scenes {
		for k, r := range s.first().all() {
			show := func(of func(*summary) float64) string { return s.over(false, scheduler(k, of)) }
			cells := []string{
				r.name,
				show(func(r *summary) float64 { return float64(r.Rejected) }),
				show(func(r *summary) float64 { return hours(r.MeanWait) }),
				show(func(r *summary) float64 { return r.longest }),
				show(func(r *summary) float64 { return r.under(1) }),
				show(func(r *summary) float64 { return r.under(2) }),
				show(func(r *summary) float64 { return r.short.value() }),
				show(func(r *summary) float64 { return r.medium.value() }),
				"", "",
				show(func(r *summary) float64 { return r.Utilisation }),
				"",
			}
			if r.name == "batch" {
				cells[1] = ""
			}
			if r.name == "online" {
				cells[8] = show(func(r *summary) float64 { return r.trials })
				cells[9] = show(func(r *summary) float64 { return r.operations })
			}
			if r.name != "batch" {
				cells[11] = show(func(r *summary) float64 { return r.took.Seconds() })
			}
			t.row(s, cells...)
		}
	}
	return t
}

// byClass adds a row for each class of the online run, with the means of all
// schedulers in it, in the first repeat.
func (t *table) byClass(s *scene, classes func(*summary) []sim.Class, name func(c sim.Class) string) {
	for _, c := range classes(s.first().online) {
		label := name(c)
		if label == "" {
			continue
		}
		cells := []string{label, strconv.Itoa(c.Tasks)}
		if s.first().recorded == nil {
			cells = append(cells, "")
		}
		for _, r := range s.first().all() {
			cell := ""
			for _, d := range classes(r.summary) {
				if d.To == c.To {
					cell = trial.Number(d.Mean)
				}
			}
			cells = append(cells, cell)
		}
		t.row(s, cells...)
	}
}

var schedulers = []string{"batch", "online", "exact", "EASY"}

func figure3(scenes []*scene) *table {
	const longest = 18 // hours: the longest job of CTC
	t := open("Figure 3: mean temporal penalty, by hours of duration", "fig3.csv", append([]string{"hours", "jobs"}, schedulers...)...)
	t.Brief = deciding
	for _, s := range scenes {
		t.byClass(s, func(r *summary) []sim.Class { return r.lengths }, func(c sim.Class) string {
			if c.To > longest*hour {
				return ""
			}
			return fmt.Sprintf("(%d, %d]", c.Above/hour, c.To/hour)
		})
	}
	return t
}

func figure4(scenes []*scene) *table {
	t := open("Figure 4(a): share of the jobs that wait for less than so many hours", "fig4.csv", append([]string{"hours"}, schedulers...)...)
	t.Brief = deciding
	for _, s := range scenes {
		for _, h := range []float64{0.5, 1, 1.5, 2, 3, 4, 6, 8, 10, 12, 14} {
			cells := []string{fmt.Sprint(h)}
			if s.first().recorded == nil {
				cells = append(cells, "")
			}
			for k := range s.first().all() {
				cells = append(cells, s.over(false, scheduler(k, func(r *summary) float64 { return r.under(h) })))
			}
			t.row(s, cells...)
		}
	}
	return t
}

func figure5(scenes []*scene) *table {
	t := open("Figure 5: mean wait in hours, by processors", "fig5.csv", append([]string{"processors", "jobs"}, schedulers...)...)
	t.Brief = deciding
	for _, s := range scenes {
		t.byClass(s, func(r *summary) []sim.Class { return r.sizes }, func(c sim.Class) string {
			to := int64(1) << c.To
			return fmt.Sprintf("(%d, %d]", to/2, to)
		})
	}
	return t
}

func table2(scenes []*scene) *table {
	t := open("Table 2: mean attempts, by processors; of the paper's CTC 127.44 our copy does not tell the column", "table2.csv", "processors", "jobs", "attempts", "paper")
	paper := map[string]string{"CTC 50": "5.34", "KTH 50": "10.27", "KTH 100": "60", "KTH 150": "120"}
	for _, s := range scenes {
		for _, c := range s.first().online.tries {
			t.row(s, fmt.Sprintf("(%d, %d]", c.Above, c.To), strconv.Itoa(c.Tasks), trial.Number(c.Mean),
				paper[fmt.Sprintf("%s %d", s.first().log.name, c.To)])
		}
	}
	return t
}

func figure6(scenes []*scene) *table {
	var header []string
	for _, share := range shares[:figure6Shares] {
		header = append(header, fmt.Sprintf("ρ = %g", share))
	}
	t := open("Figure 6: share of the jobs whose delay, from the submission on, lies in the half hour from then on; batch without reservations", "fig6.csv",
		append(append([]string{"hours"}, header...), "batch")...)
	t.Brief = func(row []string) bool {
		h, err := strconv.ParseFloat(row[2], 64)
		return err == nil && h < 5 && deciding(row)
	}
	for _, s := range scenes {
		for k := range halfHours {
			in := func(r *summary) float64 {
				if k == 0 {
					return r.within[0]
				}
				return r.within[k] - r.within[k-1]
			}
			cells := []string{fmt.Sprint(float64(k) / 2)}
			for i := range shares[:figure6Shares] {
				cells = append(cells, s.over(i > 0, func(w *world) float64 { return in(w.ahead[i]) }))
			}
			t.row(s, append(cells, s.over(false, func(w *world) float64 { return in(w.batch()) }))...)
		}
	}
	return t
}

func figure7(scenes []*scene) *table {
	t := open("Figure 7: by the share that is booked ahead; a delay begins at the submission, a wait at the ready time; hours", "fig7.csv",
		"ρ", "mean delay", "mean wait", "longest delay", "attempts", "operations")
	for _, s := range scenes {
		for i, share := range shares {
			show := func(of func(*summary) float64) string {
				return s.over(i > 0, func(w *world) float64 { return of(w.ahead[i]) })
			}
			t.row(s, fmt.Sprint(share),
				show(func(r *summary) float64 { return r.delay }),
				show(func(r *summary) float64 { return hours(r.MeanWait) }),
				show(func(r *summary) float64 { return r.longest }),
				show(func(r *summary) float64 { return r.trials }),
				show(func(r *summary) float64 { return r.operations }))
		}
	}
	return t
}

// sweepSteps runs each log with other Δt, in the first repeat.
func sweepSteps(scenes []*scene, progress trial.Progress) (*table, error) {
	t := open("Δt: the structure as published with other steps, and the exact search; hours", "steps.csv", "Δt, s", "mean wait", "longest", "attempts", "operations", "seconds")
	for _, s := range scenes {
		w := s.first()
		if w.setting != settings[0] {
			continue
		}
		for _, step := range steps {
			sum := w.online
			if step != slot {
				var err error
				if sum, err = w.setting.online(w.log, w.setting.tasks(w.log), stepped(step)); err != nil {
					return nil, err
				}
			}
			t.steps(s, fmt.Sprint(int64(step)), sum, trial.Number(sum.operations))
		}
		t.steps(s, "exact", w.exact, "")
		progress.Done("%s: %d values of Δt", w.log.name, len(steps))
	}
	return t, nil
}

func (t *table) steps(s *scene, name string, sum *summary, operations string) {
	t.row(s, name, trial.Number(hours(sum.MeanWait)), trial.Number(sum.longest), trial.Number(sum.trials), operations, trial.Number(sum.took.Seconds()))
}
