package server

import (
	"context"
	"net/http"

	"github.com/bookahead/bookahead/service/api"
	"github.com/bookahead/bookahead/service/internal/office"
	"github.com/bookahead/bookahead/service/internal/who"
)

// numbered names a series or an outage.
type numbered struct {
	ID uint64 `path:"id" minimum:"1"`
}

// on names a schedule, or all of them.
type on struct {
	Schedule string `query:"schedule" maxLength:"256"`
}

func (s *Server) addOutages() {
	type closing struct{ Body api.Close }
	query(s, operation{method: "GET", path: "/v1/outages", id: "list-outages", tag: "outages", summary: "What is closed"},
		func(l *office.Look, in *on) ([]api.Outage, error) { return l.Outages(in.Schedule), nil })
	tell(s, operation{method: "POST", path: "/v1/outages", id: "close", tag: "outages", summary: "Close units, servers or nodes, and say whom to notify", status: http.StatusCreated},
		func(ctx context.Context, c who.Caller, in *closing) (api.Closed, error) {
			return s.office.Shut(ctx, c, in.Body)
		})
	query(s, operation{method: "POST", path: "/v1/outages/preview", id: "in-the-way", tag: "outages", summary: "The bookings that lie where something is to be closed"},
		func(l *office.Look, in *closing) ([]api.Booking, error) { return l.InTheWay(in.Body) })
	add(s, operation{method: "POST", path: "/v1/clock", id: "confirm-clock", tag: "outages", summary: "Let the clock go on after all members were stopped for more than half an hour", status: http.StatusNoContent},
		func(ctx context.Context, c who.Caller, _ *struct{}) (*struct{}, error) {
			return nil, s.office.ConfirmClock(ctx, c)
		})
	tell(s, operation{method: "DELETE", path: "/v1/outages/{id}", id: "reopen", tag: "outages", summary: "End an outage now", problems: []int{http.StatusNotFound}},
		func(ctx context.Context, c who.Caller, in *numbered) ([]api.Event, error) {
			return s.office.Open(ctx, c, in.ID)
		})
}
