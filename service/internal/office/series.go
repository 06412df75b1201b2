package office

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/desk"
	"github.com/bookahead/bookahead/recur"
	"github.com/bookahead/bookahead/service/api"
	"github.com/bookahead/bookahead/service/internal/who"
)

// BookSeries books a wish once in each window of a rule: all, or with Partly as many as fit.
func (o *Office) BookSeries(ctx context.Context, c who.Caller, key string, s api.Series) (v api.SeriesBooked, err error) {
	l, err := o.Look(ctx, c)
	if err != nil {
		return v, err
	}
	if s.Ready != nil || s.Deadline != nil {
		return v, invalid("ready", "is given, or deadline is: from, window and rule say when a series is")
	}
	cmd := desk.BookSeries{Key: keyOf(c, key), Partly: s.Partly}
	cmd.Request, err = l.allowed(&s.Wish, 0, "")
	if err == nil {
		cmd.At, err = l.occurrences(&s)
	}
	var out desk.Outcome
	if err == nil {
		out, err = o.do(ctx, c.By, 0, 0, cmd)
	}
	var one *desk.OccurrenceError
	if isRefused(err) && errors.As(err, &one) {
		start, end := l.wall(one.Window.Start), l.wall(one.Window.End)
		s.Wish.Ready, s.Wish.Deadline = &start, &end
		cmd.Request.Ready, cmd.Request.Deadline = one.Window.Start, one.Window.End
		err = l.refused(&s.Wish, &cmd.Request, err)
		var p *Problem
		if errors.As(err, &p) {
			p.Detail = fmt.Sprintf("there is no place on %s", start.Format("Mon 2 Jan 2006, 15:04"))
		}
	}
	if err != nil {
		return v, err
	}
	l, err = o.Look(ctx, c)
	if err != nil {
		return v, err
	}
	v = api.SeriesBooked{ID: uint64(out.Series), Bookings: []api.Booking{}}
	for _, id := range out.Occurrences {
		b, err := l.desk.Booking(id)
		if id != 0 && err == nil {
			v.Bookings = append(v.Bookings, l.booking(&b))
		}
	}
	for _, w := range out.Refused {
		v.Refused = append(v.Refused, *l.span(w))
	}
	return v, nil
}

// occurrences returns the windows of a series, in the zone whose clocks count.
func (l *Look) occurrences(s *api.Series) (desk.Occurrences, error) {
	zone := l.Epoch.Location()
	if s.Zone != "" {
		var err error
		zone, err = time.LoadLocation(s.Zone)
		if err != nil || s.Zone == "Local" {
			return nil, invalid("zone", "%q is no time zone such as Europe/Berlin", s.Zone)
		}
	}
	window, err := s.Window.Time()
	if err != nil {
		return nil, invalid("window", "%v", err)
	}
	rule, err := recur.ParseRule(s.Rule, s.From.In(zone), window)
	if err != nil {
		return nil, invalid("rule", "%v", err)
	}
	if rule.Count == 0 && rule.Until.IsZero() {
		return nil, invalid("rule", "%q has no end: give it a COUNT or an UNTIL", s.Rule)
	}
	from, err := l.Floor(s.From)
	if err != nil || from < 0 {
		return nil, invalid("from", "%v is before the first day of the service, or too far from now", s.From.Format(time.RFC3339))
	}
	years, _ := l.Ticks(10 * 366 * day)
	at, err := rule.Occurrences(l.Clock, bookahead.Interval{Start: from, End: from + bookahead.Time(years)})
	switch {
	case err != nil:
		return nil, invalid("rule", "%v", err)
	case len(at) == 0:
		return nil, invalid("rule", "%q has no occurrence from %v on", s.Rule, s.From.Format(time.RFC3339))
	}
	return desk.Occurrences(at), nil
}

// CancelSeries gives up all bookings of a series that have not begun.
func (o *Office) CancelSeries(ctx context.Context, c who.Caller, id uint64) ([]api.Event, error) {
	l, err := o.Look(ctx, c)
	if err != nil {
		return nil, err
	}
	s, err := l.desk.Series(desk.SeriesID(id))
	switch {
	case err != nil:
		return nil, missing("series %d, or it is forgotten", id)
	case !c.May(s.Owner):
		return nil, forbidden("series %d is of %q, and %s may not change it", id, s.Owner, orNobody(c.Owner))
	}
	out, err := o.do(ctx, c.By, 0, 0, desk.CancelSeries{ID: desk.SeriesID(id)})
	if err != nil {
		return nil, err
	}
	return l.Events(out.Events, c.By), nil
}
