package desk

import (
	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/effort"
)

// joint returns the quotas of unit-ticks that count two or more steps of a shape. The starts of these steps depend on each
// other: a later start of one may let another start earlier, so no place is the earliest for every step.
func (s *stage) joint(r *Request, shape Shape) (list []*rule) {
	for _, q := range s.rules {
		if q.Ticks > 0 && s.asks(q) && q.counts(r.Owner, r.Labels) && s.stepsCounted(q, shape) > 1 {
			list = append(list, q)
		}
	}
	return list
}

// stepsCounted returns how many steps of a shape a quota counts.
func (b *books) stepsCounted(q *rule, shape Shape) (steps int) {
	counted := false
	for i := range shape {
		p := &shape[i]
		if p.After != nil {
			counted = false
		}
		if !counted && b.asked(q, p) > 0 {
			counted = true
			steps++
		}
	}
	return steps
}

// heed leaves the steps of a shape in their first place, in which no step alone breaks a quota, if all of them together
// break none of the joint quotas. Otherwise the steps get a rigid place, as in the picture of Quota.
func (s *stage) heed(joint []*rule, r *Request, steps []*step) error {
	start := steps[0].plan.Start
	at := make([]bookahead.Duration, len(steps))
	for i, st := range steps {
		at[i] = bookahead.Duration(st.plan.Start - start)
	}
	_, err := s.claims(joint, r, laid(steps, at)).next(start, start, s.meter)
	if err != bookahead.ErrUnavailable {
		return err
	}
	at = leastDistances(steps)
	if wholeOf(steps, at) == bookahead.Duration(bookahead.MaxTime) {
		return bookahead.ErrUnavailable
	}
	return rigid(steps, at, s.claims(s.rules, r, laid(steps, at)), s.now, s.meter)
}

// laid returns the parts of all steps, with their offsets from the first step; at has the distance of each step from it.
func laid(steps []*step, at []bookahead.Duration) (parts []Part) {
	for i, st := range steps {
		for _, p := range st.parts {
			p.Offset += at[i]
			parts = append(parts, p)
		}
	}
	return parts
}

// wholeOf returns the time from the start of the first step to the end of the last.
func wholeOf(steps []*step, at []bookahead.Duration) bookahead.Duration {
	last := len(steps) - 1
	return addUp(at[last], steps[last].length)
}

// leastDistances returns the least distance of each step from the first that the gaps and the buffers between steps allow.
// The steps have a place, so the bounds do not contradict each other. A bound of a later step may move an earlier one, so
// all bounds are looked at once for each step:
//
//	step 0   ████
//	step 1            ██          it could follow step 0 at once, but step 2 may not be so late behind it
//	step 2              ████      a buffer keeps it apart from step 0
func leastDistances(steps []*step) []bookahead.Duration {
	at := make([]bookahead.Duration, len(steps))
	for range steps {
		for i, st := range steps[1:] {
			at[i+1] = max(at[i+1], addUp(at[i], steps[i].length, st.gap.Least))
			for _, x := range st.apart {
				at[i+1] = max(at[i+1], addUp(at[x.step], x.end, x.buffer)-x.offset)
			}
		}
		for i := len(steps) - 1; i > 0; i-- {
			at[i-1] = max(at[i-1], at[i]-addUp(steps[i-1].length, steps[i].gap.Most))
		}
	}
	return at
}

// rigid finds the earliest start at which all steps have room at fixed distances, and which the claims of all parts allow.
// Claims and steps leap in turn to the next start that each of them allows. No leap passes over a start that all allow, so
// the start on which they agree is the earliest. Here the steps have 3 and 2 ticks and no gap, at most 4 unit-ticks are
// allowed in each 6 ticks, and the schedule of step 0 is booked from 3 to 4. The first place has the starts 0 and 3:
//
//	claims    0 ► 2     3 + 2 in [0, 6) are too much, 3 + 1 would do
//	step 0    2 ► 4     the next start with room
//	step 1    4         has room 3 ticks later, at 7
//	claims    4         2 in [0, 6), and 1 + 2 in [6, 12): all agree
//
// The search begins at the first place of the steps, since each step starts there at the earliest.
func rigid(steps []*step, at []bookahead.Duration, list claims, now bookahead.Time, m *effort.Meter) error {
	last := lastStart(steps[0].request.Deadline, wholeOf(steps, at))
	for start := steps[0].plan.Start; ; {
		next, err := list.next(start, last, m)
		if err != nil {
			return err
		}
		for i, st := range steps {
			if next > last {
				return bookahead.ErrUnavailable
			}
			st.from, st.claims = next+bookahead.Time(at[i]), nil // the list has all claims
			err := st.search(now)
			if err != nil {
				return err
			}
			next = st.plan.Start - bookahead.Time(at[i])
		}
		if next == start {
			return nil
		}
		start = next
	}
}
