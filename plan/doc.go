// Package plan keeps the queue of a batch scheduler: which jobs start now, which may overtake, when the others will start, and
// why not now.
//
//	q, err := plan.New(plan.Config{
//		Schedules: []plan.Schedule{{Name: "gpus", Nodes: machine}},
//		Backfill:  plan.EASY(1),
//	})
//	err = q.Submit(plan.Job{ID: "42", Owner: "ann", Submitted: now, Shapes: []plan.Shape{{
//		{On: "gpus", Units: 4, Duration: 60, Tasks: &nodes.Request{Each: nodes.Vector{8, 32}, Within: "rack"}},
//	}}})
//	r, err := q.Pass(ctx, now)
//	for _, s := range r.Starts {
//		if launch(s) == nil {          // s.Places has the nodes
//			err = q.Started(s.Job)
//		} else {
//			err = q.Postpone(s.Job, now+300)
//		}
//	}
//	...                                // until q.Next(), or until something happens:
//	err = q.Ended(now, "42")
//
// A desk (package desk) keeps what was booked for people: each booking has its time, and keeps it. A queue keeps what starts
// when it can, so take a queue if nobody cares at what time a job runs, as long as it is soon. One schedule may serve both. The
// caller's schedules hold firm reservations and running jobs, and the queue goes around the former.
//
// # Schedules
//
// A queue has two copies of each schedule:
//
//	firm    the caller's own: firm reservations, which anybody books there, and jobs that run
//	plan    the queue's: all that, and the promises and proposals of the queue
//
// So nobody sees a promise in the schedule, and a firm reservation may take its place. Then the promise is broken, and an
// Event names the reservation. A reservation that is to go around promises is booked by Queue.Reserve. Whoever changes a schedule
// otherwise calls Changed.
//
// A job is booked on the caller's schedule when it has Started, from then to its estimate.
//
// # With a desk
//
// A desk hands out copies of its schedules (Desk.Schedule, Desk.Machine). A queue keeps such a copy, and each side hears what the
// other has done. The last example of the package has the code:
//
//	a start          Book on the desk, at the place to the letter; then Started
//	an Overrun       Overrun on the desk, before the Advance of the desk to the time of the Pass. An Overrun with an On
//	                 is refused there too, and the booking ends: the next one is a Book of the rest
//	Ended, Requeue   End on the desk
//	a Book, Cancel, Close or Reopen of the desk
//	                 the same on the copy: a Reserve of the place to the letter, a Release, a Close, an End; then Changed
//
// A job that bends is not for a schedule with a desk: a Pass moves the rest of its plan, and a booking does not move with it. When a part
// swaps nodes, End its booking, and Book the rest at the new place.
//
// Book has no place, so its request leaves only one: Ready and Deadline are its ends, and Part.Servers its servers. On nodes they are
// Tasks.Nodes and Tasks.PerNode, which leave one place only if each node gets as many tasks; otherwise the desk may book other numbers on
// the same nodes. Reservations have other IDs on the desk than on the copy. So Read refuses another copy than the one that the Snapshot
// was made with, unless both sides have made the same reservations in the same order.
//
// # A pass
//
// A Pass does these steps, in this order:
//
//  1. It moves the clocks.
//  2. It takes back proposals from before now, and those whose victims still run. A promise among them is late.
//  3. Jobs that were held until now join the line.
//  4. A running job whose estimate has passed is booked on for another Grace. If others have booked there, it holds its units
//     nevertheless, and each later Pass books them as soon as there is room.
//  5. The tasks of running parts move off nodes that are closed now, if the part may Swap.
//  6. If the schedules have Changed, if a promise is late, or if an overrun is in its way, the plan is made anew: promises and
//     proposals keep their places, by start and then in turn, and a late promise begins now. A proposal without room there is
//     taken back. Promises without room are placed anew, in turn, at their earliest places, if these are in the window.
//  7. Promises that are due become proposals. Then it goes through the line, in turn. A job that is promised moves to an earlier
//     place, if it has one with the others where they are: one that starts and ends no later, and differs in one of these. A job
//     without a place starts if it may and fits now, or gets a promise, as Backfill says. If it does not start, and no shape of it
//     fits now, running jobs may have to give way (Config.Preempt).
//     Before that, what is left of running jobs that bend moves to where it ends earlier, or around an outage that is to come.
//  8. If a job has moved or has victims, or if a start has changed the turns of a FairShare, it goes through the line again, until
//     nothing moves. It also does after a new place, while the queue has a job that bends: where the best place of such a job is
//     taken, it may have another that starts now.
//
// A job that is proposed does not count any more: neither as one of the first that EASY promises, nor for Limits.Depth.
//
// The line has the jobs that wait, in the turn that Order says. A job that comes After others, or has a NotBefore, is not in
// the line until these have ended and that has come. A job that the caller has put off by Postpone is in the line, and has no
// place before its time.
//
// A promise is never later than it was, but for an outage, a job that overran, a firm reservation, or a late Pass; an Event
// says which. The caller's own Requeue, Change or Postpone takes a promise back. A promise may become earlier, and then holds for
// the earlier time.
//
// # Jobs that bend
//
// A job is planned whole: its units are free for its time. A Part may ask for less, so that it also takes the time before a promise:
//
//	Part.Pieces    it may stop at a checkpoint and go on later, by a pieces.Rule, also on other servers or nodes
//	Part.Volume    its units change while it runs: Units at most, and a sum of units times ticks
//
//	units  4 ████████        ████      █ promised to others
//	       2 ▒▒▒▒░░░░▒▒▒▒▒▒▒▒░░░░      ▒ a job of 2 units for 4 hours, in pieces of 2 hours
//
// Such a job has the places in which its work ends first, and a Start lists them. Started books them all on the caller's schedule.
// A promise of another job is never in its way, nor is it in the way of one. It never ends later than it would whole, if it is planned at
// the same turn.
//
// It is planned anew at each Pass. While it waits, it moves as any job does. When it runs, what is left of its work moves to where it
// ends earlier, if there is such a place beside all promises: a piece goes on where it is if a promise behind it has gone, and a
// volume takes units that others have left. It also moves, to a later end if need be, where an outage is to come over it. All the rest of
// its plan is in Queue.Job.
//
// The caller does what the Changes of a Pass say. A Change without a place stops the job at its checkpoint; one with a place lets
// it go on there, or gives a volume other units. Next is never later than the next of them. A job that is told late does less than was
// planned: it overruns at its end, as a job does that was estimated too short. A job that is done early is Ended. One
// that is Requeued begins anew: Change its Duration to what is left, if it is to go on from a checkpoint.
//
// With Config.Yield, a running volume that may pause gives its units to a job with less to do than it has left, and what is left of it is
// planned anew behind that job. Otherwise a running job gives nothing to a newcomer.
//
// A job that bends has nobody give way to it (Config.Preempt), but gives way itself if it is Preemptible. FairShare charges it for what it holds.
//
// # Gangs
//
// A gang on nodes asks for what a nodes.Request has: a rack (Within), bundles in racks (Bundle), whole nodes (Exclusive). Together names
// racks that it would rather lie in one of, and Patience is how long it waits for one:
//
//	free nodes now        one in each of two racks
//	a rack is free at 40  Patience 30: starts now, in two racks      Patience 40: is promised 40, in one
//
// A gang that waits is promised its place, under each Backfill, so nobody takes it. It waits once.
//
// If nodes of a running gang are closed, the job is Lost, and the caller says what becomes of it. With Part.Swap, the tasks of these nodes
// move, a Change names the new place, and the job goes on. Promises in the way are delayed.
//
// # Work
//
// A pass does not search twice for what it knows. Jobs that ask for the same are of one kind, and share an answer: behind the jobs that get
// promises, a pass looks at the first of each kind, and at the next one if that has started. So its work is bounded by
// the kinds that wait, and not by the jobs. On a pool, the units that are free from now on tell at once that most kinds
// do not fit. With a Depth or Yield, and under FirstFit with Preempt, it goes through the line job by job, and under FairShare it
// sorts the line after each start.
// Kinds that differ in units and duration alone share more: what has no room for 4 units and 10 ticks has none for 5 units
// and 20 ticks. An answer holds until something is given back, or ends. A promised job is looked at again only where something
// was given back before its end. While the queue has a job that bends, a new place ends all answers, and each Pass goes through the line.
package plan
