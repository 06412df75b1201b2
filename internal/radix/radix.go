// Package radix sorts long lists by a time, digit by digit. A snapshot lists reservations by ID, and the trees
// of a schedule are built by time. For a million entries within a month of seconds, three digits replace the
// 20 comparisons of each entry.
package radix

import (
	"cmp"
	"slices"

	"github.com/bookahead/bookahead"
)

const (
	digit  = 11 // bits: the 2 048 counters stay in the first cache
	values = 1 << digit
	// short is the length below which the counters cost more than comparisons.
	short = 1 << 10
)

// Sort sorts a list by the time of its items. Items of the same time stay in their order. It
// takes as much memory again if the list is long and not sorted. O(n) for each digit of 11 bits
// in which times differ; O(n log² n) for a short list.
func Sort[T any](list []T, at func(*T) bookahead.Time) {
	byTime := func(a, b T) int { return cmp.Compare(at(&a), at(&b)) }
	if len(list) < short {
		slices.SortStableFunc(list, byTime)
		return
	}
	sorted, differ := survey(list, at)
	if sorted {
		return
	}
	from, to := list, make([]T, len(list))
	for shift := 0; shift < 64; shift += digit {
		if differ>>shift%values != 0 {
			pass(from, to, at, shift)
			from, to = to, from
		}
	}
	if &from[0] != &list[0] {
		copy(list, from)
	}
}

// Append is append for a list that becomes long. Its room doubles, so that an item is moved once
// on average. The room of append grows by a quarter, which moves each item four times.
func Append[T any](list []T, item T) []T {
	if len(list) == cap(list) {
		list = slices.Grow(list, len(list)+1)
	}
	return append(list, item)
}

// survey reports whether a list is sorted, and in which bits its times differ.
func survey[T any](list []T, at func(*T) bookahead.Time) (sorted bool, differ uint64) {
	sorted = true
	first := at(&list[0])
	last := first
	for i := range list {
		t := at(&list[i])
		sorted = sorted && last <= t
		differ |= uint64(t ^ first)
		last = t
	}
	return sorted, differ
}

// pass moves a list to another by one digit of its times.
func pass[T any](from, to []T, at func(*T) bookahead.Time, shift int) {
	var next [values]int // the index in to for the next item with a digit
	for i := range from {
		next[bits(at(&from[i]), shift)]++
	}
	sum := 0
	for d, n := range next {
		next[d] = sum
		sum += n
	}
	for i := range from {
		d := bits(at(&from[i]), shift)
		to[next[d]] = from[i]
		next[d]++
	}
}

// bits returns a digit of a time. The sign bit is inverted, so that negative times come first.
func bits(t bookahead.Time, shift int) uint64 { return (uint64(t) ^ 1<<63) >> shift % values }
