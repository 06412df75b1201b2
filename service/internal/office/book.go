package office

import (
	"context"
	"fmt"
	"time"

	"github.com/bookahead/bookahead/desk"
	"github.com/bookahead/bookahead/service/api"
	"github.com/bookahead/bookahead/service/internal/who"
)

const day = 24 * time.Hour

// Book books a wish, or holds a place for it, or waits for one. The key is the caller's: another call with the same key and the
// same wish has the same booking as its answer. The error of a wish without a place says why, and what else there is.
func (o *Office) Book(ctx context.Context, c who.Caller, key string, w api.Book) (api.Booking, error) {
	l, err := o.Look(ctx, c)
	if err != nil {
		return api.Booking{}, err
	}
	r, err := l.request(&w.Wish)
	if err == nil {
		err = allowed(c, &r, 0, w.Preempt)
	}
	if err != nil {
		return api.Booking{}, err
	}
	cmd := desk.Book{Key: keyOf(c, key), Request: r, Force: desk.Force(w.Preempt)}
	cmd.Hold, err = l.ready("hold", w.Hold)
	if err == nil {
		cmd.Wait, err = l.ready("wait", w.Wait)
	}
	if err != nil {
		return api.Booking{}, err
	}
	out, err := o.do(ctx, c.By, 0, 0, cmd)
	if isRefused(err) {
		now, wrong := o.Glance(ctx, c)
		if wrong == nil {
			err = now.refused(&w.Wish, &r, err)
		}
	}
	if err != nil {
		return api.Booking{}, err
	}
	return l.booking(&out.Booking), nil
}

// keyOf returns the key of a caller's key: two callers may use the same.
func keyOf(c who.Caller, key string) string {
	if key == "" {
		return ""
	}
	return cut(c.Owner + "\x00" + key)
}

// Change gives a booking another wish. If tag is not "", the booking must still have it. An owner that the wish leaves out stays. The
// error of a wish without a place says why, and what else there is.
func (o *Office) Change(ctx context.Context, c who.Caller, id uint64, tag string, w api.Wish, preempt string) (api.Booking, error) {
	l, b, err := o.own(ctx, c, id)
	if err != nil {
		return api.Booking{}, err
	}
	if w.Owner == "" {
		w.Owner = b.Owner
	}
	r, err := l.request(&w)
	if err == nil {
		err = allowed(c, &r, b.Priority, preempt)
	}
	if err != nil {
		return api.Booking{}, err
	}
	seen, sum, err := sumOf(b.ID, tag)
	if err != nil {
		return api.Booking{}, err
	}
	out, err := o.do(ctx, c.By, seen, sum, desk.Change{ID: b.ID, To: r, Force: desk.Force(preempt)})
	if isRefused(err) {
		now, wrong := o.Glance(ctx, c)
		if wrong == nil {
			err = now.refusedChange(&b, &w, &r, err)
		}
	}
	if err != nil {
		return api.Booking{}, err
	}
	return l.booking(&out.Booking), nil
}

// own returns a look, and a booking that the caller may change.
func (o *Office) own(ctx context.Context, c who.Caller, id uint64) (*Look, desk.Booking, error) {
	l, err := o.Look(ctx, c)
	if err != nil {
		return nil, desk.Booking{}, err
	}
	b, err := l.desk.Booking(desk.BookingID(id))
	switch {
	case err != nil:
		return nil, b, &Problem{Kind: NotFound, Detail: fmt.Sprintf("there is no booking %d, or it is forgotten", id), cause: err}
	case !c.May(b.Owner):
		return nil, b, forbidden("booking %d is of %q, and %s may not change it", id, b.Owner, orNobody(c.Owner))
	}
	return l, b, nil
}

// Act is something that can be done to a booking without another wish.
type Act string

// The acts.
const (
	Commit Act = "commit" // a hold becomes a booking
	End    Act = "end"    // a running booking ends now
	Cancel Act = "cancel" // a booking is given up
)

// Act does something to a booking. If tag is not "", the booking must still have it.
func (o *Office) Act(ctx context.Context, c who.Caller, id uint64, tag string, act Act) (api.Booking, error) {
	l, b, err := o.own(ctx, c, id)
	if err != nil {
		return api.Booking{}, err
	}
	var cmd desk.Command
	switch act {
	case Commit:
		cmd = desk.Commit{ID: b.ID}
	case End:
		cmd = desk.End{ID: b.ID}
	case Cancel:
		cmd = desk.Cancel{ID: b.ID}
	default:
		return api.Booking{}, invalid("act", "%q is none of commit, end and cancel", string(act))
	}
	seen, sum, err := sumOf(b.ID, tag)
	if err != nil {
		return api.Booking{}, err
	}
	out, err := o.do(ctx, c.By, seen, sum, cmd)
	if err != nil {
		return api.Booking{}, err
	}
	return l.booking(&out.Booking), nil
}
