package office

import (
	"github.com/bookahead/bookahead/desk"
	"github.com/bookahead/bookahead/service/api"
	"github.com/bookahead/bookahead/service/internal/journal"
	"github.com/bookahead/bookahead/service/internal/who"
)

// Events returns events of the desk as the caller may see them.
func (l *Look) Events(events []desk.Event, by string) []api.Event {
	list := []api.Event{}
	for i := range events {
		list = append(list, l.office.EventOf(l.caller, &journal.Event{Event: events[i], By: by}))
	}
	return list
}

// EventOf returns an event of the journal as a caller may see it. Who has done it, only operators see.
func (o *Office) EventOf(c who.Caller, e *journal.Event) api.Event {
	k := o.clock
	v := api.Event{
		Number: e.Number, At: k.wall(e.At), What: e.What.String(), Booking: uint64(e.Booking), Owner: e.Owner, Schedule: e.Schedule,
		Outage: uint64(e.Outage), Series: uint64(e.Series), From: k.span(e.From), To: k.span(e.To),
	}
	if c.Role >= who.Operator {
		v.By = e.By
	}
	return v
}
