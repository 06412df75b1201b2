package server

import (
	"context"

	"github.com/bookahead/bookahead/service/api"
	"github.com/bookahead/bookahead/service/internal/who"
)

func (s *Server) addQuotas() {
	add(s, operation{method: "GET", path: "/v1/quotas", id: "list-quotas", tag: "quotas", summary: "The quotas, and how much of each is in use"},
		func(ctx context.Context, c who.Caller, in *Window) (*body[[]api.Quota], error) {
			l, err := s.look(ctx, c)
			if err != nil {
				return nil, err
			}
			list, err := l.Quotas(in.From, in.Until)
			return &body[[]api.Quota]{list}, err
		})
	type me struct {
		Owner  string   `json:"owner"`
		Groups []string `json:"groups,omitempty"`
		Role   string   `json:"role" enum:"reader,booker,operator"`
	}
	add(s, operation{method: "GET", path: "/v1/me", id: "get-me", tag: "quotas", summary: "Who the caller is"},
		func(_ context.Context, c who.Caller, _ *struct{}) (*body[me], error) {
			return &body[me]{me{c.Owner, c.Groups, c.Role.String()}}, nil
		})
}
