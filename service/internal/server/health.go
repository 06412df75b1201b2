package server

import (
	"encoding/json"
	"net/http"

	"github.com/bookahead/bookahead/replicated"
	"github.com/bookahead/bookahead/service/api"
	"github.com/bookahead/bookahead/service/internal/who"
)

// addHealth adds what a supervisor asks: whether the process lives, and whether it can answer.
func (s *Server) addHealth(mux *http.ServeMux) {
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte("ok\n")) })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		h := s.health(r)
		w.Header().Set("Content-Type", "application/json")
		if h.State != "ok" {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		json.NewEncoder(w).Encode(h)
	})
}

func (s *Server) health(r *http.Request) api.Health {
	st := s.office.Status()
	h := api.Health{State: "ok", Member: st.ID, Role: st.State, Leader: st.Leader.ID, Applied: st.Applied}
	l, err := s.office.Glance(r.Context(), who.Caller{Role: who.Reader})
	if err == nil {
		h.Now = l.Now()
	}
	for _, wrong := range []error{err, st.Err, st.Doubt, s.office.Journal.Err(), stopped(&st)} {
		if wrong != nil {
			h.State, h.Error = "degraded", wrong.Error()
			break
		}
	}
	return h
}

// stopped returns why a member cannot answer; nil if it can.
func stopped(st *replicated.Status) error {
	switch {
	case st.Leader.ID == "":
		return replicated.ErrNotLeader
	case st.Full:
		return replicated.ErrFull
	}
	return nil
}
