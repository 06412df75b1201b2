package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// digits writes a number with two digits, or all before the point if there are more.
func digits(x float64) string {
	if math.Abs(x) >= 100 {
		return spaced(strconv.FormatFloat(math.Round(x), 'f', 0, 64))
	}
	return strconv.FormatFloat(x, 'g', 2, 64)
}

// spaced divides the digits of a number by thousands.
func spaced(n string) string {
	for i := len(n) - 3; i > 0; i -= 3 {
		n = n[:i] + " " + n[i:]
	}
	return n
}

// duration writes nanoseconds.
func duration(ns float64) string {
	for _, u := range []struct {
		name string
		ns   float64
	}{{"s", 1e9}, {"ms", 1e6}, {"µs", 1e2}} {
		if ns >= u.ns {
			if u.name == "µs" {
				u.ns = 1e3
			}
			return digits(ns/u.ns) + " " + u.name
		}
	}
	return digits(ns) + " ns"
}

// count writes a large number with three digits that count.
func count(x float64) string {
	if x < 1000 {
		return digits(x)
	}
	scale := math.Pow(10, math.Floor(math.Log10(x))-2)
	return strings.TrimSpace(spaced(fmt.Sprintf("%.0f", math.Round(x/scale)*scale)))
}
