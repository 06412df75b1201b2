package desk

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// BenchmarkSeries books 20 classrooms for 2 hours in each of 52 weeks: as one series of 20 parts, as a Batch of a series
// for each room, as 52 bookings of 20 parts, and as 52 times 20 bookings. Each room has 500 bookings already.
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
	for _, c := range []struct {
		name string
		do   []Command
	}{
		{"series", []Command{BookSeries{Request: Request{Owner: "eve", Shapes: []Shape{all}}, At: at}}},
		{"bookings", weekly},
		{"batch-of-series", []Command{batch}},
		{"single-bookings", single},
		{"batch-of-bookings", []Command{Batch{weekly}}},
	} {
		b.Run("as="+c.name, func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				trial := d.Clone()
				_, err := trial.Do(Cancel{1}) // what a clone costs at its first write is not measured
				require.NoError(b, err)
				b.StartTimer()
				for _, one := range c.do {
					_, err := trial.Do(one)
					if err != nil {
						b.Fatal(err)
					}
				}
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/weeks, "µs/week")
		})
	}
}
