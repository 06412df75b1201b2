package scheduletest

import (
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
	_, want := w.o.Place(r)
	if want != nil && want != bookahead.ErrUnavailable {
		sameError(t, err, want)
		return
	}
	sameError(t, err, nil)
	anytime := r
	anytime.Deadline = 0
	start, err := w.o.Place(anytime)
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
	reasons := w.o.Reasons(r, now)
	if got.Window != reasons.Window || got.Blocked != reasons.Blocked || got.Free != reasons.Free || got.Changes != reasons.Changes {
		t.Fatalf("explained by %+v, not %+v", got, reasons)
	}
}
