package desk

import (
	"cmp"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/grid"
	"github.com/bookahead/bookahead/internal/account"
	"github.com/bookahead/bookahead/internal/effort"
)

// jointQuotas returns the quotas of unit-ticks that count two or more steps of a shape. The starts of these steps depend on each
// other: a later start of one may let another start earlier, so no place is the earliest for every step.
func (s *trial) jointQuotas(r *Request, shape Shape) (list []*quotaRule) {
	for _, q := range s.rules {
		if q.Bounds.Ticks > 0 && s.asks(q.Name) && q.Counts(r.Owner, r.Labels) && s.stepsCounted(q, shape) > 1 {
			list = append(list, q)
		}
	}
	return list
}

// stepsCounted returns how many steps of a shape a quota counts.
func (b *books) stepsCounted(q *quotaRule, shape Shape) (steps int) {
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

// keepJoint leaves the steps of a shape in their first place, in which no step alone breaks a quota, if all of them together
// break none of the joint quotas. Otherwise the steps get a place with fixed gaps, as in the picture of Quota.
func (s *trial) keepJoint(joint []*quotaRule, r *Request, steps []*step) error {
	start := steps[0].plan.Start
	at := make([]bookahead.Duration, len(steps))
	for i, st := range steps {
		at[i] = bookahead.Duration(st.plan.Start - start)
	}
	_, err := s.quotaClaims(joint, r, laid(steps, at)).Next(start, start, s.meter)
	if err != bookahead.ErrUnavailable {
		return err
	}
	at = leastDistances(steps)
	if wholeOf(steps, at) == bookahead.Duration(bookahead.MaxTime) {
		return bookahead.ErrUnavailable
	}
	return searchFixed(steps, at, s.quotaClaims(s.rules, r, laid(steps, at)), s.now, s.meter)
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

// searchFixed finds the earliest start at which all steps have room at fixed distances, and which the claims of all parts allow.
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
func searchFixed(steps []*step, at []bookahead.Duration, list account.Claims, now bookahead.Time, m *effort.Meter) error {
	last := lastStart(steps[0].request.Deadline, wholeOf(steps, at))
	for start := steps[0].plan.Start; ; {
		next, err := list.Next(start, last, m)
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

// pad gives the parts of steps the buffers of their schedules, and keeps them apart. The error is
// bookahead.ErrUnavailable if no start will do.
//
//	part 0       ▓▓██████▓         lead is how far the first buffer begins before the step:
//	part 1           ████████      2 ticks here, and the job begins there
//	job          ├─lead
func (s *trial) pad(r *Request, steps []*step) error {
	buffers := false
	for _, st := range steps {
		for i, k := range st.on {
			at := s.at(k)
			for _, of := range at.of {
				t := s.terms(s.at(of))
				buffers = buffers || t != nil && (t.Before > 0 || t.After > 0)
			}
			t := s.terms(at)
			if t == nil {
				continue
			}
			if t.refuses(r, st.parts[i].Duration) != "" {
				return st.refused()
			}
			if st.terms == nil {
				st.terms = make([]*Terms, len(st.parts))
			}
			st.terms[i] = t
			st.lead = max(st.lead, t.Before-st.parts[i].Offset)
			buffers = buffers || t.Before > 0 || t.After > 0
		}
		if st.terms == nil {
			continue
		}
		for i := range st.parts {
			// The job begins lead ticks before the step, and each part in it with its own buffer.
			p, t := &st.parts[i], st.terms[i]
			if t == nil {
				t = &Terms{}
			}
			end := addUp(st.lead, p.Offset, p.Duration, t.After)
			if end == bookahead.Duration(bookahead.MaxTime) {
				return bookahead.ErrUnavailable
			}
			x := &st.job.Parts[i]
			x.Offset = st.lead + p.Offset - t.Before
			x.Duration = end - x.Offset
			st.whole = max(st.whole, end)
		}
	}
	if !buffers {
		return nil
	}
	return s.keepApart(steps)
}

// padded sets the times of the job of a step, for a start at st.from and parts that end by last.
func (st *step) padded(last bookahead.Time) error {
	if st.request.Deadline < 0 {
		return bookahead.ErrUnavailable
	}
	st.job.Ready = st.from - bookahead.Time(st.lead)
	st.job.Deadline = 0
	behind := bookahead.Time(st.whole - st.lead - st.length)
	if st.job.Ready > bookahead.MaxTime-bookahead.Time(st.whole) {
		return bookahead.ErrUnavailable
	}
	if st.request.Deadline != 0 && last <= bookahead.MaxTime-behind {
		st.job.Deadline = last + behind
	}
	return nil
}

// refused returns the error for a step that its terms refuse: the error of its parts without buffers, if they make no
// sense, and otherwise bookahead.ErrUnavailable. So parts on servers that overlap by their buffers alone, which no search
// takes together, have no place. CoSearch checks a job in the past as any other, and finds no place for it.
func (st *step) refused() error {
	plain := grid.Job{Ready: -1 - bookahead.Time(st.length), Deadline: -1}
	for i, p := range st.job.Parts {
		p.Offset, p.Duration = st.parts[i].Offset, st.parts[i].Duration
		plain.Parts = append(plain.Parts, p)
	}
	_, err := grid.CoSearch(plain)
	return cmp.Or(err, bookahead.ErrUnavailable)
}

// apart is the distance that buffers need between a part of an earlier step and a part of a later one.
type apart struct {
	step   int
	end    bookahead.Duration // from the start of the earlier step to the end of its part
	buffer bookahead.Duration
	offset bookahead.Duration // from the start of the later step to the start of its part
}

// from returns the first start of the later step once the earlier step has its plan; false if that start is beyond the
// axis. The earlier part ends on the axis, even if its step starts before it.
func (x *apart) from(steps []*step) (bookahead.Time, bool) {
	end := steps[x.step].plan.Start + bookahead.Time(x.end)
	if x.buffer > bookahead.Duration(bookahead.MaxTime-end) {
		return 0, false
	}
	return end + bookahead.Time(x.buffer) - bookahead.Time(x.offset), true
}

// keepApart finds the distances that buffers need between steps. Parts of one step need none: on one schedule they are
// searched for together, and on a broker their distances are fixed, so buffers that meet leave no place at all. A part
// that is always free is in nobody's way. If a gap allows less than the buffers need, the error is
// bookahead.ErrUnavailable, since the steps would push each other on for ever.
func (s *trial) keepApart(steps []*step) error {
	for j, next := range steps {
		for b := range next.parts {
			for i, st := range steps[:j+1] {
				for a := range st.parts {
					d := s.between(st.on[a], next.on[b])
					p, q := &st.parts[a], &next.parts[b]
					switch {
					case d == 0 || i == j && a >= b || st.eased != nil && (st.eased[a] || next.eased[b]):
					case i < j:
						next.apart = append(next.apart, apart{i, p.Offset + p.Duration, d, q.Offset})
					case s.at(st.on[a]).of == nil && s.at(next.on[b]).of == nil:
					case p.Offset < addUp(q.Offset, q.Duration, d) && q.Offset < addUp(p.Offset, p.Duration, d):
						return bookahead.ErrUnavailable
					}
				}
			}
		}
	}
	for i := range steps {
		// Gaps and buffers need at least far from step i on, and the gaps allow at most most.
		far := make([]bookahead.Duration, len(steps)) // the least distance from the start of step i
		most := bookahead.Duration(0)
		for j := i + 1; j < len(steps); j++ {
			most = addUp(most, steps[j-1].length, steps[j].gap.Most)
			far[j] = addUp(far[j-1], steps[j-1].length, steps[j].gap.Least)
			for _, x := range steps[j].apart {
				if x.step >= i {
					far[j] = max(far[j], addUp(far[x.step], max(0, addUp(x.end, x.buffer)-x.offset)))
				}
			}
			if far[j] > most {
				return bookahead.ErrUnavailable
			}
		}
	}
	return nil
}

// between returns the buffers between a part and a later one: those of a schedule on which both may lie, of several the
// largest.
func (s *trial) between(on, later int32) (d bookahead.Duration) {
	behind := func(k int32) []int32 {
		if s.at(k).of != nil {
			return s.at(k).of
		}
		return []int32{k}
	}
	for _, k := range behind(on) {
		t := s.terms(s.at(k))
		if t != nil && slices.Contains(behind(later), k) {
			d = max(d, addUp(t.After, t.Before))
		}
	}
	return d
}
