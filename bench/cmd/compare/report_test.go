package main

import (
	"bytes"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead/bench/replay"
	"github.com/bookahead/bookahead/internal/structures"
)

// fixed is a report of results that are made up.
func fixed() report {
	in := input{Source: "somewhere", Jobs: 4, Capacity: 8, Share: 0.5, Ahead: 2, LongestAhead: day, Horizon: 15 * day, Seed: 3}
	ns := func(median, p99 time.Duration) *cost {
		return microseconds(replay.Cost{Calls: 4, Median: median, P99: p99})
	}
	return report{in, []row{
		{
			Structure: "carts.Flat", Choice: "at the start", Jobs: 4,
			Accepted: 3, Success: 0.75, Wait: 61.5, Utilisation: 0.5, Live: 1, MostLive: 2, BytesPerLive: 56,
			Search: ns(90, 1200), Reserve: ns(250, 4000), Release: ns(70, 200), Advance: ns(5, 20), Ratio: 1,
		},
		{Structure: "much.SlowerOne", Choice: "worst fit", Jobs: 4, Search: ns(900, 12_000), Reserve: ns(500, 123_456), Ratio: 1400.0 / 340},
		{Structure: "much.Larger", Choice: "best fit", NotBuilt: "Config.Horizon 9, too far"},
		{Structure: "cut.Short", Choice: "best fit", Jobs: 3, Search: ns(900, 900), Reserve: ns(500, 500), Ratio: 3, Remark: "cut short after 3 of 4 jobs; carts.Flat accepts 2 of these"},
	}}
}

func write(t *testing.T, rep report, format string) string {
	var out bytes.Buffer
	require.NoError(t, writeTo(&out, rep, format))
	return out.String()
}

// writeTo writes a report as a comparison does.
func writeTo(out io.Writer, rep report, format string) error {
	var rows []structures.Structure
	for _, r := range rep.Rows {
		rows = append(rows, structures.Structure{Name: r.Structure})
	}
	w := newOutput(out, format, rep.Input, rows)
	if err := w.head(); err != nil {
		return err
	}
	for _, r := range rep.Rows {
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
mean wait    from the ready time to the start, of what was accepted
utilisation  what accepted jobs really ran, of the capacity from the first submission to the last end
bytes/live   heap of the schedule when most reservations were live, for each of them; - if it was not weighed
ratio        median times of a search and of a reserve, to those of carts.Flat for the same jobs

At most 2 reservations are live: so few, arrays are fast. From 1000 on, trees are: try -ar 1 -ahead 20000h.

Fragmentation: accepted jobs, by who chooses the servers
  servers chosen  accepted  utilisation  structure
  at the start    3         50.00%       carts.Flat
  worst fit       0         0.00%        much.SlowerOne
`, write(t, fixed(), "table"))
}

func TestCSV(t *testing.T) {
	require.Equal(t, `structure,accepted,success_rate,mean_wait_s,utilisation,search_median_us,search_p99_us,reserve_median_us,reserve_p99_us,release_median_us,release_p99_us,advance_median_us,advance_p99_us,live_at_last_submit,most_live,bytes_per_live,ratio,servers_chosen,jobs,remark
carts.Flat,3,0.75,61.5,0.5,0.09,1.2,0.25,4,0.07,0.2,0.005,0.02,1,2,56,1,at the start,4,
much.SlowerOne,0,0,0,0,0.9,12,0.5,123.456,,,,,0,0,,4.117647058823529,worst fit,4,
much.Larger,,,,,,,,,,,,,,,,,best fit,0,"not built: Config.Horizon 9, too far"
cut.Short,0,0,0,0,0.9,0.9,0.5,0.5,,,,,0,0,,3,best fit,3,cut short after 3 of 4 jobs; carts.Flat accepts 2 of these
`, write(t, fixed(), "csv"))
}

func TestJSON(t *testing.T) {
	require.Equal(t, `{
  "workload": {
    "source": "somewhere",
    "jobs": 4,
    "capacity": 8,
    "ar": 0.5,
    "booked_ahead": 2,
    "longest_ahead_s": 86400,
    "horizon_s": 1296000,
    "seed": 3
  },
  "structures": [
    {
      "structure": "carts.Flat",
      "servers_chosen": "at the start",
      "jobs": 4,
      "accepted": 3,
      "success_rate": 0.75,
      "mean_wait_s": 61.5,
      "utilisation": 0.5,
      "search_us": {
        "median": 0.09,
        "p99": 1.2
      },
      "reserve_us": {
        "median": 0.25,
        "p99": 4
      },
      "release_us": {
        "median": 0.07,
        "p99": 0.2
      },
      "advance_us": {
        "median": 0.005,
        "p99": 0.02
      },
      "live_at_last_submit": 1,
      "most_live": 2,
      "bytes_per_live": 56,
      "ratio": 1
    },
    {
      "structure": "much.SlowerOne",
      "servers_chosen": "worst fit",
      "jobs": 4,
      "accepted": 0,
      "success_rate": 0,
      "mean_wait_s": 0,
      "utilisation": 0,
      "search_us": {
        "median": 0.9,
        "p99": 12
      },
      "reserve_us": {
        "median": 0.5,
        "p99": 123.456
      },
      "release_us": null,
      "advance_us": null,
      "live_at_last_submit": 0,
      "most_live": 0,
      "bytes_per_live": 0,
      "ratio": 4.117647058823529
    },
    {
      "structure": "much.Larger",
      "servers_chosen": "best fit",
      "not_built": "Config.Horizon 9, too far",
      "jobs": 0,
      "accepted": 0,
      "success_rate": 0,
      "mean_wait_s": 0,
      "utilisation": 0,
      "search_us": null,
      "reserve_us": null,
      "release_us": null,
      "advance_us": null,
      "live_at_last_submit": 0,
      "most_live": 0,
      "bytes_per_live": 0
    },
    {
      "structure": "cut.Short",
      "servers_chosen": "best fit",
      "jobs": 3,
      "accepted": 0,
      "success_rate": 0,
      "mean_wait_s": 0,
      "utilisation": 0,
      "search_us": {
        "median": 0.9,
        "p99": 0.9
      },
      "reserve_us": {
        "median": 0.5,
        "p99": 0.5
      },
      "release_us": null,
      "advance_us": null,
      "live_at_last_submit": 0,
      "most_live": 0,
      "bytes_per_live": 0,
      "ratio": 3,
      "remark": "cut short after 3 of 4 jobs; carts.Flat accepts 2 of these"
    }
  ]
}
`, write(t, fixed(), "json"))
}

var errFull = errors.New("no space left")

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestWriteErrors(t *testing.T) {
	for _, format := range formats {
		require.ErrorIs(t, writeTo(full{}, fixed(), format), errFull, format)
	}
}
