// Package cluster turns the objects of a cluster into a nodes.Machine: what each node has, who holds it and until when, which
// nodes are closed, and which nodes a pod may use.
//
//	snapshot.go    the objects and the time
//	resources.go   quantities as vectors
//	duration.go    for how long a pod runs, and until when it holds its node
//	topology.go    labels as nested groups, such as racks in zones
//	holds.go       the amounts that pods hold, from now on
//	cluster.go     all of it as a machine
//	fits.go        which nodes a pod may use
//
// A tick is a second since 1970.
package cluster
