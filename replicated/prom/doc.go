// Package prom exports the metrics of a member to Prometheus:
//
//	replicated_entries_total             entries of the log that were carried out
//	replicated_calls_total               calls in them: calls / entries is how full a batch is
//	replicated_call_seconds              on the leader, from the first call of an entry to its answer
//	replicated_refused_total{why}        calls that were not carried out: "full", "not leader", "jump", ...
//	replicated_read_seconds{freshness}   how long a Read waited: "linearizable", "leading" or "local"
//	replicated_snapshot_seconds          how long a snapshot took to write
//	replicated_snapshot_bytes            bytes of the last snapshot
//	replicated_stopped_seconds           how long commands waited for a snapshot
//	replicated_state{state}              1 for the state of the member, 0 for the others
//	replicated_term                      the term of Raft: it rises with each election
//	replicated_checks_total{equal}       comparisons of fingerprints: "false" means a doubt, or a member that stops
//
// A process with several members gives each member a registerer of its own: prometheus.WrapRegistererWith adds a
// label.
package prom
