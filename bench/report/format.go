package main

import (
	"math"
	"strconv"
	"strings"
)

// full formats a number to five digits, for tables.
func full(x float64) string {
	switch a := math.Abs(x); {
	case math.IsInf(x, 0):
		return "∞"
	case x == 0:
		return "0"
	case a < 1e-4, a >= 1e9:
		return strconv.FormatFloat(x, 'e', 3, 64)
	}
	return trim(x, 5)
}

// short formats a number to three digits, for pictures: 0.00123, 1.23, 123, 12.3 k.
func short(x float64) string {
	a := math.Abs(x)
	switch {
	case math.IsInf(x, 0):
		return "∞"
	case x == 0:
		return "0"
	case a >= 1e9:
		return trim(x/1e9, 3) + " G"
	case a >= 1e6:
		return trim(x/1e6, 3) + " M"
	case a >= 9_999.5:
		return trim(x/1e3, 3) + " k"
	case a < 1e-4:
		return strconv.FormatFloat(x, 'e', 1, 64)
	}
	return trim(x, 3)
}

// trim formats x to that many digits, but all of those before the point.
func trim(x float64, digits int) string {
	a := math.Abs(x)
	if a >= math.Pow10(digits)-0.5 {
		return strconv.FormatFloat(x, 'f', 0, 64)
	}
	decimals := digits - 1 - int(math.Floor(math.Log10(a)))
	text := strconv.FormatFloat(x, 'f', max(0, decimals), 64)
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return text
}
