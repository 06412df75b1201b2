package desk

import (
	"cmp"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/grid"
)

// pad gives the parts of steps the buffers of their schedules, and keeps them apart. The error is
// bookahead.ErrUnavailable if no start will do.
//
//	part 0       ▓▓██████▓         lead is how far the first buffer begins before the step:
//	part 1           ████████      2 ticks here, and the job begins there
//	job          ├─lead
func (s *stage) pad(r *Request, steps []*step) error {
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
func (s *stage) keepApart(steps []*step) error {
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
func (s *stage) between(on, later int32) (d bookahead.Duration) {
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
