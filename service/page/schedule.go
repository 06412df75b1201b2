package page

import (
	"errors"
	"fmt"
	"html/template"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/bookahead/bookahead/service/api"
	"github.com/bookahead/bookahead/service/office"
	"github.com/bookahead/bookahead/service/who"
)

// most is how many bookings a table has; more are behind a link.
const most = 200

func (p *Pages) schedules(v *visit) (string, any, error) {
	return "schedules", v.look.Schedules(), nil
}

// scheduleView is a window of a schedule.
type scheduleView struct {
	api.Schedule
	window
	Chart    template.HTML
	Bookings []api.Booking
	More     string // the cursor of the next bookings
	Outages  []api.Outage
	Fields   fields
	Refusal  *refusal
	Series   *api.SeriesBooked
	At       string // the address of what is shown, if that of the page is of a form
}

func (s *scheduleView) title() string { return s.Name }

// Views returns the names of windows.
func (s *scheduleView) Views() []string { return views }

// fields is what a form shows, with the choices that a caller has.
type fields struct {
	url.Values
	api.Schedule
	Caller who.Caller
	Wrong  string // the field that is wrong
}

// Operates reports whether the caller may book for anybody.
func (f fields) Operates() bool { return f.Caller.Role >= who.Operator }

// refusal is a wish without a place, and the form that asks for something else.
type refusal struct {
	api.Refusal
	Fields url.Values // of the wish, to ask again
	Wait   time.Time  // until when waiting makes sense
}

// show returns the page of a schedule.
func (p *Pages) show(v *visit, filled url.Values) (*scheduleView, error) {
	s, err := v.look.Schedule(v.PathValue("name"))
	if err != nil {
		return nil, err
	}
	view := &scheduleView{Schedule: s, window: windowAt(v.FormValue("view"), v.FormValue("at"), v.look.Now())}
	width, err := strconv.Atoi(v.FormValue("width"))
	if err != nil {
		width = usualWidth
	}
	names := schedulesOf(&s)
	view.Chart, err = chart(v.look, v.caller, names, view.window, max(leastWidth, min(width, mostWidth)))
	if err != nil {
		return nil, err
	}
	page, err := v.look.Bookings(office.Filter{From: view.From, Until: view.To, Schedule: s.Name, Cursor: v.FormValue("cursor"), Limit: most})
	if err != nil {
		return nil, err
	}
	view.Bookings, view.More = page.Items, page.Next
	for _, name := range names {
		for _, o := range v.look.Outages(name) {
			if o.Start.Before(view.To) && (o.End == nil || o.End.After(view.From)) {
				view.Outages = append(view.Outages, o)
			}
		}
	}
	if filled == nil {
		filled = p.prefilled(v, &s)
	}
	view.Fields = fields{Values: filled, Schedule: s, Caller: v.caller}
	return view, nil
}

// prefilled returns the fields of a new form: those of the address, such as a link has them, and an hour from the next quarter on.
func (p *Pages) prefilled(v *visit, s *api.Schedule) url.Values {
	f := url.Values{"units": {"1"}, "hours": {"1"}}
	step := max(15*time.Minute, p.office.Tick)
	next := v.look.Now().Add(step - 1).Truncate(step)
	f.Set("start", next.In(p.zone).Format(minutes))
	if len(s.Resources) > 0 {
		f.Set("each."+s.Resources[0], "1")
	}
	for _, name := range []string{"start", "by", "hours", "minutes", "units", "servers"} {
		if v.Form.Has(name) {
			f.Set(name, v.FormValue(name))
		}
	}
	return f
}

func (p *Pages) schedule(v *visit) (string, any, error) {
	view, err := p.show(v, nil)
	return "schedule", view, err
}

// book books what a form asks for, once or in a series. A refusal shows the form again, with what is wrong or what else there is.
func (p *Pages) book(v *visit) (string, any, error) {
	s, err := v.look.Schedule(v.PathValue("name"))
	if err != nil {
		return "", nil, err
	}
	f := &form{Values: v.PostForm, clock: p.office.Clock}
	w := f.wish(&s)
	d := f.length()
	series, isSeries := f.series(&w, d)
	body := api.Book{Wish: w, Wait: f.time("wait")}
	hold := f.number("hold")
	if hold > 0 {
		until := v.look.Now().Add(time.Duration(min(hold, 1<<20)) * time.Minute)
		body.Hold = &until
	}
	v.said = f.notes
	err = f.err()
	var booked api.Booking
	var made api.SeriesBooked
	switch {
	case err != nil:
	case isSeries:
		made, err = p.office.BookSeries(v.Context(), v.caller, f.key(), series)
	default:
		booked, err = p.office.Book(v.Context(), v.caller, f.key(), body)
	}
	if err == nil && !isSeries {
		at := fmt.Sprintf("/bookings/%d", booked.ID)
		if len(f.notes) > 0 {
			at += "?twice=1"
		}
		return v.leave(at)
	}
	if w.Ready != nil && v.FormValue("at") == "" {
		v.Form.Set("at", w.Ready.Format(time.DateOnly)) // show the day that was asked for
	}
	filled := v.PostForm
	if err == nil {
		filled = nil
		now, wrong := p.office.Look(v.Context(), v.caller)
		if wrong == nil {
			v.look = now
		}
	}
	view, wrong := p.show(v, filled)
	if wrong != nil {
		return "", nil, errors.Join(err, wrong)
	}
	view.At = fmt.Sprintf("/schedules/%s?view=%s&at=%s", url.PathEscape(s.Name), view.View, view.Day())
	if err == nil {
		view.Series = &made
		return "schedule", view, nil
	}
	v.wrong = err
	var problem *office.Problem
	if errors.As(err, &problem) {
		view.Fields.Wrong = fieldOf(problem.Field)
		if problem.Refusal != nil {
			view.Refusal = refused(problem.Refusal, v.PostForm, &w, d, isSeries)
		}
	}
	return "schedule", view, nil
}

// refused returns what a page shows of a refusal. Waiting makes sense as long as the wish can still begin.
func refused(r *api.Refusal, sent url.Values, w *api.Wish, d time.Duration, isSeries bool) *refusal {
	x := &refusal{Refusal: *r}
	if isSeries {
		x.Alternatives = nil // of one occurrence alone
		return x
	}
	x.Alternatives = slices.DeleteFunc(slices.Clone(r.Alternatives), func(o api.Offer) bool { return exactly(&o) == nil })
	if w.Deadline != nil {
		x.Wait = w.Deadline.Add(-d)
		x.Fields = url.Values{}
		for name, texts := range sent {
			if name != "key" && name != "wait" && name != "hold" {
				x.Fields[name] = texts
			}
		}
	}
	return x
}

// fieldOf returns the field of a form for a field of the API: "hours" for "parts[0].duration".
func fieldOf(field string) string {
	for i := len(field) - 1; i >= 0; i-- {
		if field[i] == '.' {
			field = field[i+1:]
			break
		}
	}
	name, ok := map[string]string{"duration": "hours", "ready": "start", "deadline": "by", "from": "start", "rule": "until"}[field]
	if ok {
		return name
	}
	return field
}
