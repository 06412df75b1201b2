package desk

import (
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// BenchmarkSeries books 20 classrooms for 2 hours in each of 52 weeks: as one series of 20 parts, as a Batch of a series
// for each room, as 52 bookings of 20 parts, and as 52 times 20 bookings. Each room has 500 bookings already. It reports the
// median of each, and its ratio to the 52 bookings.
func BenchmarkSeries(b *testing.B) {
	const rooms, weeks, week = 20, 52, 7 * 24 * 60
	d, err := New(Config{})
	require.NoError(b, err)
	var all Shape
	for i := range rooms {
		name := fmt.Sprintf("room %d", i)
		_, err := d.Do(AddSchedule{name, Pool{Units: 1}})
		require.NoError(b, err)
		all = append(all, Part{On: name, Units: 1, Duration: 120})
		for k := range bookahead.Time(500) {
			_, err := d.Do(Book{Request: at(k*24*60+14*60, name, 1, 90)})
			require.NoError(b, err)
		}
	}
	var at Occurrences
	for k := range bookahead.Time(weeks) {
		start := k*week + 8*60
		at = append(at, bookahead.Interval{Start: start, End: start + 120})
	}
	var batch Batch
	for i := range all {
		batch.Commands = append(batch.Commands, BookSeries{Request: Request{Owner: "eve", Shapes: []Shape{all[i : i+1]}}, At: at})
	}
	in := func(w bookahead.Interval, s Shape) Command {
		return Book{Request: Request{Owner: "eve", Ready: w.Start, Deadline: w.End, Shapes: []Shape{s}}}
	}
	var weekly, single []Command
	for _, w := range at {
		weekly = append(weekly, in(w, all))
		for i := range all {
			single = append(single, in(w, all[i:i+1]))
		}
	}
	forms := []struct {
		name string
		do   []Command
		took []time.Duration
	}{
		{name: "bookings", do: weekly},
		{name: "series", do: []Command{BookSeries{Request: Request{Owner: "eve", Shapes: []Shape{all}}, At: at}}},
		{name: "batch-of-bookings", do: []Command{Batch{weekly}}},
		{name: "single-bookings", do: single},
		{name: "batch-of-series", do: []Command{batch}},
	}
	for b.Loop() { // all forms in turn, so that a busy machine is as busy for each
		for i := range forms {
			f := &forms[i]
			trial := d.Clone()
			runtime.GC()
			began := time.Now()
			for _, one := range f.do {
				_, err := trial.Do(one)
				if err != nil {
					b.Fatal(err)
				}
			}
			f.took = append(f.took, time.Since(began))
		}
	}
	for _, f := range forms {
		slices.Sort(f.took)
		median := f.took[len(f.took)/2]
		b.ReportMetric(float64(median.Microseconds()), f.name+"-µs")
		slices.Sort(forms[0].took)
		b.ReportMetric(float64(median)/float64(forms[0].took[len(f.took)/2]), f.name+"/bookings")
	}
}
