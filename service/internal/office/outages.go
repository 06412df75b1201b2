package office

import (
	"context"
	"time"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/desk"
	"github.com/bookahead/bookahead/service/api"
	"github.com/bookahead/bookahead/service/internal/who"
)

// Shut closes units, servers or nodes for a time, and says whom to notify.
func (o *Office) Shut(ctx context.Context, c who.Caller, w api.Close) (api.Closed, error) {
	l, err := o.operates(ctx, c)
	if err != nil {
		return api.Closed{}, err
	}
	cmd := desk.Close{On: w.Schedule, Units: w.Units, Servers: w.Servers, Title: w.Title, Priority: w.Priority, Force: desk.Force(w.Preempt)}
	cmd.Interval, err = l.closing(&w)
	if err != nil {
		return api.Closed{}, err
	}
	out, err := o.do(ctx, c.By, 0, 0, cmd)
	if err != nil {
		return api.Closed{}, err
	}
	v := api.Closed{Notify: []api.Event{}}
	v.Outage = l.outage(&desk.Outage{ID: out.Outage, Close: cmd})
	for _, e := range l.Events(out.Events, c.By) {
		if e.Booking != 0 {
			v.Notify = append(v.Notify, e)
		}
	}
	return v, nil
}

// Open ends an outage now.
func (o *Office) Open(ctx context.Context, c who.Caller, id uint64) ([]api.Event, error) {
	l, err := o.operates(ctx, c)
	if err != nil {
		return nil, err
	}
	out, err := o.do(ctx, c.By, 0, 0, desk.Reopen{ID: desk.OutageID(id)})
	if err != nil {
		return nil, err
	}
	return l.Events(out.Events, c.By), nil
}

// InTheWay returns the bookings that hold units of a schedule in a window, before it is closed.
func (l *Look) InTheWay(w api.Close) ([]api.Booking, error) {
	in, err := l.closing(&w)
	if err != nil {
		return nil, err
	}
	found, err := l.desk.InTheWay(w.Schedule, in, w.Servers)
	if err != nil {
		return nil, problemOf(err)
	}
	list := []api.Booking{}
	for i := range found {
		list = append(list, l.booking(&found[i]))
	}
	return list, nil
}

// closing returns when something is to be closed: from now on, and until further notice, if nothing else is said.
func (l *Look) closing(w *api.Close) (bookahead.Interval, error) {
	x := times{clock: l.clock}
	in := bookahead.Interval{Start: max(x.ready("start", w.Start), l.desk.Now()), End: bookahead.MaxTime}
	if w.End != nil {
		in.End = x.ready("end", w.End)
	}
	return in, x.err
}

// ConfirmClock lets the clock of the desk go on to the present after all members were stopped for long (replicated.JumpError).
func (o *Office) ConfirmClock(ctx context.Context, c who.Caller) error {
	if c.Role < who.Operator {
		return forbidden("only an operator may confirm the clock, and %s is a %s", orNobody(c.Owner), c.Role)
	}
	now, err := o.Floor(time.Now())
	if err == nil {
		err = o.member.ConfirmClock(ctx, now)
	}
	return problemOf(err)
}

// operates returns a look of an operator.
func (o *Office) operates(ctx context.Context, c who.Caller) (*Look, error) {
	if c.Role < who.Operator {
		return nil, forbidden("only an operator may close or open a schedule, and %s is a %s", orNobody(c.Owner), c.Role)
	}
	return o.Look(ctx, c)
}
