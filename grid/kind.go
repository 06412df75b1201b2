package grid

import (
	"errors"
	"math"

	"github.com/bookahead/bookahead"
)

// capacityOf returns how many units, or servers, s has, whatever is booked. If it does
// not tell, it is found by the fact that a request for more is invalid, in O(log c)
// searches for a capacity of c: the request lies in the past, so that no place is
// looked for.
func capacityOf(s bookahead.Schedule) (int64, error) {
	if f, ok := s.(bookahead.Framer); ok {
		return f.Frame().Units, nil
	}
	low, high := int64(1), int64(math.MaxInt64)
	for low < high {
		n := low + (high-low)/2 + 1
		_, err := s.Search(bookahead.Request{Ready: -2, Deadline: -1, Duration: 1, Units: n})
		switch {
		case err == nil || err == bookahead.ErrUnavailable:
			low = n
		case errors.Is(err, bookahead.ErrInvalid):
			high = n - 1
		default:
			return 0, err
		}
	}
	return low, nil
}

// hasServers reports whether s knows its servers.
func hasServers(s bookahead.Schedule) (bool, error) {
	a, err := s.RangeQuery(bookahead.Interval{Start: -1, End: 0}) // in the past: the list is empty
	return a.Servers != nil, err
}

// serversOf returns how many servers a schedule of servers counts. Those of a Broker
// are the servers of all its providers, while its capacity is that of one.
func serversOf(s bookahead.Schedule, capacity int64) (n int) {
	switch s := s.(type) {
	case *bookahead.LockedSchedule:
		s.View(func(s bookahead.Schedule) { n = serversOf(s, capacity) })
		return n
	case *Desk:
		return serversOf(s.Schedule(), capacity)
	case *Broker:
		return s.servers
	}
	return int(capacity)
}
