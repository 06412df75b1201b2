package main

import (
	"math"
	"slices"

	"github.com/bookahead/bookahead/bench/sim"
)

// fewest is how many tasks a class must have to tell something.
const fewest = 50

// telling returns the classes that have enough tasks.
func telling(classes []sim.Class) []sim.Class {
	return slices.DeleteFunc(slices.Clone(classes), func(c sim.Class) bool { return c.Tasks < fewest })
}

// rising is the share of the pairs of classes in which the later has the greater
// mean; NaN if there is no pair. Only classes that tell something count.
func rising(classes []sim.Class) float64 {
	classes = telling(classes)
	n, up := 0.0, 0.0
	for i, c := range classes {
		for _, before := range classes[:i] {
			n++
			if c.Mean > before.Mean {
				up++
			}
		}
	}
	return up / n
}

// class returns the class that ends at to, whose mean and median are NaN if there is
// none.
func class(classes []sim.Class, to int64) sim.Class {
	for _, c := range classes {
		if c.To == to {
			return c
		}
	}
	return sim.Class{Mean: math.NaN(), Median: math.NaN()}
}

// meanOf and medianOf are those of the class that ends at to.
func meanOf(classes []sim.Class, to int64) float64   { return class(classes, to).Mean }
func medianOf(classes []sim.Class, to int64) float64 { return class(classes, to).Median }

// largest is the largest mean of the classes that tell something; NaN if there
// are none.
func largest(classes []sim.Class) float64 {
	most := math.NaN()
	for _, c := range telling(classes) {
		if !(c.Mean <= most) {
			most = c.Mean
		}
	}
	return most
}

// worstRatio is the largest ratio of the means of a class in a and in b; NaN if
// they share no class that tells something.
func worstRatio(a, b []sim.Class) float64 {
	var ratios []sim.Class
	for _, c := range telling(a) {
		c.Mean /= meanOf(telling(b), c.To)
		if !math.IsNaN(c.Mean) {
			ratios = append(ratios, c)
		}
	}
	return largest(ratios)
}
