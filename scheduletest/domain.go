package scheduletest

import "github.com/bookahead/bookahead"

// ticks is how many ticks ahead can be booked in the small scope.
const ticks bookahead.Time = 5

// domain holds the requests and the sizes from which the small scope makes its operations.
type domain struct {
	config   Config
	tick     bookahead.Time
	requests []relative
}

// relative is a request whose times count from now.
type relative bookahead.Request

func (r relative) at(now bookahead.Time) bookahead.Request {
	r.Ready += now
	if r.Deadline != 0 {
		r.Deadline += now
	}
	return bookahead.Request(r)
}

// newDomain returns the domain for a target: two units or servers, five ticks, and requests for
// one tick or three, for one unit or both, that are ready now or in two ticks. An Advance by one
// tick makes ready times odd. A tick is half a slot, so that some times are rounded and others
// not.
func newDomain(target Target) domain {
	d := domain{tick: bookahead.Time(max(1, (target.Slot+1)/2))}
	d.config = Config{Capacity: 2, Origin: d.tick, Horizon: bookahead.Duration(ticks * d.tick)}
	add := func(ready, length, slack bookahead.Time, units int64, servers []int) {
		r := relative{Ready: ready * d.tick, Duration: bookahead.Duration(length * d.tick), Units: units, Servers: servers}
		if slack >= 0 {
			r.Deadline = (ready + length + slack) * d.tick
		}
		d.requests = append(d.requests, r)
	}
	const none = -1
	for _, ready := range []bookahead.Time{0, 2} {
		for _, length := range []bookahead.Time{1, 3} {
			for _, units := range []int64{1, 2} {
				add(ready, length, none, units, nil)
				add(ready, length, 0, units, nil)
			}
		}
	}
	add(0, 1, 1, 1, nil)
	add(0, 3, 1, 1, nil)
	if target.Servers {
		add(0, 1, none, 1, []int{1})
		add(0, 1, none, 2, []int{1, 0})
	}
	return d
}
