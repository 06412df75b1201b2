// Package workload makes the requests that benchmarks and simulations run on:
// jobs from traces (FromSWF) or from a model (Lublin, Feitelson), some of which
// are booked ahead (Reservations). Traces and models have no reservations in
// them: so jobs are taken as they are, and only which of them are booked ahead, and
// by how much, is drawn from a seed. Gangs are jobs on the nodes of a cluster, which have GPUs and
// cores.
package workload
