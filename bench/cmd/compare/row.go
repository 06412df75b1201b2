package main

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/bookahead/bookahead/bench/replay"
	"github.com/bookahead/bookahead/internal/structures"
)

// row has the numbers of one structure.
type row struct {
	structures.Structure
	replay.Summary
	jobs int // replayed: the first ones, fewer than all if it was cut short
	// notBuilt is the reason why there is no such schedule for the workload; all
	// numbers are 0 then.
	notBuilt string
	// ratio is the median time of a search and that of a reserve, over those of the
	// measure, for the same jobs; 0 if there are none. Means depend on the few calls
	// in which the machine did something else.
	ratio float64
	// remark says how far a structure came that was cut short, and the share that the measure
	// accepts of the same jobs.
	remark string
}

// newRow sets a result beside that of the measure, over the jobs that both replayed, of
// so many.
func newRow(st structures.Structure, of int, r replay.Result, m measure) row {
	rw := row{Structure: st, Summary: r.Summary, jobs: len(r.Outcomes)}
	search, reserve, accepted := m.First(rw.jobs)
	both := search.Median + reserve.Median
	if both > 0 {
		rw.ratio = float64(r.Search.Median+r.Reserve.Median) / float64(both)
	}
	if rw.jobs < of {
		rw.remark = fmt.Sprintf("cut short after %d of %d jobs; %s accepts %d of these", rw.jobs, of, m.name, accepted)
	}
	return rw
}

// header names the cells of a line of CSV.
var header = []string{
	"structure", "accepted", "success_rate", "mean_wait_s", "utilisation",
	"search_median_us", "search_p99_us", "reserve_median_us", "reserve_p99_us",
	"release_median_us", "release_p99_us", "advance_median_us", "advance_p99_us",
	"live_at_last_submit", "most_live", "bytes_per_live", "ratio", "servers_chosen", "jobs", "remark",
}

// writeCSV writes the header and a line for each row.
func writeCSV(out io.Writer, rows []row) error {
	lines := [][]string{header}
	for _, r := range rows {
		lines = append(lines, r.cells())
	}
	return csv.NewWriter(out).WriteAll(lines)
}

// cells are those of a line. A number that is not known is empty.
func (r row) cells() []string {
	if r.notBuilt != "" {
		cells := make([]string, len(header))
		cells[0], cells[17], cells[18], cells[19] = r.Name, r.Choice, "0", "not built: "+r.notBuilt
		return cells
	}
	cells := []string{r.Name, strconv.Itoa(r.Accepted), decimal(r.Success), decimal(r.MeanWait), decimal(r.Utilisation)}
	for _, c := range []replay.Cost{r.Search, r.Reserve, r.Release, r.Advance} {
		if c.Calls == 0 {
			cells = append(cells, "", "")
			continue
		}
		cells = append(cells, decimal(micros(c.Median)), decimal(micros(c.P99)))
	}
	return append(cells, strconv.Itoa(r.Live), strconv.Itoa(r.MostLive), known(r.BytesPerLive), known(r.ratio),
		r.Choice, strconv.Itoa(r.jobs), r.remark)
}

// known formats a number of which 0 means that it is not known.
func known(x float64) string {
	if x == 0 {
		return ""
	}
	return decimal(x)
}

func decimal(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// micros returns a time in microseconds.
func micros(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }
