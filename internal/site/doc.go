// Package site has one schedule of any kind behind one door: a pool, servers, or a machine of nodes. A caller searches, and
// then reserves a place to the letter, so that a decision can be applied later without a search.
//
//	site.go        Site, and how it is made, written and read
//	place.go       a place with its buffers
//	search.go      the earliest place for units, servers or tasks; free units
//	reserve.go     a reservation at a fixed place
//	tail.go        the buffer of a reservation that nobody owns any more
//	closures.go    closures, extensions, and overbooked stretches
//	capacity.go    the units that a site has, used or not
//
// A site takes plain values. It knows no booking, owner or quota, nor opening hours; Package desk has them.
package site
