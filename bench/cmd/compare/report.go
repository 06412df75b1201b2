package main

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/bookahead/bookahead/bench/replay"
	"github.com/bookahead/bookahead/internal/structures"
)

// report is the outcome of a comparison.
type report struct {
	Input input `json:"workload"`
	Rows  []row `json:"structures"`
}

// row is what is told of one structure.
type row struct {
	Structure string `json:"structure"`
	Choice    string `json:"servers_chosen"`
	// NotBuilt is the reason why there is no such schedule for the workload; all
	// numbers are 0 then.
	NotBuilt     string  `json:"not_built,omitempty"`
	Jobs         int     `json:"jobs"` // replayed: the first ones, fewer than all if it was cut short
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
	BytesPerLive float64 `json:"bytes_per_live"` // 0 if it was not weighed
	// Ratio is the median time of a search and that of a reserve, over those of the
	// measure, for the same jobs; 0 if there are none. Means depend on the few calls
	// in which the machine did something else.
	Ratio float64 `json:"ratio,omitempty"`
	// Remark says how far a structure came that was cut short, and what the measure
	// accepts of the same jobs.
	Remark string `json:"remark,omitempty"`
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

// newRow sets a result beside that of the measure, over the jobs that both replayed.
func newRow(st structures.Structure, in input, r replay.Result, m measure) row {
	rw := row{
		Structure: st.Name, Choice: st.Choice, Jobs: len(r.Outcomes),
		Accepted: r.Accepted, Success: r.Success, Wait: r.MeanWait, Utilisation: r.Utilisation,
		Search: microseconds(r.Search), Reserve: microseconds(r.Reserve),
		Release: microseconds(r.Release), Advance: microseconds(r.Advance),
		Live: r.Live, MostLive: r.MostLive, BytesPerLive: r.BytesPerLive,
	}
	search, reserve, accepted := m.First(rw.Jobs)
	if both := search.Median + reserve.Median; both > 0 {
		rw.Ratio = float64(r.Search.Median+r.Reserve.Median) / float64(both)
	}
	if rw.Jobs < in.Jobs {
		rw.Remark = fmt.Sprintf("cut short after %d of %d jobs; %s accepts %d of these", rw.Jobs, in.Jobs, m.name, accepted)
	}
	return rw
}

// json writes the report as one object.
func (rep report) json(out io.Writer) error {
	e := json.NewEncoder(out)
	e.SetIndent("", "  ")
	return e.Encode(rep)
}

// csv writes a header and a line for each row. A number that is not known is empty.
func (rep report) csv(out io.Writer) error {
	c := csv.NewWriter(out)
	_ = c.Write([]string{ // csv.Writer keeps the first error
		"structure", "accepted", "success_rate", "mean_wait_s", "utilisation",
		"search_median_us", "search_p99_us", "reserve_median_us", "reserve_p99_us",
		"release_median_us", "release_p99_us", "advance_median_us", "advance_p99_us",
		"live_at_last_submit", "most_live", "bytes_per_live", "ratio", "servers_chosen", "jobs", "remark",
	})
	for _, r := range rep.Rows {
		_ = c.Write(r.record())
	}
	c.Flush()
	return c.Error()
}

// record returns the cells of a line.
func (r row) record() []string {
	if r.NotBuilt != "" {
		record := make([]string, 20)
		record[0], record[17], record[18], record[19] = r.Structure, r.Choice, "0", "not built: "+r.NotBuilt
		return record
	}
	record := []string{r.Structure, strconv.Itoa(r.Accepted), decimal(r.Success), decimal(r.Wait), decimal(r.Utilisation)}
	for _, c := range []*cost{r.Search, r.Reserve, r.Release, r.Advance} {
		record = append(record, c.decimals()...)
	}
	return append(record, strconv.Itoa(r.Live), strconv.Itoa(r.MostLive), known(r.BytesPerLive), known(r.Ratio),
		r.Choice, strconv.Itoa(r.Jobs), r.Remark)
}

// known formats a number of which 0 means that it is not known.
func known(x float64) string {
	if x == 0 {
		return ""
	}
	return decimal(x)
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
		return fmt.Sprintf("%s %7s", "-", "-")
	}
	return fmt.Sprintf("%.2f %7.2f", c.Median, c.P99)
}
