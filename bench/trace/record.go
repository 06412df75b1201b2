package trace

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/bench/workload"
	"github.com/bookahead/bookahead/carts"
)

// Standard returns the traces by which planners are compared. They are those of BenchmarkBooking: schedules
// from one that fits a cache to one that fits none, and the backlogs of a batch system.
func Standard() []workload.Churn {
	return []workload.Churn{
		{Kind: workload.AR, Capacity: 128, Live: 1_000, Load: 0.70, Powers: true},
		{Kind: workload.AR, Capacity: 128, Live: 100_000, Load: 0.70, Powers: true},
		{Kind: workload.AR, Capacity: 4096, Live: 1_000_000, Load: 0.70, Powers: true},
		{Kind: workload.AR, Capacity: 1 << 20, Live: 1_000_000, Load: 0.70, Powers: true},
		{Kind: workload.Batch, Capacity: 4096, Live: 10_000, Powers: true},
		{Kind: workload.Batch, Capacity: 4096, Live: 100_000, Powers: true},
		{Kind: workload.Batch, Capacity: 4096, Live: 1_000_000, Powers: true},
	}
}

// NameOf returns the name of the trace of a Churn, such as "AR-128-1000".
func NameOf(c workload.Churn) string { return fmt.Sprintf("%s-%d-%d", c.Kind, c.Capacity, c.Live) }

// Named returns the Churn whose trace has the name, for powers of two, booked to 70 % unless it is
// Batch. An error names the part of the name that is wrong.
func Named(name string) (workload.Churn, error) {
	parts := strings.Split(name, "-")
	if len(parts) != 3 {
		return workload.Churn{}, fmt.Errorf("%q is not kind-capacity-live", name)
	}
	c := workload.Churn{Kind: parts[0], Powers: true}
	var err error
	c.Capacity, err = strconv.ParseInt(parts[1], 10, 64)
	if err != nil {
		return c, fmt.Errorf("%q: capacity %q is not a number", name, parts[1])
	}
	c.Live, err = strconv.Atoi(parts[2])
	if err != nil {
		return c, fmt.Errorf("%q: live %q is not a number", name, parts[2])
	}
	if c.Kind != workload.Batch {
		c.Load = 0.70
	}
	_, err = c.Work()
	return c, err
}

// Choose returns the Churns of names with commas between them, and all of Standard if there are none.
func Choose(names string) ([]workload.Churn, error) {
	if names == "" {
		return Standard(), nil
	}
	var all []workload.Churn
	for name := range strings.SplitSeq(names, ",") {
		c, err := Named(name)
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return all, nil
}

// Record returns a trace of so many turns of a Churn. In each turn a request comes, and a
// reservation goes if there are too many. The starts are those
// of carts.Indexed.
//
// A schedule is filled, and changed until most of its first reservations are gone. The trace begins
// with the reservations that are live then. Of a running reservation the trace has the part that is still
// to come.
func Record(c workload.Churn, turns int) (*Trace, error) {
	return record(c, turns, func(capacity int64, booked []bookahead.Offer) (bookahead.Schedule, error) {
		return carts.NewIndexed(capacity, carts.Config{Booked: booked})
	})
}

// record opens a schedule that finds the earliest start. The reservations that open is given
// have the IDs from 1 on, in their order.
func record(c workload.Churn, turns int, open func(capacity int64, booked []bookahead.Offer) (bookahead.Schedule, error)) (*Trace, error) {
	w, err := c.Work()
	if err != nil {
		return nil, err
	}
	s, err := open(c.Capacity, nil)
	if err != nil {
		return nil, err
	}
	booked, err := w.Place(s)
	if err != nil {
		return nil, err
	}
	s, err = open(c.Capacity, booked)
	if err != nil {
		return nil, err
	}
	r := &recorder{s: s, over: w.Turnover(), live: map[bookahead.ID]bookahead.Offer{}}
	for k, b := range booked {
		r.enter(bookahead.Reservation{ID: bookahead.ID(k + 1), Offer: b})
	}
	for range 2 * min(c.Live, 200_000) {
		if err := r.turn(); err != nil {
			return nil, err
		}
	}
	r.begin(c)
	for range turns {
		if err := r.turn(); err != nil {
			return nil, err
		}
	}
	return r.t, nil
}

// recorder makes the calls of a turnover on a schedule, and records them.
type recorder struct {
	s       bookahead.Schedule
	over    *workload.Turnover
	now     bookahead.Time
	live    map[bookahead.ID]bookahead.Offer
	t       *Trace                 // nil before it begins
	numbers map[bookahead.ID]int64 // in the trace
	last    int64                  // number
}

func (r *recorder) enter(res bookahead.Reservation) {
	r.over.Enter(res.ID, res.End)
	r.live[res.ID] = res.Offer
}

// begin starts the trace with the live reservations.
func (r *recorder) begin(c workload.Churn) {
	r.t = &Trace{Header: Header{Name: NameOf(c), Capacity: c.Capacity, Origin: r.now}}
	r.numbers = make(map[bookahead.ID]int64, len(r.live))
	byStart := make([]bookahead.Reservation, 0, len(r.live))
	for id, o := range r.live {
		o.Start = max(o.Start, r.now)
		if o.Start < o.End {
			byStart = append(byStart, bookahead.Reservation{ID: id, Offer: o})
		}
	}
	slices.SortFunc(byStart, func(a, b bookahead.Reservation) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.ID, b.ID))
	})
	for _, res := range byStart {
		r.last++
		r.numbers[res.ID] = r.last
		r.t.Booked = append(r.t.Booked, res.Offer)
	}
}

// note records an operation if the trace has begun.
func (r *recorder) note(o Operation) {
	if r.t != nil {
		r.t.Operations = append(r.t.Operations, o)
	}
}

// turn makes the calls of one turn: a request comes, and a reservation goes.
func (r *recorder) turn() error {
	q := r.over.Request()
	if r.t != nil {
		r.last++
	}
	r.note(Operation{Kind: Reserve, Number: r.last, At: q.Ready, Duration: q.Duration, Units: q.Units, Deadline: q.Deadline})
	res, err := r.s.Reserve(q)
	switch {
	case err == nil:
		r.enter(res)
		if r.t != nil {
			r.numbers[res.ID] = r.last
		}
	case !errors.Is(err, bookahead.ErrUnavailable):
		return err
	}
	for r.over.Over() {
		id, now, advance := r.over.Leave()
		delete(r.live, id)
		if advance {
			r.now = now
			r.note(Operation{Kind: Advance, At: now})
			err = r.s.Advance(now)
		} else {
			r.note(Operation{Kind: Release, Number: r.numbers[id]})
			err = r.s.Release(id)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
