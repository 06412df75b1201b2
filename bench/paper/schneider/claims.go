package main

import (
	"fmt"
	"io"
	"math"
)

// at returns the points of a structure in a figure, by load.
func at(points []point, figure, structure string, units int64) map[float64]point {
	found := map[float64]point{}
	for _, p := range points {
		if p.figure == figure && p.structure == structure && p.units == units {
			found[p.load] = p
		}
	}
	return found
}

// verdict counts at how many loads something holds.
func verdict(a, b map[float64]point, holds func(a, b point) bool) string {
	n := 0
	for load := range a {
		if holds(a[load], b[load]) {
			n++
		}
	}
	switch n {
	case len(a):
		return "HOLDS"
	case 0:
		return "DOES NOT HOLD"
	default:
		return fmt.Sprintf("HOLDS at %d of %d loads", n, len(a))
	}
}

// ratios returns the least and the largest of a's mean over b's.
func ratios(a, b map[float64]point, of func(point) float64) string {
	low, high := math.Inf(1), 0.0
	for load := range a {
		r := of(a[load]) / of(b[load])
		low, high = min(low, r), max(high, r)
	}
	return fmt.Sprintf("%.2f to %.2f", low, high)
}

func micros(p point) float64  { return p.micros.mean }
func success(p point) float64 { return p.success.mean }

// as reports whether two rates agree but for a hundredth.
func as(a, b point) bool { return math.Abs(a.success.mean-b.success.mean) <= 0.01 }

// writeClaims says of each claim of §8 whether it holds here.
func writeClaims(out io.Writer, points []point) {
	claim := func(where, what, verdict, numbers string) {
		fmt.Fprintf(out, "%-5s %s\n      %s: %s\n", where, what, verdict, numbers)
	}
	slower := func(a, b point) bool { return a.micros.above(b.micros) }
	fmt.Fprintf(out, "Claims (ratios are the least and the largest over the loads)\n\n")
	for _, units := range []int64{128, 4096} {
		few, mid := at(points, "6", "90 slots", units), at(points, "6", "9000 slots", units)
		many, list := at(points, "6", "900000 slots", units), at(points, "6", "time exclusive list", units)
		on := fmt.Sprintf(" (%d units)", units)
		claim("§8.1", "Many short slots take longer"+on, verdict(many, mid, slower),
			"900 000 against 9 000 slots, time "+ratios(many, mid, micros))
		claim("§8.1", "Few long slots accept less"+on, verdict(many, few, func(a, b point) bool { return a.success.above(b.success) }),
			"90 against 900 000 slots, success "+ratios(few, many, success))
		claim("§8.1", "The list is faster than few slots"+on, verdict(few, list, slower),
			"list against 90 slots, time "+ratios(list, few, micros)+"; against 9 000 slots "+ratios(list, mid, micros))
		claim("§8.1", "The list accepts what 900 000 slots accept"+on, verdict(list, many, as),
			"success "+ratios(list, many, success))
	}
	plain, avl := at(points, "7", "used list", 128), at(points, "7", "used list with AVL", 128)
	claim("§8.2", "The AVL tree is no faster than the list", verdict(avl, plain, func(a, b point) bool { return a.micros.mean >= 0.9*b.micros.mean }),
		"AVL against list, time "+ratios(avl, plain, micros))
	claim("§8.2", "Both accept the same", verdict(avl, plain, func(a, b point) bool { return a.success.mean == b.success.mean }),
		"success "+ratios(avl, plain, success))
	coarse, fine, gridList := at(points, "8", "400 slots", 128), at(points, "8", "40000 slots", 128), at(points, "8", "time exclusive list", 128)
	claim("§8.3", "On the grid level, many slots are much slower than the list", verdict(fine, gridList, slower),
		"40 000 slots against list, time "+ratios(fine, gridList, micros))
	claim("§8.3", "Only many slots come close to the list's success", verdict(gridList, coarse, func(a, b point) bool { return a.success.above(b.success) }),
		"400 slots against list "+ratios(coarse, gridList, success)+"; 40 000 slots "+ratios(fine, gridList, success))
	wide, flows := at(points, "9", "90000 slots", siteUnits), at(points, "9", "time exclusive list", siteUnits)
	claim("§8.3", "Workflows: at a like success the list is faster", verdict(wide, flows, slower),
		"90 000 slots against list, time "+ratios(wide, flows, micros)+", success "+ratios(wide, flows, success))
}
