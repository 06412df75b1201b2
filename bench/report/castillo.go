package main

// drawCastillo draws the tables and figures of Castillo et al. in the reading that
// decides, which comes first in each file.
func drawCastillo(folder string, s *section) error {
	s.Intro = append(s.Intro, "Online, each job is booked when it is submitted; beside it stand the exact earliest start, EASY backfilling, and what the log says of its own batch system, if it is a real one.")
	for _, f := range []struct {
		file, title, caption, x, column, y string
		positive                           bool
	}{
		{"fig3.csv", "Fig. 3: temporal penalty", "Mean wait over the duration, by hours of duration. The paper (KTH): short jobs have ten times the penalty and more under batch scheduling, medium ones more online. Classes that never wait have no point.",
			"duration, h", "hours", "wait / duration", true},
		{"fig4.csv", "Fig. 4(a): waits", "Share of the jobs that wait for less than so many hours. The paper (CTC): online most wait less than 2 h, nearly twice as many as under batch scheduling.",
			"hours", "hours", "share of the jobs", false},
		{"fig5.csv", "Fig. 5: waits by size", "The paper: larger jobs wait longer, and each size less online than under batch scheduling.",
			"processors", "processors", "mean wait, h", false},
	} {
		if err := s.eachLog(folder, f.file, func(id, log string, t *table) error {
			lines, err := wide(t, f.column, "online", "exact", "EASY", "batch")
			if err != nil {
				return err
			}
			return s.show(id, f.title+log, f.caption, curves{x: f.x, y: f.y, series: lines, positive: f.positive})
		}); err != nil {
			return err
		}
	}
	if err := s.eachLog(folder, "fig6.csv", func(id, log string, t *table) error {
		lines, err := wide(t, "hours", t.header[3:]...)
		if err != nil {
			return err
		}
		return s.show(id, "Fig. 6: delays by the share booked ahead"+log, "Share of the jobs whose delay, from the submission on, lies in the half hour from then on. With more booked ahead, delays spread over the three hours.",
			curves{x: "hours", y: "share of the jobs", series: lines})
	}); err != nil {
		return err
	}
	if err := s.eachLog(folder, "fig7.csv", func(id, log string, t *table) error {
		lines, err := wide(t, "ρ", "mean delay", "mean wait")
		if err != nil {
			return err
		}
		return s.show(id, "Fig. 7: delay by the share booked ahead"+log, "A delay begins at the submission, a wait at the ready time."+whiskers,
			curves{x: "share booked ahead, ρ", y: "hours", series: lines})
	}); err != nil {
		return err
	}
	if err := s.eachLog(folder, "table2.csv", func(id, log string, t *table) error {
		names, err := t.texts("processors")
		if err != nil {
			return err
		}
		ours, err := t.numbers("attempts")
		if err != nil {
			return err
		}
		theirs, err := t.numbers("paper")
		if err != nil {
			return err
		}
		return s.show(id, "Table 2: attempts"+log, "Mean number of attempts of a request, by processors. The paper: they increase with the size. Its numbers are of its own logs, and stand beside them only: CTC 5.34 for the smallest, KTH 10.27, 60 and 120.",
			bars{"attempts", names, beside(ours, theirs)})
	}); err != nil {
		return err
	}
	for _, f := range []struct{ file, title, caption string }{
		{"table1.csv", "Table 1: the logs", "What is booked, and the paper's mean duration."},
		{"runs.csv", "All schedulers", "Without advance reservations; waits in hours."},
		{"steps.csv", "Other Δt", "The structure as published with other steps, and the exact search; hours."},
	} {
		t, err := readTable(folder, f.file)
		if err != nil {
			return err
		}
		s.list(f.file[:len(f.file)-len(".csv")], f.title, f.caption, t)
	}
	return s.judge(folder)
}

// eachLog calls show for each log in a file, with the rows of the first setting
// that it has there. What is shown of several logs is told apart by a suffix.
func (s *section) eachLog(folder, file string, show func(id, suffix string, t *table) error) error {
	t, err := readTable(folder, file)
	if err != nil {
		return err
	}
	logs, err := t.distinct("log")
	if err != nil {
		return err
	}
	for _, log := range logs {
		rows, err := t.keep("log", log)
		if err != nil {
			return err
		}
		if rows, err = rows.first("setting"); err != nil {
			return err
		}
		suffix := ""
		if len(logs) > 1 {
			suffix = ", " + log
		}
		if err := show(file[:len(file)-len(".csv")]+"-"+log, suffix, rows); err != nil {
			return err
		}
	}
	return nil
}

// first returns the rows that have the same cell as the first row.
func (t *table) first(name string) (*table, error) {
	cells, err := t.texts(name)
	if err != nil || len(cells) == 0 {
		return t, err
	}
	return t.keep(name, cells[0])
}
