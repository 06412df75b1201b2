package main

import "strings"

// command is a program whose output has figures.
type command struct {
	name string
	args []string
}

// commands are all that measure published figures, in the order of a sitting.
var commands = []command{
	booking("reservations", "trace=AR/capacity=128/live=/load=0.70/"),
	booking("large", "trace=AR/capacity=1048576/live=1000000/"),
	booking("backlog", "trace=BATCH/capacity=4096/live=/load=/pow2=true"),
	bench("servers", "./idletree", "Servers", "1s"),
	bench("gang", "./nodes", "Gang$", "1x"),
	bench("replan", "./nodes", "GangReplan", "1x"),
	bench("pools", "./nodes", "Pools/load=0.7/nodes=100", "1x"),
	bench("desk", "./desk", "Book$|Clone|Calendar|Quota", "1s"),
	{"replicated", strings.Fields("go -C replicated test -run ^$ -timeout 0 -benchtime 3s -bench Book|Snapshot|Restore/n=1000000 .")},
	{"three", strings.Fields("go -C replicated run ./cmd/three")},
	{"peers", strings.Fields("go -C bench/peers run .")},
}

// bench is a benchmark of a package of this module.
func bench(name, pkg, pattern, times string) command {
	return command{name, []string{"go", "test", "-run", "^$", "-timeout", "0", "-bench", pattern, "-benchtime", times, pkg}}
}

// booking is the benchmark of searches with their bookings, on one of its traces: each runs for minutes, and is repeated alone if
// something disturbs it.
func booking(name, trace string) command {
	return bench(name, "./carts", "Booking/impl=(indexed|btree|flat)/"+trace, "5s")
}
