package main

import "strings"

// drawKurowski draws the tables and figures of Kurowski et al. in the reading that
// decides, which comes first in each file.
func drawKurowski(folder string, s *section) error {
	s.Intro = append(s.Intro, "Batch tasks and tasks with advance reservations (AR tasks) on one machine, or on the parts of a grid. U is the utilisation, F the flow time, D the tardiness of AR tasks. The paper's numbers are of the SDSC SP2 log; with a synthetic log, compare which is greater, and not by how much.")
	for _, f := range []struct{ file, title, caption, labels string }{
		{"table2.csv", "Table 2: one level", "128 processors. LSF decides every so many seconds.", "local"},
		{"table3.csv", "Table 3: two levels", "The grid chooses a part at random. In the paper, too, more parts of the same size shorten the flow time.", "parts,local"},
		{"table5.csv", "Table 5: share of AR tasks", "MCT over two parts of 64 processors, for both pieces of the log; the second number of a name is the share in per cent.", "jobs,% AR"},
		{"table6.csv", "Table 6: strategies", "30 % AR tasks. In the paper AR resource priority has the shortest flow time.", "strategy"},
	} {
		t, err := s.deciding(folder, f.file)
		if err != nil {
			return err
		}
		names, err := t.joined(strings.Split(f.labels, ",")...)
		if err != nil {
			return err
		}
		for i, name := range t.header[:len(t.header)-1] {
			if t.header[i+1] != "paper" {
				continue
			}
			id := f.file[:len(f.file)-len(".csv")] + "-" + strings.Fields(name)[1]
			if err := s.besidePaper(id, f.title+", "+name, f.caption, name, name, names, t); err != nil {
				return err
			}
		}
	}
	days, err := s.deciding(folder, "fig4.csv")
	if err != nil {
		return err
	}
	lines, err := wide(days, "day", days.header[2:]...)
	if err != nil {
		return err
	}
	if err := s.show("fig4", "Fig. 4: use by days", "Share of the processors that work, day by day, where all tasks are AR tasks: with fixed and with variable slots.",
		curves{x: "day", y: "share", series: lines}); err != nil {
		return err
	}
	for _, f := range []struct{ file, title, caption, key, label, x, axis string }{
		{"fig8-10.csv", "Fig. 8–10: off-line period δ", "The grid decides every δ seconds only. AR tasks that wait for the next decision are late.", "δ, s", "δ = %s s", "% AR", "AR tasks, %"},
		{"fig11-19.csv", "Fig. 11–13 and 17–19: strategies", "Fixed requests: MCT, AR resource priority, and Random.", "strategy", "", "% AR", "AR tasks, %"},
		{"fig14.csv", "Fig. 14: interval", "30 % AR tasks with flexible requests, by the end of the interval in hours. Later starts lengthen the flow time, and fewer tasks are late.", "strategy", "", "interval", "end of the interval, h"},
	} {
		t, err := s.deciding(folder, f.file)
		if err != nil {
			return err
		}
		for _, name := range []string{"mean U", "mean F, s", "mean D, s"} {
			id := f.file[:len(f.file)-len(".csv")] + "-" + strings.Fields(name)[1]
			if err := s.curve(id, f.title+", "+name, f.caption, f.axis, name, t, columns{key: f.key, label: f.label, x: f.x, y: name}); err != nil {
				return err
			}
		}
	}
	for _, f := range []struct{ file, title, caption string }{
		{"table4.csv", "Table 4: the jobs", "Means, and those of the paper's log."},
		{"fig5.csv", "Fig. 5: fixed and variable slots", "The paper: the longer fixed slots are, the lower the use; variable ones are better."},
		{"searches.csv", "§3.5: slots that a search goes through", "Where all tasks are AR tasks."},
		{"static.csv", "§5.3: static parts", "One part for AR tasks, one for batch tasks."},
		{"fig15-16.csv", "Fig. 15 and 16: flexible requests", "By the share of AR tasks."},
		{"reasons.csv", "What knowledge and binding do", "§3.2 and §6."},
	} {
		t, err := readTable(folder, f.file)
		if err != nil {
			return err
		}
		s.list(f.file[:len(f.file)-len(".csv")], f.title, f.caption, t)
	}
	return s.judge(folder)
}

// deciding reads the rows of the first reading in a file.
func (s *section) deciding(folder, file string) (*table, error) {
	t, err := readTable(folder, file)
	if err != nil {
		return nil, err
	}
	return t.first("reading")
}

// joined returns the cells of some columns, put together row by row.
func (t *table) joined(names ...string) ([]string, error) {
	all := make([]string, len(t.rows))
	for k, name := range names {
		cells, err := t.texts(name)
		if err != nil {
			return nil, err
		}
		for i, cell := range cells {
			if k > 0 {
				all[i] += ", "
			}
			all[i] += cell
		}
	}
	return all, nil
}
