// Package controller asks package decide what is to be done, and writes the decisions to the API server.
//
//	controller.go   the loop: when to make a pass
//	leader.go       one replica of several makes passes, by a Lease
//	pass.go         one pass: read, decide, write in order
//	source.go       where the objects come from: a Source, and one that lists
//	watch.go        a Source on informers
//	fresh.go        what this controller has written, until the informers have it
//	write.go        one write to each kind of object
//	fault.go        what an error of the API server means for a pass
//	metrics.go      counts and times
package controller
