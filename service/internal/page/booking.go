package page

import (
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"time"

	"github.com/bookahead/bookahead/service/api"
	"github.com/bookahead/bookahead/service/internal/office"
)

// bookingView is a booking, with the form that changes it if there is one.
type bookingView struct {
	api.Booking
	Live    bool    // it holds a place, or waits
	Other   *choice // to move it to the other moment at which clocks show its start
	Fields  fields
	Refusal *refusal // of a change
}

var live = map[string]bool{"held": true, "booked": true, "running": true, "waiting": true}

// view returns the page of a booking. The form has what was sent, or what the booking asks for.
func (p *Pages) view(v *visit, sent url.Values) (*bookingView, error) {
	id, err := strconv.ParseUint(v.PathValue("id"), 10, 64)
	if err != nil {
		return nil, &office.Problem{Kind: office.NotFound, Detail: "there is no such booking"}
	}
	b, err := v.look.Booking(id)
	if err != nil {
		return nil, err
	}
	view := &bookingView{Booking: b, Live: live[b.State]}
	if b.Wish == nil || !view.Live {
		return view, nil
	}
	w := *b.Wish
	if b.Start != nil && b.State != "running" {
		view.Other = other(&b, p.zone)
	}
	if b.Start != nil && w.Pieces == nil {
		w.Ready, w.Deadline = b.Start, nil // where it is, and not from when on it might have been
	}
	filled := fieldsOf(&w, p.zone)
	if filled == nil {
		return view, nil
	}
	s, err := v.look.Schedule(w.Parts[0].Schedule)
	if err != nil {
		return nil, err
	}
	if sent != nil {
		filled = sent
	}
	view.Fields = fields{Values: filled, Schedule: s, Caller: v.caller}
	return view, nil
}

// other returns the choice to move a booking to the other moment at which clocks show its start; nil if they show it once.
func other(b *api.Booking, zone *time.Location) *choice {
	start := b.Start.In(zone)
	for _, at := range moments(zone, readingOf(start)) {
		if !at.Equal(start) {
			end := at.Add(b.End.Sub(start))
			return &choice{Button: "Take " + instant(at, start), Fields: url.Values{
				"act": {"move"}, "etag": {b.ETag}, "start": {at.Format(time.RFC3339)}, "end": {end.Format(time.RFC3339)},
			}}
		}
	}
	return nil
}

func (p *Pages) booking(v *visit) (string, any, error) {
	view, err := p.view(v, nil)
	return "booking", view, err
}

// act changes or moves a booking, as long as it is as the form has shown it, or commits, ends or cancels it.
func (p *Pages) act(v *visit) (string, any, error) {
	view, err := p.view(v, nil)
	if err != nil {
		return "", nil, err
	}
	f := p.form(v)
	path := fmt.Sprintf("/bookings/%d", view.ID)
	act := f.Get("act")
	switch {
	case act == "" && view.Fields.Values != nil:
		w, _ := f.wish(&view.Fields.Schedule, *view.Wish)
		err = p.change(v, f, view.ID, w)
	case act == "move" && view.Wish != nil:
		err = p.change(v, f, view.ID, f.moved(&view.Booking))
	case act == "" || act == "move":
		err = &office.Problem{Kind: office.Forbidden, Detail: "this booking cannot be changed here"}
	default:
		_, err = p.office.Act(v.Context(), v.caller, view.ID, f.Get("etag"), office.Act(act))
	}
	if err == nil {
		return v.leave(path)
	}
	sent := v.PostForm
	var problem *office.Problem
	isProblem := errors.As(err, &problem)
	if act != "" || isProblem && problem.Kind == office.Changed {
		sent = nil // show the booking as it is now
	}
	err, v.wrong = p.renew(v), err
	if err == nil {
		view, err = p.view(v, sent)
	}
	if err == nil && isProblem {
		view.Fields.Wrong = fieldOf(problem.Field)
		if problem.Refusal != nil {
			view.Refusal = refused(problem.Refusal, path, "Take this", url.Values{"etag": {view.ETag}})
		}
	}
	return "booking", view, err
}

// change gives a booking another wish, if the form makes sense and the booking still has the tag of the form.
func (p *Pages) change(v *visit, f *form, id uint64, w api.Wish) error {
	err := f.wrong
	if err == nil {
		_, err = p.office.Change(v.Context(), v.caller, id, f.Get("etag"), w, "")
	}
	return err
}
