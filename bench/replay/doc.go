// Package replay runs a workload through a schedule, as a discrete-event
// simulation. When a booking is submitted, the clock advances to that moment,
// and it is searched for and reserved. When a job is done before its booking
// ends, the clock advances to that moment, and the rest is released. Ends come
// before submissions at the same tick, and in the order of their IDs.
//
// # How time is measured
//
// A monotonic clock is read before and after each single call; the median of
// such a pair of readings with nothing between them is subtracted, and what
// would be negative counts as 0. Reserve follows a Search for the same request,
// so it finds the caches warm. A call that is faster than the clock is fine
// (some tens of nanoseconds) shows as that.
//
// # How memory is measured
//
// Without a stopwatch, the bookings are replayed on a fresh schedule up to the
// moment at which most reservations are live. The bytes that are reachable on
// the heap then, after a garbage collection, less those before the schedule was
// made, are the schedule's: all of it, its fixed parts and spare room included.
// The median of three such measurements counts, or of fewer if time is short.
// Nothing else in the program may allocate meanwhile.
package replay
