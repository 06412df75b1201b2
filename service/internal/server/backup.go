package server

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/bookahead/bookahead/service/internal/folder"
	"github.com/bookahead/bookahead/service/internal/who"
)

// addBackup adds the stream of a whole desk. A backup that is cut off shows that, since the desk marks its end.
func (s *Server) addBackup() {
	op := operation{method: "GET", path: "/v1/backup", id: "backup", tag: "events", summary: "The whole desk, for bookaheadd restore: for operators"}
	add(s, op, func(ctx context.Context, c who.Caller, _ *struct{}) (*huma.StreamResponse, error) {
		if c.Role < who.Operator {
			return nil, problem(http.StatusForbidden, "only an operator may read everything")
		}
		l, err := s.office.Look(ctx, c)
		if err != nil {
			return nil, err
		}
		return &huma.StreamResponse{Body: func(to huma.Context) {
			to.SetHeader("Content-Type", "application/octet-stream")
			err := folder.WriteBackup(to.BodyWriter(), s.office.Config, l.Desk())
			if err != nil {
				s.log.Warn("a backup was cut off", "err", err)
			}
		}}, nil
	})
}
