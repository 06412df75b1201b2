package server

import (
	"net/http"
	"time"

	"github.com/bookahead/bookahead/service/api"
	"github.com/bookahead/bookahead/service/internal/office"
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
	type within struct {
		Named
		Window
	}
	query(s, operation{method: "GET", path: "/v1/schedules", id: "list-schedules", tag: "schedules", summary: "What can be booked"},
		func(l *office.Look, _ *struct{}) ([]api.Schedule, error) { return l.Schedules(), nil })
	query(s, operation{method: "GET", path: "/v1/schedules/{schedule}", id: "get-schedule", tag: "schedules", summary: "A schedule", problems: []int{http.StatusNotFound}},
		func(l *office.Look, in *Named) (api.Schedule, error) { return l.Schedule(in.Schedule) })
	query(s, operation{method: "GET", path: "/v1/schedules/{schedule}/free", id: "list-free", tag: "schedules", summary: "How much is free, step by step", problems: []int{http.StatusNotFound}},
		func(l *office.Look, in *within) ([]api.Step, error) { return l.Free(in.Schedule, in.From, in.Until) })
	query(s, operation{method: "GET", path: "/v1/schedules/{schedule}/use", id: "list-use", tag: "quotas", summary: "How much each owner uses", problems: []int{http.StatusNotFound}},
		func(l *office.Look, in *within) ([]api.Use, error) { return l.Use(in.Schedule, in.From, in.Until) })
}
