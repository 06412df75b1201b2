package server

import (
	"context"
	"net/http"

	"github.com/bookahead/bookahead/service/api"
	"github.com/bookahead/bookahead/service/internal/who"
)

func (s *Server) addSeries() {
	tell(s, operation{method: "POST", path: "/v1/series", id: "book-series", tag: "series", summary: "Book a wish once in each of several windows", status: http.StatusCreated, problems: []int{http.StatusConflict}},
		func(ctx context.Context, c who.Caller, in *struct {
			Keyed
			Body api.Series
		}) (api.SeriesBooked, error) {
			return s.office.BookSeries(ctx, c, in.Key, in.Body)
		})
	tell(s, operation{method: "DELETE", path: "/v1/series/{id}", id: "cancel-series", tag: "series", summary: "Give up all bookings of a series that have not begun", problems: []int{http.StatusNotFound}},
		func(ctx context.Context, c who.Caller, in *numbered) ([]api.Event, error) {
			return s.office.CancelSeries(ctx, c, in.ID)
		})
}
