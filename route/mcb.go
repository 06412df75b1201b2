package route

import "github.com/bookahead/bookahead"

// MCB considers the communication only (MC-B; Stevens et al., §5.1). It sends the data to the
// cluster where the data arrives earliest, whatever the load there, and the task waits for its
// CPUs. Of equal arrivals it takes the smallest delay. It returns bookahead.ErrUnavailable if the
// task does not end in time there. The cost is that of MCT, since MCB lists all non-dominated
// paths, which may be exponentially many.
func (n *Network) MCB(t Task) (Plan, error) {
	if _, err := n.job(t); err != nil {
		return Plan{}, err
	}
	patient := t
	patient.Deadline = 0
	p, err := n.list(patient, exact, byArrival)
	if err == nil && t.Deadline != 0 && p.Run.End > t.Deadline {
		if p.Spent.Cut {
			return Plan{Spent: p.Spent}, bookahead.ErrStopped
		}
		return Plan{Spent: p.Spent}, bookahead.ErrUnavailable
	}
	return p, err
}
