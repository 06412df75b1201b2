package desk

import (
	"cmp"
	"errors"
	"slices"
	"sort"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/grid"
	"github.com/bookahead/bookahead/internal/effort"
	"github.com/bookahead/bookahead/nodes"
)

// terms returns the terms of a schedule that hold on the trial; nil for none.
func (s *trial) terms(at *schedule) *Terms {
	t, ok := s.milder[at.name]
	if !ok {
		t = at.terms
	}
	if !s.unasked || t == nil || t.Notice == 0 && t.Ahead == 0 {
		return t
	}
	milder := *t
	milder.Notice, milder.Ahead = 0, 0
	return &milder
}

// findPatient is findAllowed for a part that may wait for one group: of the places that start no later behind the earliest than it
// has Patience, the first in one group of Together; the earliest if there is none.
func (s *trial) findPatient(r *Request, p *Part, at *schedule) (spot, error) {
	if p.Tasks == nil || p.Tasks.Patience == 0 {
		return s.findAllowed(r, p, at)
	}
	now := *p
	now.Tasks = another(p.Tasks)
	now.Tasks.Patience = 0
	x, err := s.findAllowed(r, &now, at)
	if err != nil || at.isTogether(&x.places[0], p.Tasks.Together) {
		return x, err
	}
	later := *r
	later.Ready = x.places[0].Start
	last := addTicks(x.places[0].End, p.Tasks.Patience)
	if r.Deadline == 0 || last < r.Deadline {
		later.Deadline = last
	}
	y, err := s.findAllowed(&later, p, at)
	switch {
	case err == nil && at.isTogether(&y.places[0], p.Tasks.Together):
		return y, nil
	case err == nil || errors.Is(err, bookahead.ErrUnavailable):
		return x, nil
	}
	return spot{}, err
}

// isTogether reports whether a place on nodes lies in one group of a level, or on one node.
func (s *schedule) isTogether(p *Place, level string) bool {
	k := s.kind.(Nodes)
	within := func(group []int) bool {
		out := func(node int) bool { return !slices.Contains(group, node) }
		return !slices.ContainsFunc(p.Nodes, func(x nodes.Share) bool { return out(x.Node) }) && (p.Head < 0 || !out(p.Head))
	}
	i := slices.IndexFunc(k.Levels, func(l nodes.Level) bool { return l.Name == level })
	return within([]int{p.Nodes[0].Node}) || i >= 0 && slices.ContainsFunc(k.Levels[i].Groups, within)
}

// refuses returns the rule that refuses a part of a request at every start; "" if none does.
func (t *Terms) refuses(r *Request, d bookahead.Duration) (rule string) {
	switch {
	case t.Longest != 0 && d > t.Longest:
		return ruleLongest
	case !t.admits(r):
		return ruleOwners
	}
	return ""
}

// admits reports whether the owner of a request, or one of its labels, may book.
func (t *Terms) admits(r *Request) bool {
	return len(t.Owners) == 0 && len(t.Labels) == 0 || slices.Contains(t.Owners, r.Owner) ||
		slices.ContainsFunc(r.Labels, func(text string) bool { return slices.Contains(t.Labels, text) })
}

// staysAdmitted reports whether a booking may stay in its place for another request: the place must not pass from an owner
// who may book there to one who may not. An owner who has the place without that right keeps it.
func (s *trial) staysAdmitted(k *Booking, to *Request) bool {
	for i := range k.Places {
		t := s.terms(s.at(k.on[i]))
		if t != nil && k.Places[i].End > s.now && t.admits(&k.Request) && !t.admits(to) {
			return false
		}
	}
	return true
}

// next returns the earliest start from a tick on at which a part keeps the opening hours, Notice and Ahead; if there is
// none, it returns the rule that leaves none. The buffer Before must have room after the clock. A part of 4 ticks:
//
//	Open       ├──┤  ├─────────┤            ├────────┤
//	from 0           5                       the first interval is too short
//	from 8                                   18: only 2 ticks are left of the second
//
// O(log n + k) for n intervals, k of which are passed over since they are too short.
func (t *Terms) next(from bookahead.Time, d bookahead.Duration, now bookahead.Time) (start bookahead.Time, rule string) {
	start = max(from, addTicks(now, t.Notice), addTicks(now, t.Before))
	if start > bookahead.MaxTime-bookahead.Time(d) {
		return 0, ruleOpen
	}
	if len(t.Open) > 0 {
		// The first interval that ends late enough may be too short, and so may those behind it.
		i := sort.Search(len(t.Open), func(i int) bool { return t.Open[i].End >= start+bookahead.Time(d) })
		for i < len(t.Open) && t.Open[i].Len() < d {
			i++
		}
		if i == len(t.Open) {
			return 0, ruleOpen
		}
		start = max(start, t.Open[i].Start)
	}
	if t.Ahead != 0 && start > addTicks(now, t.Ahead) {
		return 0, ruleAhead
	}
	return start, ""
}

// search returns the earliest place for a part that the terms allow. It leaps in turn to the next start that the terms
// allow, and to the next place with room, until both agree. No leap passes over a start that both allow, so the place is
// the earliest. raw searches for the part with its buffers. A part of 4 ticks on a schedule that is booked until 9:
//
//	Open       ├────────────┤     ├──────────┤
//	           0            12    16         26
//	terms      0                             raw finds 9, and 3 ticks are left until 12
//	terms                         16         raw finds 16: both agree
func (t *Terms) search(r *Request, p *Part, now bookahead.Time, m *effort.Meter, raw func(ready, deadline bookahead.Time, length bookahead.Duration) (Place, error)) (Place, error) {
	refuse := func() (Place, error) {
		_, err := raw(-2, -1, 1) // raw checks the part, and then the deadline is over: no place
		return Place{}, cmp.Or(err, bookahead.ErrUnavailable)
	}
	if t.refuses(r, p.Duration) != "" {
		return refuse()
	}
	length := addUp(t.Before, p.Duration, t.After)
	for start := r.Ready; ; {
		if !m.Spend(int64(1 + len(t.Open))) {
			return Place{}, notBefore(start, m.Err())
		}
		next, never := t.next(start, p.Duration, now)
		late := r.Deadline != 0 && r.Deadline < next+bookahead.Time(p.Duration)
		if never != "" || late || length >= bookahead.Duration(bookahead.MaxTime-next)+t.Before {
			return refuse()
		}
		x, err := raw(next-bookahead.Time(t.Before), t.behind(r.Deadline), length)
		if err != nil {
			return Place{}, err
		}
		start = x.Start + bookahead.Time(t.Before)
		again, never := t.next(start, p.Duration, now)
		if never == "" && again == start {
			return t.around(x, start, p.Duration), nil
		}
	}
}

// behind returns the deadline of a part with the buffer behind it; 0 if the part has none.
func (t *Terms) behind(deadline bookahead.Time) bookahead.Time {
	if deadline > bookahead.MaxTime-bookahead.Time(t.After) {
		return 0
	}
	if deadline != 0 {
		deadline += bookahead.Time(t.After)
	}
	return deadline
}

// around returns the place of a part, without the buffers with which it was found.
func (t *Terms) around(x Place, start bookahead.Time, d bookahead.Duration) Place {
	x.Interval = bookahead.Interval{Start: start, End: start + bookahead.Time(d)}
	x.Before, x.After = t.Before, t.After
	return x
}

// goesOn reports whether a part of a booking that has begun can end at another tick.
func (t *Terms) goesOn(r *Request, p *Part, old *Place, now bookahead.Time) bool {
	w := bookahead.Interval{Start: max(old.Start, now), End: old.Start + bookahead.Time(p.Duration)}
	if w.End <= old.End {
		return true
	}
	if t.refuses(r, p.Duration) != "" {
		return false
	}
	i := sort.Search(len(t.Open), func(i int) bool { return t.Open[i].End >= w.End })
	return len(t.Open) == 0 || i < len(t.Open) && t.Open[i].Start <= w.Start
}

// seek finds the earliest start of a step from st.from on, as Terms.search does for a part: all parts of the step keep the
// terms of their schedules.
func (st *step) seek(now bookahead.Time) error {
	last := bookahead.MaxTime
	if st.request.Deadline != 0 {
		last = st.request.Deadline
	}
	for {
		if st.terms != nil && st.from > last-bookahead.Time(st.length) {
			return st.refused()
		}
		if st.from > last-bookahead.Time(st.length) {
			return bookahead.ErrUnavailable
		}
		if st.terms == nil {
			st.job.Ready = st.from
			return st.cosearch()
		}
		next, ok, err := st.allowed(st.from, now)
		if err != nil {
			return err
		}
		if !ok {
			return st.refused()
		}
		if next > st.from {
			st.from = next
			continue
		}
		err = st.padded(last)
		if err == nil {
			err = st.cosearch()
		}
		if err != nil {
			return err
		}
		st.plan.Start += bookahead.Time(st.lead)
		st.from = st.plan.Start
		// The place has room, but the terms may not allow its start: then they leap on from there.
		next, ok, err = st.allowed(st.from, now)
		if err != nil || ok && next == st.from {
			return err
		}
	}
}

// cosearch counts each search of a part.
func (st *step) cosearch() (err error) {
	if !st.meter.Spend(st.cost) {
		return st.meter.Err()
	}
	st.job.Effort = st.meter.Rest(st.cost)
	st.job.Effort.Steps++ // the search that is counted already
	st.plan, err = grid.CoSearch(st.job)
	if !st.meter.Spend(st.cost * max(0, st.plan.Spent-1)) {
		return st.meter.Err()
	}
	if st.terms == nil || err == nil || err == bookahead.ErrUnavailable || errors.Is(err, bookahead.ErrStopped) {
		return err
	}
	return st.refused()
}

// allowed returns the earliest start of a step from a tick on that the terms of all parts allow; false if there is none.
// The step must end on the axis if it starts at the tick.
func (st *step) allowed(from, now bookahead.Time) (next bookahead.Time, ok bool, err error) {
	for i := 0; i < len(st.parts); {
		t, p := st.terms[i], &st.parts[i]
		if t == nil {
			i++
			continue
		}
		if from > bookahead.MaxTime-bookahead.Time(st.length) {
			return 0, false, nil
		}
		if !st.meter.Spend(int64(1 + len(t.Open))) {
			return 0, false, st.meter.Err()
		}
		at := from + bookahead.Time(p.Offset)
		next, never := t.next(at, p.Duration, now)
		switch {
		case never != "":
			return 0, false, nil
		case next > at:
			from, i = from+(next-at), 0
		default:
			i++
		}
	}
	return from, true, nil
}
