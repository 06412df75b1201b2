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
		out, err := f(ctx, CallerOf(ctx), in)
		if err != nil {
			return nil, problemOf(err)
		}
		return out, nil
	})
}

// body is an answer without headers of its own.
type body[T any] struct{ Body T }

// tell adds an operation whose answer has no headers of its own.
func tell[I, T any](s *Server, op operation, f func(ctx context.Context, c who.Caller, in *I) (T, error)) {
	add(s, op, func(ctx context.Context, c who.Caller, in *I) (*body[T], error) {
		v, err := f(ctx, c, in)
		return &body[T]{v}, err
	})
}

// query adds an operation that reads the desk as it is now for its caller.
func query[I, T any](s *Server, op operation, f func(l *office.Look, in *I) (T, error)) {
	tell(s, op, func(ctx context.Context, c who.Caller, in *I) (v T, err error) {
		l, err := s.office.Look(ctx, c)
		if err == nil {
			v, err = f(l, in)
		}
		return v, err
	})
}
