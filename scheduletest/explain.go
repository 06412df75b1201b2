package scheduletest

import (
	"slices"

	"pgregory.net/rapid"

	"github.com/bookahead/bookahead"
)

// explain compares the reasons why a request does not fit with what the oracle
// finds, tick by tick.
func (m *machine) explain(t *rapid.T) {
	w := m.pick(t)
	r := m.request(t, w)
	s := w.s
	f, framed := s.(bookahead.Framer)
	if l, ok := s.(*bookahead.LockedSchedule); ok { // it sees through the lock
		l.View(func(s bookahead.Schedule) { f, framed = s.(bookahead.Framer) })
	}
	if rapid.Bool().Draw(t, "plain") && m.target.Step <= 1 && m.target.Attempts == 0 { // else Search cannot tell all
		s, framed = struct{ bookahead.Schedule }{s}, false
	}
	got, err := bookahead.Explain(s, r)
	m.did(t, "Explain(%+v) = %v, %v", r, got, err)
	if _, want := w.o.place(r); want != nil && want != bookahead.ErrUnavailable {
		sameError(t, err, want)
		return
	}
	sameError(t, err, nil)
	anytime := r
	anytime.Deadline = 0
	start, err := w.o.place(anytime)
	if place := got.Earliest.Units > 0; place != (err == nil) || place && got.Earliest.Start != start {
		t.Fatalf("the earliest place is %v, not %d, %v", got.Earliest, start, err)
	}
	now := r.Ready
	if framed {
		now = f.Frame().Start
	}
	want := explainer{w.o, r}.explain(now)
	if got.Window != want.Window || got.Blocked != want.Blocked || got.Free != want.Free || got.Changes != want.Changes {
		t.Fatalf("explained by %+v, not %+v", got, want)
	}
}

// explainer finds the reasons with the oracle.
type explainer struct {
	o oracle
	r bookahead.Request
}

// share is what the request could have: so many units, or these servers.
type share struct {
	n       int64
	servers []int
}

// at returns what the request could have at a tick.
func (x explainer) at(t bookahead.Time) share {
	if t < x.o.now() || t >= x.o.end() {
		return share{}
	}
	a, _ := x.o.RangeQuery(bookahead.Interval{Start: t, End: t + 1})
	if x.r.Servers != nil {
		a.Servers = slices.DeleteFunc(a.Servers, func(k int) bool { return !slices.Contains(x.r.Servers, k) })
		a.Free = int64(len(a.Servers))
	}
	return share{a.Free, a.Servers}
}

// and returns what the request could have at both of two times.
func (s share) and(o share) share {
	if s.servers == nil && o.servers == nil {
		return share{n: min(s.n, o.n)}
	}
	both := []int{}
	for _, k := range s.servers {
		if slices.Contains(o.servers, k) {
			both = append(both, k)
		}
	}
	return share{int64(len(both)), both}
}

func (x explainer) explain(now bookahead.Time) (e bookahead.Explanation) {
	d := bookahead.Time(x.r.Duration)
	start := min(max(x.r.Ready, now), bookahead.MaxTime-d)
	if x.r.Deadline != 0 {
		start = min(start, x.r.Deadline-d)
	}
	e.Window = bookahead.Interval{Start: start, End: start + d}
	last := start // the first tick with which it is too little
	for common := x.at(last); common.n >= x.r.Units; common = common.and(x.at(last)) {
		if last++; last == start+d {
			return e
		}
	}
	e.Blocked = bookahead.Interval{Start: last, End: last + 1}
	common := x.at(last)
	if common.n < x.r.Units {
		for e.Blocked.End < start+d && x.at(e.Blocked.End).n < x.r.Units {
			common = common.and(x.at(e.Blocked.End))
			e.Blocked.End++
		}
	}
	for common.n >= x.r.Units {
		e.Blocked.Start--
		common = common.and(x.at(e.Blocked.Start))
	}
	e.Free = common.n
	e.Changes = bookahead.MaxTime
	here := x.at(e.Blocked.Start)
	for t := e.Blocked.Start + 1; t < later(max(x.o.busy(), x.o.now(), e.Blocked.Start), 2); t++ {
		if there := x.at(t); there.n != here.n || !slices.Equal(there.servers, here.servers) {
			e.Changes = t
			return e
		}
	}
	if horizon := x.o.end(); here.n > 0 && horizon > e.Blocked.Start {
		e.Changes = horizon
	}
	return e
}
