package scheduletest

import (
	"slices"

	"pgregory.net/rapid"

	"github.com/bookahead/bookahead"
)

// explain compares the reasons why a request does not fit with the reasons that the oracle finds,
// tick by tick.
func (m *machine) explain(t *rapid.T) {
	w := m.pick(t)
	r := m.request(t, w)
	s := w.s
	meetsAll := m.meetsAll(s, false)
	if rapid.Bool().Draw(t, "plain") && meetsAll {
		s = hide(s)
	}
	got, err := bookahead.Explain(s, r)
	m.did(t, "Explain(%+v) = %v, %v", r, got, err)
	_, want := w.o.place(r)
	if want != nil && want != bookahead.ErrUnavailable {
		sameError(t, err, want)
		return
	}
	sameError(t, err, nil)
	anytime := r
	anytime.Deadline = 0
	start, err := w.o.place(anytime)
	place := got.Earliest.Units > 0
	if place != (err == nil) || place && got.Earliest.Start != start {
		t.Fatalf("the earliest place is %v, not %d, %v", got.Earliest, start, err)
	}
	if !meetsAll && !has[bookahead.Profiler](s) {
		return // Search passes over changes
	}
	now := r.Ready
	f, ok := bookahead.FrameOf(s)
	if ok {
		now = f.Now
	}
	reasons := explainer{w.o, r}.explain(now)
	if got.Window != reasons.Window || got.Blocked != reasons.Blocked || got.Free != reasons.Free || got.Changes != reasons.Changes {
		t.Fatalf("explained by %+v, not %+v", got, reasons)
	}
}

// explainer finds the reasons with the oracle.
type explainer struct {
	o oracle
	r bookahead.Request
}

// part is the part of the capacity that the request could have: a number of units, or some
// servers.
type part struct {
	n       int64
	servers []int
}

// at returns the part that the request could have at a tick.
func (x explainer) at(t bookahead.Time) part {
	if t < x.o.now() || t >= x.o.end() {
		return part{}
	}
	a, _ := x.o.RangeQuery(bookahead.Interval{Start: t, End: t + 1})
	if x.r.Servers != nil {
		a.Servers = slices.DeleteFunc(a.Servers, func(k int) bool { return !slices.Contains(x.r.Servers, k) })
		a.Free = int64(len(a.Servers))
	}
	return part{a.Free, a.Servers}
}

// and returns the part that the request could have at both of two times.
func (s part) and(o part) part {
	if s.servers == nil && o.servers == nil {
		return part{n: min(s.n, o.n)}
	}
	both := []int{}
	for _, k := range s.servers {
		if slices.Contains(o.servers, k) {
			both = append(both, k)
		}
	}
	return part{int64(len(both)), both}
}

func (x explainer) explain(now bookahead.Time) (e bookahead.Explanation) {
	d := bookahead.Time(x.r.Duration)
	start := min(max(x.r.Ready, now), bookahead.MaxTime-d)
	if x.r.Deadline != 0 {
		start = min(start, x.r.Deadline-d)
	}
	e.Window = bookahead.Interval{Start: start, End: start + d}
	last := start // with this tick too little is left in common
	for common := x.at(last); common.n >= x.r.Units; common = common.and(x.at(last)) {
		last++
		if last == start+d {
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
		there := x.at(t)
		if there.n != here.n || !slices.Equal(there.servers, here.servers) {
			e.Changes = t
			return e
		}
	}
	horizon := x.o.end()
	if here.n > 0 && horizon > e.Blocked.Start {
		e.Changes = horizon
	}
	return e
}
