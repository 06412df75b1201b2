package main

import (
	"math"

	"gonum.org/v1/plot"
)

// decades are the ticks of a logarithmic axis: powers of ten, as many as there is
// room for, and multiples between them where there are few.
type decades struct{ most int }

// Ticks implements plot.Ticker. min is above 0.
func (d decades) Ticks(min, max float64) []plot.Tick {
	from, to := int(math.Floor(math.Log10(min))), int(math.Ceil(math.Log10(max)))
	every, within := 1, []float64{1}
	switch n := math.Log10(max / min); {
	case n <= 1.2:
		within = []float64{1, 2, 3, 5, 7}
	case n <= float64(d.most)/3:
		within = []float64{1, 2, 5}
	case n <= float64(d.most)/2:
		within = []float64{1, 3}
	default:
		every = int(math.Ceil(n / float64(d.most)))
	}
	var ticks []plot.Tick
	for e := from; e <= to; e++ {
		for _, k := range within {
			x := k * math.Pow10(e)
			if x >= min*(1-1e-9) && x <= max*(1+1e-9) && e%every == 0 {
				ticks = append(ticks, plot.Tick{Value: x, Label: short(x)})
			}
		}
	}
	return ticks
}

// steps are the ticks of a linear axis: multiples of 1, 2 or 5 times a power of
// ten.
type steps struct{ most int }

// Ticks implements plot.Ticker.
func (s steps) Ticks(min, max float64) []plot.Tick {
	step := math.Pow10(int(math.Floor(math.Log10((max - min) / float64(s.most)))))
	for _, k := range []float64{1, 2, 5, 10} {
		if (max-min)/(k*step) <= float64(s.most) {
			step *= k
			break
		}
	}
	var ticks []plot.Tick
	for i := math.Ceil(min/step - 1e-9); i*step <= max+1e-9*step; i++ {
		ticks = append(ticks, plot.Tick{Value: i * step, Label: short(i * step)})
	}
	return ticks
}

// spansDecades reports whether numbers from min to max need a logarithmic axis:
// all are above 0, and they span more than a decade and a half.
func spansDecades(min, max float64) bool { return min > 0 && max/min > 30 }
