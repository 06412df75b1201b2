package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/bookahead/bookahead/internal/structures"
)

// live is the time of a booking against the number of reservations that are live, by the benchmarks of
// package bench.
var live = chapter{
	id: "live", title: "A booking, from 100 to a million live reservations", output: benchmarks,
	command: fmt.Sprintf("test -run '^$' -bench '^BenchmarkSchedules$/^impl=(%s)$/^op=reserve$/./^load=0.70$' -benchtime 50ms ./bench",
		strings.Join(slices.Concat(livePools, liveServers), "|")),
	intro: []string{
		"One Reserve finds the earliest start of a request, and books it. Requests are ready anywhere in a calendar on which so many reservations are live, and take 70 % of its 128 units. A pool counts units. The structures in the second picture know the servers of each reservation, which is more work.",
		"Both axes are logarithmic: a line that rises by a decade with each decade takes time in proportion to the live reservations. A line ends early where filling the structure would take too long or too much memory: lists are walked from their heads, and stop at 10 000; a million reservations need too many slots of one tick.",
	},
	views: []view{
		{file: benchmarks, title: "Pools: time of a booking", among: livePools, mark: structures.Default,
			caption: "carts.Indexed is the default. Arrays (carts.Flat) are as fast with few reservations, and a thousand times slower with a million. Coarse slots (slotted.Scan-600, of 600 ticks) are faster than all, and accept less.",
			by:      "impl", x: "live", y: []string{"ns/op"}, factor: 1e-3, xAxis: "live reservations", yAxis: "µs"},
		{file: benchmarks, title: "Servers: time of a booking", among: liveServers, mark: "idletree.Tree",
			caption: "idletree.Tree is the default where servers must be known. avail.Schedule-60 has a bit for each slot of 60 ticks: it is faster, and accepts less.",
			by:      "impl", x: "live", y: []string{"ns/op"}, factor: 1e-3, xAxis: "live reservations", yAxis: "µs"},
	},
}

// livePools and liveServers are the structures in the pictures, the default of each first. Other settings of
// the same structure would lie close to the one that is shown.
var (
	livePools   = []string{structures.Default, "carts.Flat", "carts.BTree", "freelist.Used", "slotted.Indexed-60", "slotted.Scan-600"}
	liveServers = []string{"idletree.Tree", "idletree.Tree-lowest", "idletree.Lists", "carts.SR", "avail.Schedule-1", "avail.Schedule-60"}
)
