// Package decide is the planner: from the objects of a cluster and the time to decisions. It has no client, no clock and no
// state. The same snapshot gives the same decisions, and decisions that were written give no further ones.
//
//	decisions.go    what is to be written
//	decide.go       one pass, in order
//	booking.go      reservations at the places that their statuses hold
//	repair.go       reservations that have lost nodes
//	placing.go      places for new reservations
//	status.go       statuses and events of reservations
//	jobs.go         pods and groups as jobs
//	line.go         jobs in a queue: promises that were given, and a pass
//	inside.go       the machine of the amounts of a reservation
//	launch.go       the place of a job as nodes of its pods
//	note.go         conditions of pods
//	sentence.go     why there is no room, with the names of those in the way
//	protect.go      taints and placeholder pods
package decide
