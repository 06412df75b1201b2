package main

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/bookahead/bookahead/bench"
	"github.com/bookahead/bookahead/bench/replay"
)

// report is the outcome of a comparison.
type report struct {
	Input input `json:"workload"`
	Rows  []row `json:"structures"`
}

// row is what is told of one structure.
type row struct {
	Structure    string  `json:"structure"`
	Choice       string  `json:"servers_chosen"`
	Accepted     int     `json:"accepted"`
	Success      float64 `json:"success_rate"`
	Wait         float64 `json:"mean_wait_s"`
	Utilisation  float64 `json:"utilisation"`
	Search       *cost   `json:"search_us"`
	Reserve      *cost   `json:"reserve_us"`
	Release      *cost   `json:"release_us"`
	Advance      *cost   `json:"advance_us"`
	Live         int     `json:"live_at_last_submit"`
	MostLive     int     `json:"most_live"`
	BytesPerLive float64 `json:"bytes_per_live"`
	// Ratio is the median time of a search and that of a reserve, over those of the
	// baseline; 0 if the baseline was not run. Means depend on the few calls in which
	// the machine did something else.
	Ratio float64 `json:"ratio,omitempty"`
}

// cost is how long a call takes, in microseconds; nil if none was made.
type cost struct {
	Median float64 `json:"median"`
	P99    float64 `json:"p99"`
}

func microseconds(c replay.Cost) *cost {
	if c.Calls == 0 {
		return nil
	}
	us := func(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }
	return &cost{us(c.Median), us(c.P99)}
}

// newReport takes the results of the structures, in the same order.
func newReport(in input, structures []bench.Structure, results []replay.Result) report {
	rep := report{Input: in}
	both := func(r replay.Result) float64 { return float64(r.Search.Median + r.Reserve.Median) }
	baseline := 0.0
	for i, st := range structures {
		if st.Name == bench.Baseline {
			baseline = both(results[i])
		}
	}
	for i, r := range results {
		rw := row{
			Structure: structures[i].Name, Choice: structures[i].Choice,
			Accepted: r.Accepted, Success: r.Success, Wait: r.MeanWait, Utilisation: r.Utilisation,
			Search: microseconds(r.Search), Reserve: microseconds(r.Reserve),
			Release: microseconds(r.Release), Advance: microseconds(r.Advance),
			Live: r.Live, MostLive: r.MostLive, BytesPerLive: r.BytesPerLive,
		}
		if baseline > 0 {
			rw.Ratio = both(r) / baseline
		}
		rep.Rows = append(rep.Rows, rw)
	}
	return rep
}

// write writes the report in one of the formats.
func (rep report) write(out io.Writer, format string) error {
	switch format {
	case "csv":
		return rep.csv(out)
	case "json":
		e := json.NewEncoder(out)
		e.SetIndent("", "  ")
		return e.Encode(rep)
	default:
		return rep.table(out)
	}
}

func (rep report) csv(out io.Writer) error {
	c := csv.NewWriter(out)
	_ = c.Write([]string{ // csv.Writer keeps the first error
		"structure", "accepted", "success_rate", "mean_wait_s", "utilisation",
		"search_median_us", "search_p99_us", "reserve_median_us", "reserve_p99_us",
		"release_median_us", "release_p99_us", "advance_median_us", "advance_p99_us",
		"live_at_last_submit", "most_live", "bytes_per_live", "ratio", "servers_chosen",
	})
	for _, r := range rep.Rows {
		record := []string{r.Structure, strconv.Itoa(r.Accepted), decimal(r.Success), decimal(r.Wait), decimal(r.Utilisation)}
		for _, c := range []*cost{r.Search, r.Reserve, r.Release, r.Advance} {
			record = append(record, c.decimals()...)
		}
		ratio := "" // unknown
		if r.Ratio > 0 {
			ratio = decimal(r.Ratio)
		}
		_ = c.Write(append(record, strconv.Itoa(r.Live), strconv.Itoa(r.MostLive), decimal(r.BytesPerLive), ratio, r.Choice))
	}
	c.Flush()
	return c.Error()
}

func decimal(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// decimals returns both numbers, empty if they are unknown.
func (c *cost) decimals() []string {
	if c == nil {
		return []string{"", ""}
	}
	return []string{decimal(c.Median), decimal(c.P99)}
}

// String formats the cost as two columns of the table.
func (c *cost) String() string {
	if c == nil {
		return fmt.Sprintf("%s %6s", "-", "-")
	}
	return fmt.Sprintf("%.2f %6.2f", c.Median, c.P99)
}
