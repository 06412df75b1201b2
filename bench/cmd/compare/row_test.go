package main

import (
	"bytes"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead/bench/replay"
	"github.com/bookahead/bookahead/bench/workload"
	"github.com/bookahead/bookahead/internal/structures"
)

// fixed is an input and rows that are made up.
func fixed() (input, []row) {
	ns := func(median, p99 time.Duration) replay.Cost { return replay.Cost{Calls: 4, Median: median, P99: p99} }
	rows := []row{
		{
			Structure: structures.Structure{Name: "carts.Flat", Choice: "at the start"}, jobs: 4, ratio: 1,
			Summary: replay.Summary{
				Accepted: 3, Success: 0.75, MeanWait: 61.5, Utilisation: 0.5, Live: 1, MostLive: 2, BytesPerLive: 56,
				Search: ns(90, 1200), Reserve: ns(250, 4000), Release: ns(70, 200), Advance: ns(5, 20),
			},
		},
		{
			Structure: structures.Structure{Name: "much.SlowerOne", Choice: "worst fit"}, jobs: 4, ratio: 1400.0 / 340,
			Summary: replay.Summary{Search: ns(900, 12_000), Reserve: ns(500, 123_456)},
		},
		{Structure: structures.Structure{Name: "much.Larger", Choice: "best fit"}, notBuilt: "Config.Horizon 9, too far"},
		{
			Structure: structures.Structure{Name: "cut.Short", Choice: "best fit"}, jobs: 3, ratio: 3, remark: "cut short after 3 of 4 jobs; carts.Flat accepts 2 of these",
			Summary: replay.Summary{Search: ns(900, 900), Reserve: ns(500, 500)},
		},
	}
	in := input{settings: settings{share: 0.5, ahead: day, seed: 3}, source: "somewhere", capacity: 8, booked: 2, horizon: 15 * day, bookings: make([]workload.Booking, 4)}
	for _, r := range rows {
		in.structures = append(in.structures, r.Structure)
	}
	return in, rows
}

func write(t *testing.T, format string) string {
	var out bytes.Buffer
	require.NoError(t, writeTo(&out, format))
	return out.String()
}

// writeTo writes the fixed part as a comparison does.
func writeTo(out io.Writer, format string) error {
	in, rows := fixed()
	if format == "csv" {
		return writeCSV(out, rows)
	}
	w := newTable(out, in)
	if err := w.head(); err != nil {
		return err
	}
	for _, r := range rows {
		if err := w.row(r); err != nil {
			return err
		}
	}
	return w.tail()
}

func TestTable(t *testing.T) {
	require.Equal(t, `somewhere
4 jobs on 8 units, seed 3; 2 booked ahead (share 0.5) by up to 24h, with a deadline 2 durations after ready; horizon 360h

structure       accepted  success   mean wait  utilisation  search µs     p99  reserve µs      p99  release µs      p99  advance µs     p99  most live  bytes/live    ratio
carts.Flat             3   75.00%        62 s       50.00%       0.09    1.20         0.25    4.00         0.07    0.20        0.01    0.02          2          56     1.00
much.SlowerOne         0    0.00%         0 s        0.00%       0.90   12.00         0.50  123.46            -       -           -       -          0           -     4.12
much.Larger            -        -           -            -          -       -            -       -            -       -           -       -          -           -        -  not built, see below
cut.Short              0    0.00%         0 s        0.00%       0.90    0.90         0.50    0.50            -       -           -       -          0           -     3.00  cut short after 3 of 4 jobs; carts.Flat accepts 2 of these

Not built for this workload
  much.Larger     Config.Horizon 9, too far

µs, p99      median and 99th percentile of one call, less what reading the clock takes; - if there was none
mean wait    from the ready time to the start, of accepted reservations
utilisation  what accepted jobs really ran, of the capacity from the first submission to the last end
bytes/live   heap of the schedule when most reservations were live, for each of them; - if it was not weighed
ratio        median times of a search and of a reserve, to those of carts.Flat for the same jobs

At most 2 reservations are live: so few, arrays are fast. From 1000 on, trees are: try -ar 1 -ahead 20000h.

Fragmentation: accepted jobs, by who chooses the servers
  servers chosen  accepted  utilisation  structure
  at the start    3         50.00%       carts.Flat
  worst fit       0         0.00%        much.SlowerOne
`, write(t, "table"))
}

func TestCSV(t *testing.T) {
	require.Equal(t, `structure,accepted,success_rate,mean_wait_s,utilisation,search_median_us,search_p99_us,reserve_median_us,reserve_p99_us,release_median_us,release_p99_us,advance_median_us,advance_p99_us,live_at_last_submit,most_live,bytes_per_live,ratio,servers_chosen,jobs,remark
carts.Flat,3,0.75,61.5,0.5,0.09,1.2,0.25,4,0.07,0.2,0.005,0.02,1,2,56,1,at the start,4,
much.SlowerOne,0,0,0,0,0.9,12,0.5,123.456,,,,,0,0,,4.117647058823529,worst fit,4,
much.Larger,,,,,,,,,,,,,,,,,best fit,0,"not built: Config.Horizon 9, too far"
cut.Short,0,0,0,0,0.9,0.9,0.5,0.5,,,,,0,0,,3,best fit,3,cut short after 3 of 4 jobs; carts.Flat accepts 2 of these
`, write(t, "csv"))
}

var errFull = errors.New("no space left")

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestWriteErrors(t *testing.T) {
	for _, format := range formats {
		require.ErrorIs(t, writeTo(full{}, format), errFull, format)
	}
}
