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
// A Local policy has an Order, which says who is next, and a Backfill, which says
// who may overtake a task that cannot start yet:
//
//	Order  FCFS  first come, first served
//	       SJF   shortest job first, by estimate
//	       LSF   largest size first, by units
//	       PPP   the highest priority first
//	       PPPD  the same, and running tasks of lower priority give way
//	       FSS   fair share: the user first who has used least
//
//	Backfill  None          nobody overtakes
//	          FirstFit      whoever fits now; the paper's FCFS-BF
//	          EASY          whoever fits now and does not delay the first in the queue
//	          Conservative  whoever delays nobody in the queue
//
// Orders and Backfills of other packages work like these: a Filler decides through the
// exported methods of its Queue. Between providers a grid.Policy and a grid.Partition
// decide, as in a grid.Broker, but with the lengths of the queues (Placement).
//
// The promises of EASY and Conservative are booked in the schedule like any other
// reservation, so that AR tasks go around them; None and FirstFit book running tasks
// only. An AR task is booked when it arrives. No batch task ever takes booked units,
// because a batch task starts only where the schedule takes it for its whole estimate.
//
// # Nodes
//
// RunCluster runs gangs on a nodes.Machine, with the same Orders and Backfills. Nodes fail, are drained
// and come back; gangs end before their estimates. Orders whose keys move (FSS) and those that preempt
// (PPPD) are left out.
//
// A reservation is firm: only an outage moves it. So the machine holds running gangs and reservations,
// and nothing else, between two events. The plan of the queue lives on a clone, and is made anew at
// each event:
//
//  1. the first gangs of the queue start on the machine, until one does not fit
//  2. the machine is cloned
//  3. on the clone, a place is kept for the next gang (EASY) or for each (Conservative), and
//     gangs that overtake start beside these places
//  4. nobody has started on the clone: it is thrown away
//     somebody has: the places are released, and the clone is the machine from now on
//
// Step 4 makes the clone the machine, since a gang that overtakes must run on the very nodes that the
// plan gives it. A second Reserve on the machine itself would see no places, and could choose
// nodes that are kept for others:
//
//	           now       10                  on the clone      on the machine
//	node 0     ██░░░░░░░░▒▒▒▒▒▒▒▒  ▒ kept    0 tasks           1 task: in the way
//	node 1     ░░░░░░░░░░░░░░░░░░  ░ free    2 tasks           1 task
//
// Where the plan is not booked on the machine, a new reservation does not go around gangs that only
// wait, and an outage displaces no plan. The price is that Outcome.Promised is a forecast: later
// plans of a Conservative queue may be worse for a gang, as when a reservation comes in between.
//
// The other idiom keeps the plan on the machine, and moves each place up by Rebook when a gang ends
// early. That is slower, since Rebook lends each place its own nodes. BenchmarkReplan measures it beside the
// clone, and beside the clone whose places are released again. One run, in seconds, with gangs that wait for
// 2 000 nodes:
//
//	go test -run '^$' -bench Replan -benchtime 1x ./bench/sim
//
//	gangs     clone    clone and release    rebook
//	 2 000    0.05     0.07                 0.11
//	20 000    1.69     1.88                 9.28
//
// # Pools
//
// With Cluster.Pools the same policies book sums instead of nodes: each resource is a pool as large as
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
// A gang whose promise is broken is booked anew, from the time at which the nodes have room beside the
// gangs that run: the pools alone would book it for now again. A batch gang waits on if it finds no
// nodes. If the policy keeps a place for it, that is booked on the pools from the same time, so that others
// may start before it. The sum that is kept is on no nodes, so that others may take those.
//
// An outage closes the amounts of its nodes in the pools. They do not know whose nodes these are: where
// more is booked than is left, the reservations that came in last give way.
//
// This is for comparison, and no part of it is needed on nodes: the scheduler (cluster_booking.go,
// cluster_plan.go, cluster_outage.go) meets either through a site of a few methods (cluster_site.go).
//
// Oracle and simulator agree on each start (TestClusterAgainstTheOracle): the oracle has a cell for
// each node, resource and tick.
//
// # Deviations
//
// The FCFS-BF of Kurowski et al. lets any task start that fits (§4.4.3). Its name here is
// FirstFit. The EASY that is common elsewhere is here too.
//
// They say that PPPD preempts running tasks, and that tasks cannot be preempted
// (§2.1, §4.1): here a task that gives way is stopped, and begins anew later.
//
// They send tasks from the grid's queue "every time any task finishes or new task
// arrives" and also "immediately" (§4.4.2, §4.4.4). Both are the same here, as local
// queues have no bound. Config.ARFirst describes how AR first still differs from AR FCFS.
//
// They leave open who is stopped under PPPD, who comes first of equals, and whether
// LSF lets others overtake: see PPPD, Order, and the choice of a Backfill.
package sim
