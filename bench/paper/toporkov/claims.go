package main

import (
	"math"

	"github.com/bookahead/bookahead/bench/paper/trial"
)

var inf = math.Inf(1)

// Ratios and times are at most so many, or at least.
const most, least = false, true

func what(where, what string) trial.Claim { return trial.Claim{Where: where, What: what} }

// ratio claims that a number of one algorithm is at least k times that of another, or at
// most, on average: a - k b is judged.
func (r *results) ratio(c trial.Claim, of func(outcome) float64, a, b string, k float64, atLeast bool) trial.Finding {
	c.Names = a + ", " + b
	c.From, c.To = 0, inf
	if !atLeast {
		c.From, c.To = -inf, 0
	}
	return c.Judge(r.sample(a, of), r.sample(b, of), func(a, b float64) float64 { return a - k*b })
}

// about claims that a number of one algorithm is between low and high times that of
// another. The bounds are those of the paper's number as the paper rounds it.
func (r *results) about(c trial.Claim, of func(outcome) float64, a, b string, low, high float64) trial.Finding {
	return c.Worst([]trial.Finding{r.ratio(c, of, a, b, low, least), r.ratio(c, of, a, b, high, most)})
}

// times claims that an algorithm takes at most, or at least, k times as long as another.
// Logarithms are judged: a call that was interrupted counts for little.
func (r *results) times(c trial.Claim, a, b string, k float64, atLeast bool) trial.Finding {
	c.Names = "µs of " + a + ", of " + b + "; logarithm of the ratio"
	c.From, c.To = math.Log(k), inf
	if !atLeast {
		c.From, c.To = -inf, math.Log(k)
	}
	return c.Judge(r.sample(a, micros), r.sample(b, micros), trial.Log)
}

// paperFindings are the verdicts on the claims of §4. Samples are judged by pairs:
// algorithms met the same environments. A claim with a number in Paper is judged as
// stated: 9 is 8.5 to 9.5, and 44 % less is 0.555 to 0.565 times as much. The paper's
// times are those of its machine, and only their ratios are judged.
func paperFindings(r *results) []trial.Finding {
	first := what("§4.2", "FirstFit is in the middle of [0, 70]")
	first.Names, first.From, first.To = "quality of FirstFit", 33.5, 36.5
	fits := r.sample("FirstFit", quality)
	tenth := what("§4.2", "MaxQ is a tenth to a quarter ahead of Lite and MultipleBest")
	var parts []trial.Finding
	for _, other := range []string{"MaxQ Lite", "MultipleBest Q"} {
		parts = append(parts, r.ratio(tenth, quality, "MaxQ, skipping", other, 1.1, least), r.ratio(tenth, quality, "MaxQ, skipping", other, 1.34, most))
	}
	ahead := func(c trial.Claim, of func(outcome) float64, a, b string) trial.Finding {
		c.Names, c.From, c.To = a+", "+b, trial.Above, inf
		return c.Judge(r.sample(a, of), r.sample(b, of), trial.Less)
	}
	stated := func(where, text, paper string) trial.Claim {
		return trial.Claim{Where: where, What: text, Paper: paper}
	}
	longer := stated("§4.3", "DEP and COORD take 17 times as long as MultipleBest", "17; in Table 1 1695 and 103 ms, which is 16.5")
	longer.Names, longer.From, longer.To = "µs of both, of MultipleBest; logarithm of the ratio", math.Log(16.45), math.Log(17.5)
	var took []trial.Finding
	for _, of := range []string{"DEP", "COORD"} {
		took = append(took, longer.Judge(r.sample(of, micros), r.sample("MultipleBest "+of, micros), trial.Log))
	}
	return []trial.Finding{
		tenth.Worst(parts),
		ahead(what("§4.2", "Lite is ahead of MultipleBest"), quality, "MaxQ Lite", "MultipleBest Q"),
		first.Judge(fits, fits, trial.Alone),
		r.about(stated("§4.2", "The quality of FirstFit is 44 % less than that of MaxQ", "44 %"), quality, "FirstFit", "MaxQ, skipping", 0.555, 0.565),
		r.ratio(what("§4.3", "DEP is four times as far from the nearer neighbour as FirstFit, read as the first found"), near, "DEP, skipping", "first found", 4, least),
		r.ratio(what("§4.3", "DEP is a third ahead of MultipleBest and more"), near, "DEP, skipping", "MultipleBest DEP", 1.33, least),
		ahead(what("§4.3", "DEP Lite is ahead of MultipleBest"), near, "DEP Lite", "MultipleBest DEP"),
		r.ratio(what("§4.3", "The farther neighbour is at most half as far with COORD as with MultipleBest"), far, "COORD, skipping", "MultipleBest COORD", 0.5, most),
		r.about(stated("§4.3", "The farther neighbour is three times less far with COORD than with MultipleBest", "3; in Table 1 159 and 52"), far, "MultipleBest COORD", "COORD, skipping", 2.5, 3.5),
		r.about(stated("§4.3", "The farther neighbour is nine times less far with COORD than with DEP", "9; in Table 1 480 and 52"), far, "DEP, skipping", "COORD, skipping", 8.5, 9.5),
		ahead(what("§4.3", "COORD Lite is ahead of MultipleBest: the farther neighbour is less far"), far, "MultipleBest COORD", "COORD Lite"),
		r.times(what("§4.3", "DEP takes ten times as long as MultipleBest and more"), "DEP", "MultipleBest DEP", 10, least),
		longer.Worst(took),
	}
}

// ownFindings are the verdicts on our claims: how the exact algorithm compares.
func ownFindings(r, many *results) (list []trial.Finding) {
	is := func(what, names string, from, to float64) trial.Claim {
		return trial.Claim{Where: trial.Ours, What: what, Names: names, From: from, To: to}
	}
	for _, of := range []string{"Q", "DEP", "COORD"} {
		published := of
		if of == "Q" {
			published = "MaxQ"
		}
		name, skipping := "Exact "+of, published+", skipping"
		worse, better := r.differ(name, skipping)
		lower, higher := r.differ(published, skipping)
		for _, o := range r.outcomes[name] {
			if !o.proven {
				worse++
			}
		}
		sum := func(a, b float64) float64 { return a + b }
		took := many.sample(name, micros)
		list = append(list,
			is(name+" is nowhere worse than "+published+", and proven", "worse or unproven, better", 0, 0).Judge(trial.Exact(worse), trial.Exact(better), trial.Alone),
			is("Skipping starts does not change the value of "+published, "lower, higher", 0, 0).Judge(trial.Exact(lower), trial.Exact(higher), sum),
			r.times(what(trial.Ours, name+" takes at most three times as long as FirstFit"), name, "FirstFit", 3, most),
			r.times(what(trial.Ours, name+" takes less time than the full scan for the first found"), name, "first found", 1, most),
			r.times(what(trial.Ours, name+" is at least 300 times as fast as "+published), published, name, 300, least),
			is("With 1 000 nodes and n = 64, "+name+" takes at most 20 ms", "µs; logarithm", -inf, math.Log(20_000)).Judge(took, took, func(a, _ float64) float64 { return math.Log(a) }))
	}
	gaps := many.sample(fewSteps, gap)
	list = append(list, is("With 600 000 steps, the gap is below 5 %", "gap", -inf, 0.05).Judge(gaps, gaps, trial.Alone))
	for _, of := range []string{"DEP", "COORD"} {
		c := is("Starts between slots are better for "+of, "ticks at any start, at slots", trial.Above, inf)
		list = append(list, c.Judge(r.sample("Placement "+of, perNode), r.sample("Exact "+of, perNode), trial.Less))
	}
	return list
}

// differ counts the environments in which an algorithm's value is lower than another's,
// and higher.
func (r *results) differ(name, other string) (lower, higher float64) {
	for i, o := range r.outcomes[name] {
		than := r.outcomes[other][i].value
		switch room := 1e-9 * math.Abs(than); {
		case o.value < than-room:
			lower++
		case o.value > than+room:
			higher++
		}
	}
	return lower, higher
}
