package office

import (
	"cmp"
	"context"
	"time"

	"github.com/bookahead/bookahead/desk"
	"github.com/bookahead/bookahead/service/api"
	"github.com/bookahead/bookahead/service/internal/who"
)

const day = 24 * time.Hour

// Book books a wish, or holds a place for it, or waits for one. The key is the caller's: another call with the same key and the
// same wish has the same booking as its answer. The error of a wish without a place says why, and what else there is.
func (o *Office) Book(ctx context.Context, c who.Caller, key string, w api.Book) (v api.Booking, err error) {
	l, err := o.Look(ctx, c)
	if err != nil {
		return v, err
	}
	x := times{clock: l.clock}
	cmd := desk.Book{Key: keyOf(c, key), Force: desk.Force(w.Preempt), Hold: x.ready("hold", w.Hold), Wait: x.ready("wait", w.Wait)}
	cmd.Request, err = l.allowed(&w.Wish, 0, w.Preempt)
	err = cmp.Or(err, x.err)
	var out desk.Outcome
	if err == nil {
		out, err = o.do(ctx, c.By, 0, 0, cmd)
	}
	if isRefused(err) {
		now, wrong := o.Glance(ctx, c)
		if wrong == nil {
			err = now.refused(&w.Wish, &cmd.Request, err)
		}
	}
	if err != nil {
		return v, err
	}
	return l.booking(&out.Booking), nil
}

// keyOf returns the key of a caller's key: two callers may use the same. A desk refuses a key that is too long.
func keyOf(c who.Caller, key string) string {
	if key == "" {
		return ""
	}
	return c.Owner + "\x00" + key
}

// Change gives a booking another wish. If tag is not "", the booking must still have it. An owner that the wish leaves out stays. The
// error of a wish without a place says why, and what else there is.
func (o *Office) Change(ctx context.Context, c who.Caller, id uint64, tag string, w api.Wish, preempt string) (api.Booking, error) {
	var had desk.Booking
	var r desk.Request
	v, err := o.change(ctx, c, id, tag, func(l *Look, b *desk.Booking) (cmd desk.Command, err error) {
		w.Owner = cmp.Or(w.Owner, b.Owner)
		had = *b
		r, err = l.allowed(&w, b.Priority, preempt)
		return desk.Change{ID: b.ID, To: r, Force: desk.Force(preempt)}, err
	})
	if isRefused(err) {
		now, wrong := o.Glance(ctx, c)
		if wrong == nil {
			err = now.refusedChange(&had, &w, &r, err)
		}
	}
	return v, err
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
	return o.change(ctx, c, id, tag, func(_ *Look, b *desk.Booking) (desk.Command, error) {
		switch act {
		case Commit:
			return desk.Commit{ID: b.ID}, nil
		case End:
			return desk.End{ID: b.ID}, nil
		case Cancel:
			return desk.Cancel{ID: b.ID}, nil
		}
		return nil, invalid("act", "%q is none of commit, end and cancel", string(act))
	})
}

// change carries out a command on a booking that the caller may change. If tag is not "", the booking has it now, and its sum makes sure that
// it still has it then.
func (o *Office) change(ctx context.Context, c who.Caller, id uint64, tag string, command func(*Look, *desk.Booking) (desk.Command, error)) (v api.Booking, err error) {
	l, err := o.Look(ctx, c)
	if err != nil {
		return v, err
	}
	b, err := l.desk.Booking(desk.BookingID(id))
	seen := desk.Given{}
	switch {
	case err != nil:
		return v, missing("booking %d, or it is forgotten", id)
	case !c.May(b.Owner):
		return v, forbidden("booking %d is of %q, and %s may not change it", id, b.Owner, orNobody(c.Owner))
	case tag != "" && !Matches(tag, etag(&b)):
		return v, &Problem{Kind: Changed, Detail: "the booking has changed since it was read"}
	case tag != "" && tag != "*":
		seen.ID, seen.Sum = b.ID, b.Sum()
	}
	cmd, err := command(l, &b)
	var out desk.Outcome
	if err == nil {
		out, err = o.do(ctx, c.By, seen.ID, seen.Sum, cmd)
	}
	if err != nil {
		return v, err
	}
	return l.booking(&out.Booking), nil
}
