package server

import (
	"log/slog"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/bookahead/bookahead/service/office"
	"github.com/bookahead/bookahead/service/who"
)

// Server answers requests. It is a handler for a http.Server.
type Server struct {
	office  *office.Office
	gate    *who.Gate
	log     *slog.Logger
	api     huma.API
	handler http.Handler
	rates   rates
	streams streams
}

// Options are what New may be given.
type Options struct {
	Log *slog.Logger
	// Pages answers everything that is not of the API; nothing does if it is nil.
	Pages http.Handler
	// Style is the address of the stylesheet of the page of logins; it has none if it is "".
	Style string
	// Metrics answers /metrics; nothing does if it is nil. Whoever reaches the service may read it.
	Metrics http.Handler
}

// New returns a server.
//
//	request ─► panics ─► headers ─► origin ─► caller ─► rate ─► bytes and time ─► operation or page
func New(o *office.Office, g *who.Gate, x Options) *Server {
	if x.Log == nil {
		x.Log = slog.Default()
	}
	s := &Server{office: o, gate: g, log: x.Log}
	s.rates.limits, s.streams.most = o.Config.Limits, o.Config.Limits.Streams
	mux := http.NewServeMux()
	s.api = humago.New(mux, description())
	s.describe()
	s.addSchedules()
	s.addBookings()
	s.addSeries()
	s.addOutages()
	s.addQuotas()
	s.addStreams()
	s.addBackup()
	s.addFeeds(mux)
	s.addHealth(mux)
	if x.Metrics != nil {
		mux.Handle("GET /metrics", x.Metrics)
	}
	mux.HandleFunc("/v1/", func(w http.ResponseWriter, r *http.Request) { s.noOperation(w, r, mux) })
	g.Mount(mux, s.log, x.Style)
	if x.Pages != nil {
		mux.Handle("/", x.Pages)
	}
	s.handler = s.doors(mux)
	return s
}

// ServeHTTP answers a request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// Description returns the OpenAPI description, as YAML.
func (s *Server) Description() ([]byte, error) { return s.api.OpenAPI().YAML() }

// End ends all event streams, so that a http.Server can shut down.
func (s *Server) End() { s.streams.end() }

// description returns the settings of the API.
func description() huma.Config {
	huma.NewError = problem
	c := huma.DefaultConfig("bookahead", "1")
	c.Info.Description = "Reservations of units, servers and nodes: exact, all or nothing, and never more than there is.\n\n" +
		"Times are RFC 3339, durations ISO 8601. Errors are problems of RFC 9457."
	c.OpenAPIPath, c.DocsPath, c.SchemasPath = "/v1/openapi", "", ""
	c.CreateHooks = nil // answers have no link to a schema
	c.Components.SecuritySchemes = map[string]*huma.SecurityScheme{"bearer": {Type: "http", Scheme: "bearer"}}
	c.Security = []map[string][]string{{"bearer": {}}}
	return c
}

// describe adds to the description what no operation says.
func (s *Server) describe() {
	d := s.api.OpenAPI()
	d.Info.License = &huma.License{Name: "Apache-2.0", Identifier: "Apache-2.0"}
	d.Servers = []*huma.Server{{URL: s.office.Config.URL}}
	d.Tags = []*huma.Tag{
		{Name: "schedules", Description: "What can be booked, and what is free."},
		{Name: "bookings", Description: "Searches, bookings and what becomes of them."},
		{Name: "series", Description: "Bookings that recur."},
		{Name: "outages", Description: "Closures, for operators."},
		{Name: "quotas", Description: "Bounds, and what is in use."},
		{Name: "events", Description: "What has happened."},
	}
}
