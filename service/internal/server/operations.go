package server

import (
	"context"
	"net/http"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"github.com/bookahead/bookahead/service/internal/office"
	"github.com/bookahead/bookahead/service/internal/who"
)

// operation describes an operation.
type operation struct {
	method, path string
	id, tag      string
	summary      string
	status       int   // of the answer; 200 if 0
	problems     []int // statuses beside those that every operation may have
}

// usual are the problems that every operation may have.
var usual = []int{http.StatusUnauthorized, http.StatusForbidden, http.StatusUnprocessableEntity, http.StatusTooManyRequests, http.StatusServiceUnavailable}

// add adds an operation. Its function gets the caller, and its errors are those of the office.
func add[I, O any](s *Server, op operation, f func(ctx context.Context, c who.Caller, in *I) (*O, error)) {
	problems := append(slices.Clone(usual), op.problems...)
	if op.method == http.MethodPost || op.method == http.MethodPut {
		problems = append(problems, http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType)
	}
	huma.Register(s.api, huma.Operation{
		OperationID: op.id, Method: op.method, Path: op.path, Tags: []string{op.tag}, Summary: op.summary, DefaultStatus: op.status,
		Errors:       problems,
		MaxBodyBytes: s.office.Config.Limits.Body,
	}, func(ctx context.Context, in *I) (*O, error) {
		out, err := f(ctx, callerOf(ctx), in)
		if err != nil {
			return nil, problemOf(err)
		}
		return out, nil
	})
}

// look returns the desk as it is for a caller.
func (s *Server) look(ctx context.Context, c who.Caller) (*office.Look, error) {
	return s.office.Look(ctx, c)
}

// body is an answer without headers of its own.
type body[T any] struct{ Body T }
