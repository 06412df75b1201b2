package scheduletest

import (
	"errors"
	"math"
	"slices"

	"pgregory.net/rapid"

	"github.com/bookahead/bookahead"
)

// sizeIsNeverInvalid makes requests that are too large, too long or too late, and
// requests for servers that the schedule does not know.
func sizeIsNeverInvalid(t *rapid.T, target Target) {
	h := drawHistory(t, target)
	questions := drawQuestions(t, target, h)
	before := ask(h.Schedule, questions)
	good := bookahead.Request{Ready: h.now, Duration: 1, Units: 1}
	calls := []func(bookahead.Request) error{
		func(r bookahead.Request) error { _, err := h.Search(r); return err },
		func(r bookahead.Request) error { _, err := h.Reserve(r); return err },
	}
	h.refuses(t, "Search and Reserve", calls, oversized(h), bookahead.ErrUnavailable)
	h.refuses(t, "Search and Reserve", calls, foreign(target, h, good), bookahead.ErrInvalid)
	if k, ok := h.Schedule.(bookahead.Keeper); ok {
		for _, res := range h.live {
			calls := []func(bookahead.Request) error{
				func(r bookahead.Request) error { _, err := k.SearchFor(res.ID, r); return err },
				func(r bookahead.Request) error { _, err := k.Rebook(res.ID, r); return err },
			}
			sizes, good := oversized(h), good
			if res.Start <= h.now {
				sizes = oversizedAnew(h, res)
				good.Duration = res.Len()
			}
			h.refuses(t, "SearchFor and Rebook of "+res.String(), calls, sizes, bookahead.ErrUnavailable)
			h.refuses(t, "SearchFor and Rebook of "+res.String(), calls, foreign(target, h, good), bookahead.ErrInvalid)
		}
	}
	compareAnswers(t, questions, before, ask(h.Schedule, questions))
}

// refuses checks that the calls give the wanted error. It leaves out requests that are invalid
// for every schedule.
func (h *history) refuses(t rapid.TB, name string, calls []func(bookahead.Request) error, list []bookahead.Request, want error) {
	for _, r := range list {
		for _, call := range calls {
			if r.Validate() != nil {
				continue
			}
			if err := call(r); !errors.Is(err, want) {
				t.Fatalf("%s with %+v: got %v, want %v", name, r, err, want)
			}
		}
	}
}

// oversized returns requests that are too large, too long or too late at any time.
func oversized(h history) (list []bookahead.Request) {
	const most = math.MaxInt64
	if h.Capacity < most {
		for _, units := range []int64{h.Capacity + 1, most} {
			list = append(list,
				bookahead.Request{Ready: h.now, Duration: 1, Units: units},
				bookahead.At(h.now, 1, units))
		}
	}
	for _, passed := range []bookahead.Time{h.now, h.now - 1, -1} {
		if passed != 0 { // a deadline of 0 would mean none
			list = append(list, bookahead.At(passed-3, 3, 1))
		}
	}
	left := bookahead.Duration(h.end() - h.now)
	if left < most {
		list = append(list,
			bookahead.Request{Duration: left + 1, Units: 1},
			bookahead.Request{Duration: most, Units: 1},
			bookahead.Request{Ready: later(h.end(), -2), Duration: 3, Units: 1},
			bookahead.Request{Ready: most - 1, Duration: 1, Units: 1})
	}
	if h.Horizon == 0 {
		list = slices.DeleteFunc(list, func(r bookahead.Request) bool { return r.Ready > h.now }) // these fit
	}
	return list
}

// oversizedAnew is oversized for a Rebook of a running reservation, whose Start stays.
func oversizedAnew(h history, res bookahead.Reservation) (list []bookahead.Request) {
	const most = math.MaxInt64
	d := res.Len()
	if h.Capacity < most {
		list = append(list,
			bookahead.Request{Duration: d, Units: h.Capacity + 1},
			bookahead.Request{Duration: d, Units: most})
	}
	for _, tooSoon := range []bookahead.Time{res.End - 1, h.now, h.now - 1, -1} {
		if tooSoon != 0 && d < bookahead.Duration(most-span) {
			list = append(list, bookahead.At(tooSoon-bookahead.Time(d), d, res.Units))
		}
	}
	left := bookahead.Duration(h.end() - res.Start)
	if left < most {
		list = append(list,
			bookahead.Request{Duration: left + 1, Units: 1},
			bookahead.Request{Duration: most, Units: 1})
	}
	return list
}

// foreign returns the request with servers that the schedule does not know. A pool knows no
// servers.
func foreign(target Target, h history, r bookahead.Request) []bookahead.Request {
	at := func(servers ...int) bookahead.Request {
		r := r
		r.Servers = servers
		return r
	}
	if !target.Servers {
		return []bookahead.Request{at(0), at(0, 1)}
	}
	return []bookahead.Request{at(int(h.Capacity)), at(0, int(h.Capacity)), at(math.MaxInt)}
}
