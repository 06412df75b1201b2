package server

import (
	"context"

	"github.com/bookahead/bookahead/service/api"
	"github.com/bookahead/bookahead/service/internal/office"
	"github.com/bookahead/bookahead/service/internal/who"
)

func (s *Server) addQuotas() {
	query(s, operation{method: "GET", path: "/v1/quotas", id: "list-quotas", tag: "quotas", summary: "The quotas, and how much of each is in use"},
		func(l *office.Look, in *Window) ([]api.Quota, error) { return l.Quotas(in.From, in.Until) })
	type me struct {
		Owner  string   `json:"owner"`
		Groups []string `json:"groups,omitempty"`
		Role   string   `json:"role" enum:"reader,booker,operator"`
	}
	tell(s, operation{method: "GET", path: "/v1/me", id: "get-me", tag: "quotas", summary: "Who the caller is"},
		func(_ context.Context, c who.Caller, _ *struct{}) (me, error) {
			return me{c.Owner, c.Groups, c.Role.String()}, nil
		})
}
