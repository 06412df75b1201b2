package page

import (
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"html/template"
	"maps"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/bookahead/bookahead/service/api"
	"github.com/bookahead/bookahead/service/internal/office"
	"github.com/bookahead/bookahead/service/internal/who"
)

// most is how many bookings a table has; more are behind a link.
const most = 200

func (p *Pages) schedules(v *visit) (string, any, error) {
	return "schedules", v.look.Schedules(), nil
}

// addressOf returns the address of a schedule.
func addressOf(schedule string) string { return "/schedules/" + url.PathEscape(schedule) }

// scheduleView is a window of a schedule.
type scheduleView struct {
	api.Schedule
	window
	At       string // the address of what is shown, also if that of the page is of a form
	Chart    template.HTML
	Bookings []api.Booking
	More     string // the cursor of the next bookings
	Outages  []api.Outage
	Fields   fields
	Refusal  *refusal
	Series   *api.SeriesBooked
}

// Views returns the names of windows.
func (s *scheduleView) Views() []string { return views }

// fields is what a form shows, with the choices that a caller has.
type fields struct {
	url.Values
	api.Schedule
	Caller who.Caller
	Wrong  string // the field that is wrong
}

// choice is a place, and a form of one button that takes it; a place without a button is only shown.
type choice struct {
	api.Offer
	Action string
	Fields url.Values
	Button string
}

// refusal says why a wish has no place, and which places it may have.
type refusal struct {
	Title, Detail string
	api.Refusal
	Choices []choice
}

// offer adds a place to choose. The form is sent to an address, or to the schedule of the place for "". It has some fields besides; a
// wish of several parts has no form.
func (x *refusal) offer(o *api.Offer, action, button string, besides url.Values) {
	c := choice{Offer: *o, Action: action, Button: button}
	c.Fields = fieldsOf(&o.Wish, o.Start.Location())
	if c.Fields == nil {
		return
	}
	if action == "" {
		c.Action = addressOf(o.Wish.Parts[0].Schedule)
	}
	maps.Copy(c.Fields, besides)
	x.Choices = append(x.Choices, c)
}

// show returns the page of a schedule.
func (p *Pages) show(v *visit, filled url.Values) (*scheduleView, error) {
	s, err := v.look.Schedule(v.PathValue("name"))
	if err != nil {
		return nil, err
	}
	view := &scheduleView{Schedule: s, window: windowAt(v.FormValue("view"), v.FormValue("at"), v.look.Now())}
	cursor := v.FormValue("cursor")
	view.At = addressOf(s.Name) + "?" + url.Values{"view": {view.View}, "at": {view.Day()}, "cursor": {cursor}}.Encode()
	width, err := strconv.Atoi(v.FormValue("width"))
	if err != nil {
		width = usualWidth
	}
	names := schedulesOf(&s)
	view.Chart, err = chart(v.look, v.caller, names, view.window, max(leastWidth, min(width, mostWidth)))
	if err != nil {
		return nil, err
	}
	page, err := v.look.Bookings(office.Filter{From: view.From, Until: view.To, Schedule: s.Name, Cursor: cursor, Limit: most})
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

// prefilled returns the fields of a new form: an hour from the next quarter on, and what the address has, as that of a link may.
func (p *Pages) prefilled(v *visit, s *api.Schedule) url.Values {
	step := max(15*time.Minute, p.office.Tick)
	next := v.look.Now().Add(step - 1).Truncate(step)
	part := api.Part{Units: 1, Duration: api.DurationOf(time.Hour)}
	if len(s.Resources) > 0 {
		part.Each = map[string]int64{s.Resources[0]: 1}
	}
	f := fieldsOf(&api.Wish{Ready: &next, Parts: []api.Part{part}}, p.zone)
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

// book books what a form asks for, once or in a series, or looks for its earliest place. A refusal shows the form again, with what is
// wrong or what else there is.
func (p *Pages) book(v *visit) (string, any, error) {
	s, err := v.look.Schedule(v.PathValue("name"))
	if err != nil {
		return "", nil, err
	}
	f := p.form(v)
	w, d := f.wish(&s, api.Wish{Parts: []api.Part{{Schedule: s.Name}}})
	besides := url.Values{"key": {rand.Text()}, "hold": f.Values["hold"], "view": {v.FormValue("view")}}
	if f.Get("act") == "search" {
		return "earliest", earliest(v, f, w, besides), nil
	}
	series, isSeries := f.series(&w, d)
	body := api.Book{Wish: w, Wait: f.time("wait")}
	hold := f.number("hold")
	if hold > 0 {
		until := v.look.Now().Add(time.Duration(min(hold, 1<<20)) * time.Minute)
		body.Hold = &until
	}
	err = f.wrong
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
		return v.leave(fmt.Sprintf("/bookings/%d", booked.ID))
	}
	if w.Ready != nil && v.FormValue("at") == "" {
		v.Form.Set("at", w.Ready.Format(time.DateOnly)) // show the day that was asked for
	}
	filled := v.PostForm
	if err == nil {
		filled = nil
		err = p.renew(v)
	}
	view, wrong := p.show(v, filled)
	if wrong != nil {
		return "", nil, errors.Join(err, wrong)
	}
	if err == nil {
		view.Series = &made
		return "schedule", view, nil
	}
	v.wrong = err
	var problem *office.Problem
	if !errors.As(err, &problem) {
		return "schedule", view, nil
	}
	view.Fields.Wrong = fieldOf(problem.Field)
	switch {
	case problem.Refusal == nil:
	case isSeries: // an alternative would be one of one occurrence alone
		view.Refusal = &refusal{Title: whyNot, Refusal: *problem.Refusal}
	default:
		view.Refusal = refused(problem.Refusal, "", "Book this", besides)
		view.Refusal.wait(v, &w, d, besides)
	}
	return "schedule", view, nil
}

const whyNot = "Why not"

// refused returns what a page shows of a refusal.
func refused(r *api.Refusal, action, button string, besides url.Values) *refusal {
	x := &refusal{Title: whyNot, Refusal: *r}
	for i := range r.Alternatives {
		x.offer(&r.Alternatives[i], action, button, besides)
	}
	return x
}

// wait adds the choice to wait, as long as the wish can still begin.
func (x *refusal) wait(v *visit, w *api.Wish, d time.Duration, besides url.Values) {
	now := v.look.Now()
	if w.Deadline == nil || !w.Deadline.Add(-d).After(now) {
		return
	}
	until := w.Deadline.Add(-d)
	fields := maps.Clone(v.PostForm)
	maps.Copy(fields, besides)
	fields.Del("hold")
	fields.Set("wait", until.Format(time.RFC3339))
	x.Choices = append(x.Choices, choice{Action: addressOf(w.Parts[0].Schedule), Fields: fields, Button: "Wait for it until " + instant(until, now)})
}

// earliest returns the earliest place of a wish from its start on, or why there is none.
func earliest(v *visit, f *form, w api.Wish, besides url.Values) *refusal {
	err := f.wrong
	var o api.Offer
	if err == nil {
		w.Deadline = nil
		o, err = v.look.Search(&w)
	}
	x := &refusal{Title: "The earliest place"}
	button := "Book this"
	var problem *office.Problem
	switch {
	case errors.As(err, &problem) && problem.Refusal != nil:
		x.Title, x.Refusal = "There is no place", *problem.Refusal
		return x
	case err != nil:
		x.Title, x.Detail = "Not yet", err.Error()
		return x
	case w.Ready != nil && w.Ready.Equal(o.Start):
		x.Title, button = "Free", ""
	case f.text("repeat") != "":
		button = ""
	}
	x.offer(&o, "", button, besides)
	return x
}

// fieldOf returns the field of a form for a field of the API: "hours" for "parts[0].duration".
func fieldOf(field string) string {
	field = field[strings.LastIndexByte(field, '.')+1:]
	return cmp.Or(map[string]string{"duration": "hours", "ready": "start", "deadline": "by", "from": "start", "rule": "until"}[field], field)
}
