// Package swf reads workload traces in the Standard Workload Format, version 2,
// of the Parallel Workloads Archive: a line for each job, with 18 numbers, and
// comments that begin with a semicolon (Chapin et al., "Benchmarks and standards
// for the evaluation of parallel job schedulers", 1999).
package swf
