package idletree

import "github.com/bookahead/bookahead"

// A booking changes the calendar of each of its servers, and calendars lie anywhere in memory. The
// processor would load several calendars at once, but each change ends in branches that it predicts
// wrongly, and then the loads behind the branch begin anew. So the calendars are read ahead: a loop
// that only adds up numbers loads all of them, and the changes find them in the cache. In the same
// way a search loads the next leaf before it reads the current one.
//
//	one after the other   load─change─load─change─load─change
//	read ahead            load
//	                       load
//	                        load─change─change─change
//
// With 100 000 servers, reading ahead saves an eighth of the time to reserve 64 of them, and a sixth
// of the time to find them (BenchmarkServers).

// readAhead loads the arrays of the calendars of some servers. The caller keeps the sum, because
// otherwise the compiler would leave out the loads.
func readAhead[S int | int32](idle []calendar, list []S) (sum bookahead.Time) {
	for _, k := range list {
		few := idle[k].few
		n := len(few)
		if n > 0 {
			sum += few[0].Start + few[n/2].Start + few[n-1].Start // mostly three cache lines, or two
		}
	}
	return sum
}
