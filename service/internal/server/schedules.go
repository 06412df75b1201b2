package server

import (
	"context"
	"net/http"
	"time"

	"github.com/bookahead/bookahead/service/api"
	"github.com/bookahead/bookahead/service/internal/who"
)

// Window is a stretch of time in a query.
type Window struct {
	From  time.Time `query:"from" required:"true" doc:"RFC 3339."`
	Until time.Time `query:"until" required:"true" doc:"RFC 3339."`
}

func (s *Server) addSchedules() {
	type Named struct {
		Schedule string `path:"schedule" maxLength:"256"`
	}
	add(s, operation{method: "GET", path: "/v1/schedules", id: "list-schedules", tag: "schedules", summary: "What can be booked"},
		func(ctx context.Context, c who.Caller, _ *struct{}) (*body[[]api.Schedule], error) {
			l, err := s.look(ctx, c)
			if err != nil {
				return nil, err
			}
			return &body[[]api.Schedule]{l.Schedules()}, nil
		})
	add(s, operation{method: "GET", path: "/v1/schedules/{schedule}", id: "get-schedule", tag: "schedules", summary: "A schedule", problems: []int{http.StatusNotFound}},
		func(ctx context.Context, c who.Caller, in *Named) (*body[api.Schedule], error) {
			l, err := s.look(ctx, c)
			if err != nil {
				return nil, err
			}
			one, err := l.Schedule(in.Schedule)
			return &body[api.Schedule]{one}, err
		})
	add(s, operation{method: "GET", path: "/v1/schedules/{schedule}/free", id: "list-free", tag: "schedules", summary: "How much is free, step by step", problems: []int{http.StatusNotFound}},
		func(ctx context.Context, c who.Caller, in *struct {
			Named
			Window
		}) (*body[[]api.Step], error) {
			l, err := s.look(ctx, c)
			if err != nil {
				return nil, err
			}
			list, err := l.Free(in.Schedule, in.From, in.Until)
			return &body[[]api.Step]{list}, err
		})
	add(s, operation{method: "GET", path: "/v1/schedules/{schedule}/use", id: "list-use", tag: "quotas", summary: "How much each owner uses", problems: []int{http.StatusNotFound}},
		func(ctx context.Context, c who.Caller, in *struct {
			Named
			Window
		}) (*body[[]api.Use], error) {
			l, err := s.look(ctx, c)
			if err != nil {
				return nil, err
			}
			list, err := l.Use(in.Schedule, in.From, in.Until)
			return &body[[]api.Use]{list}, err
		})
}
