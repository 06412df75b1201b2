package main

import "strings"

// command is a program whose output has figures.
type command struct {
	name string
	args []string
}

// commands are all that measure published figures, in the order of a sitting.
var commands = []command{
	bench("booking", "./carts", `Booking/impl=(indexed|btree|flat)/trace=(AR|BATCH)/capacity=(128|4096|1048576)/`, "100000x"),
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
