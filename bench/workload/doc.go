// Package workload makes the requests that benchmarks and simulations run on:
// jobs from traces (FromSWF) or from a model (Lublin, Feitelson), some of which
// are booked ahead (Reservations). Traces and models have no reservations, so
// that a seed decides which of the jobs are booked ahead, and by how much; the jobs
// stay as they are. Gangs are jobs on the nodes of a cluster, which have GPUs and
// cores.
package workload
