package server

import (
	"context"
	"fmt"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/bookahead/bookahead/service/api"
	"github.com/bookahead/bookahead/service/internal/office"
	"github.com/bookahead/bookahead/service/internal/who"
)

// booked is a booking with its tag.
type booked struct {
	Status   int
	ETag     string `header:"ETag"`
	Location string `header:"Location"`
	Body     api.Booking
}

func tagged(b api.Booking, err error) (*booked, error) {
	return &booked{Status: http.StatusOK, ETag: `"` + b.ETag + `"`, Body: b}, err
}

// ByID names a booking, and maybe the state in which the caller has seen it.
type ByID struct {
	ID      uint64 `path:"id" minimum:"1"`
	IfMatch string `header:"If-Match" maxLength:"128" doc:"The ETag of the booking as the caller has seen it."`
}

type wish struct{ Body api.Wish }

// Keyed is a key by which a call that is sent again has the same answer.
type Keyed struct {
	Key string `header:"Idempotency-Key" maxLength:"256" doc:"A call with the same key and the same wish is carried out once."`
}

func (s *Server) addBookings() {
	conflict := []int{http.StatusConflict}
	found := []int{http.StatusNotFound, http.StatusConflict, http.StatusPreconditionFailed}
	query(s, operation{method: "POST", path: "/v1/searches", id: "search", tag: "bookings", summary: "The earliest place of a wish; nothing is booked", problems: conflict},
		func(l *office.Look, in *wish) (api.Offer, error) { return l.Search(&in.Body) })
	query(s, operation{method: "POST", path: "/v1/alternatives", id: "list-alternatives", tag: "bookings", summary: "Places that would do instead"},
		func(l *office.Look, in *wish) ([]api.Offer, error) { return l.Alternatives(&in.Body) })
	query(s, operation{method: "POST", path: "/v1/reasons", id: "why-not", tag: "bookings", summary: "Why a wish has no place, or only a late one"},
		func(l *office.Look, in *wish) (api.Refusal, error) { return l.Why(&in.Body) })
	add(s, operation{method: "POST", path: "/v1/bookings", id: "book", tag: "bookings", summary: "Book, hold or wait", status: http.StatusCreated, problems: conflict},
		func(ctx context.Context, c who.Caller, in *struct {
			Keyed
			Body api.Book
		}) (*booked, error) {
			b, err := s.office.Book(ctx, c, in.Key, in.Body)
			if err != nil {
				return nil, err
			}
			out, _ := tagged(b, nil)
			out.Status, out.Location = http.StatusCreated, fmt.Sprintf("/v1/bookings/%d", b.ID)
			if b.State == "waiting" {
				out.Status = http.StatusAccepted
			}
			return out, nil
		})
	query(s, operation{method: "GET", path: "/v1/bookings", id: "list-bookings", tag: "bookings", summary: "The calendar", problems: []int{http.StatusNotFound}},
		func(l *office.Look, in *office.Filter) (api.Page[api.Booking], error) { return l.Bookings(*in) })
	add(s, operation{method: "GET", path: "/v1/bookings/{id}", id: "get-booking", tag: "bookings", summary: "A booking", problems: []int{http.StatusNotFound}},
		func(ctx context.Context, c who.Caller, in *struct {
			ID          uint64 `path:"id" minimum:"1"`
			IfNoneMatch string `header:"If-None-Match" maxLength:"256"`
		}) (*booked, error) {
			l, err := s.office.Look(ctx, c)
			if err != nil {
				return nil, err
			}
			out, err := tagged(l.Booking(in.ID))
			if err == nil && office.Matches(in.IfNoneMatch, out.Body.ETag) {
				return &booked{Status: http.StatusNotModified, ETag: out.ETag}, nil
			}
			return out, err
		})
	add(s, operation{method: "PUT", path: "/v1/bookings/{id}", id: "change-booking", tag: "bookings", summary: "Give a booking another wish", problems: found},
		func(ctx context.Context, c who.Caller, in *struct {
			ByID
			Preempt string `query:"preempt" enum:"lower,anybody" doc:"Whose bookings give way, for operators."`
			Body    api.Wish
		}) (*booked, error) {
			return tagged(s.office.Change(ctx, c, in.ID, in.IfMatch, in.Body, in.Preempt))
		})
	paths := s.api.OpenAPI().Paths
	made := paths["/v1/bookings"].Post.Responses
	made["202"] = &huma.Response{Description: "The booking waits for a place", Headers: made["201"].Headers, Content: made["201"].Content}
	paths["/v1/bookings/{id}"].Get.Responses["304"] = &huma.Response{Description: "The booking is as the caller has seen it"}
	for act, summary := range map[office.Act]string{office.Commit: "Make a booking of a hold", office.End: "End a running booking now"} {
		add(s, operation{method: "POST", path: "/v1/bookings/{id}/" + string(act), id: string(act) + "-booking", tag: "bookings", summary: summary, problems: found},
			func(ctx context.Context, c who.Caller, in *ByID) (*booked, error) {
				return tagged(s.office.Act(ctx, c, in.ID, in.IfMatch, act))
			})
	}
	add(s, operation{method: "DELETE", path: "/v1/bookings/{id}", id: "cancel-booking", tag: "bookings", summary: "Give up a booking", problems: found},
		func(ctx context.Context, c who.Caller, in *ByID) (*booked, error) {
			return tagged(s.office.Act(ctx, c, in.ID, in.IfMatch, office.Cancel))
		})
}
