// Package replay runs a workload through a schedule, as a discrete-event
// simulation with two events. At a submission the clock advances to its time, and
// the booking is searched for and reserved. At the end of a job that is done before
// its booking ends, the clock advances to that time, and the booking is released.
// At the same tick ends come before submissions, and in the order of their IDs.
//
// # How time is measured
//
// A monotonic clock is read before and after each single call. The clock itself
// takes time: the median difference of two readings with nothing between them is
// subtracted from each time, and a negative rest counts as 0. Reserve follows a
// Search for the same request, so it finds the caches warm. The clock resolves
// a few tens of nanoseconds, so the times of faster calls are no more precise.
//
// # How memory is measured
//
// Without a stopwatch, the bookings are replayed on a fresh schedule up to the
// moment at which most reservations are live. The bytes of the schedule are the
// bytes reachable on the heap then, after a garbage collection, less those before
// the schedule was made. They include its fixed parts and spare room. The median of
// three such measurements counts, or of fewer if time is short. Nothing else in the
// program may allocate meanwhile.
package replay
