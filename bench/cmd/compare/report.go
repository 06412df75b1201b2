package main

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"text/tabwriter"
	"time"

	"github.com/bookahead/bookahead/bench"
	"github.com/bookahead/bookahead/bench/replay"
)

// row is what is told of one structure. Times of calls are in microseconds.
type row struct {
	Structure    string  `json:"structure"`
	Accepted     int     `json:"accepted"`
	Success      float64 `json:"success_rate"`
	WaitSeconds  float64 `json:"mean_wait_s"`
	Utilisation  float64 `json:"utilisation"`
	Search50     float64 `json:"search_median_us"`
	Search99     float64 `json:"search_p99_us"`
	Reserve50    float64 `json:"reserve_median_us"`
	Reserve99    float64 `json:"reserve_p99_us"`
	Release50    float64 `json:"release_median_us"`
	Release99    float64 `json:"release_p99_us"`
	Live         int     `json:"most_live"`
	BytesPerLive float64 `json:"bytes_per_live"`
	// Ratio is the mean time of a search and a reserve, over that of the
	// baseline; 0 if the baseline was not run.
	Ratio float64 `json:"ratio"`

	mean time.Duration // of a search and a reserve
}

// report is the outcome of a comparison.
type report struct {
	workload replayed
	rows     []row
	results  []replay.Result
}

func (rep *report) add(name string, r replay.Result) {
	us := func(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }
	rep.results = append(rep.results, r)
	rep.rows = append(rep.rows, row{
		Structure: name, Accepted: r.Accepted, Success: float64(r.Accepted) / float64(len(r.Outcomes)),
		WaitSeconds: r.MeanWait, Utilisation: r.Utilisation,
		Search50: us(r.Search.Median), Search99: us(r.Search.P99),
		Reserve50: us(r.Reserve.Median), Reserve99: us(r.Reserve.P99),
		Release50: us(r.Release.Median), Release99: us(r.Release.P99),
		Live: r.Live, BytesPerLive: r.BytesPerLive,
		mean: r.Search.Mean + r.Reserve.Mean,
	})
}

// finish works out the ratios.
func (rep *report) finish() {
	for _, base := range rep.rows {
		if base.Structure == bench.Baseline && base.mean > 0 {
			for i := range rep.rows {
				rep.rows[i].Ratio = float64(rep.rows[i].mean) / float64(base.mean)
			}
		}
	}
}

func (rep *report) write(out io.Writer, format string) error {
	switch format {
	case "csv":
		return rep.writeCSV(out)
	case "json":
		e := json.NewEncoder(out)
		e.SetIndent("", "  ")
		return e.Encode(struct {
			Workload replayed `json:"workload"`
			Rows     []row    `json:"structures"`
		}{rep.workload, rep.rows})
	default:
		return rep.writeTable(out)
	}
}

func (rep *report) writeTable(out io.Writer) error {
	w := rep.workload
	days := func(s float64) float64 { return s / (24 * 3600) }
	fmt.Fprintf(out, "%s\n", w.Source)
	fmt.Fprintf(out, "%d jobs on %d units, %d booked up to %.3g days ahead; horizon %.3g days; seed %d\n\n",
		w.Jobs, w.Capacity, w.Ahead, days(float64(w.LongestAhead)), days(float64(w.Horizon)), w.Seed)
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "structure\taccepted\tsuccess\tmean wait\tutilisation\tsearch µs\tp99\treserve µs\tp99\trelease µs\tp99\tlive\tbytes/live\tratio\t")
	for _, r := range rep.rows {
		ratio := "-"
		if r.Ratio > 0 {
			ratio = fmt.Sprintf("%.2f", r.Ratio)
		}
		fmt.Fprintf(t, "%s\t%d\t%.2f%%\t%.0f s\t%.2f%%\t%.2f\t%.2f\t%.2f\t%.2f\t%.2f\t%.2f\t%d\t%.0f\t%s\t\n",
			r.Structure, r.Accepted, 100*r.Success, r.WaitSeconds, 100*r.Utilisation,
			r.Search50, r.Search99, r.Reserve50, r.Reserve99, r.Release50, r.Release99, r.Live, r.BytesPerLive, ratio)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(out, "\nTimes are medians, each with its 99th percentile. Live is the largest number of live reservations, and\nbytes/live the heap then. The ratio compares the mean time of a search and a reserve with %s.\n", bench.Baseline)
	return err
}

func (rep *report) writeCSV(out io.Writer) error {
	c := csv.NewWriter(out)
	if err := c.Write([]string{"structure", "accepted", "success_rate", "mean_wait_s", "utilisation",
		"search_median_us", "search_p99_us", "reserve_median_us", "reserve_p99_us", "release_median_us", "release_p99_us",
		"most_live", "bytes_per_live", "ratio"}); err != nil {
		return err
	}
	for _, r := range rep.rows {
		record := []string{r.Structure, strconv.Itoa(r.Accepted)}
		for _, x := range []float64{r.Success, r.WaitSeconds, r.Utilisation, r.Search50, r.Search99,
			r.Reserve50, r.Reserve99, r.Release50, r.Release99, float64(r.Live), r.BytesPerLive, r.Ratio} {
			record = append(record, strconv.FormatFloat(x, 'f', -1, 64))
		}
		if err := c.Write(record); err != nil {
			return err
		}
	}
	c.Flush()
	return c.Error()
}
