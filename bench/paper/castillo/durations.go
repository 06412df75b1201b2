package main

import "github.com/bookahead/bookahead"

// durations are for how long the jobs of a log are booked.
type durations []bookahead.Duration

// booked returns for how long the jobs are booked in the setting.
func (w *world) booked() durations {
	var d durations
	for _, t := range w.setting.tasks(w.log) {
		d = append(d, t.Estimate)
	}
	return d
}

// mean is in hours.
func (d durations) mean() float64 {
	var m mean
	for _, x := range d {
		m.add(hours(float64(x)))
	}
	return m.value()
}

// below is the share that is shorter than so many hours.
func (d durations) below(h float64) float64 {
	n := 0
	for _, x := range d {
		if hours(float64(x)) < h {
			n++
		}
	}
	return float64(n) / float64(len(d))
}

// load is what all jobs are booked for, as a share of what so many processors
// could do from the first submission to the last.
func (w *world) load(units int64) float64 {
	sum := 0.0
	tasks := w.setting.tasks(w.log)
	for _, t := range tasks {
		sum += float64(t.Units) * float64(t.Estimate)
	}
	return sum / float64(units) / max(1, float64(tasks[len(tasks)-1].Submit-tasks[0].Submit))
}
