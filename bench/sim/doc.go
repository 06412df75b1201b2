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
// give the same Result everywhere. At a tick, tasks end first, and what they had
// reserved beyond it is given back; then tasks come in; then policies decide.
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
// What EASY and Conservative promise is booked in the schedule like any other
// reservation, so that AR tasks go around it; None and FirstFit book only what
// runs. An AR task is booked when it arrives, and no batch task ever takes what is
// booked, because a batch task starts only where the schedule takes it for its
// whole estimate.
//
// # Deviations
//
// What Kurowski et al. call FCFS-BF lets any task start that fits (§4.4.3):
// FirstFit. The EASY that is common elsewhere is here too.
//
// They say that PPPD preempts running tasks, and that tasks cannot be preempted
// (§2.1, §4.1): here a task that gives way is stopped, and begins anew later.
//
// They send tasks from the grid's queue "every time any task finishes or new task
// arrives" and also "immediately" (§4.4.2, §4.4.4). Local queues have no bound, so
// that it is the same; what is left of AR first against AR FCFS is described at
// Config.ARFirst.
//
// They leave open who is stopped under PPPD, who comes first of equals, and whether
// LSF lets others overtake: see PPPD, Order, and the choice of a Backfill.
package sim
