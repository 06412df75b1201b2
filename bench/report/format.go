package main

import (
	"math"
	"strconv"
)

// full formats a number to five digits, for tables, but a whole number below 1e9
// to its last digit.
func full(x float64) string {
	a := math.Abs(x)
	switch {
	case math.IsInf(x, 0):
		return "∞"
	case x == 0:
		return "0" // not -0
	case a >= 99_999.5 && a < 1e9:
		return strconv.FormatFloat(x, 'f', 0, 64)
	}
	return strconv.FormatFloat(x, 'g', 5, 64)
}

// short formats a number to three digits, for pictures: 0.00123, 1.23, 123, 12.3 k.
func short(x float64) string {
	a, unit := math.Abs(x), ""
	switch {
	case math.IsInf(x, 0):
		return "∞"
	case x == 0:
		return "0" // not -0
	case a >= 1e9:
		x, unit = x/1e9, " G"
	case a >= 1e6:
		x, unit = x/1e6, " M"
	case a >= 9_999.5:
		x, unit = x/1e3, " k"
	}
	a = math.Abs(x)
	if a >= 999.5 && a < 1e9 {
		return strconv.FormatFloat(x, 'f', 0, 64) + unit
	}
	return strconv.FormatFloat(x, 'g', 3, 64) + unit
}
