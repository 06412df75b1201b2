package main

import (
	"fmt"
	"io"
	"math"
)

// claim is something that holds, or does not.
type claim struct {
	where, what string
	holds       bool
	numbers     string
}

// writeClaims prints the claims of the paper, and what must be shown beside.
func writeClaims(out io.Writer, r, many *results) {
	fmt.Fprintf(out, "Claims\n\n")
	for _, c := range append(paperClaims(r), ownClaims(r, many)...) {
		verdict := "holds"
		if !c.holds {
			verdict = "does not hold"
		}
		fmt.Fprintf(out, "%s  %s.\n      %s: %s\n", c.where, c.what, verdict, c.numbers)
	}
	fmt.Fprintf(out, "\nLonger than the slowest node chosen needs\n\n")
	for _, name := range r.names {
		often, excess := r.longer(name)
		fmt.Fprintf(out, "%-20s %d of %d, on average by %.1f %%\n", name, often, len(r.outcomes[name]), 100*excess)
	}
}

// longer returns how many windows are longer than their slowest node needs, and by
// what part of that on average.
func (r *results) longer(name string) (often int, excess float64) {
	for _, o := range r.outcomes[name] {
		if o.length > o.needed {
			often++
			excess += o.length/o.needed - 1
		}
	}
	return often, excess / float64(max(often, 1))
}

// paperClaims are those of §4.
func paperClaims(r *results) []claim {
	quality := func(name string) float64 { return r.mean(name, func(o outcome) float64 { return o.quality }) }
	near := func(name string) float64 { return r.mean(name, func(o outcome) float64 { return o.near }) }
	far := func(name string) float64 { return r.mean(name, func(o outcome) float64 { return o.far }) }
	maxQ, liteQ, multiple, first := quality("MaxQ, skipping"), quality("MaxQ Lite"), quality("MultipleBest Q"), quality("FirstFit")
	dep, coord := "DEP, skipping", "COORD, skipping"
	return []claim{
		{"§4.2", "MaxQ is a tenth to a quarter ahead of Lite and MultipleBest", maxQ > 1.1*max(liteQ, multiple) && maxQ < 1.34*min(liteQ, multiple),
			fmt.Sprintf("%.1f, %.1f, %.1f", maxQ, liteQ, multiple)},
		{"§4.2", "Lite is ahead of MultipleBest", liteQ > multiple, fmt.Sprintf("%.1f, %.1f", liteQ, multiple)},
		{"§4.2", "FirstFit is in the middle of [0, 70]", math.Abs(first-35) < 1.5, fmt.Sprintf("%.1f", first)},
		{"§4.3", "DEP is four times as far from the nearer neighbour as FirstFit, read as the first found", near(dep) >= 4*near("first found"),
			fmt.Sprintf("%.0f, %.0f", near(dep), near("first found"))},
		{"§4.3", "DEP is a third ahead of MultipleBest and more", near(dep) >= 1.33*near("MultipleBest DEP"),
			fmt.Sprintf("%.0f, %.0f", near(dep), near("MultipleBest DEP"))},
		{"§4.3", "DEP Lite is ahead of MultipleBest", near("DEP Lite") > near("MultipleBest DEP"),
			fmt.Sprintf("%.0f, %.0f", near("DEP Lite"), near("MultipleBest DEP"))},
		{"§4.3", "The farther neighbour is at most half as far with COORD as with MultipleBest", far(coord) <= far("MultipleBest COORD")/2,
			fmt.Sprintf("%.0f, %.0f", far(coord), far("MultipleBest COORD"))},
		{"§4.3", "COORD Lite is ahead of MultipleBest", far("COORD Lite") < far("MultipleBest COORD"),
			fmt.Sprintf("%.0f, %.0f", far("COORD Lite"), far("MultipleBest COORD"))},
		{"§4.3", "DEP takes ten times as long as MultipleBest and more", r.median("DEP") >= 10*r.median("MultipleBest DEP"),
			fmt.Sprintf("%.0f µs, %.0f µs", r.median("DEP"), r.median("MultipleBest DEP"))},
	}
}

// ownClaims are what the exact algorithm is to show.
func ownClaims(r, many *results) []claim {
	var list []claim
	for _, of := range []string{"Q", "DEP", "COORD"} {
		published := of
		if of == "Q" {
			published = "MaxQ"
		}
		name, skipping := "Exact "+of, published+", skipping"
		worse, better, unproven, differ := 0, 0, 0, 0
		for i, o := range r.outcomes[name] {
			other := r.outcomes[skipping][i].value
			if o.value < other-1e-9*math.Abs(other) {
				worse++
			}
			if o.value > other+1e-9*math.Abs(other) {
				better++
			}
			if !o.proven {
				unproven++
			}
			if i < len(r.outcomes[published]) && math.Abs(r.outcomes[published][i].value-other) > 1e-9*math.Abs(other) {
				differ++
			}
		}
		fit, scan, exact, dp := r.median("FirstFit"), r.median("first found"), r.median(name), r.median(published)
		list = append(list,
			claim{"exact", name + " is nowhere worse than " + published, worse == 0 && unproven == 0,
				fmt.Sprintf("%d environments: worse in %d, better in %d, unproven in %d", len(r.outcomes[name]), worse, better, unproven)},
			claim{"exact", "Skipping starts does not change the value of " + published, differ == 0,
				fmt.Sprintf("%d environments: different in %d", len(r.outcomes[published]), differ)},
			claim{"exact", name + " takes at most three times as long as FirstFit", exact <= 3*fit, fmt.Sprintf("%.0f µs, %.1f µs: %.1f", exact, fit, exact/fit)},
			claim{"exact", name + " takes less time than the full scan for the first found", exact < scan, fmt.Sprintf("%.0f µs, %.0f µs: %.2f", exact, scan, exact/scan)},
			claim{"exact", name + " is at least 300 times as fast as " + published, dp >= 300*exact, fmt.Sprintf("%.0f µs, %.0f µs: %.0f", exact, dp, dp/exact)},
			claim{"exact", "With 1 000 nodes and n = 64, " + name + " takes at most 20 ms", many.median(name) <= 20000, fmt.Sprintf("%.1f ms", many.median(name)/1000)})
	}
	gap := many.mean("Exact Q, 1 step", func(o outcome) float64 { return (o.bound - o.value) / o.value })
	list = append(list, claim{"exact", "With one step, the gap is below 1 %", gap < 0.01, fmt.Sprintf("%.4f %%", 100*gap)})
	for _, of := range []string{"DEP", "COORD"} {
		at := r.mean("Exact "+of, func(o outcome) float64 { return o.value }) / float64(paper.job.Nodes)
		any := r.mean("Placement "+of, func(o outcome) float64 { return o.value }) / float64(paper.job.Nodes)
		list = append(list, claim{"exact", "Starts between slots are better for " + of, any > at,
			fmt.Sprintf("%.2f ticks instead of %.2f", math.Abs(any), math.Abs(at))})
	}
	return list
}
