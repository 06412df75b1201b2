package main

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/bench/replay"
)

const legend = `
µs, p99      median and 99th percentile of one call, less what reading the clock takes; - if there was none
mean wait    from the ready time to the start, of accepted reservations
utilisation  what accepted jobs really ran, of the capacity from the first submission to the last end
bytes/live   heap of the schedule when most reservations were live, for each of them; - if it was not weighed
ratio        median times of a search and of a reserve, to those of %s for the same jobs
`

// table writes a comparison for people, each row as it comes.
type table struct {
	out   *bufio.Writer // it keeps the first error, and Flush returns it
	in    input
	width int // of the names
	rows  []row
}

func newTable(out io.Writer, in input) *table {
	t := &table{out: bufio.NewWriter(out), in: in, width: len("structure")}
	for _, st := range in.structures {
		t.width = max(t.width, len(st.Name))
	}
	return t
}

// columns are the heads of the columns behind the name, each as wide as its numbers
// are in all but odd cases.
var columns = []string{
	"accepted", "success", " mean wait", "utilisation", "search µs     p99", "reserve µs      p99",
	"release µs      p99", "advance µs     p99", "most live", "bytes/live", "  ratio",
}

// head names the workload and the columns.
func (t *table) head() error {
	in := t.in
	fmt.Fprintf(t.out, "%s\n"+
		"%d jobs on %d units, seed %d; %d booked ahead (share %v) by up to %s, with a deadline %d durations after ready; horizon %s\n\n",
		in.source, len(in.bookings), in.capacity, in.seed, in.booked, in.share, span(in.ahead), 1+slack, span(in.horizon))
	return t.line("structure", columns, "")
}

// row writes a structure's numbers.
func (t *table) row(r row) error {
	t.rows = append(t.rows, r)
	cells := []string{
		fmt.Sprint(r.Accepted), fmt.Sprintf("%.2f%%", 100*r.Success), fmt.Sprintf("%.0f s", r.MeanWait), fmt.Sprintf("%.2f%%", 100*r.Utilisation),
		both(r.Search), both(r.Reserve), both(r.Release), both(r.Advance),
		fmt.Sprint(r.MostLive), dash("%.0f", r.BytesPerLive), dash("%.2f", r.ratio),
	}
	if r.notBuilt == "" {
		return t.line(r.Name, cells, r.remark)
	}
	for _, i := range []int{0, 1, 2, 3, 8} {
		cells[i] = "-" // the cells of costs, bytes and ratio are dashes already
	}
	return t.line(r.Name, cells, "not built, see below")
}

// line writes cells under the heads of their columns, and a remark behind them.
func (t *table) line(name string, cells []string, remark string) error {
	fmt.Fprintf(t.out, "%-*s", t.width, name)
	for i, cell := range cells {
		fmt.Fprintf(t.out, "  %*s", len([]rune(columns[i])), cell)
	}
	if remark != "" {
		fmt.Fprint(t.out, "  ", remark)
	}
	fmt.Fprintln(t.out)
	return t.out.Flush()
}

// both formats the median and the 99th percentile.
func both(c replay.Cost) string {
	if c.Calls == 0 {
		return fmt.Sprintf("%s %7s", "-", "-")
	}
	return fmt.Sprintf("%.2f %7.2f", micros(c.Median), micros(c.P99))
}

// dash formats a number of which 0 means that it is not known.
func dash(format string, x float64) string {
	if x == 0 {
		return "-"
	}
	return fmt.Sprintf(format, x)
}

// tail says why rows are empty, and how to read the others.
func (t *table) tail() error {
	t.reasons()
	first := slices.IndexFunc(t.rows, func(r row) bool { return r.notBuilt == "" })
	if first >= 0 {
		fmt.Fprintf(t.out, legend, t.rows[first].Name)
		most := slices.MaxFunc(t.rows, func(a, b row) int { return cmp.Compare(a.MostLive, b.MostLive) }).MostLive
		if most < many {
			fmt.Fprintf(t.out, "\nAt most %d reservations are live: so few, arrays are fast. From %d on, trees are: try -ar 1 -ahead 20000h.\n", most, many)
		}
		t.choices()
	}
	t.agreed()
	return t.out.Flush()
}

// reasons writes why structures were not built.
func (t *table) reasons() {
	title := "\nNot built for this workload\n"
	for _, r := range t.rows {
		if r.notBuilt != "" {
			fmt.Fprintf(t.out, "%s  %-*s  %s\n", title, t.width, r.Name, r.notBuilt)
			title = ""
		}
	}
}

// agreed names the structures that promised the same answers as another one. They have given them,
// or the comparison would have ended with an error (promises.check).
func (t *table) agreed() {
	names := map[string][]string{}
	for _, r := range t.rows {
		if r.Answers != "" && r.notBuilt == "" {
			names[r.Answers] = append(names[r.Answers], r.Name)
		}
	}
	title := "\nStructures that promise the same answers gave the same answers, job by job\n"
	for _, promise := range slices.Sorted(maps.Keys(names)) {
		if len(names[promise]) > 1 {
			fmt.Fprintf(t.out, "%s  %s: %s\n", title, promise, strings.Join(names[promise], ", "))
			title = ""
		}
	}
}

// many is about how many live reservations it takes until the structures differ as
// they do in a schedule that is planned far ahead.
const many = 1000

// choices writes a row for each way to choose servers, as the first structure
// does that chooses so and replays all jobs.
func (t *table) choices() {
	var first []row
	for _, r := range t.rows {
		if r.jobs == len(t.in.bookings) && !slices.ContainsFunc(first, func(f row) bool { return f.Choice == r.Choice }) {
			first = append(first, r)
		}
	}
	if len(first) < 2 {
		return
	}
	fmt.Fprintln(t.out, "\nFragmentation: accepted jobs, by who chooses the servers")
	w := tabwriter.NewWriter(t.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "  servers chosen\taccepted\tutilisation\tstructure")
	for _, r := range first {
		fmt.Fprintf(w, "  %s\t%d\t%.2f%%\t%s\n", r.Choice, r.Accepted, 100*r.Utilisation, r.Name)
	}
	_ = w.Flush() // t.out keeps the error
}

// span formats a number of seconds in the form of -ahead: in hours if they are whole.
func span(d bookahead.Duration) string {
	if d%3600 == 0 {
		return fmt.Sprintf("%dh", d/3600)
	}
	return fmt.Sprintf("%ds", d)
}
