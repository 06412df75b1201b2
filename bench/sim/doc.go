// Package sim simulates machines that run batch tasks and advance reservations,
// over any bookahead.Schedule: one machine with its local scheduler, or a grid that
// sends tasks to several (Kurowski, Oleksiak, Piątek and Węglarz, "Hierarchical
// scheduling strategies for parallel tasks and advance reservations in grids",
// Journal of Scheduling 16, 2013, doi:10.1007/s10951-011-0254-9, §2 and §4; metrics
// also from Castillo, Rouskas and Harfoush, "Resource co-allocation for large-scale
// distributed environments", §5).
//
//	tasks ─► grid queue ─┬─► queue ─► policy ─► schedule   provider 0
//	         (period δ)  ├─► queue ─► policy ─► schedule   provider 1
//	                     └─► ...
//
// A simulation is discrete in events and deterministic: the same Config and tasks
// give the same Result everywhere. At a tick, tasks end first, and give back the rest of
// their reservations; then tasks come in; then policies decide.
//
// # Policies
//
// A Local policy has a plan.Order, which says who is next, and a plan.Backfill, which says
// who may overtake a task that cannot start yet. Batch tasks wait in a plan.Queue of their
// provider, which has the policies; package plan explains them. This package has the
// tasks, the events, the grid and the metrics. The names of Kurowski et al.:
//
//	FCFS-BF   plan.FCFS, plan.FirstFit
//	LSF-δ     plan.LSF, with a Period of δ
//	PPP       plan.ByPriority
//	PPPD      plan.ByPriority, with Preempt
//	FSS       plan.FairShare
//
// Between providers a grid.Policy and a grid.Partition decide, as in a grid.Broker, but
// with the lengths of the queues (Placement).
//
// An AR task is booked when it arrives, and goes around all promises of the queue. The
// schedule of a provider holds the tasks that run and the AR tasks; the queue's copy holds
// the promises as well. Operations counts the calls of the copy.
//
// # Nodes
//
// RunCluster runs gangs on a nodes.Machine, by way of the same queue. Nodes fail, are drained
// and come back; gangs end before their estimates.
//
// A reservation is firm: only an outage moves it. It is booked on the machine, and does not go
// around the promises of the queue. The queue is told of it by Changed, and gives a promise that
// is in its way anew. ClusterResult.Delayed counts these, and those that an outage broke:
//
//	           now       10       20
//	node 0     ██████████▒▒▒▒▒▒▒▒▒▒    ▒ promised to the first in the queue
//	node 1     ██████████▒▒▒▒▒▒▒▒▒▒    both nodes are booked from 12 to 22: the first is promised 22
//
// plan.LSF goes by the tasks of a gang, and on pools by the sum of all that it takes. For another
// size, use plan.Own.
//
// # Pools
//
// With Cluster.Pools the same queue plans on sums instead of nodes: each resource is a pool as large as
// all nodes together. A gang is booked in all of them at one start, and gets its nodes when it begins.
// Running gangs are booked on a second machine of nodes, and a search there finds nodes for another gang:
//
//	                    at 5, to 9             two nodes of 2 GPUs
//	node 0              █░                     █ running until 20
//	node 1              █░                     ░ free
//	the pool            ██░░                   2 of 4 GPUs are free, and lie on two nodes
//
//	a task of 2 GPUs    on nodes    booked for 20, and runs at 20
//	booked for 5        on pools    booked for 5: accepted
//	                                at 5 no node has 2 GPUs: the promise is broken
//
// A gang whose reservation is broken is booked anew, from the time at which the nodes have room beside the
// gangs that run: the pools alone would book it for now again. A batch gang that finds no nodes is postponed
// until that time (plan.Queue.Postpone), or until there are nodes if some come free before, and others may
// have its sum meanwhile. It stays in the line, and may be promised a start from then on.
//
// An outage closes the amounts of its nodes in the pools. They do not know whose nodes these are: where
// more is booked than is left, the reservations that came in last give way.
//
// This is for comparison, and no part of it is needed on nodes: the engine meets either through a site of a
// few methods (cluster_site.go).
//
// Oracle and simulator agree on each start (TestAgainstTheOracle, TestClusterAgainstTheOracle): the oracles have a
// cell for each node, resource and tick, and go through the whole queue at every tick.
//
// # Queues of before
//
// This package had queues of its own before package plan. On the traces of KTH, CTC and HPC2N, under first fit,
// EASY and Conservative, all starts are the same as then. Elsewhere these rules differ:
//
//   - In fixed slots, a task may fit from the start of a slot on, though no task ends then. The queue looks at all
//     tasks then, and looked at the first alone before. Task 104 of Kurowski's pinned log starts at 42600 in slots of
//     10 minutes, and not at 43440, when another ends.
//   - On nodes, a promise keeps its nodes until it can move to an earlier start. Before, all gangs that wait were
//     placed anew at each event, on the lowest nodes. With bench/cluster -quick, at 109489, gang 286 is promised 145587 as
//     before, but not on node 25 any more, which is left to gang 380.
//   - A promise is kept, also if somebody comes in later who goes before. Before, EASY promised the first in the queue
//     alone, and another could become the first. So LSF with EASY has other starts: in Kurowski's Table 2 it waits 5538 s, and
//     waited 5627 s.
//   - On nodes under Conservative, no gang delays a promise. Before, each event placed the line anew from its first on,
//     who could move forward at the cost of those behind.
//   - On pools of a cluster, all gangs of a pass are proposed before one of them finds no nodes. So those behind
//     it were not proposed its sum, and come after a second pass: with -quick -policy firstfit, at 195922, gang 672 starts and
//     651 waits.
//   - Outcome.Promised is Never for a batch task that starts at once. Under Conservative it was the start.
//
// # Deviations
//
// They say that PPPD preempts running tasks, and that tasks cannot be preempted
// (§2.1, §4.1): here a task that gives way is stopped, and begins anew later.
//
// They send tasks from the grid's queue "every time any task finishes or new task
// arrives" and also "immediately" (§4.4.2, §4.4.4). Both are the same here, as local
// queues have no bound. Config.ARFirst describes how AR first still differs from AR FCFS.
//
// They leave open who is stopped under PPPD, who comes first of equals, and whether
// LSF lets others overtake: see plan.Config.Preempt, plan.Order, and the choice of a Backfill.
package sim
