package main

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/bench"
)

const legend = `
µs, p99      median and 99th percentile of one call, less what reading the clock takes; - if there was none
mean wait    from the ready time to the start, of what was accepted
utilisation  what accepted jobs really ran, of the capacity from the first submission to the last end
bytes/live   heap of the schedule when most reservations were live, for each of them
ratio        median times of a search and of a reserve, to those of %s
`

// table writes what was replayed, a row for each structure, and a legend.
func (rep report) table(out io.Writer) error {
	in := rep.Input
	var b bytes.Buffer
	fmt.Fprintln(&b, in.Source)
	fmt.Fprintf(&b, "%d jobs on %d units, seed %d; %d booked ahead (share %v) by up to %s, with a deadline %d durations after ready; horizon %s\n\n",
		in.Jobs, in.Capacity, in.Seed, in.Ahead, in.Share, span(in.LongestAhead), 1+slack, span(in.Horizon))

	width := len("structure")
	for _, r := range rep.Rows {
		width = max(width, len(r.Structure))
	}
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(t, "%-*s\taccepted\tsuccess\tmean wait\tutilisation\tsearch µs    p99\treserve µs    p99\trelease µs    p99\tadvance µs    p99\tmost live\tbytes/live\tratio\t\n", width, "structure")
	for _, r := range rep.Rows {
		ratio := "-"
		if r.Ratio > 0 {
			ratio = fmt.Sprintf("%.2f", r.Ratio)
		}
		fmt.Fprintf(t, "%-*s\t%d\t%.2f%%\t%.0f s\t%.2f%%\t%v\t%v\t%v\t%v\t%d\t%.0f\t%s\t\n",
			width, r.Structure, r.Accepted, 100*r.Success, r.Wait, 100*r.Utilisation,
			r.Search, r.Reserve, r.Release, r.Advance, r.MostLive, r.BytesPerLive, ratio)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(&b, legend, bench.Baseline)
	if most := rep.mostLive(); most < many {
		fmt.Fprintf(&b, "\nAt most %d reservations are live: so few, arrays are fast. From %d on, trees are: try -ar 1 -ahead 20000h.\n", most, many)
	}
	if err := rep.choices(&b); err != nil {
		return err
	}
	_, err := out.Write(b.Bytes())
	return err
}

// many is about how many live reservations it takes until the structures differ as
// they do in a schedule that is planned far ahead.
const many = 1000

// mostLive returns the greatest number of live reservations of any structure.
func (rep report) mostLive() int {
	most := 0
	for _, r := range rep.Rows {
		most = max(most, r.MostLive)
	}
	return most
}

// choices writes a row for each way to choose servers, as the first structure
// does that chooses so, if there are several.
func (rep report) choices(out io.Writer) error {
	var first []row
	for _, r := range rep.Rows {
		if !slices.ContainsFunc(first, func(f row) bool { return f.Choice == r.Choice }) {
			first = append(first, r)
		}
	}
	if len(first) < 2 {
		return nil
	}
	fmt.Fprintln(out, "\nFragmentation: what is accepted, by who chooses the servers")
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "  servers chosen\taccepted\tutilisation\tstructure")
	for _, r := range first {
		fmt.Fprintf(t, "  %s\t%d\t%.2f%%\t%s\n", r.Choice, r.Accepted, 100*r.Utilisation, r.Structure)
	}
	return t.Flush()
}

// span formats a number of seconds as -ahead takes it: in hours if it is whole
// ones.
func span(d bookahead.Duration) string {
	if d%3600 == 0 {
		return fmt.Sprintf("%dh", d/3600)
	}
	return fmt.Sprintf("%ds", d)
}
