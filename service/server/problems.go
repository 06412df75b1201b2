package server

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/bookahead/bookahead/service/api"
	"github.com/bookahead/bookahead/service/office"
)

// problem makes a problem of a status and of errors with fields, as Huma asks for it.
func problem(status int, detail string, errs ...error) huma.StatusError {
	p := &api.Problem{Title: http.StatusText(status), Status: status, Detail: detail}
	for _, err := range errs {
		var d huma.ErrorDetailer
		switch {
		case errors.As(err, &d):
			one := d.ErrorDetail()
			p.Errors = append(p.Errors, api.Detail{Field: one.Location, What: one.Message})
		case err != nil:
			p.Errors = append(p.Errors, api.Detail{What: err.Error()})
		}
	}
	return p
}

var statusOf = map[office.Kind]int{
	office.Invalid: http.StatusUnprocessableEntity, office.Forbidden: http.StatusForbidden, office.NotFound: http.StatusNotFound,
	office.Unavailable: http.StatusConflict, office.Changed: http.StatusPreconditionFailed, office.Stopped: http.StatusUnprocessableEntity,
	office.Away: http.StatusServiceUnavailable,
}

// problemOf makes a problem of an error of the office; nil for nil.
func problemOf(err error) error {
	if err == nil {
		return nil
	}
	var status huma.StatusError
	if errors.As(err, &status) {
		return err
	}
	var p *office.Problem
	if !errors.As(err, &p) {
		return problem(http.StatusServiceUnavailable, err.Error())
	}
	code := statusOf[p.Kind]
	v := &api.Problem{Title: http.StatusText(code), Status: code, Detail: p.Detail, Refusal: p.Refusal}
	if p.Field != "" {
		v.Detail, v.Errors = "the call makes no sense", []api.Detail{{Field: "body." + p.Field, What: p.Detail}}
	}
	return v
}

// refuse answers with a problem outside of an operation.
func refuse(w http.ResponseWriter, r *http.Request, status int, detail string) {
	if !strings.HasPrefix(r.URL.Path, "/v1/") {
		http.Error(w, detail, status)
		return
	}
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(problem(status, detail))
}

// noOperation answers a request for something that the API does not have.
func (s *Server) noOperation(w http.ResponseWriter, r *http.Request, mux *http.ServeMux) {
	var has []string
	for _, method := range []string{"GET", "POST", "PUT", "DELETE"} {
		_, pattern := mux.Handler(&http.Request{Method: method, URL: r.URL, Host: r.Host})
		if pattern != "/v1/" {
			has = append(has, method)
		}
	}
	if len(has) == 0 {
		refuse(w, r, http.StatusNotFound, "the API has no such path")
		return
	}
	w.Header().Set("Allow", strings.Join(has, ", "))
	refuse(w, r, http.StatusMethodNotAllowed, "this path has "+strings.Join(has, ", "))
}
