package server

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/bookahead/bookahead/service/internal/office"
	"github.com/bookahead/bookahead/service/internal/who"
)

// Feeds are calendars for programs that know no tokens: whoever has the address of a feed may read it. The address has a key,
// which only the service can make, and it shows what its maker may see.
//
//	/calendar/owner/ann.ics?by=ann&key=…          the bookings of ann
//	/calendar/schedule/lab.ics?by=ann&key=…       the bookings on lab, as ann sees them
func (s *Server) addFeeds(mux *http.ServeMux) {
	type address struct {
		URL string `json:"url" format:"uri"`
	}
	tell(s, operation{method: "GET", path: "/v1/feeds", id: "get-feed", tag: "events", summary: "The address of an iCalendar feed: of a schedule, or of the caller's own bookings"},
		func(_ context.Context, c who.Caller, in *on) (address, error) {
			kind, name := "owner", c.Owner
			if in.Schedule != "" {
				if s.office.Config.Find(in.Schedule) == nil {
					return address{}, problem(http.StatusNotFound, fmt.Sprintf("there is no schedule %q", in.Schedule))
				}
				kind, name = "schedule", in.Schedule
			}
			path := "/calendar/" + kind + "/" + url.PathEscape(name) + ".ics"
			return address{s.office.Config.URL + path + "?by=" + url.QueryEscape(c.Owner) + "&key=" + s.gate.FeedKey(path, c.Owner)}, nil
		})
	mux.HandleFunc("GET /calendar/{kind}/{name}", s.feed)
}

// around is how far a feed reaches back.
const around = 28 * 24 * time.Hour

func (s *Server) feed(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	by := q.Get("by")
	name, ok := strings.CutSuffix(r.PathValue("name"), ".ics")
	if !ok || !s.gate.IsFeedKey(r.URL.EscapedPath(), by, q.Get("key")) {
		http.Error(w, "the address of this feed is wrong, or old", http.StatusNotFound)
		return
	}
	c := who.Caller{Owner: by, Groups: s.gate.GroupsOf(by), Role: who.Reader}
	l, err := s.office.Glance(r.Context(), c)
	if err != nil {
		http.Error(w, "the service cannot read its desk now", http.StatusServiceUnavailable)
		return
	}
	f := office.Filter{Owner: name}
	if r.PathValue("kind") == "schedule" {
		f = office.Filter{Schedule: name}
	}
	f.From = l.Now().Add(-around)
	var data bytes.Buffer
	err = l.WriteCalendar(&data, f)
	if err != nil {
		s.log.Error("a feed cannot be written", "path", r.URL.Path, "err", err)
		http.Error(w, "this feed cannot be written", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/calendar; charset=utf-8")
	w.Write(data.Bytes())
}
