package server

import (
	"context"
	"net/http"

	"github.com/bookahead/bookahead/service/api"
	"github.com/bookahead/bookahead/service/internal/who"
)

func (s *Server) addOutages() {
	type closing struct{ Body api.Close }
	add(s, operation{method: "GET", path: "/v1/outages", id: "list-outages", tag: "outages", summary: "What is closed"},
		func(ctx context.Context, c who.Caller, in *struct {
			Schedule string `query:"schedule" maxLength:"256"`
		}) (*body[[]api.Outage], error) {
			l, err := s.look(ctx, c)
			if err != nil {
				return nil, err
			}
			return &body[[]api.Outage]{l.Outages(in.Schedule)}, nil
		})
	add(s, operation{method: "POST", path: "/v1/outages", id: "close", tag: "outages", summary: "Close units, servers or nodes, and say whom to notify", status: http.StatusCreated},
		func(ctx context.Context, c who.Caller, in *closing) (*body[api.Closed], error) {
			v, err := s.office.Shut(ctx, c, in.Body)
			return &body[api.Closed]{v}, err
		})
	add(s, operation{method: "POST", path: "/v1/outages/preview", id: "in-the-way", tag: "outages", summary: "The bookings that lie where something is to be closed"},
		func(ctx context.Context, c who.Caller, in *closing) (*body[[]api.Booking], error) {
			l, err := s.look(ctx, c)
			if err != nil {
				return nil, err
			}
			list, err := l.InTheWay(in.Body)
			return &body[[]api.Booking]{list}, err
		})
	add(s, operation{method: "POST", path: "/v1/clock", id: "confirm-clock", tag: "outages", summary: "Let the clock go on after all members were stopped for more than half an hour", status: http.StatusNoContent},
		func(ctx context.Context, c who.Caller, _ *struct{}) (*struct{}, error) {
			return nil, s.office.ConfirmClock(ctx, c)
		})
	add(s, operation{method: "DELETE", path: "/v1/outages/{id}", id: "reopen", tag: "outages", summary: "End an outage now", problems: []int{http.StatusNotFound}},
		func(ctx context.Context, c who.Caller, in *struct {
			ID uint64 `path:"id" minimum:"1"`
		}) (*body[[]api.Event], error) {
			list, err := s.office.Open(ctx, c, in.ID)
			return &body[[]api.Event]{list}, err
		})
}
