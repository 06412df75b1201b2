// Package swf reads workload traces in the Standard Workload Format, version 2,
// of the Parallel Workloads Archive. A trace has a line of 18 numbers for each job,
// and comments, which begin with a semicolon (Chapin et al., "Benchmarks and standards
// for the evaluation of parallel job schedulers", 1999).
package swf
