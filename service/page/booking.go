package page

import (
	"errors"
	"fmt"
	"net/url"
	"strconv"

	"github.com/bookahead/bookahead/service/api"
	"github.com/bookahead/bookahead/service/office"
)

// bookingView is a booking, with the form that changes it if there is one.
type bookingView struct {
	api.Booking
	Fields fields
	Live   bool // it holds a place, or waits
}

func (b *bookingView) title() string {
	if b.Title != "" {
		return b.Title
	}
	return fmt.Sprintf("Booking %d", b.ID)
}

var live = map[string]bool{"held": true, "booked": true, "running": true, "waiting": true}

// view returns the page of a booking. The form has what was sent, or what the booking asks for.
func (p *Pages) view(v *visit, sent url.Values) (*bookingView, error) {
	id, err := strconv.ParseUint(v.PathValue("id"), 10, 64)
	if err != nil {
		return nil, &office.Problem{Kind: office.NotFound, Detail: "There is no such booking."}
	}
	b, err := v.look.Booking(id)
	if err != nil {
		return nil, err
	}
	view := &bookingView{Booking: b, Live: live[b.State]}
	if b.Wish == nil || !view.Live {
		return view, nil
	}
	filled := fieldsOf(b.Wish, p.zone)
	if filled == nil {
		return view, nil
	}
	s, err := v.look.Schedule(b.Wish.Parts[0].Schedule)
	if err != nil {
		return nil, err
	}
	if b.Start != nil { // where it is, and not from when on it might have been
		filled.Set("start", b.Start.In(p.zone).Format(minutes))
		filled.Del("by")
	}
	if sent != nil {
		filled = sent
	}
	view.Fields = fields{Values: filled, Schedule: s, Caller: v.caller}
	return view, nil
}

func (p *Pages) booking(v *visit) (string, any, error) {
	if v.FormValue("twice") != "" {
		v.said = append(v.said, "Clocks show this time twice that day. The first time was taken.")
	}
	view, err := p.view(v, nil)
	return "booking", view, err
}

// act changes a booking, as long as it is as the form has shown it, or commits, ends or cancels it.
func (p *Pages) act(v *visit) (string, any, error) {
	view, err := p.view(v, nil)
	if err != nil {
		return "", nil, err
	}
	tag := v.PostFormValue("etag")
	act := v.PostFormValue("act")
	if act == "" {
		err = p.change(v, view, tag)
	} else {
		_, err = p.office.Act(v.Context(), v.caller, view.ID, tag, office.Act(act))
	}
	if err == nil {
		return v.leave(fmt.Sprintf("/bookings/%d", view.ID))
	}
	now, wrong := p.office.Look(v.Context(), v.caller)
	if wrong == nil {
		v.look = now
	}
	sent := v.PostForm
	var problem *office.Problem
	isProblem := errors.As(err, &problem)
	if act != "" || isProblem && problem.Kind == office.Changed {
		sent = nil // show the booking as it is now
	}
	view, wrong = p.view(v, sent)
	if wrong != nil {
		return "", nil, wrong
	}
	if isProblem {
		view.Fields.Wrong = fieldOf(problem.Field)
	}
	v.wrong = err
	return "booking", view, nil
}

// change gives a booking the fields of a form.
func (p *Pages) change(v *visit, view *bookingView, tag string) error {
	if view.Wish == nil || view.Fields.Values == nil {
		return &office.Problem{Kind: office.Forbidden, Detail: "This booking cannot be changed here."}
	}
	f := &form{Values: v.PostForm, clock: p.office.Clock}
	w := f.wish(&view.Fields.Schedule)
	w.Labels, w.Priority = view.Wish.Labels, view.Wish.Priority
	v.said = f.notes
	err := f.err()
	if err == nil {
		_, err = p.office.Change(v.Context(), v.caller, view.ID, tag, w, "")
	}
	return err
}
