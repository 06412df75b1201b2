package hooks

import (
	"context"
	"slices"

	"github.com/bookahead/bookahead/desk"
	"github.com/bookahead/bookahead/service/internal/journal"
	"github.com/bookahead/bookahead/service/internal/who"
)

// tells reports whether a hook tells an event.
func (h *hook) tells(ctx context.Context, e *journal.Event) bool {
	switch {
	case len(h.What) > 0 && !slices.Contains(h.What, e.What.String()):
		return false
	case len(h.Owners) > 0 && !slices.Contains(h.Owners, e.Owner):
		return false
	case len(h.On) == 0 || slices.Contains(h.On, e.Schedule) || slices.ContainsFunc(e.On, h.isOn):
		return true
	case e.Booking == 0:
		return false
	}
	l, err := h.office.Glance(ctx, who.Caller{Role: who.Reader})
	if err != nil {
		return true // better once too often
	}
	b, err := l.Desk().Booking(e.Booking)
	return err != nil || h.liesOn(&b)
}

func (h *hook) isOn(schedule string) bool { return slices.Contains(h.On, schedule) }

// liesOn reports whether a booking is on a schedule of the hook, or asks for one.
func (h *hook) liesOn(b *desk.Booking) bool {
	for _, p := range b.Places {
		if h.isOn(p.On) {
			return true
		}
	}
	for _, p := range b.Past {
		if h.isOn(p.On) {
			return true
		}
	}
	return len(b.Places) == 0 && slices.ContainsFunc(b.Shapes, func(s desk.Shape) bool {
		return slices.ContainsFunc(s, func(p desk.Part) bool { return h.isOn(p.On) })
	})
}
