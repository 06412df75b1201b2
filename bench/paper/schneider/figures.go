package main

import (
	"fmt"
	"strconv"

	"github.com/bookahead/bookahead/bench/paper/trial"
)

// figure is a figure of the paper, and the experiments behind it.
type figure struct {
	name, about, file string
	experiments       []experiment
}

const (
	// ahead6 is the book-ahead time of most experiments: 900 000 slots are one
	// second wide, and so exact.
	ahead6 = 900_000
	// ahead8 is that of Figure 8: it divides into 400, 4 000 and 40 000 slots.
	ahead8 = 800_000
	// short is the mean run time of short jobs.
	short = 18_000
	// shortStep is that of the jobs of a workflow, which run one after the other.
	shortStep = 9_000

	smallUnits = 128

	// usualLead is the lead of all experiments but those on the lead. The paper does not
	// say how long before their ready times jobs are submitted.
	usualLead = 0.5
)

// otherLeads are the leads that are tried beside the usual one. With 0, jobs are ready when
// they are submitted.
var otherLeads = []float64{0, 0.01, 0.05}

// atLead names Figure 6 at another lead.
func atLead(lead float64) string { return fmt.Sprintf("6, lead %g", lead) }

// leadUnits are the clusters on which other leads are tried: the smallest and the largest.
func leadUnits(large []int64) []int64 { return []int64{smallUnits, large[len(large)-1]} }

// figures returns the figures to repeat; large are the sizes of the larger clusters of
// Figure 6.
func figures(large []int64) []figure {
	six := []structure{slots(90), slots(9_000), slots(900_000), list}
	var sizes, leads []experiment
	for _, units := range append([]int64{smallUnits}, large...) {
		sizes = append(sizes, experiment{figure: "6", units: units, ahead: ahead6, lead: usualLead, short: short, structures: six})
	}
	for _, lead := range otherLeads {
		for _, units := range leadUnits(large) {
			leads = append(leads, experiment{figure: atLead(lead), units: units, ahead: ahead6, lead: lead, short: short,
				structures: []structure{slots(90), slots(9_000), list}})
		}
	}
	return []figure{
		{"Figure 6", "a cluster, slots of several widths and the list", "fig6.csv", sizes},
		{"Figure 6 at other leads", "jobs are ready sooner after their submission; 900 000 slots are left out, as they take long", "leads.csv", leads},
		{"Figure 7", "the list of used blocks, without and with an AVL tree", "fig7.csv", []experiment{
			{figure: "7", units: smallUnits, ahead: ahead6, lead: usualLead, short: short, structures: []structure{usedList, usedAVL}},
		}},
		{"Figure 8", "one resource of the grid; there is no broker level here: it is Figure 6 with the other slot counts", "fig8.csv", []experiment{
			{figure: "8", units: smallUnits, ahead: ahead8, lead: usualLead, short: short, structures: []structure{slots(400), slots(4_000), slots(40_000), list}},
		}},
		{"Figure 9", "workflows over a network of six resources; what is submitted and booked is a whole workflow", "fig9.csv", []experiment{
			{figure: "9", units: smallUnits, ahead: ahead6, lead: usualLead, short: shortStep, flows: true, structures: []structure{slots(900), slots(9_000), slots(90_000), list}},
		}},
	}
}

var header = []string{"figure", "structure", "units", "mean_interarrival_s", "nominal_gap_s", "load",
	"success_rate", "success_ci95", "reserve_us", "reserve_us_ci95", "repeats", "converged"}

// table has a row for each point of a figure.
func (f figure) table(points []point) trial.Table {
	t := trial.Table{Title: f.name + ": " + f.about, File: f.file, Header: header}
	for _, p := range points {
		success, half := p.rate()
		row := trial.Row([]string{p.figure, p.structure, strconv.FormatInt(p.units, 10)},
			p.interarrival.Mean, p.gap, p.load, success, half, p.micros.Mean, p.micros.Half)
		t.Rows = append(t.Rows, append(row, strconv.Itoa(len(p.success.Values)), strconv.FormatBool(p.converged())))
	}
	return t
}
